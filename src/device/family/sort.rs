//! Sorting, order statistics, search and distinct elements.

use super::family;
use crate::device::cuda::{CudaBuffer, launch};
use crate::device::quantile::Quantile;
use crate::device::{Cpu, Device, Operand, via_host};
use crate::element::{Element, Ordered, RealScalar};
use crate::error::Error;

/// The name of [`Sort::search`], for error messages.
pub(crate) const SEARCH: &str = "search sorted elements";

family! {
    /// Sorting, order statistics, search and distinct elements. −0.0 and 0.0 are equal, and NaN is last, also in descending order.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` cannot order elements of `{T}`",
        label = "unsupported on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Sort<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Sort<T: Element> {
        /// Sorts the elements along the last axis, in place. Elements that are equal keep their order.
        ///
        /// # Errors
        /// If the device reports an error.
        fn sort(a: update[T], descending: value[bool]) where T: Ordered;

        /// Writes the indices that sort the elements along the last axis of `a`. Elements that are equal keep their order.
        ///
        /// # Errors
        /// If the device reports an error.
        fn argsort(out: write[i64], a: read[T], descending: value[bool]) where T: Ordered;

        /// Partitions the elements along the last axis. Index `k` of this axis then has the same element as after sorting. No element before
        /// it is greater, and no element after it is less. `k` is less than the extent of the last axis.
        ///
        /// # Errors
        /// If the device reports an error.
        fn partition(a: update[T], k: value[usize]) where T: Ordered;

        /// Writes the first elements of each line along the last axis of `a` in sorted order, and their indices: the greatest elements if
        /// `descending`, otherwise the smallest. The extent of the last axis of `values` and `indices` is the number of elements to write.
        /// Elements that are equal are in the order of their indices.
        ///
        /// # Errors
        /// If the device reports an error.
        fn top_k(values: write[T], indices: write[i64], a: read[T], descending: value[bool]) where T: Ordered;

        /// Writes quantiles along the trailing axes of `a`. The axes of `out` are the leading axes of `a`, and a last axis for `levels`, which
        /// are from 0 to 1. If `method` is `None`, each level gives the median.
        ///
        /// # Errors
        /// If the device reports an error.
        fn quantile(
            out: write[T::Float], a: read[T], levels: value[&[f64]], method: value[Option<Quantile>],
        ) where T: RealScalar;

        /// Writes the indices that sort the columns of a matrix by the elements of its last row. Columns with equal elements in the last row
        /// are sorted by the row before it, and so on.
        ///
        /// # Errors
        /// If the device reports an error.
        fn lexsort(out: write[i64], a: read[T]) where T: Ordered;

        /// Writes, for each element of `a`, the index at which the element can be inserted into the vector `sorted` so that the vector stays
        /// sorted. If `right`, the index is after all equal elements, otherwise before all of them.
        ///
        /// # Errors
        /// * [`Error::Argument`] if `sorted` is not sorted. The host and GPUs check this in builds with debug assertions; other devices need
        ///   not check it.
        /// * The error of the device.
        fn search(out: write[i64], sorted: read[T], a: read[T], right: value[bool]) where T: Ordered;

        /// Writes whether each element of `a` is equal to an element of `of`, which can have any shape. NaN is not equal to NaN.
        ///
        /// # Errors
        /// If the device reports an error.
        fn contains(out: write[bool], a: read[T], of: read[T]) where T: Ordered;
    }
    on the host {}
    trait items {
        /// Returns the distinct elements of `a` in ascending order. All NaN count as equal.
        ///
        /// # Errors
        /// If the device reports an error.
        fn unique(&self, a: Operand<'_, T, Self>) -> Result<Self::Buffer<T>, Error>
        where
            T: Ordered,
        {
            let a = via_host::fetch(self, a)?;
            self.adopt(Cpu.release(Sort::unique(&Cpu, a.operand())?)?)
        }

        /// Returns the distinct elements of `a` in ascending order, and for each of them the number of elements of `a` equal to it. All NaN count
        /// as equal.
        ///
        /// # Errors
        /// If the device reports an error.
        fn unique_counts(&self, a: Operand<'_, T, Self>) -> Result<(Self::Buffer<T>, Self::Buffer<i64>), Error>
        where
            T: Ordered,
        {
            let (values, [_, _, counts]) = self.unique_with(a)?;
            Ok((values, counts))
        }

        /// Returns the distinct elements of `a` in ascending order, and three buffers of indices and counts. All NaN count as equal.
        ///
        /// The first buffer has, for each distinct element, the flat index of the first element of `a` equal to it. The second one has, for
        /// each element of `a`, the index of the distinct element equal to it. The third one has, for each distinct element, the number of
        /// elements of `a` equal to it. The flat indices, and the order of the second buffer, are row-major.
        ///
        /// # Errors
        /// If the device reports an error.
        #[allow(clippy::type_complexity)]
        fn unique_with(&self, a: Operand<'_, T, Self>) -> Result<(Self::Buffer<T>, [Self::Buffer<i64>; 3]), Error>
        where
            T: Ordered,
        {
            let a = via_host::fetch(self, a)?;
            let (values, [first, inverse, counts]) = Sort::unique_with(&Cpu, a.operand())?;
            let adopt = |buffer| self.adopt(Cpu.release(buffer)?);
            Ok((self.adopt(Cpu.release(values)?)?, [adopt(first)?, adopt(inverse)?, adopt(counts)?]))
        }
    }
    cuda items {
        fn unique(&self, a: Operand<'_, T, Self>) -> Result<CudaBuffer<T>, Error>
        where
            T: Ordered,
        {
            launch!(ORDINAL, unique(a))
        }
        #[allow(clippy::type_complexity)]
        fn unique_with(&self, a: Operand<'_, T, Self>) -> Result<(CudaBuffer<T>, [CudaBuffer<i64>; 3]), Error>
        where
            T: Ordered,
        {
            launch!(ORDINAL, unique_with(a))
        }
    }
}
