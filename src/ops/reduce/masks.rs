//! Reductions of masks.

use crate::axis::{AxesArg, AxesToRemove, AxisArg};
use crate::device::op::reduction::{All, Any, Count};
use crate::device::{Device, Reduce};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::Tensor;

macro_rules! mask_reductions {
    ($(
        $(#[$doc:meta])*
        [$whole:ident; axis: $axis:ident; axes: $axes:ident; keepdims: $keepdims:ident]
        $op:ident => $Output:ty, examples $input:literal, whole $w:literal, axis0 $a:literal;
    )*) => {$(
        impl<D: Dim, O: Order, Dev: Device, S: Storage<bool, Dev>> Tensor<bool, D, O, Dev, S> {
            $(#[$doc])*
            ///
            /// # Errors
            /// If the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($whole), "().item(), ", $w, ");")]
            /// ```
            #[fallible]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $whole(&self) -> Tensor<$Output, Rank<0>, O, Dev>
            where
                Dev: Reduce<bool>,
            {
                self.reduced_whole($op)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis, which is removed.")]
            ///
            /// # Errors
            /// If the axis is out of range, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($axis), "(0), tensor!", $a, ");")]
            /// ```
            #[fallible]
            pub fn $axis<R: Dim, A>(&self, axis: A) -> Tensor<$Output, R, O, Dev>
            where
                Dev: Reduce<bool>,
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                self.reduced($op, &[axis.index(self.rank())])
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over several axes, which are removed.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($axes), "([0, 1]).item(), ", $w, ");")]
            /// ```
            #[fallible]
            pub fn $axes<A: AxesToRemove<D>>(&self, axes: A) -> Tensor<$Output, A::Remaining, O, Dev>
            where
                Dev: Reduce<bool>,
            {
                self.reduced($op, axes.axes(self.rank()).as_ref())
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one or several axes, which are kept with extent 1.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($keepdims), "(0), tensor![", $a, "]);")]
            /// ```
            #[fallible]
            pub fn $keepdims<A: AxesArg<D>>(&self, axes: A) -> Tensor<$Output, D, O, Dev>
            where
                Dev: Reduce<bool>,
            {
                self.reduced_keeping($op, axes.axes(self.rank()).as_ref())
            }
        }
    )*};
}
mask_reductions! {
    /// Returns whether all elements are `true`; `true` if the tensor is empty.
    [all; axis: all_axis; axes: all_axes; keepdims: all_keepdims]
    All => bool, examples "[[true, false], [true, true]]", whole "false", axis0 "[true, false]";
}
mask_reductions! {
    /// Returns whether any element is `true`; `false` if the tensor is empty.
    [any; axis: any_axis; axes: any_axes; keepdims: any_keepdims]
    Any => bool, examples "[[true, false], [false, false]]", whole "true", axis0 "[true, false]";
}
mask_reductions! {
    /// Counts the elements that are `true`.
    [count; axis: count_axis; axes: count_axes; keepdims: count_keepdims]
    Count => i64, examples "[[true, false], [true, true]]", whole "3", axis0 "[2, 1]";
}
