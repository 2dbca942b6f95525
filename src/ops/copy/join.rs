//! Joining tensors: concatenation along an axis, and stacking along a new one.

use crate::axis::AxisArg;
use crate::device::{Copy, Device};
use crate::element::Element;
use crate::engine::copy::join;
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{Dim, InsertAxes, check_rank};
use crate::storage::StorageMut;
use crate::tensor::{AsView, Tensor, TensorView};

/// Returns the device of the first part.
///
/// # Errors
/// If there are no parts, or another part is on another instance of the device.
fn device_of<'a, T: Element, D: Dim, O: Order, Dev: Device>(
    op: &'static str,
    parts: &'a [TensorView<'_, T, D, O, Dev>],
) -> Result<&'a Dev, Error> {
    let Some((first, others)) = parts.split_first() else {
        return Err(Error::Argument { op, reason: "there are no parts".into() });
    };
    for part in others {
        same_instance(op, first.device(), part.device())?;
    }
    Ok(first.device())
}

/// Joins tensors along an axis. Their shapes may differ only in the extent of that axis.
///
/// # Errors
/// * If there are no parts, the axis is out of range, or the shapes differ along another axis.
/// * If the parts are on different instances of the device, or the allocation fails.
///
/// ```
/// use vierbein::{concatenate, tensor};
/// let (a, b) = (tensor![[1, 2]], tensor![[3, 4], [5, 6]]);
/// assert_eq!(concatenate(0, [&a, &b]), tensor![[1, 2], [3, 4], [5, 6]]);
/// assert_eq!(concatenate(-1, [a.t(), b.index_axis(0, 1).insert_axis(1)]), tensor![[1, 5], [2, 6]]);
/// ```
#[fallible(free)]
pub fn concatenate<A, I, X, T, D, O, Dev>(axis: A, parts: I) -> Tensor<T, D, O, Dev>
where
    I: IntoIterator<Item = X>,
    X: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    T: Element,
    D: Dim,
    O: Order,
    Dev: Copy<T>,
    A: AxisArg<D>,
{
    const OP: &str = "concatenate";
    let parts: Vec<X> = parts.into_iter().collect();
    let parts: Vec<_> = parts.iter().map(X::as_view).collect();
    let rank = parts.first().map_or(0, Tensor::rank);
    let (axis, mut shape) = (axis.index(rank), D::shape(rank));
    join::concatenated(OP, axis, parts.iter().map(|part| part.axes().shape()), shape.as_mut())?;
    let device = device_of(OP, &parts)?;
    Tensor::allocate_with(shape, device.clone(), |out, device| {
        join::concatenate::<D, _, _>(device, axis, parts.iter().map(Tensor::operand), out)
    })
}

/// [`concatenate`] into a preallocated tensor or mutable view of exactly the result's shape.
///
/// # Errors
/// * If there are no parts, the axis is out of range, or the shapes differ along another axis.
/// * If `out` does not have the result's shape.
/// * If one of the tensors is on another instance of the device.
///
/// After such a panic, `out` is unchanged.
///
/// ```
/// use vierbein::{Tensor, concatenate_into, tensor};
/// let mut out = Tensor::zeros([4]);
/// concatenate_into(0, [tensor![1, 2], tensor![3, 4]], &mut out);
/// assert_eq!(out, tensor![1, 2, 3, 4]);
/// ```
#[fallible(free)]
pub fn concatenate_into<A, I, X, T, D, O, Dev, S>(axis: A, parts: I, out: &mut Tensor<T, D, O, Dev, S>)
where
    I: IntoIterator<Item = X>,
    X: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    T: Element,
    D: Dim,
    O: Order,
    Dev: Copy<T>,
    A: AxisArg<D>,
    S: StorageMut<T, Dev>,
{
    const OP: &str = "concatenate";
    let parts: Vec<X> = parts.into_iter().collect();
    let parts: Vec<_> = parts.iter().map(X::as_view).collect();
    let rank = parts.first().map_or(0, Tensor::rank);
    let (axis, mut shape) = (axis.index(rank), D::shape(rank));
    join::concatenated(OP, axis, parts.iter().map(|part| part.axes().shape()), shape.as_mut())?;
    check_out(OP, shape.as_ref(), device_of(OP, &parts)?, out)?;
    let (output, device) = out.output();
    join::concatenate::<D, _, _>(device, axis, parts.iter().map(Tensor::operand), output)
}

