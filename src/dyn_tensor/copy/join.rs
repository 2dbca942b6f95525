//! Joining dynamic tensors: concatenation along an axis, and stacking along a new one.

use crate::device::Copy;
use crate::dispatch;
use crate::dyn_tensor::operand::{agree, allocate_with, device_of, elements, on_device};
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::view::slice::rank_below_maximum;
use crate::element::Element;
use crate::engine::copy::join;
use crate::engine::same_instance;
use crate::error::Error;
use crate::layout::Layout;
use crate::order::MemoryOrder;
use crate::rank::{IndexNumber, MAX_RANK, from_start};

/// Selects the operation: concatenation along an existing axis, or stacking along a new one.
#[derive(Clone, Copy, PartialEq)]
enum Joining {
    Concatenate,
    Stack,
}

impl Joining {
    const fn op(self) -> &'static str {
        match self {
            Joining::Concatenate => "concatenate",
            Joining::Stack => "stack",
        }
    }
}

/// Copies the parts, which must have element type `T` and be on `Dev`, to a new tensor of the given shape.
fn joined<T: Element, Dev: Copy<T>>(
    joining: Joining,
    axis: usize,
    parts: &[DynView<'_>],
    shape: &[usize],
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&parts[0]);
    for part in &parts[1..] {
        same_instance(joining.op(), device, device_of(part))?;
    }
    allocate_with(device, Layout::contiguous(shape, order.is_row_major()), order, &mut |out| {
        let parts = parts.iter().map(elements::<T, Dev>);
        match joining {
            Joining::Concatenate => join::concatenate(device, axis, parts, out),
            Joining::Stack => join::stack(device, axis, parts, out),
        }
    })
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn join(
    joining: Joining,
    axis: usize,
    parts: &[DynView<'_>],
    shape: &[usize],
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let first = parts[0];
    on_device!(joining.op(), first, Dev => {
        dispatch!(first.dtype(), T => joined::<T, Dev>(joining, axis, parts, shape, order))
    })
}

/// Checks that all parts agree with the first one in element type, memory order and device, and returns their order.
fn order_of(op: &'static str, parts: &[DynView<'_>]) -> Result<MemoryOrder, Error> {
    let Some((&first, others)) = parts.split_first() else {
        return Err(Error::Argument { op, reason: "there are no parts".into() });
    };
    for &part in others {
        agree(op, first, part)?;
    }
    Ok(first.order())
}

/// Joins tensors along an axis. Their shapes may differ only in the extent of that axis.
///
/// # Errors
/// * If there are no parts, or the axis is out of range.
/// * If the parts differ in element type, memory order or device, or their shapes differ along another axis.
/// * If the device allocation fails.
///
/// ```
/// use vierbein::dyn_tensor::concatenate;
/// use vierbein::{DynTensor, tensor};
/// let (a, b) = (DynTensor::from(tensor![1, 2]), DynTensor::from(tensor![3]));
/// assert_eq!(concatenate(0, &[&a, &b])?.downcast_ref()?, tensor![1, 2, 3]);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn concatenate<'a, X: core::marker::Copy + Into<DynView<'a>>>(
    axis: impl IndexNumber,
    parts: &[X],
) -> Result<DynTensor, Error> {
    const JOINING: Joining = Joining::Concatenate;
    let parts: Vec<DynView<'a>> = parts.iter().map(|&part| part.into()).collect();
    let order = order_of(JOINING.op(), &parts)?;
    let mut shape = [0; MAX_RANK];
    let shape = &mut shape[..parts[0].rank()];
    let axis = from_start(axis, shape.len());
    join::concatenated(JOINING.op(), axis, parts.iter().map(DynTensor::shape), shape)?;
    join(JOINING, axis, &parts, shape, order)
}

/// Joins tensors of the same shape along a new axis. Index `k` of axis `axis` of the result contains `parts[k]`.
///
/// # Errors
/// * If there are no parts, or the axis is out of range.
/// * If the rank of the parts is 16, so that no axis can be added.
/// * If the parts differ in shape, element type, memory order or device.
/// * If the device allocation fails.
///
/// ```
/// use vierbein::dyn_tensor::stack;
/// use vierbein::{DynTensor, tensor};
/// let (a, b) = (DynTensor::from(tensor![1, 2]), DynTensor::from(tensor![3, 4]));
/// assert_eq!(stack(0, &[&a, &b])?.downcast_ref()?, tensor![[1, 2], [3, 4]]);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn stack<'a, X: core::marker::Copy + Into<DynView<'a>>>(
    axis: impl IndexNumber,
    parts: &[X],
) -> Result<DynTensor, Error> {
    const JOINING: Joining = Joining::Stack;
    let parts: Vec<DynView<'a>> = parts.iter().map(|&part| part.into()).collect();
    let order = order_of(JOINING.op(), &parts)?;
    let rank = parts[0].rank();
    rank_below_maximum(rank)?;
    join::check_stacked(parts.iter().map(DynTensor::shape))?;
    let mut shape = [0; MAX_RANK];
    let shape = &mut shape[..=rank];
    let axis = from_start(axis, rank + 1);
    join::stacked(axis, parts.len(), parts[0].shape(), shape)?;
    join(JOINING, axis, &parts, shape, order)
}
