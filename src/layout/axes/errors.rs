//! Errors about axes. The functions are cold, so that the code that checks stays small.

use crate::error::Error;
use crate::rank::as_given;

#[cold]
pub(super) fn axis_out_of_range(op: &'static str, axis: usize, shape: &[usize]) -> Error {
    Error::AxisOutOfRange { op, axis: as_given(axis), shape: shape.to_vec() }
}

#[cold]
pub(super) fn repeated_axis(op: &'static str, axes: &[usize], shape: &[usize]) -> Error {
    Error::RepeatedAxis { op, axes: axes.to_vec(), shape: shape.to_vec() }
}

#[cold]
pub(super) fn no_diagonal(op: &'static str, axes: [usize; 2], shape: &[usize]) -> Error {
    let [a, b] = axes;
    if shape.len() < 2 {
        let reason =
            format!("a tensor of `Rank<{}>` has no diagonal: a diagonal needs two axes", shape.len());
        Error::UnsupportedRank { op, reason }
    } else if a.max(b) >= shape.len() {
        Error::AxisPair { op, axes: axes.map(as_given), shape: shape.to_vec() }
    } else if a == b {
        repeated_axis(op, &axes, shape)
    } else {
        Error::ExtentMismatch { op, axes, shape: shape.to_vec() }
    }
}

#[cold]
pub(super) fn not_a_unit_axis(axis: usize, shape: &[usize]) -> Error {
    Error::NotUnitAxis { op: "remove", axis, shape: shape.to_vec() }
}

#[cold]
pub(super) fn index_out_of_range(op: &'static str, index: usize, axis: usize, shape: &[usize]) -> Error {
    let index = as_given(index);
    Error::IndexOutOfBounds { op, index, axis, shape: shape.to_vec() }
}

#[cold]
pub(super) fn inserted_outside(at: usize, shape: &[usize]) -> Error {
    let (at, rank) = (as_given(at), shape.len());
    let reason = if at < 0 {
        format!(
            "index {at} is out of range for shape {shape:?}; valid indices are 0 to {rank}, or -{} to -1",
            rank + 1
        )
    } else {
        format!("index {at} exceeds the rank of shape {shape:?}; valid indices are 0 to {rank}")
    };
    Error::Argument { op: "insert an axis", reason }
}
