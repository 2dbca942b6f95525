//! Convolutions and correlations of dynamic tensors that are computed by Fourier transforms.

use crate::dyn_tensor::gemm::convolve::{part, sum_of_taps};
use crate::dyn_tensor::operand::{agree, lacking, needs};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::DType;
use crate::engine::fourier::fft_convolve::Transforms;
use crate::engine::gemm::convolve::{ConvolutionMode, Taps, Variant};
use crate::error::Error;

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn product_of_spectra(
    variant: Variant,
    x: DynView<'_>,
    kernel: DynView<'_>,
    mode: ConvolutionMode,
) -> Result<DynTensor, Error> {
    let op = variant.name();
    let order = agree(op, x, kernel)?;
    let is_real = match x.dtype() {
        DType::F32 | DType::F64 => true,
        DType::C32 | DType::C64 => false,
        _ => return Err(lacking(op, x.dtype(), needs::TRANSFORM)),
    };
    let taps = Taps::new(variant, mode, x.shape(), kernel.shape(), order.is_row_major())?;
    let transforms = Transforms::new(op, &taps, x.shape(), kernel.shape(), order.is_row_major(), is_real);
    // There are no transforms if, along each axis, `x` or `kernel` has extent 1. Each element of the result is then a single product.
    let Some(transforms) = transforms else { return sum_of_taps(variant, x, kernel, mode) };
    let (axes, options) = (transforms.axes(), transforms.options());
    let spectrum = |x: DynView<'_>| match is_real {
        true => x.rfft_with(axes, options),
        false => x.fft_with(axes, options),
    };
    let terms = spectrum(x)?;
    let all: Vec<usize> = (0..x.rank()).collect();
    let factors = match variant {
        Variant::Convolution => spectrum(kernel)?,
        Variant::Correlation if is_real => spectrum(kernel.flip(&all)?)?,
        Variant::Correlation => spectrum(kernel.flip(&all)?.conj()?.look())?,
    };
    let product = terms.try_mul(&factors)?;
    let whole = match is_real {
        true => product.irfft_with(axes, options)?,
        false => product.ifft_with(axes, options)?,
    };
    if whole.shape() == taps.shape() {
        return Ok(whole);
    }
    whole.slice(part(taps.start(), taps.shape()))?.to_owned()
}

impl<S: DynData> DynTensor<S> {
    /// Returns the convolution with a kernel of the same rank, computed by Fourier transforms: see
    /// [`Tensor::fft_convolve`](crate::Tensor::fft_convolve).
    ///
    /// # Errors
    /// * If the tensors differ in rank, element type, order or device, or their elements are not floating-point or complex numbers.
    /// * If an operand has zero elements, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.0, 2.0, 3.0]);
    /// let sums = x.fft_convolve(&tensor![1.0, 1.0], ConvolutionMode::Valid)?.downcast::<f64, vierbein::Rank<1>, _, _>()?;
    /// assert!(sums.all_close(&tensor![3.0, 5.0], 0.0, 1e-14));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn fft_convolve<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        product_of_spectra(Variant::Convolution, self.look(), kernel.into(), mode)
    }

    /// Returns the cross-correlation with a kernel of the same rank, computed by Fourier transforms: see
    /// [`Tensor::fft_correlate`](crate::Tensor::fft_correlate).
    ///
    /// # Errors
    /// Those of [`fft_convolve`](DynTensor::fft_convolve).
    pub fn fft_correlate<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        product_of_spectra(Variant::Correlation, self.look(), kernel.into(), mode)
    }
}
