//! The distinct elements of a tensor.

use crate::axis::AxisArg;
use crate::device::{Device, Select, Sort};
use crate::element::{Element, Ordered};
use crate::engine::sort::unique_slices::{taking, unique_slices};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::Storage;
use crate::tensor::Tensor;

pub(crate) const UNIQUE: &str = "find the different elements";
pub(crate) const UNIQUE_SLICES: &str = "find the different slices";

/// The result of [`unique_with`](Tensor::unique_with): the distinct elements, and where they occur.
#[derive(Debug)]
pub struct Unique<T: Element, O: Order, Dev: Device> {
    /// The distinct elements, in ascending order.
    pub values: Tensor<T, Rank<1>, O, Dev>,
    /// For each element of `values`, the flat index of its first occurrence, counted in memory order.
    pub first: Tensor<i64, Rank<1>, O, Dev>,
    /// For each element of the tensor, in memory order, its index in `values`.
    pub inverse: Tensor<i64, Rank<1>, O, Dev>,
    /// For each element of `values`, the number of its occurrences.
    pub counts: Tensor<i64, Rank<1>, O, Dev>,
}

/// The result of [`unique_slices_with`](Tensor::unique_slices_with): the distinct slices along an axis, and where they occur.
#[derive(Debug)]
pub struct UniqueSlices<T: Element, D: Dim, O: Order, Dev: Device> {
    /// The distinct slices, in ascending order.
    pub values: Tensor<T, D, O, Dev>,
    /// For each slice of `values`, the index of its first occurrence along the axis.
    pub first: Tensor<i64, Rank<1>, O, Dev>,
    /// For each index along the axis, the index of its slice in `values`.
    pub inverse: Tensor<i64, Rank<1>, O, Dev>,
    /// For each slice of `values`, the number of its occurrences.
    pub counts: Tensor<i64, Rank<1>, O, Dev>,
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the distinct elements, in ascending order. All NaN count as equal, so the result has at most one, at the end. −0.0 and 0.0
    /// count as equal too; the result has the zero that comes first in memory order.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[3, 1, 3], [2, 1, 3]].unique(), tensor![1, 2, 3]);
    /// ```
    #[fallible]
    pub fn unique(&self) -> Tensor<T, Rank<1>, O, Dev>
    where
        T: Ordered,
        Dev: Sort<T>,
    {
        let buffer = self.in_memory_order(|x| self.device().unique(x))?;
        let len = Dev::len(&buffer);
        Ok(Tensor::contiguous(buffer, [len], self.device().clone()))
    }

    /// Returns the distinct elements in ascending order, and for each of them the number of its occurrences. All NaN count as equal. This
    /// takes less time than [`unique_with`](Tensor::unique_with), which also returns where the elements occur.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (values, counts) = tensor![3, 1, 3, 2, 1, 3].unique_counts();
    /// assert_eq!(values, tensor![1, 2, 3]);
    /// assert_eq!(counts, tensor![2, 1, 3]);
    /// ```
    #[fallible]
    #[allow(clippy::type_complexity)]
    pub fn unique_counts(&self) -> (Tensor<T, Rank<1>, O, Dev>, Tensor<i64, Rank<1>, O, Dev>)
    where
        T: Ordered,
        Dev: Sort<T>,
    {
        let (values, counts) = self.in_memory_order(|x| self.device().unique_counts(x))?;
        let (len, device) = (Dev::len(&values), self.device());
        let values = Tensor::contiguous(values, [len], device.clone());
        Ok((values, Tensor::contiguous(counts, [len], device.clone())))
    }

    /// Returns the distinct elements in ascending order and, for each of them, its first occurrence and the number of its occurrences. Also
    /// returns, for each element of `self`, its index among the distinct elements. All NaN count as equal.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![3, 1, 3, 2, 1, 3].unique_with();
    /// assert_eq!(x.values, tensor![1, 2, 3]);
    /// assert_eq!(x.first, tensor![1, 3, 0]);
    /// assert_eq!(x.counts, tensor![2, 1, 3]);
    /// assert_eq!(x.inverse, tensor![2, 0, 2, 1, 0, 2]);
    /// ```
    #[fallible]
    #[must_use]
    pub fn unique_with(&self) -> Unique<T, O, Dev>
    where
        T: Ordered,
        Dev: Sort<T>,
    {
        let (values, places) = self.in_memory_order(|x| self.device().unique_with(x))?;
        let device = self.device();
        let line = |buffer: Dev::Buffer<i64>| {
            let len = Dev::len(&buffer);
            Tensor::contiguous(buffer, [len], device.clone())
        };
        let [first, inverse, counts] = places.map(line);
        let len = Dev::len(&values);
        Ok(Unique { values: Tensor::contiguous(values, [len], device.clone()), first, inverse, counts })
    }

    /// Returns the distinct slices along an axis, in ascending order: for axis 0 of a matrix, the distinct rows.
    ///
    /// Slices are compared element by element in memory order: the first elements that differ decide. NaN is greater than all numbers. All
    /// NaN count as equal, and so do −0.0 and 0.0. Of several equal slices, the result has the first.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[2, 1], [1, 5], [2, 1], [1, 3]];
    /// assert_eq!(x.unique_slices(0), tensor![[1, 3], [1, 5], [2, 1]]);
    /// ```
    #[fallible]
    pub fn unique_slices<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
    where
        T: Ordered,
        Dev: Select<T>,
    {
        Ok(self.try_unique_slices_with(axis)?.values)
    }

    /// Returns the distinct slices along an axis in ascending order and, for each of them, its first occurrence and the number of its
    /// occurrences. Also returns, for each index along the axis, the index of its slice among the distinct slices. Slices are compared as
    /// [`unique_slices`](Tensor::unique_slices) compares them.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[2, 1], [1, 5], [2, 1]].unique_slices_with(0);
    /// assert_eq!(x.values, tensor![[1, 5], [2, 1]]);
    /// assert_eq!(x.first, tensor![1, 0]);
    /// assert_eq!(x.inverse, tensor![1, 0, 1]);
    /// assert_eq!(x.counts, tensor![1, 2]);
    /// ```
    #[fallible]
    #[must_use]
    pub fn unique_slices_with<A: AxisArg<D>>(&self, axis: A) -> UniqueSlices<T, D, O, Dev>
    where
        T: Ordered,
        Dev: Select<T>,
    {
        let along = taking(UNIQUE_SLICES, axis.index(self.rank()), O::ROW_MAJOR);
        let device = self.device();
        let [first, inverse, counts] = unique_slices(device, self.operand(), along)?.map(|buffer| {
            let len = Dev::len(&buffer);
            Tensor::<_, Rank<1>, O, Dev>::contiguous(buffer, [len], device.clone())
        });
        let mut shape = self.shape();
        shape.as_mut()[along.axis] = first.len();
        let values = Tensor::allocate_with(shape, device.clone(), |out, device| {
            along.take(device, out, self.operand(), first.operand(), false)
        })?;
        Ok(UniqueSlices { values, first, inverse, counts })
    }
}
