//! Dynamic tensors: selection of elements by positions along an axis, by indices or by masks, and writes to elements that positions
//! or masks select.

use super::operand::{
    DynOperand, agree, allocate_with, common_order, device_of, elements, lacking, needs, on_device,
    output_of, same_device, scalar_beside, scalar_for,
};
use super::scalar::DynScalar;
use super::storage::{DynData, DynDataMut};
use super::tensor::{DynTensor, DynView, DynViewMut};
use crate::axis::{IndexNumber, from_start};
use crate::device::positions::TAKE;
use crate::device::{BinaryOp, Elementwise, Permute, Reduce};
use crate::dispatch;
use crate::element::{DType, Element, Scalar};
use crate::engine::same_instance;
use crate::engine::select::{self, Along};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op;
use crate::order::MemoryOrder;
use crate::rank::MAX_RANK;
use crate::storage::OwnedData;

const TAKE_ALONG: &str = "take along an axis";
const PUT: &str = "put along an axis";
const SCATTER_ADD: &str = "scatter-add";
const COMPRESS: &str = "compress";
const MASKED: &str = "choose under a mask";
const ASSIGN: &str = "assign under a mask";
const FILL: &str = <op::FillMasked<f64> as BinaryOp<f64, bool>>::NAME;
const AT: &str = "take elements";
const NONZERO: &str = "list the indices of";

/// Returns an operand as a tensor, after checking that its element type is `dtype` and that it is on the device of `x`. `reason` is part
/// of the error for another type. A scalar is converted to a tensor, which `kept` owns.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn of_dtype<'a>(
    op: &'static str,
    x: DynView<'_>,
    operand: DynOperand<'a>,
    (dtype, reason): (DType, &'static str),
    kept: &'a mut Option<DynTensor>,
) -> Result<DynView<'a>, Error> {
    let (found, view) = match operand {
        DynOperand::OfTensor(tensor) => (tensor.dtype(), tensor),
        DynOperand::OfScalar(scalar) => {
            let tensor = scalar_beside(op, x, scalar)?;
            (scalar.dtype(), kept.insert(tensor).look())
        }
    };
    if found != dtype {
        return Err(lacking(op, found, reason));
    }
    same_device(op, x, view)?;
    Ok(view)
}

/// Returns `values`, which an operation writes to `x`, as a view. Checks that their element type, memory order and device agree with those
/// of `x`. Converts a scalar to a tensor, and stores it in `kept`.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn values_for<'a>(
    op: &'static str,
    x: DynView<'_>,
    values: DynOperand<'a>,
    kept: &'a mut Option<DynTensor>,
) -> Result<DynView<'a>, Error> {
    let values = match values {
        DynOperand::OfTensor(values) => values,
        DynOperand::OfScalar(value) => kept.insert(scalar_for(op, x, value)?).look(),
    };
    agree(op, x, values)?;
    Ok(values)
}

const POSITIONS: (DType, &str) = (DType::I64, needs::POSITIONS);
const MASK: (DType, &str) = (DType::Bool, needs::MASK);

/// Returns the parameters of an operation along an axis, after checking that the tensor has the axis.
fn along(op: &'static str, axis: usize, x: DynView<'_>, order: MemoryOrder) -> Result<Along, Error> {
    let along = Along { op, axis, row_major: order.is_row_major(), unsigned: false };
    along.check(x.shape())?;
    Ok(along)
}

/// Returns the common memory order of a target, positions and values. Tensors of rank 0 or 1 agree with both orders.
fn order_of(op: &'static str, [x, at, values]: [DynView<'_>; 3]) -> Result<MemoryOrder, Error> {
    let (order, with_values) = (common_order(op, x, at)?, common_order(op, at, values)?);
    common_order(op, x, values)?;
    Ok(if x.rank() < 2 && at.rank() < 2 { with_values } else { order })
}

/// Returns the rank of `x` after the axes of `at` have replaced one of its axes.
fn taken_rank(op: &'static str, x: DynView<'_>, at: DynView<'_>) -> Result<usize, Error> {
    let rank = x.rank() - 1 + at.rank();
    if rank <= MAX_RANK {
        return Ok(rank);
    }
    let reason = format!(
        "cannot take elements of a tensor of `Rank<{}>` at positions of `Rank<{}>`: the result would have more than {MAX_RANK} axes",
        x.rank(),
        at.rank()
    );
    Err(Error::UnsupportedRank { op, reason })
}

// ------------------------------------------------------------------ positions

