//! Dynamic tensors: selection by positions along an axis and by indices, and writes at positions.

use super::{AT, POSITIONS, PUT, SCATTER_ADD, TAKE_ALONG, along, of_dtype, order_of, taken_rank, values_for};
use crate::device::positions::TAKE;
use crate::device::{Reduce, Select};
use crate::dispatch;
use crate::dyn_tensor::operand::{
    DynOperand, allocate_with, common_order, device_of, elements, lacking, needs, on_device, output_of,
};
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::{DynTensor, DynView, DynViewMut};
use crate::element::{Element, Scalar};
use crate::engine::same_instance;
use crate::engine::select::{self, Along};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op;
use crate::order::MemoryOrder;
use crate::rank::{IndexNumber, MAX_RANK, from_start};

fn take_from<T: Element, Dev: Select<T>>(
    along: Along,
    [x, at]: [DynView<'_>; 2],
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    same_instance(along.op, device, device_of(&at))?;
    let (mut shape, rank) = ([0; MAX_RANK], taken_rank(along.op, x, at)?);
    along.taken(x.shape(), at.shape(), &mut shape[..rank]);
    let layout = Layout::contiguous(&shape[..rank], order.is_row_major());
    let (from, at) = (elements::<T, Dev>(&x), elements::<i64, Dev>(&at));
    allocate_with(device, layout, order, &mut |out| along.take(device, out, from, at, false))
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn take(x: DynView<'_>, axis: usize, at: DynOperand<'_>) -> Result<DynTensor, Error> {
    let mut kept = None;
    let at = of_dtype(TAKE, x, at, POSITIONS, &mut kept)?;
    let order = common_order(TAKE, x, at)?;
    let along = along(TAKE, axis, x, order)?;
    on_device!(TAKE, x, Dev => dispatch!(x.dtype(), T => take_from::<T, Dev>(along, [x, at], order)))
}

fn take_each<T: Element, Dev: Select<T>>(
    along: Along,
    [x, at]: [DynView<'_>; 2],
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    same_instance(along.op, device, device_of(&at))?;
    along.check_each(x.shape(), at.shape())?;
    let layout = Layout::contiguous(at.shape(), order.is_row_major());
    let (from, at) = (elements::<T, Dev>(&x), elements::<i64, Dev>(&at));
    allocate_with(device, layout, order, &mut |out| along.take_each(device, out, from, at, false))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn take_along_axis(x: DynView<'_>, axis: usize, at: DynOperand<'_>) -> Result<DynTensor, Error> {
    let mut kept = None;
    let at = of_dtype(TAKE_ALONG, x, at, POSITIONS, &mut kept)?;
    let order = common_order(TAKE_ALONG, x, at)?;
    let along = along(TAKE_ALONG, axis, x, order)?;
    on_device!(TAKE_ALONG, x, Dev => dispatch!(x.dtype(), T => take_each::<T, Dev>(along, [x, at], order)))
}

fn put_each<T: Element, Dev: Select<T>>(
    along: Along,
    mut target: DynViewMut<'_>,
    [at, values]: [DynView<'_>; 2],
) -> Result<(), Error> {
    along.check_each(target.shape(), at.shape())?;
    let (out, device) = output_of::<T, Dev>(&mut target);
    same_instance(along.op, &device, device_of(&at))?;
    same_instance(along.op, &device, device_of(&values))?;
    along.put_each(&device, out, elements::<i64, Dev>(&at), elements::<T, Dev>(&values))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn put_along_axis(
    target: DynViewMut<'_>,
    axis: usize,
    at: DynOperand<'_>,
    values: DynOperand<'_>,
) -> Result<(), Error> {
    let (mut kept, mut kept_values) = (None, None);
    let at = of_dtype(PUT, target.look(), at, POSITIONS, &mut kept)?;
    let values = values_for(PUT, target.look(), values, &mut kept_values)?;
    let along = along(PUT, axis, target.look(), order_of(PUT, [target.look(), at, values])?)?;
    on_device!(PUT, at, Dev => dispatch!(values.dtype(), T => put_each::<T, Dev>(along, target, [at, values])))
}

fn scatter<T: Scalar, Dev: Select<T> + Reduce<T>>(
    along: Along,
    mut target: DynViewMut<'_>,
    [at, values]: [DynView<'_>; 2],
) -> Result<(), Error> {
    taken_rank(along.op, target.look(), at)?;
    let (out, device) = output_of::<T, Dev>(&mut target);
    same_instance(along.op, &device, device_of(&at))?;
    same_instance(along.op, &device, device_of(&values))?;
    along.scatter(&op::Add, &device, out, elements::<i64, Dev>(&at), elements::<T, Dev>(&values))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn scatter_add(
    target: DynViewMut<'_>,
    axis: usize,
    at: DynOperand<'_>,
    values: DynOperand<'_>,
) -> Result<(), Error> {
    let (mut kept, mut kept_values) = (None, None);
    let at = of_dtype(SCATTER_ADD, target.look(), at, POSITIONS, &mut kept)?;
    let values = values_for(SCATTER_ADD, target.look(), values, &mut kept_values)?;
    let along = along(SCATTER_ADD, axis, target.look(), order_of(SCATTER_ADD, [target.look(), at, values])?)?;
    on_device!(SCATTER_ADD, at, Dev => dispatch!(
        values.dtype(),
        T: Scalar => scatter::<T, Dev>(along, target, [at, values]),
        else => Err(lacking(SCATTER_ADD, values.dtype(), needs::NUMBERS))
    ))
}

fn pick<T: Element, Dev: Select<T>>(x: DynView<'_>, at: DynView<'_>) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    same_instance(AT, device, device_of(&at))?;
    let layout = Layout::contiguous(&at.shape()[..1], true);
    let (from, at) = (elements::<T, Dev>(&x), elements::<i64, Dev>(&at));
    allocate_with(device, layout, x.order(), &mut |out| select::pick(AT, device, out, from, at))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn at(x: DynView<'_>, at: DynOperand<'_>) -> Result<DynTensor, Error> {
    let mut kept = None;
    let at = of_dtype(AT, x, at, POSITIONS, &mut kept)?;
    common_order(AT, x, at)?;
    if at.rank() != 2 {
        let reason =
            format!("expected a matrix with one index per row, found a tensor of `Rank<{}>`", at.rank());
        return Err(Error::UnsupportedRank { op: AT, reason });
    }
    select::check_indices(AT, x.shape(), at.shape())?;
    on_device!(AT, x, Dev => dispatch!(x.dtype(), T => pick::<T, Dev>(x, at)))
}

impl<S: DynData> DynTensor<S> {
    /// Returns the elements at positions along an axis. `positions` is a tensor of `i64`. In the result, the axes of `positions` replace
    /// the given axis. Negative positions count from the end.
    ///
    /// # Errors
    /// * If the positions are not `i64`, or differ in memory order or device from `self`.
    /// * If the axis or a position is out of range.
    /// * If the result would have more than 16 axes, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.take(1, &tensor![0_i64, -1])?.downcast_ref()?, tensor![[1.0, 3.0], [4.0, 6.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn take<'b>(
        &self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'b>>,
    ) -> Result<DynTensor, Error> {
        take(self.look(), from_start(axis, self.rank()), positions.into())
    }

    /// Returns the elements at positions along an axis, with separate positions for each index of the other axes. The positions are a
    /// tensor of `i64` with the shape of `self`, except for the extent of the axis. The result has the shape of the positions.
    ///
    /// # Errors
    /// * If the positions are not `i64`, or differ in memory order or device from `self`.
    /// * If the axis or a position is out of range, or the extents of the positions and of `self` differ along another axis.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, dyn_tensor::DynReduction, tensor};
    /// let x = DynTensor::from(tensor![[3, 9, 4], [8, 2, 1]]);
    /// let greatest = x.reduce_keepdims(DynReduction::ArgMax, 1)?;
    /// assert_eq!(x.take_along_axis(1, &greatest)?.downcast_ref()?, tensor![[9], [8]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn take_along_axis<'b>(
        &self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'b>>,
    ) -> Result<DynTensor, Error> {
        take_along_axis(self.look(), from_start(axis, self.rank()), positions.into())
    }

    /// Returns the elements at the given indices, as a vector. Each row of `indices`, a matrix of `i64`, is the index of one element.
    /// Negative numbers count from the end.
    ///
    /// # Errors
    /// * If `indices` is not a matrix of `i64` with one column per axis, or differs in memory order or device from `self`.
    /// * If an index is out of bounds, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.at(&tensor![[0_i64, 0], [1, -1]])?.downcast_ref()?, tensor![1, 6]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn at<'b>(&self, indices: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
        at(self.look(), indices.into())
    }
}

impl<S: DynDataMut> DynTensor<S> {
    /// Overwrites the elements at positions along an axis, with separate positions for each index of the other axes. The positions are a
    /// tensor of `i64` with the shape of `self`, except for the extent of the axis. `values` is a tensor that broadcasts to the shape of
    /// the positions, or a scalar. Values are written in memory order of the positions. If a position occurs several times, the last of its
    /// values is kept.
    ///
    /// # Errors
    /// In each of these cases, `self` is unchanged:
    ///
    /// * The positions are not `i64`, or the operands differ in element type, memory order or device.
    /// * The axis or a position is out of range, or the extents of the positions and of `self` differ along another axis.
    /// * `values` does not broadcast to the shape of the positions.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![[3, 9, 4], [8, 2, 1]]);
    /// x.put_along_axis(1, &tensor![[1_i64], [0]], 0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![[3, 0, 4], [0, 2, 1]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn put_along_axis<'a, 'b>(
        &mut self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'a>>,
        values: impl Into<DynOperand<'b>>,
    ) -> Result<(), Error> {
        let axis = from_start(axis, self.rank());
        put_along_axis(self.view_mut(), axis, positions.into(), values.into())
    }

    /// Adds values to the elements at positions along an axis. The positions are a tensor of `i64`. `values` is a tensor or a scalar. It
    /// broadcasts to the shape of `self` in which the axes of the positions replace the given axis. If a position occurs several times,
    /// each of its values is added, in memory order of the positions.
    ///
    /// # Errors
    /// In all of these cases but the last, `self` is unchanged:
    ///
    /// * The positions are not `i64`, or the operands differ in element type, memory order or device.
    /// * The elements are not numbers.
    /// * The axis or a position is out of range, `values` does not broadcast to this shape, or the shape has more than 16 axes.
    /// * An integer sum overflows in a build with debug assertions. Some values may have been added.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut counts = DynTensor::from(tensor![0, 0, 0]);
    /// counts.scatter_add(0, &tensor![2_i64, 0, 2], 1)?;
    /// assert_eq!(counts.downcast_ref()?, tensor![1, 0, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn scatter_add<'a, 'b>(
        &mut self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'a>>,
        values: impl Into<DynOperand<'b>>,
    ) -> Result<(), Error> {
        let axis = from_start(axis, self.rank());
        scatter_add(self.view_mut(), axis, positions.into(), values.into())
    }
}
