//! Cumulative maxima and minima along an axis.

use crate::axis::AxisArg;
use crate::device::op::binary::{Maximum, Minimum};
use crate::device::{Device, Reduce};
use crate::element::{Element, RealScalar};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

macro_rules! cumulative_extremes {
    ($($(#[$doc:meta])* $name:ident $into:ident, $op:expr, $expected:literal;)*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            $(#[$doc])*
            ///
            /// # Errors
            /// If the axis is out of range, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor![[2, 1, 3], [4, 6, 5]].", stringify!($name), "(1), tensor!", $expected, ");")]
            /// ```
            #[fallible]
            pub fn $name<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
            where
                T: RealScalar,
                Dev: Reduce<T>,
            {
                self.scanned($op, axis.index(self.rank()))
            }

            #[doc = concat!("[`", stringify!($name), "`](Tensor::", stringify!($name), ") into a preallocated tensor or mutable view of exactly the shape of `self`.")]
            ///
            /// # Errors
            /// If `out` has another shape or is on another instance of the device, or the axis is out of range. `out` is unchanged then.
            ///
            /// ```
            /// use vierbein::{Tensor, tensor};
            /// let mut out = Tensor::zeros([2, 3]);
            #[doc = concat!("tensor![[2, 1, 3], [4, 6, 5]].", stringify!($into), "(1, &mut out);")]
            #[doc = concat!("assert_eq!(out, tensor!", $expected, ");")]
            /// ```
            #[fallible]
            pub fn $into<A: AxisArg<D>, S2>(
                &self,
                axis: A,
                out: &mut Tensor<T, D, O, Dev, S2>,
            )
            where
                T: RealScalar,
                Dev: Reduce<T>,
                S2: StorageMut<T, Dev>,
            {
                self.scan_into($op, axis.index(self.rank()), out)
            }
        }
    )*};
}
cumulative_extremes! {
    /// Returns the cumulative maxima along an axis: element `i` of the result is the largest element with an index from 0 to `i`. From the
    /// first NaN on, the results are NaN.
    cummax cummax_into, Maximum, "[[2, 2, 3], [4, 6, 6]]";
    /// Returns the cumulative minima along an axis: element `i` of the result is the smallest element with an index from 0 to `i`. From the
    /// first NaN on, the results are NaN.
    cummin cummin_into, Minimum, "[[2, 1, 1], [4, 4, 4]]";
}
