//! Reductions: which axes remain, and the iteration order of the reduced ones.

use crate::error::Error;
use crate::layout::axes::{Axes, AxesMut};

/// Writes the axes of an operand with the reduced axes, `named`, last and in memory order.
///
/// # Errors
/// * If an axis is out of range or named twice.
/// * If the reduction is not `defined_on_empty`, the reduced axes have zero elements, and the result has at least one element.
#[inline]
pub(crate) fn reduced_last(
    op: &'static str,
    defined_on_empty: bool,
    axes: Axes<'_>,
    named: &[usize],
    row_major: bool,
    to: AxesMut<'_>,
) -> Result<(), Error> {
    axes.move_last(op, named, row_major, to)?;
    let empty = |reduced: bool| {
        axes.shape().iter().enumerate().any(|(axis, &n)| n == 0 && named.contains(&axis) == reduced)
    };
    if !defined_on_empty && empty(true) && !empty(false) {
        return Err(Error::Empty { op, shape: axes.shape().to_vec() });
    }
    Ok(())
}