/// Joins tensors of the same shape along a new axis: part `k` is at index `k` along axis `axis` of the result.
///
/// # Errors
/// * If there are no parts, the shapes differ, or the axis is out of range.
/// * If the parts are on different instances of the device, or the allocation fails.
///
/// ```
/// use vierbein::{stack, tensor};
/// let (x, y) = (tensor![1, 2, 3], tensor![4, 5, 6]);
/// assert_eq!(stack(0, [&x, &y]), tensor![[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(stack(-1, [&x, &y]), tensor![[1, 4], [2, 5], [3, 6]]);
/// ```
#[fallible(free)]
pub fn stack<A, I, X, T, D, R, O, Dev>(axis: A, parts: I) -> Tensor<T, R, O, Dev>
where
    I: IntoIterator<Item = X>,
    X: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    T: Element,
    D: InsertAxes<1, Inserted = R>,
    R: Dim,
    O: Order,
    Dev: Copy<T>,
    A: AxisArg<R>,
{
    let parts: Vec<X> = parts.into_iter().collect();
    let parts: Vec<_> = parts.iter().map(X::as_view).collect();
    let (axis, device) = (axis.index(stacked_rank(&parts)), device_of("stack", &parts)?);
    Tensor::allocate_with(stacked_shape(axis, &parts)?, device.clone(), |out, device| {
        join::stack::<R, _, _>(device, axis, parts.iter().map(Tensor::operand), out)
    })
}

/// [`stack`] into a preallocated tensor or mutable view of exactly the result's shape.
///
/// # Errors
/// * If there are no parts, the shapes differ, or the axis is out of range.
/// * If `out` does not have the result's shape.
/// * If one of the tensors is on another instance of the device.
///
/// After such a panic, `out` is unchanged.
///
/// ```
/// use vierbein::{Tensor, stack_into, tensor};
/// let mut out = Tensor::zeros([2, 2]);
/// stack_into(1, [tensor![1, 2], tensor![3, 4]], &mut out);
/// assert_eq!(out, tensor![[1, 3], [2, 4]]);
/// ```
#[fallible(free)]
pub fn stack_into<A, I, X, T, D, R, O, Dev, S>(axis: A, parts: I, out: &mut Tensor<T, R, O, Dev, S>)
where
    I: IntoIterator<Item = X>,
    X: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    T: Element,
    D: InsertAxes<1, Inserted = R>,
    R: Dim,
    O: Order,
    Dev: Copy<T>,
    A: AxisArg<R>,
    S: StorageMut<T, Dev>,
{
    let parts: Vec<X> = parts.into_iter().collect();
    let parts: Vec<_> = parts.iter().map(X::as_view).collect();
    let (axis, device) = (axis.index(stacked_rank(&parts)), device_of("stack", &parts)?);
    check_out("stack", stacked_shape(axis, &parts)?.as_ref(), device, out)?;
    let (output, device) = out.output();
    join::stack::<R, _, _>(device, axis, parts.iter().map(Tensor::operand), output)
}

/// Returns the rank of the result of [`stack`].
fn stacked_rank<T: Element, D: Dim, O: Order, Dev: Device>(parts: &[TensorView<'_, T, D, O, Dev>]) -> usize {
    parts.first().map_or(D::NDIM.unwrap_or(0), Tensor::rank) + 1
}

/// Returns the shape of the result of [`stack`].
///
/// # Errors
/// If there are no parts, the shapes differ, or the axis is out of range.
fn stacked_shape<T: Element, D: InsertAxes<1, Inserted = R>, R: Dim, O: Order, Dev: Device>(
    axis: usize,
    parts: &[TensorView<'_, T, D, O, Dev>],
) -> Result<R::Shape, Error> {
    join::check_stacked(parts.iter().map(|part| part.axes().shape()))?;
    check_rank::<R>(stacked_rank(parts))?;
    let mut shape = R::shape(stacked_rank(parts));
    join::stacked(axis, parts.len(), parts[0].axes().shape(), shape.as_mut())?;
    Ok(shape)
}