fn take_from<T: Element, Dev: Permute<T>>(
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

fn take_each<T: Element, Dev: Permute<T>>(
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

fn put_each<T: Element, Dev: Permute<T>>(
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

fn scatter<T: Scalar, Dev: Permute<T> + Reduce<T>>(
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

fn pick<T: Element, Dev: Permute<T>>(x: DynView<'_>, at: DynView<'_>) -> Result<DynTensor, Error> {
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

// ------------------------------------------------------------------ masks

fn compressed<T: Element, Dev: Permute<T>>(
    along: Along,
    [x, mask]: [DynView<'_>; 2],
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    same_instance(along.op, device, device_of(&mask))?;
    let at = select::positions_of(along, device, x.shape(), elements::<bool, Dev>(&mask))?;
    let (count, at) = (at.len(), OwnedData::of_vec(at, device)?);
    let mut layout = *x.layout();
    layout.set(along.axis, count, 0);
    let layout = Layout::contiguous(layout.shape(), along.row_major);
    let positions = Layout::contiguous(&[count], true);
    let (from, at) = (elements::<T, Dev>(&x), at.operand(&positions));
    allocate_with(device, layout, x.order(), &mut |out| along.take(device, out, from, at, false))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn compress(x: DynView<'_>, axis: usize, mask: DynOperand<'_>) -> Result<DynTensor, Error> {
    let mut kept = None;
    let mask = of_dtype(COMPRESS, x, mask, MASK, &mut kept)?;
    let along = along(COMPRESS, axis, x, x.order())?;
    on_device!(COMPRESS, x, Dev => dispatch!(x.dtype(), T => compressed::<T, Dev>(along, [x, mask])))
}

/// Counts the elements of a mask that are `true`.
// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn counted(mask: DynView<'_>) -> Result<usize, Error> {
    let count = mask.count()?.item()?.get::<i64>().expect("counts are `i64`");
    Ok(count as usize)
}

fn masked_of<T: Element, Dev: Permute<T>>(
    x: DynView<'_>,
    mask: DynView<'_>,
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    select::check_mask(MASKED, (device, x.shape()), (device_of(&mask), mask.shape()))?;
    let layout = Layout::contiguous(&[counted(mask)?], true);
    let (from, mask) = (elements::<T, Dev>(&x), elements::<bool, Dev>(&mask));
    allocate_with(device, layout, order, &mut |out| select::compress(device, order, out, from, mask))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn masked(x: DynView<'_>, mask: DynOperand<'_>) -> Result<DynTensor, Error> {
    let mut kept = None;
    let mask = of_dtype(MASKED, x, mask, MASK, &mut kept)?;
    let order = common_order(MASKED, x, mask)?;
    on_device!(MASKED, x, Dev => dispatch!(x.dtype(), T => masked_of::<T, Dev>(x, mask, order)))
}

fn fill_under<T: Element, Dev: Elementwise<T>>(
    mut target: DynViewMut<'_>,
    mask: DynView<'_>,
    value: DynScalar,
) -> Result<(), Error> {
    let tensor = T::DTYPE;
    let value = value.get::<T>().ok_or(Error::ScalarType { op: FILL, tensor, scalar: value.dtype() })?;
    let shape = *target.layout();
    let (out, device) = output_of::<T, Dev>(&mut target);
    select::check_mask(FILL, (&device, shape.shape()), (device_of(&mask), mask.shape()))?;
    device.update::<(T, bool), _>(&op::FillMasked(value), out, (elements::<bool, Dev>(&mask),))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn masked_fill(target: DynViewMut<'_>, mask: DynOperand<'_>, value: DynScalar) -> Result<(), Error> {
    let mut kept = None;
    let mask = of_dtype(FILL, target.look(), mask, MASK, &mut kept)?;
    common_order(FILL, target.look(), mask)?;
    on_device!(FILL, mask, Dev => dispatch!(target.dtype(), T => fill_under::<T, Dev>(target, mask, value)))
}

fn assign_under<T: Element, Dev: Permute<T>>(
    mut target: DynViewMut<'_>,
    [mask, values]: [DynView<'_>; 2],
    order: MemoryOrder,
) -> Result<(), Error> {
    let shape = *target.layout();
    let (out, device) = output_of::<T, Dev>(&mut target);
    select::check_mask(ASSIGN, (&device, shape.shape()), (device_of(&mask), mask.shape()))?;
    same_instance(ASSIGN, &device, device_of(&values))?;
    select::check_values(ASSIGN, shape.shape(), counted(mask)?, values.len())?;
    select::expand(&device, order, out, elements::<bool, Dev>(&mask), elements::<T, Dev>(&values))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn masked_assign(target: DynViewMut<'_>, mask: DynOperand<'_>, values: DynOperand<'_>) -> Result<(), Error> {
    let (mut kept, mut kept_values) = (None, None);
    let mask = of_dtype(ASSIGN, target.look(), mask, MASK, &mut kept)?;
    let values = values_for(ASSIGN, target.look(), values, &mut kept_values)?;
    if values.rank() != 1 {
        let reason = format!("expected a vector of values, found a tensor of `Rank<{}>`", values.rank());
        return Err(Error::UnsupportedRank { op: ASSIGN, reason });
    }
    let order = common_order(ASSIGN, target.look(), mask)?;
    on_device!(ASSIGN, mask, Dev => dispatch!(
        values.dtype(),
        T => assign_under::<T, Dev>(target, [mask, values], order)
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn nonzero(x: DynView<'_>) -> Result<DynTensor, Error> {
    let mask = x.not_equal(DynOperand::OfScalar(DynScalar::zero(x.dtype())))?;
    let (mask, order) = (mask.look(), x.order());
    on_device!(NONZERO, x, Dev => {
        let layout = Layout::contiguous(&[counted(mask)?, x.rank()], order.is_row_major());
        let device = device_of::<Dev>(&x);
        allocate_with(device, layout, order, &mut |out| {
            select::nonzero(device, order, out, elements::<bool, Dev>(&mask))
        })
    })
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

    /// Returns the tensor restricted to those indices of an axis at which the mask is `true`. The mask is a vector of `bool`.
    ///
    /// # Errors
    /// * If the mask is not a vector of `bool` with the extent of the axis, or is on another device than `self`.
    /// * If the axis is out of range, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.compress(1, &tensor![true, false, true])?.downcast_ref()?, tensor![[1, 3], [4, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn compress<'b>(
        &self,
        axis: impl IndexNumber,
        mask: impl Into<DynOperand<'b>>,
    ) -> Result<DynTensor, Error> {
        compress(self.look(), from_start(axis, self.rank()), mask.into())
    }

    /// Returns the elements at which a mask of the same shape is `true`, as a vector in memory order.
    ///
    /// # Errors
    /// * If the mask is not `bool`, or differs in shape, memory order or device from `self`.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, -2.0], [-3.0, 4.0]]);
    /// assert_eq!(x.masked(&x.gt(0.0)?)?.downcast_ref()?, tensor![1.0, 4.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn masked<'b>(&self, mask: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
        masked(self.look(), mask.into())
    }

    /// Returns the indices of all elements that are not zero, or are `true`, as a matrix of `i64`. Each row is the index of one element;
    /// the rows are in the order in which the elements are iterated.
    ///
    /// # Errors
    /// If dynamic tensors do not compute on the device, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 2.0], [3.0, 0.0]]);
    /// assert_eq!(x.nonzero()?.downcast_ref()?, tensor![[0_i64, 1], [1, 0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nonzero(&self) -> Result<DynTensor, Error> {
        nonzero(self.look())
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

    /// Writes one value to the elements at which a mask of the same shape is `true`.
    ///
    /// # Errors
    /// In each of these cases, `self` is unchanged:
    ///
    /// * The mask is not `bool`, or differs in shape, memory order or device from `self`.
    /// * The value is not of the element type.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![1.0, f64::NAN, 3.0]);
    /// let nan = x.is_nan()?;
    /// x.masked_fill(&nan, 0.0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![1.0, 0.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn masked_fill<'b>(
        &mut self,
        mask: impl Into<DynOperand<'b>>,
        value: impl Into<DynScalar>,
    ) -> Result<(), Error> {
        masked_fill(self.view_mut(), mask.into(), value.into())
    }

    /// Writes the values of a vector, in memory order, to the elements at which a mask of the same shape is `true`.
    ///
    /// # Errors
    /// In each of these cases, `self` is unchanged:
    ///
    /// * The mask is not `bool`, or differs in shape, memory order or device from `self`.
    /// * The values are not a vector of the element type, with one value for each `true` in the mask.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![[1, -2], [-3, 4]]);
    /// let negative = x.lt(0)?;
    /// x.masked_assign(&negative, &tensor![20, 30])?;
    /// assert_eq!(x.downcast_ref()?, tensor![[1, 20], [30, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn masked_assign<'a, 'b>(
        &mut self,
        mask: impl Into<DynOperand<'a>>,
        values: impl Into<DynOperand<'b>>,
    ) -> Result<(), Error> {
        masked_assign(self.view_mut(), mask.into(), values.into())
    }
}
