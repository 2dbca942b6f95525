//! Weighted means of dynamic tensors.

use super::in_range;
use super::statistics::number;
use crate::dispatch;
use crate::dyn_tensor::operand::{agree, lacking, needs};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::DType;
use crate::engine::reduce::weights::{check_weights, is_moderate, scale_of};
use crate::error::Error;
use crate::layout::Layout;
use crate::rank::{IndexNumber, MAX_RANK, as_given, from_start};
use num_complex::Complex;

fn is_zero(x: DynScalar) -> bool {
    let zeros = [0f32.into(), 0f64.into(), Complex::new(0f32, 0.0).into(), Complex::new(0f64, 0.0).into()];
    zeros.contains(&x)
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn average(x: DynView<'_>, axis: usize, weights: DynView<'_>) -> Result<DynTensor, Error> {
    const NAME: &str = "average";
    agree(NAME, x, weights)?;
    if !matches!(x.dtype(), DType::F32 | DType::F64 | DType::C32 | DType::C64) {
        return Err(lacking(NAME, x.dtype(), needs::INEXACT));
    }
    if axis >= x.rank() {
        return Err(Error::AxisOutOfRange { op: NAME, axis: as_given(axis), shape: x.shape().to_vec() });
    }
    let (&[count], &[step]) = (weights.shape(), weights.layout().strides()) else {
        let reason = format!("expected weights as a vector, found a tensor of shape {:?}", weights.shape());
        return Err(Error::UnsupportedRank { op: NAME, reason });
    };
    let total = weights.sum()?.item()?;
    check_weights(x.shape(), axis, count, is_zero(total))?;
    let by = dispatch!(
        x.dtype(),
        T: Inexact => match total.get::<T>() {
            Some(total) if !is_moderate(total) => scale_of(&weights.to_vec::<T>()?),
            _ => None,
        },
        else => None
    );
    let scaled = match by {
        Some(by) => Some(weights.try_div(number(by, x.dtype()))?),
        None => None,
    };
    let (weights, step) = scaled.as_ref().map_or((weights, step), |scaled| (scaled.look(), 1));
    let total = weights.sum()?.item()?;
    check_weights(x.shape(), axis, count, is_zero(total))?;
    let mut strides = [0; MAX_RANK];
    strides[axis] = step;
    in_range(x, |x| {
        let repeated = Layout::new(x.shape(), &strides[..x.rank()]).moved(weights.layout().offset());
        let repeated = DynTensor::of(*weights.storage(), repeated, x.order());
        x.try_mul(repeated)?.sum_axis(axis)?.try_div(total)
    })
}

impl<S: DynData> DynTensor<S> {
    /// Returns the weighted means along an axis: see [`Tensor::average`](crate::Tensor::average).
    ///
    /// # Errors
    /// * If the axis is out of range.
    /// * If the weights are not a vector with one element for each index of the axis, or their sum is zero.
    /// * If the tensors differ in element type or device, or their elements are not floating-point or complex numbers.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 5.0], [3.0, 3.0]]);
    /// assert_eq!(x.average(1, &tensor![3.0, 1.0])?.downcast_ref()?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn average<'w>(
        &self,
        axis: impl IndexNumber,
        weights: impl Into<DynView<'w>>,
    ) -> Result<DynTensor, Error> {
        average(self.look(), from_start(axis, self.rank()), weights.into())
    }
}
