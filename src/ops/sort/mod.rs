//! Sorting along an axis: `sort`, `argsort` and their variants, and `lexsort` for several keys.

mod nan_quantile;
pub(crate) mod partition;
pub(crate) mod quantile;
pub(crate) mod search;
pub(crate) mod sets;
pub(crate) mod unique;
mod weighted_quantile;

use super::elementwise::compute::check_out;
use crate::axis::AxisArg;
use crate::device::{Copy, Device, Sort};
use crate::element::{Element, Ordered};
use crate::error::fallible;
use crate::layout::axes::{Axes, AxesMut};
use crate::order::Order;
use crate::rank::{Dim, HasRank, Rank, check_axis_count, check_has_rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

pub(crate) const SORT: &str = "sort";
pub(crate) const ARGSORT: &str = "argsort";
pub(crate) const LEXSORT: &str = "lexsort";

macro_rules! sorts {
    ($(
        $(#[$doc:meta])*
        $sort:ident $sort_into:ident $inplace:ident $try_inplace:ident $argsort:ident $into:ident $try_into:ident,
        $descending:literal, $order:literal, $sorted:literal, $inplace_sorted:literal, $indices:literal;
    )*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            #[doc = concat!("Returns the elements sorted along an axis, in ", $order, " order.")]
            ///
            /// NaN is last. −0.0 and 0.0 count as equal and keep their order.
            ///
            /// # Errors
            /// If the axis is out of range, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            /// let x = tensor![[3, 1, 2], [6, 5, 4]];
            #[doc = concat!("assert_eq!(x.", stringify!($sort), "(1), tensor!", $sorted, ");")]
            /// ```
            #[fallible]
            pub fn $sort<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
            where
                T: Ordered,
                Dev: Copy<T> + Sort<T>,
            {
                self.axes().check_axis(SORT, axis.index(self.rank()))?;
                let mut sorted = self.try_to_owned()?;
                sorted.$try_inplace(axis)?;
                Ok(sorted)
            }

            #[doc = concat!("[`", stringify!($sort), "`](Tensor::", stringify!($sort), ") into a preallocated tensor or mutable view of exactly the shape of `self`.")]
            ///
            /// # Errors
            /// * If `out` has another shape or is on another instance of the device, or the axis is out of range: `out` is unchanged.
            /// * If the allocation fails: `out` may be partly written.
            ///
            /// ```
            /// use vierbein::{Tensor, tensor};
            /// let mut out = Tensor::zeros([3]);
            #[doc = concat!("tensor![3, 1, 2].", stringify!($sort_into), "(0, &mut out);")]
            #[doc = concat!("assert_eq!(out, tensor!", $inplace_sorted, ");")]
            /// ```
            #[fallible]
            pub fn $sort_into<A: AxisArg<D>, S2>(
                &self,
                axis: A,
                out: &mut Tensor<T, D, O, Dev, S2>,
            )
            where
                T: Ordered,
                Dev: Copy<T> + Sort<T>,
                S2: StorageMut<T, Dev>,
            {
                check_axis_count(SORT, self.axes().shape())?;
                self.axes().check_axis(SORT, axis.index(self.rank()))?;
                check_out(SORT, self.shape().as_ref(), self.device(), out)?;
                let (output, device) = out.output();
                Copy::copy(device, output, self.operand())?;
                out.$try_inplace(axis)
            }

            #[doc = concat!("Sorts the elements along an axis in place, in ", $order, " order.")]
            ///
            /// NaN is last. −0.0 and 0.0 count as equal and keep their order. On the host, allocates memory only if the elements include
            /// NaN or −0.0, if their stride along the axis is not 1, or if they are 16-bit integers and the extent of the axis is at
            /// least 16384.
            ///
            /// # Errors
            /// * If the axis is out of range: the tensor is unchanged.
            /// * If the allocation fails: the tensor may be partly sorted.
            ///
            /// ```
            /// let mut x = vierbein::tensor![3, 1, 2];
            #[doc = concat!("x.", stringify!($inplace), "(0);")]
            #[doc = concat!("assert_eq!(x, vierbein::tensor!", $inplace_sorted, ");")]
            /// ```
            #[fallible]
            pub fn $inplace<A: AxisArg<D>>(&mut self, axis: A)
            where
                T: Ordered,
                Dev: Sort<T>,
                S: StorageMut<T, Dev>,
            {
                check_axis_count(SORT, self.axes().shape())?;
                let (mut shape, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
                let to = AxesMut::new(shape.as_mut(), strides.as_mut());
                self.axes().move_last(SORT, &[axis.index(self.rank())], O::ROW_MAJOR, to)?;
                let (output, device) = self.output_with_axes(Axes::new(shape.as_ref(), strides.as_ref()), 0);
                device.sort(output, $descending)
            }

            #[doc = concat!("Returns the indices along an axis that sort the elements in ", $order, " order.")]
            ///
            /// The sort is stable: elements that are equal keep their order. NaN is last.
            ///
            /// # Errors
            /// If the axis is out of range, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor![30, 10, 20, 10].", stringify!($argsort), "(0), tensor!", $indices, ");")]
            /// ```
            #[fallible]
            pub fn $argsort<A: AxisArg<D>>(&self, axis: A) -> Tensor<i64, D, O, Dev>
            where
                T: Ordered,
                Dev: Sort<T>,
            {
                self.axes().check_axis(ARGSORT, axis.index(self.rank()))?;
                let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
                self.$try_into(axis, &mut out)?;
                Ok(out)
            }

            #[doc = concat!("[`", stringify!($argsort), "`](Tensor::", stringify!($argsort), ") into a preallocated tensor or mutable view of exactly the shape of `self`.")]
            ///
            /// # Errors
            /// * If `out` has another shape or is on another instance of the device, or the axis is out of range: `out` is unchanged.
            /// * If the allocation fails: `out` may be partly written.
            ///
            /// ```
            /// use vierbein::{Tensor, tensor};
            /// let mut out = Tensor::zeros([4]);
            #[doc = concat!("tensor![30, 10, 20, 10].", stringify!($into), "(0, &mut out);")]
            #[doc = concat!("assert_eq!(out, tensor!", $indices, ");")]
            /// ```
            #[fallible]
            pub fn $into<A: AxisArg<D>, S2>(
                &self,
                axis: A,
                out: &mut Tensor<i64, D, O, Dev, S2>,
            )
            where
                T: Ordered,
                Dev: Sort<T>,
                S2: StorageMut<i64, Dev>,
            {
                check_axis_count(ARGSORT, self.axes().shape())?;
                let (mut shape, mut from, mut to) =
                    (D::shape(self.rank()), D::strides(self.rank()), D::strides(self.rank()));
                let axis = [axis.index(self.rank())];
                self.axes().move_last(ARGSORT, &axis, O::ROW_MAJOR, AxesMut::new(shape.as_mut(), from.as_mut()))?;
                check_out(ARGSORT, self.shape().as_ref(), self.device(), out)?;
                out.axes().move_last(ARGSORT, &axis, O::ROW_MAJOR, AxesMut::new(shape.as_mut(), to.as_mut()))?;
                let (output, device) = out.output_with_axes(Axes::new(shape.as_ref(), to.as_ref()), 0);
                let operand = self.operand_with_axes(Axes::new(shape.as_ref(), from.as_ref()), 0);
                device.argsort(output, operand, $descending)
            }
        }
    )*};
}
sorts! {
    sort sort_into sort_inplace try_sort_inplace argsort argsort_into try_argsort_into,
    false, "ascending", "[[1, 2, 3], [4, 5, 6]]", "[1, 2, 3]", "[1, 3, 2, 0]";
}
sorts! {
    sort_descending sort_descending_into sort_descending_inplace try_sort_descending_inplace
    argsort_descending argsort_descending_into try_argsort_descending_into,
    true, "descending", "[[3, 2, 1], [6, 5, 4]]", "[3, 2, 1]", "[0, 2, 1, 3]";
}

impl<T: Element, D: HasRank<2>, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the indices that sort the columns in ascending order. The rows are the keys. The last row is the primary key; columns that
    /// are equal in the last row are sorted by the row before it, and so on.
    ///
    /// The sort is stable. NaN is last.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let first_names = [2, 1, 3, 1];
    /// let last_names = [7, 5, 5, 5];
    /// assert_eq!(tensor![first_names, last_names].lexsort(), tensor![1, 3, 2, 0]);
    /// ```
    #[fallible]
    pub fn lexsort(&self) -> Tensor<i64, Rank<1>, O, Dev>
    where
        T: Ordered,
        Dev: Sort<T>,
    {
        check_has_rank::<2>(LEXSORT, self.shape().as_ref())?;
        let mut out = Tensor::allocate([self.shape().as_ref()[1]], self.device().clone())?;
        let (output, device) = out.output();
        device.lexsort(output, self.operand())?;
        Ok(out)
    }
}
