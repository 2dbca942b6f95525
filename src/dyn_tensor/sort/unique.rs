//! Dynamic tensors: distinct elements and slices.

use crate::device::Device;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::{Erase, typed};
use crate::element::Element;
use crate::error::Error;
use crate::ops::sort::unique::{UNIQUE, UNIQUE_SLICES, Unique, UniqueSlices};
use crate::order::Order;
use crate::rank::{Dim, IndexNumber};

/// The result of [`DynTensor::unique_with`]: the distinct elements, and at which indices they occur. All NaNs count as equal.
///
/// For [`DynTensor::unique_slices_with`], the fields have distinct slices along an axis instead of distinct elements, and indices along
/// this axis instead of flat indices.
#[derive(Debug)]
pub struct DynUnique {
    /// The distinct elements, in ascending order.
    pub values: DynTensor,
    /// For each value, the flat index of the first element that is equal to it, counted in memory order, as `i64`.
    pub first: DynTensor,
    /// For each element of the operand, in memory order, the index of its value in `values`, as `i64`.
    pub inverse: DynTensor,
    /// For each value, the number of elements that are equal to it, as `i64`.
    pub counts: DynTensor,
}

impl<T: Element, O: Order, Dev: Device> Erase for Unique<T, O, Dev> {
    type Erased = DynUnique;
    fn erase(self) -> DynUnique {
        let Unique { values, first, inverse, counts } = self;
        DynUnique {
            values: values.into(),
            first: first.into(),
            inverse: inverse.into(),
            counts: counts.into(),
        }
    }
}
impl<T: Element, D: Dim, O: Order, Dev: Device> Erase for UniqueSlices<T, D, O, Dev> {
    type Erased = DynUnique;
    fn erase(self) -> DynUnique {
        let UniqueSlices { values, first, inverse, counts } = self;
        DynUnique {
            values: values.into(),
            first: first.into(),
            inverse: inverse.into(),
            counts: counts.into(),
        }
    }
}

impl<S: DynData> DynTensor<S> {
    /// Returns the distinct elements, in ascending order, as a tensor of rank 1. If there are NaNs, the last element is one NaN.
    /// Of −0.0 and 0.0, the result contains the one that is first in memory order.
    ///
    /// # Errors
    /// If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[3, 1, 3], [2, 1, 3]]);
    /// assert_eq!(x.unique()?.downcast_ref()?, tensor![1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique(&self) -> Result<DynTensor, Error> {
        typed!(UNIQUE, Ordered, (x = self.look()) => x.try_unique())
    }

    /// Returns the distinct elements, in ascending order, and for each of them the number of its occurrences, as `i64`.
    ///
    /// # Errors
    /// Those of [`unique`](DynTensor::unique).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (values, counts) = DynTensor::from(tensor![3, 1, 3]).unique_counts()?;
    /// assert_eq!(values.downcast_ref()?, tensor![1, 3]);
    /// assert_eq!(counts.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_counts(&self) -> Result<(DynTensor, DynTensor), Error> {
        typed!(UNIQUE, Ordered -> (DynTensor, DynTensor), (x = self.look()) => x.try_unique_counts())
    }

    /// Returns the distinct elements, their first indices and their counts, and for each element the index of its value: see
    /// [`Tensor::unique_with`](crate::Tensor::unique_with).
    ///
    /// # Errors
    /// Those of [`unique`](DynTensor::unique).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3, 1, 3]).unique_with()?;
    /// assert_eq!(x.values.downcast_ref()?, tensor![1, 3]);
    /// assert_eq!(x.counts.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_with(&self) -> Result<DynUnique, Error> {
        typed!(UNIQUE, Ordered -> DynUnique, (x = self.look()) => x.try_unique_with())
    }

    /// Returns the distinct slices along an axis, in ascending order: see [`Tensor::unique_slices`](crate::Tensor::unique_slices).
    ///
    /// # Errors
    /// If the axis is out of range, the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[2, 1], [1, 5], [2, 1]]);
    /// assert_eq!(x.unique_slices(0)?.downcast_ref()?, tensor![[1, 5], [2, 1]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_slices(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        Ok(self.unique_slices_with(axis)?.values)
    }

    /// Returns the distinct slices along an axis, the index at which each occurs first, and how often each occurs. Also returns, for each slice
    /// of `self`, its index among the distinct slices: see [`Tensor::unique_slices_with`](crate::Tensor::unique_slices_with).
    ///
    /// # Errors
    /// Those of [`unique_slices`](DynTensor::unique_slices).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[2, 1], [1, 5], [2, 1]]).unique_slices_with(0)?;
    /// assert_eq!(x.inverse.downcast_ref()?, tensor![1_i64, 0, 1]);
    /// assert_eq!(x.counts.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_slices_with(&self, axis: impl IndexNumber) -> Result<DynUnique, Error> {
        typed!(UNIQUE_SLICES, Ordered -> DynUnique, (x = self.look(); axis: isize = axis.number()) => {
            x.try_unique_slices_with(axis)
        })
    }
}
