//! Checks the weights of weighted means.

use crate::device::op::reduction::rescale::scale;
use crate::element::{Inexact, RealScalar};
use crate::error::Error;

/// Checks that there is one weight for each index of the axis, and that the sum of the weights is not zero.
pub(crate) fn check_weights(
    shape: &[usize],
    axis: usize,
    count: usize,
    total_is_zero: bool,
) -> Result<(), Error> {
    let error = |reason| Err(Error::Argument { op: "average", reason });
    if count != shape[axis] {
        return error(format!(
            "there are {count} weights for axis {axis} of shape {shape:?}; give one for each of its {} indices",
            shape[axis]
        ));
    }
    if total_is_zero {
        return error(format!("the sum of the {count} weights is zero; give weights whose sum is not zero"));
    }
    Ok(())
}

/// Returns whether the products of weights with this sum and elements of any size leave the range of numbers only if the elements are near
/// the ends of this range themselves.
pub(crate) fn is_moderate<T: Inexact>(total: T) -> bool {
    let size = total.re().in_f64().abs().max(total.im().in_f64().abs());
    (2f64.powi(-20)..=2f64.powi(60)).contains(&size)
}

/// Returns the power of two by which to divide the weights, so that the greatest is about 1. Returns `None` if they are zero or not finite.
pub(crate) fn scale_of<T: Inexact>(weights: &[T]) -> Option<f64> {
    scale::<T, false>(weights.iter().copied()).map(|(by, _)| by)
}
