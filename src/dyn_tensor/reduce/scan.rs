//! Cumulative sums, products and extrema of dynamic tensors.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::rank::IndexNumber;

macro_rules! scans {
    ($($(#[$doc:meta])* $method:ident $typed:ident, $bound:ident, $expected:literal;)*) => {$(
        impl<S: DynData> DynTensor<S> {
            $(#[$doc])*
            ///
            /// # Errors
            /// * If the axis is out of range.
            /// * If the elements are not numbers. Cumulative maxima and minima need real numbers.
            /// * If a sum or product of integers overflows (of 64 bits: only in builds with debug assertions).
            /// * If the device allocation fails.
            ///
            /// ```
            /// use vierbein::{DynTensor, tensor};
            /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
            #[doc = concat!("assert_eq!(x.", stringify!($method), "(1)?.downcast_ref()?, tensor!", $expected, ");")]
            /// # Ok::<(), vierbein::Error>(())
            /// ```
            pub fn $method(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
                typed!("accumulate", $bound, (x = self.look(); axis: isize = axis.number()) => x.$typed(axis))
            }
        }
    )*};
}
scans! {
    /// Returns the cumulative sum along an axis.
    cumsum try_cumsum, Scalar, "[[1, 3, 6], [4, 9, 15]]";
    /// Returns the cumulative product along an axis.
    cumprod try_cumprod, Scalar, "[[1, 2, 6], [4, 20, 120]]";
    /// Returns the cumulative maximum along an axis. From a NaN on, results are NaN.
    cummax try_cummax, RealScalar, "[[1, 2, 3], [4, 5, 6]]";
    /// Returns the cumulative minimum along an axis. From a NaN on, results are NaN.
    cummin try_cummin, RealScalar, "[[1, 1, 1], [4, 4, 4]]";
}

impl<S: DynData> DynTensor<S> {
    /// Returns the cumulative sums along an axis, with zero in place of each NaN. A complex number with a NaN part counts as zero. Copies the
    /// tensor.
    ///
    /// # Errors
    /// If the axis is out of range, the elements are not floating-point or complex numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.0, f64::NAN, 2.0]);
    /// assert_eq!(x.nan_cumsum(0)?.downcast_ref()?, tensor![1.0, 1.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_cumsum(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!("accumulate", Inexact, (x = self.look(); axis: isize = axis.number()) => x.try_nan_cumsum(axis))
    }

    /// Returns the cumulative products along an axis, with one in place of each NaN. A complex number with a NaN part counts as one. Copies
    /// the tensor.
    ///
    /// # Errors
    /// If the axis is out of range, the elements are not floating-point or complex numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3.0, f64::NAN, 2.0]);
    /// assert_eq!(x.nan_cumprod(0)?.downcast_ref()?, tensor![3.0, 3.0, 6.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_cumprod(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!("accumulate", Inexact, (x = self.look(); axis: isize = axis.number()) => x.try_nan_cumprod(axis))
    }
}
