//! Dynamic tensors: distinct elements and slices.

use super::{enumeration, ordered};
use crate::device::{Select, Sort};
use crate::dyn_tensor::operand::{allocate_with, device_of, elements, line_of};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::Ordered;
use crate::engine::sort::unique_slices;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::sort::unique::{UNIQUE, UNIQUE_SLICES};
use crate::rank::{IndexNumber, from_start};

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

fn different<T: Ordered, Dev: Sort<T>>(x: DynView<'_>) -> Result<DynTensor, Error> {
    let (layout, device) = (enumeration(&x), device_of::<Dev>(&x));
    let buffer = device.unique(elements::<T, Dev>(&x).with_axes(layout.axes(), 0))?;
    Ok(line_of(device, buffer, x.order()))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique(x: DynView<'_>) -> Result<DynTensor, Error> {
    ordered!(UNIQUE, x, T, Dev => different::<T, Dev>(x))
}

fn different_counts<T: Ordered, Dev: Sort<T>>(x: DynView<'_>) -> Result<(DynTensor, DynTensor), Error> {
    let (layout, device) = (enumeration(&x), device_of::<Dev>(&x));
    let (values, counts) = device.unique_counts(elements::<T, Dev>(&x).with_axes(layout.axes(), 0))?;
    Ok((line_of(device, values, x.order()), line_of::<i64, Dev>(device, counts, x.order())))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique_counts(x: DynView<'_>) -> Result<(DynTensor, DynTensor), Error> {
    ordered!(UNIQUE, x, T, Dev => different_counts::<T, Dev>(x))
}

fn different_with<T: Ordered, Dev: Sort<T>>(x: DynView<'_>) -> Result<DynUnique, Error> {
    let (layout, device) = (enumeration(&x), device_of::<Dev>(&x));
    let (values, places) = device.unique_with(elements::<T, Dev>(&x).with_axes(layout.axes(), 0))?;
    let [first, inverse, counts] = places.map(|buffer| line_of::<i64, Dev>(device, buffer, x.order()));
    Ok(DynUnique { values: line_of(device, values, x.order()), first, inverse, counts })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique_with(x: DynView<'_>) -> Result<DynUnique, Error> {
    ordered!(UNIQUE, x, T, Dev => different_with::<T, Dev>(x))
}

fn different_slices<T: Ordered, Dev: Select<T>>(x: DynView<'_>, axis: usize) -> Result<DynUnique, Error> {
    let (device, order) = (device_of::<Dev>(&x), x.order());
    let along = unique_slices::taking(UNIQUE_SLICES, axis, order.is_row_major());
    let [first, inverse, counts] = unique_slices::unique_slices(device, elements::<T, Dev>(&x), along)?
        .map(|buffer| line_of::<i64, Dev>(device, buffer, order));
    let mut layout = *x.layout();
    layout.set(axis, first.len(), 1);
    let layout = Layout::contiguous(layout.shape(), order.is_row_major());
    let at = first.look();
    let values = allocate_with(device, layout, order, &mut |out| {
        along.take(device, out, elements::<T, Dev>(&x), elements::<i64, Dev>(&at), false)
    })?;
    Ok(DynUnique { values, first, inverse, counts })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique_slices_with(x: DynView<'_>, axis: usize) -> Result<DynUnique, Error> {
    ordered!(UNIQUE_SLICES, x, T, Dev => different_slices::<T, Dev>(x, axis))
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
        unique(self.look())
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
        unique_counts(self.look())
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
        unique_with(self.look())
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
        unique_slices_with(self.look(), from_start(axis, self.rank()))
    }
}
