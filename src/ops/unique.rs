//! The different elements of a tensor.

use crate::device::{Device, Reduce};
use crate::element::{Element, Ordered};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::Storage;
use crate::tensor::Tensor;

pub(crate) const UNIQUE: &str = "find the different elements";

/// The result of [`unique_with`](Tensor::unique_with): the different elements, and where they are.
#[derive(Debug)]
pub struct Unique<T: Element, O: Order, Dev: Device> {
    /// The different elements, in ascending order.
    pub values: Tensor<T, Rank<1>, O, Dev>,
    /// For each value, the flat index of the first element that is equal to it, counted in memory order.
    pub first: Tensor<i64, Rank<1>, O, Dev>,
    /// For each element, in memory order, the index of its value. `values` at these indices are the elements.
    pub inverse: Tensor<i64, Rank<1>, O, Dev>,
    /// For each value, the number of elements that are equal to it.
    pub counts: Tensor<i64, Rank<1>, O, Dev>,
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the different elements, in ascending order. NaN occurs once, at the end. Of −0.0 and 0.0, the first one in memory order
    /// is in the result.
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

    /// Returns the different elements, in ascending order, with the index of the first element that is equal to each of them, their
    /// number, and the index of each element's value. NaN are equal here.
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
