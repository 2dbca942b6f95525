//! Reductions: checks the reduced axes of an operand, and moves them after the axes that remain.

pub(crate) mod weights;

use crate::error::Error;
use crate::layout::axes::{Axes, AxesMut};

/// Writes the axes of an operand to `to`: first the axes that remain, then the reduced axes `named`, sorted in memory order.
///
/// # Errors
/// * If an axis of `named` is out of range or occurs twice.
/// * [`Error::Empty`] if `defined_on_empty` is `false`, a reduced axis has extent 0, and no remaining axis has extent 0.
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
