//! The distinct elements of a tensor.

use crate::device::{Device, Reduce};
use crate::element::{Element, Ordered};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::Storage;
use crate::tensor::Tensor;

pub(crate) const UNIQUE: &str = "find the different elements";

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

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the distinct elements, in ascending order. All NaN count as equal, so the result has at most one, at the end. −0.0 and 0.0
    /// count as equal too; the result has the one that is first in memory order.
    ///
    /// # Panics
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[3, 1, 3], [2, 1, 3]].unique(), tensor![1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn unique(&self) -> Tensor<T, Rank<1>, O, Dev>
    where
        T: Ordered,
        Dev: Reduce<T>,
    {
        unwrap_or_panic(self.try_unique())
    }

    /// Fallible variant of [`unique`](Tensor::unique).
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_unique(&self) -> Result<Tensor<T, Rank<1>, O, Dev>, Error>
    where
        T: Ordered,
        Dev: Reduce<T>,
    {
        let layout = self.enumeration();
        let buffer = self.device().unique(self.operand_in(&layout))?;
        let len = Dev::len(&buffer);
        Ok(Tensor::contiguous(buffer, [len], self.device().clone()))
    }

    /// Returns the distinct elements in ascending order and, for each of them, its first occurrence and the number of its occurrences. Also
    /// returns, for each element of `self`, its index among the distinct elements. All NaN count as equal.
    ///
    /// # Panics
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
    #[track_caller]
    pub fn unique_with(&self) -> Unique<T, O, Dev>
    where
        T: Ordered,
        Dev: Reduce<T>,
    {
        unwrap_or_panic(self.try_unique_with())
    }

    /// Fallible variant of [`unique_with`](Tensor::unique_with).
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_unique_with(&self) -> Result<Unique<T, O, Dev>, Error>
    where
        T: Ordered,
        Dev: Reduce<T>,
    {
        let layout = self.enumeration();
        let (values, places) = self.device().unique_with(self.operand_in(&layout))?;
        let device = self.device();
        let line = |buffer: Dev::Buffer<i64>| {
            let len = Dev::len(&buffer);
            Tensor::contiguous(buffer, [len], device.clone())
        };
        let [first, inverse, counts] = places.map(line);
        let len = Dev::len(&values);
        Ok(Unique { values: Tensor::contiguous(values, [len], device.clone()), first, inverse, counts })
    }
}
