//! Joining dynamic tensors: concatenation along an axis, and stacking along a new one.

use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::ops::{try_concatenate, try_stack};
use crate::rank::IndexNumber;

/// Returns the parts as views.
///
/// # Errors
/// If there are no parts.
fn views<'a, X: Copy + Into<DynView<'a>>>(op: &'static str, parts: &[X]) -> Result<Vec<DynView<'a>>, Error> {
    if parts.is_empty() {
        return Err(Error::Argument { op, reason: "there are no parts".into() });
    }
    Ok(parts.iter().map(|&part| part.into()).collect())
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
pub fn concatenate<'a, X: Copy + Into<DynView<'a>>>(
    axis: impl IndexNumber,
    parts: &[X],
) -> Result<DynTensor, Error> {
    const OP: &str = "concatenate";
    typed!(OP, Element, ([parts] = &views(OP, parts)?; axis: isize = axis.number()) => try_concatenate(axis, parts))
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
pub fn stack<'a, X: Copy + Into<DynView<'a>>>(
    axis: impl IndexNumber,
    parts: &[X],
) -> Result<DynTensor, Error> {
    const OP: &str = "stack";
    typed!(OP, Element, ([parts] = &views(OP, parts)?; axis: isize = axis.number()) => try_stack(axis, parts))
}
