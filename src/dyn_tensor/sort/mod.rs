//! Sorting, selection and search of dynamic tensors.

mod quantile;
mod search;
mod sets;
mod unique;

pub use unique::DynUnique;

use super::storage::{DynData, DynDataMut};
use super::tensor::DynTensor;
use super::typed::typed;
use crate::error::Error;
use crate::ops::sort::partition::{BOTTOM_K, PARTITION, TOP_K};
use crate::ops::sort::{ARGSORT, LEXSORT, SORT};
use crate::rank::IndexNumber;

impl<S: DynData> DynTensor<S> {
    /// Returns the elements sorted along an axis, in ascending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// If the axis is out of range, the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[3, 1, 2], [6, 5, 4]]);
    /// assert_eq!(x.sort(1)?.downcast_ref()?, tensor![[1, 2, 3], [4, 5, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn sort(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!(SORT, Ordered, (x = self.look(); axis: isize = axis.number()) => x.try_sort(axis))
    }

    /// Returns the elements sorted along an axis, in descending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// Those of [`sort`](DynTensor::sort).
    pub fn sort_descending(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!(SORT, Ordered, (x = self.look(); axis: isize = axis.number()) => x.try_sort_descending(axis))
    }

    /// Returns the indices, along an axis, that sort the elements in ascending order, as `i64`. The sort is stable. NaN is last.
    ///
    /// # Errors
    /// Those of [`sort`](DynTensor::sort).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![30, 10, 20, 10]);
    /// assert_eq!(x.argsort(0)?.downcast_ref()?, tensor![1_i64, 3, 2, 0]);
    /// assert_eq!(x.argsort_descending(0)?.downcast_ref()?, tensor![0_i64, 2, 1, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn argsort(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!(ARGSORT, Ordered, (x = self.look(); axis: isize = axis.number()) => x.try_argsort(axis))
    }

    /// Returns the indices, along an axis, that sort the elements in descending order, as `i64`. The sort is stable. NaN is last.
    ///
    /// # Errors
    /// Those of [`sort`](DynTensor::sort).
    pub fn argsort_descending(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!(ARGSORT, Ordered, (x = self.look(); axis: isize = axis.number()) => x.try_argsort_descending(axis))
    }

    /// Returns the elements, partitioned along an axis: the element at index `k` is that of the sorted tensor, no element before it is
    /// greater, and no element after it is less. NaN counts as greater than all numbers.
    ///
    /// # Errors
    /// * If `k` is not an index along the axis.
    /// * Those of [`sort`](DynTensor::sort).
    pub fn partition(&self, axis: impl IndexNumber, k: impl IndexNumber) -> Result<DynTensor, Error> {
        let (axis, k) = (axis.number(), k.number());
        typed!(PARTITION, Ordered, (x = self.look(); axis: isize = axis, k: isize = k) => x.try_partition(axis, k))
    }

    /// Returns the `k` greatest elements along an axis, the greatest first, and their indices as `i64`: see
    /// [`Tensor::top_k`](crate::Tensor::top_k).
    ///
    /// # Errors
    /// * If the axis has fewer than `k` elements.
    /// * Those of [`sort`](DynTensor::sort).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (values, indices) = DynTensor::from(tensor![10, 40, 30]).top_k(0, 2)?;
    /// assert_eq!(values.downcast_ref()?, tensor![40, 30]);
    /// assert_eq!(indices.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn top_k(&self, axis: impl IndexNumber, k: usize) -> Result<(DynTensor, DynTensor), Error> {
        typed!(TOP_K, Ordered -> (DynTensor, DynTensor), (x = self.look(); axis: isize = axis.number(), k: usize = k) => {
            x.try_top_k(axis, k)
        })
    }

    /// Returns the `k` smallest elements along an axis, the smallest first, and their indices as `i64`: see
    /// [`Tensor::bottom_k`](crate::Tensor::bottom_k).
    ///
    /// # Errors
    /// * If the axis has fewer than `k` elements.
    /// * Those of [`sort`](DynTensor::sort).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (values, indices) = DynTensor::from(tensor![10, 40, 30]).bottom_k(0, 2)?;
    /// assert_eq!(values.downcast_ref()?, tensor![10, 30]);
    /// assert_eq!(indices.downcast_ref()?, tensor![0_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn bottom_k(&self, axis: impl IndexNumber, k: usize) -> Result<(DynTensor, DynTensor), Error> {
        typed!(BOTTOM_K, Ordered -> (DynTensor, DynTensor), (x = self.look(); axis: isize = axis.number(), k: usize = k) => {
            x.try_bottom_k(axis, k)
        })
    }

    /// Returns the indices that sort the columns of a matrix, as `i64`. The last row is the primary key; ties are resolved by the row
    /// before it, and so on. The sort is stable.
    ///
    /// # Errors
    /// If the rank is not 2, the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[2, 1, 3], [7, 5, 5]]);
    /// assert_eq!(x.lexsort()?.downcast_ref()?, tensor![1_i64, 2, 0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn lexsort(&self) -> Result<DynTensor, Error> {
        typed!(LEXSORT, Ordered, (x = self.look()) => x.try_lexsort())
    }
}

impl<S: DynDataMut> DynTensor<S> {
    /// Sorts the elements along an axis in place, in ascending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// * If the axis is out of range, or the element type is not ordered: the tensor is unchanged.
    /// * If the allocation of workspace fails: some lines along the axis may have been sorted.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![3, 1, 2]);
    /// x.sort_inplace(0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn sort_inplace(&mut self, axis: impl IndexNumber) -> Result<(), Error> {
        typed!(SORT, Ordered -> (), (mut x = self.view_mut(); axis: isize = axis.number()) => x.try_sort_inplace(axis))
    }

    /// Sorts the elements along an axis in place, in descending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// Those of [`sort_inplace`](DynTensor::sort_inplace).
    pub fn sort_descending_inplace(&mut self, axis: impl IndexNumber) -> Result<(), Error> {
        typed!(SORT, Ordered -> (), (mut x = self.view_mut(); axis: isize = axis.number()) => {
            x.try_sort_descending_inplace(axis)
        })
    }
}
