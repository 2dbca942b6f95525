//! Convolutions and correlations of dynamic tensors.

use crate::device::Cpu;
use crate::dispatch;
use crate::dyn_tensor::operand::{agree, device_of, lacking, needs, on_device};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::dyn_tensor::view::slice::SliceItem;
use crate::element::DType;
use crate::engine::gemm::convolve::{ConvolutionMode, Taps, Variant};
use crate::error::Error;

/// Returns the elements as scalars, in memory order.
// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(crate) fn numbers(op: &'static str, x: DynView<'_>) -> Result<Vec<DynScalar>, Error> {
    dispatch!(
        x.dtype(),
        T: Scalar => Ok(x.to_vec::<T>()?.into_iter().map(DynScalar::of).collect()),
        else => Err(lacking(op, x.dtype(), needs::NUMBERS))
    )
}

/// Returns a tensor of zeros of the given shape, with the device and the memory order of `x`.
// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(crate) fn zeros(
    op: &'static str,
    x: DynView<'_>,
    shape: &[usize],
    dtype: DType,
) -> Result<DynTensor, Error> {
    let on_host = DynTensor::zeros(shape, dtype, x.order())?;
    if x.device::<Cpu>().is_some() {
        return Ok(on_host);
    }
    on_device!(op, x, Dev => on_host.to_device_in(device_of::<Dev>(&x)))
}

/// Returns the slice arguments that select the part with the given shape whose first element is at index `start`.
pub(crate) fn part(start: &[usize], shape: &[usize]) -> Vec<SliceItem> {
    start.iter().zip(shape).map(|(&start, &extent)| SliceItem::from(start..start + extent)).collect()
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(crate) fn sum_of_taps(
    variant: Variant,
    x: DynView<'_>,
    kernel: DynView<'_>,
    mode: ConvolutionMode,
) -> Result<DynTensor, Error> {
    let name = variant.name();
    let order = agree(name, x, kernel)?;
    let factors = match variant {
        Variant::Convolution => numbers(name, kernel)?,
        Variant::Correlation => numbers(name, kernel.conj()?.look())?,
    };
    let taps = Taps::new(variant, mode, x.shape(), kernel.shape(), order.is_row_major())?;
    let mut out = zeros(name, x, taps.shape(), x.dtype())?;
    taps.each(|k, to, from, shape| {
        let terms = x.slice(part(from, shape))?.try_mul(factors[k])?;
        out.slice_mut(part(to, shape))?.try_add_assign(&terms)
    })?;
    Ok(out)
}

impl<S: DynData> DynTensor<S> {
    /// Returns the discrete convolution with a kernel of the same rank: see [`Tensor::convolve`](crate::Tensor::convolve).
    ///
    /// # Errors
    /// * If the tensors differ in rank, element type, order or device, or their elements are not numbers.
    /// * If an operand has zero elements.
    /// * If an integer result overflows in a build with debug assertions, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3]);
    /// let sums = x.convolve(&tensor![1, 1], ConvolutionMode::Same)?;
    /// assert_eq!(sums.downcast_ref()?, tensor![1, 3, 5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn convolve<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        const NAME: &str = Variant::Convolution.name();
        typed!(NAME, Scalar, (x = self.look(), kernel = kernel.into(); mode: ConvolutionMode = mode) => {
            x.try_convolve(kernel, mode)
        })
    }

    /// Returns the cross-correlation with a kernel of the same rank: see [`Tensor::correlate`](crate::Tensor::correlate).
    ///
    /// # Errors
    /// Those of [`convolve`](DynTensor::convolve).
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 4, 7]);
    /// let differences = x.correlate(&tensor![-1, 1], ConvolutionMode::Valid)?;
    /// assert_eq!(differences.downcast_ref()?, tensor![1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn correlate<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        const NAME: &str = Variant::Correlation.name();
        typed!(NAME, Scalar, (x = self.look(), kernel = kernel.into(); mode: ConvolutionMode = mode) => {
            x.try_correlate(kernel, mode)
        })
    }
}
