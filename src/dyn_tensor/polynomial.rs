//! Polynomials of dynamic tensors.

use super::convolve::{numbers, zeros};
use super::operand::agree;
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::error::Error;

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn polyval(coefficients: DynView<'_>, x: DynView<'_>) -> Result<DynTensor, Error> {
    const NAME: &str = "polyval";
    agree(NAME, coefficients, x)?;
    if coefficients.rank() != 1 {
        let reason =
            format!("expected coefficients as a vector, found a tensor of shape {:?}", coefficients.shape());
        return Err(Error::UnsupportedRank { op: NAME, reason });
    }
    let coefficients = numbers(NAME, coefficients)?;
    let mut values = zeros(NAME, x, x.shape(), x.dtype())?;
    let Some((&first, rest)) = coefficients.split_first() else { return Ok(values) };
    values.fill(first)?;
    for &coefficient in rest {
        values.try_mul_assign(x)?;
        values.try_add_assign(coefficient)?;
    }
    Ok(values)
}

impl<S: DynData> DynTensor<S> {
    /// Returns, for each element of `x`, the value of the polynomial whose coefficients are `self`, highest power first: see
    /// [`Tensor::polyval`](crate::Tensor::polyval).
    ///
    /// # Errors
    /// * If `self` is not a vector.
    /// * If the tensors differ in element type or device, or their elements are not numbers.
    /// * If an integer result overflows in a build with debug assertions, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let p = DynTensor::from(tensor![2, 0, -3]); // 2 x² − 3
    /// assert_eq!(p.polyval(&tensor![0, 1, 2])?.downcast_ref()?, tensor![-3, -1, 5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn polyval<'x>(&self, x: impl Into<DynView<'x>>) -> Result<DynTensor, Error> {
        polyval(self.look(), x.into())
    }
}
