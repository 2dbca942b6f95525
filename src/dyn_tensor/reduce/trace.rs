//! Traces of dynamic tensors: sums of diagonals.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::rank::IndexNumber;

impl<S: DynData> DynTensor<S> {
    /// Sums the elements whose indices along axes `a` and `b` are equal, and removes both axes. The elements are read through a
    /// view of the diagonal, without a copy.
    ///
    /// # Errors
    /// * If the rank is below 2, or an axis is out of range.
    /// * If `a` and `b` are the same axis, or differ in extent.
    /// * If the elements are not numbers.
    /// * If an integer sum overflows (of 64 bits: only in builds with debug assertions).
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.trace(0, 1)?.item()?, 5.into());
    /// assert_eq!(
    ///     x.index_axis(0, 0)?.trace(0, 1).unwrap_err().to_string(),
    ///     "trace: a tensor of `Rank<1>` has no diagonal: a diagonal needs two axes"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn trace(&self, a: impl IndexNumber, b: impl IndexNumber) -> Result<DynTensor, Error> {
        let (a, b) = (a.number(), b.number());
        typed!("trace", Scalar, (x = self.look(); a: isize = a, b: isize = b) => x.try_trace(a, b))
    }

    /// Sums diagonal `k` of axes `a` and `b`, which may differ in extent, and removes both axes. See
    /// [`Tensor::diagonal_offset`](crate::Tensor::diagonal_offset).
    ///
    /// # Errors
    /// * If the rank is below 2, an axis is out of range, or `a` and `b` are the same axis.
    /// * If the elements are not numbers.
    /// * If an integer sum overflows (of 64 bits: only in builds with debug assertions).
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.trace_offset(0, 1, 1)?.item()?, 8.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn trace_offset(
        &self,
        a: impl IndexNumber,
        b: impl IndexNumber,
        k: isize,
    ) -> Result<DynTensor, Error> {
        let (a, b) = (a.number(), b.number());
        typed!("trace", Scalar, (x = self.look(); a: isize = a, b: isize = b, k: isize = k) => x.try_trace_offset(a, b, k))
    }
}
