//! Operations that copy parts of one operand to parts of the output: rolling, padding, and repetition with a count for each index. Along
//! each axis, the output is divided into pieces. A part of the output is a combination of one piece of each axis.

use crate::device::{Copy, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::layout::element_count;
use crate::rank::MAX_RANK;

/// A range of indices along one axis of the output, and the indices of the operand that are copied to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece {
    /// The first index in the output.
    pub(crate) to: usize,
    /// The number of indices.
    pub(crate) len: usize,
    /// The index in the operand that is copied to index `to`.
    pub(crate) from: usize,
    /// The step between the indices in the operand: 1, -1 to copy in reverse, or 0 to repeat one index.
    pub(crate) step: isize,
}

impl Piece {
    /// Returns the piece that copies `len` indices in order.
    pub(crate) fn copy(to: usize, from: usize, len: usize) -> Piece {
        Piece { to, len, from, step: 1 }
    }
}

/// Copies the operand to the output, part by part. A part is a combination of one piece of each axis. `pieces` has one list of pieces for
/// each axis.
pub(crate) fn copy_pieces<T: Element, Dev: Copy<T>>(
    device: &Dev,
    pieces: &[Vec<Piece>],
    from: Operand<'_, T, Dev>,
    mut out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let rank = pieces.len();
    debug_assert!(rank == from.shape().len() && rank == out.shape().len());
    if pieces.iter().any(Vec::is_empty) {
        return Ok(());
    }
    // The index of the current piece of each axis.
    let mut at = [0; MAX_RANK];
    loop {
        let (mut shape, mut strides, mut to) = ([0; MAX_RANK], [0; MAX_RANK], [0; MAX_RANK]);
        let mut offset = 0;
        for axis in 0..rank {
            let piece = pieces[axis][at[axis]];
            let stride = from.strides()[axis];
            (shape[axis], strides[axis], to[axis]) = (piece.len, stride * piece.step, piece.to);
            offset += piece.from as isize * stride;
        }
        let part = from.with_axes(Axes::new(&shape[..rank], &strides[..rank]), offset);
        device.copy(part_of(&mut out, &to[..rank], &shape[..rank]), part)?;
        let Some(axis) = (0..rank).rev().find(|&axis| at[axis] + 1 < pieces[axis].len()) else {
            return Ok(());
        };
        at[axis] += 1;
        at[axis + 1..rank].fill(0);
    }
}

/// Returns the part of an output that begins at index `first` and has the shape `shape`.
pub(crate) fn part_of<'b, T: Element, Dev: Copy<T>>(
    out: &'b mut Output<'_, T, Dev>,
    first: &[usize],
    shape: &'b [usize],
) -> Output<'b, T, Dev> {
    let (out, empty) = (out.reborrow(), shape.contains(&0));
    let offset = out.strides().iter().zip(first).map(|(&stride, &index)| index as isize * stride).sum();
    let strides = out.strides();
    out.with_axes(Axes::new(shape, strides), if empty { 0 } else { offset })
}

/// Returns the pieces of an axis of extent `n` that is rolled by `by` indices: the element at index 0 moves to index `by`.
pub(crate) fn rolled(n: usize, by: isize) -> Vec<Piece> {
    if n == 0 {
        return Vec::new();
    }
    let by = by.rem_euclid(n as isize) as usize;
    let mut pieces = vec![Piece::copy(by, 0, n - by)];
    if by > 0 {
        pieces.push(Piece::copy(0, n - by, by));
    }
    pieces
}

/// The elements that [`pad`](crate::Tensor::pad) adds, with examples for `1 2 3`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Pad<T> {
    /// This value: `0 0 | 1 2 3 | 0 0` for 0.
    Constant(T),
    /// The nearest element of the tensor: `1 1 | 1 2 3 | 3 3`.
    Edge,
    /// The elements mirrored at the first and the last element, which are not repeated: `3 2 | 1 2 3 | 2 1`.
    Reflect,
    /// The elements mirrored at the ends, so that the first and the last element are repeated: `2 1 | 1 2 3 | 3 2`.
    Symmetric,
    /// The elements repeated periodically: `2 3 | 1 2 3 | 1 2`.
    Wrap,
}

impl<T> Pad<T> {
    /// Converts the value of a constant.
    pub(crate) fn try_map<U>(self, f: impl FnOnce(T) -> Result<U, Error>) -> Result<Pad<U>, Error> {
        Ok(match self {
            Pad::Constant(value) => Pad::Constant(f(value)?),
            Pad::Edge => Pad::Edge,
            Pad::Reflect => Pad::Reflect,
            Pad::Symmetric => Pad::Symmetric,
            Pad::Wrap => Pad::Wrap,
        })
    }
}

/// Returns the pieces of an axis of extent `n` with `before` and `after` indices added. Returns `None` if the axis has no element to
/// repeat. For [`Pad::Constant`], there are no pieces for the added indices: [`fill_border`] fills them.
pub(crate) fn padded(n: usize, [before, after]: [usize; 2], kind: Pad<()>) -> Option<Vec<Piece>> {
    let whole = Piece::copy(before, 0, n);
    if kind == Pad::Constant(()) || before + after == 0 {
        return Some(vec![whole]);
    }
    if n == 0 {
        return None;
    }
    if kind == Pad::Edge || n == 1 {
        let edge = |to, len, from| Piece { to, len, from, step: 0 };
        let mut pieces = vec![edge(0, before, 0), whole, edge(before + n, after, n - 1)];
        pieces.retain(|piece| piece.len > 0);
        return Some(pieces);
    }
    // The added indices continue the indices of the tensor periodically. A period has the indices `0..n`. For `Reflect` and `Symmetric`,
    // their mirror image follows, and its first index is `mirrored`.
    let (period, mirrored) = match kind {
        Pad::Reflect => (2 * n - 2, Some(n - 2)),
        Pad::Symmetric => (2 * n, Some(n - 1)),
        _ => (n, None),
    };
    let mut pieces = Vec::new();
    let (mut to, end) = (0, before + n + after);
    // The position of index `to` within its period.
    let mut phase = (period - before % period) % period;
    while to < end {
        let (from, step, left) = match mirrored {
            Some(last) if phase >= n => (last - (phase - n), -1, period - phase),
            _ => (phase, 1, n - phase),
        };
        let len = left.min(end - to);
        pieces.push(Piece { to, len, from, step });
        to += len;
        phase = (phase + len) % period;
    }
    Some(pieces)
}

/// Adds the widths to the extents in `shape`, and returns the pieces of each axis.
///
/// # Errors
/// If the new shape exceeds the address space, or `kind` is not [`Pad::Constant`] and indices are added to an axis of extent 0.
pub(crate) fn padded_axes(
    shape: &mut [usize],
    widths: &[[usize; 2]],
    kind: Pad<()>,
    element_bytes: usize,
) -> Result<Vec<Vec<Piece>>, Error> {
    let mut from = [0; MAX_RANK];
    let from = &mut from[..shape.len()];
    from.copy_from_slice(shape);
    for (extent, [before, after]) in shape.iter_mut().zip(widths) {
        *extent = extent.saturating_add(*before).saturating_add(*after);
    }
    // Checks the new shape before the lists of pieces are created. These can be almost as long as the extents, so for an excessive
    // extent, they would exhaust the memory.
    element_count(shape, element_bytes)?;
    let of_axis = |(axis, &width): (usize, &[usize; 2])| {
        padded(from[axis], width, kind).ok_or_else(|| {
            let reason = format!(
                "axis {axis} of shape {from:?} has no elements to repeat; pad with `Pad::Constant(value)`"
            );
            Error::Argument { op: "pad", reason }
        })
    };
    widths.iter().enumerate().map(of_axis).collect()
}

/// Fills the added indices of each axis with `constant`, which must have rank 0. `shape` is the shape of the operand.
pub(crate) fn fill_border<T: Element, Dev: Copy<T>>(
    device: &Dev,
    shape: &[usize],
    widths: &[[usize; 2]],
    constant: Operand<'_, T, Dev>,
    out: &mut Output<'_, T, Dev>,
) -> Result<(), Error> {
    let rank = shape.len();
    // The loop fills the added indices of one axis after the other. `first` and `extents` describe the part of `out` that one iteration
    // fills. Along earlier axes, whose added indices have been filled, the part has the operand's indices only. Along later axes, it has
    // all indices.
    let (mut first, mut extents) = ([0; MAX_RANK], [0; MAX_RANK]);
    extents[..rank].copy_from_slice(out.shape());
    for axis in 0..rank {
        let [before, after] = widths[axis];
        for (at, width) in [(0, before), (before + shape[axis], after)] {
            if width > 0 {
                (first[axis], extents[axis]) = (at, width);
                let border = part_of(out, &first[..rank], &extents[..rank]);
                let strides = [0; MAX_RANK];
                device.copy(border, constant.with_axes(Axes::new(&extents[..rank], &strides[..rank]), 0))?;
            }
        }
        (first[axis], extents[axis]) = (before, shape[axis]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the operand's index for each index of the output.
    fn indices(pieces: &[Piece], n: usize) -> Vec<usize> {
        let mut to = vec![usize::MAX; n];
        for piece in pieces {
            for k in 0..piece.len {
                assert_eq!(to[piece.to + k], usize::MAX, "no index is written twice");
                to[piece.to + k] = piece.from.wrapping_add_signed(k as isize * piece.step);
            }
        }
        to
    }

    #[test]
    fn rolled_moves_each_index_by_the_same_distance() {
        for n in 0..6usize {
            for by in -13..13isize {
                let expected: Vec<_> =
                    (0..n).map(|k| (k as isize - by).rem_euclid(n as isize) as usize).collect();
                assert_eq!(indices(&rolled(n, by), n), expected, "{n} by {by}");
            }
        }
    }

    /// The expected values are the results of NumPy's `pad` for `[0, .., n - 1]`.
    #[test]
    fn padded_continues_the_indices() {
        let check = |n, widths: [usize; 2], kind, expected: &[usize]| {
            let pieces = padded(n, widths, kind).unwrap();
            assert_eq!(indices(&pieces, n + widths[0] + widths[1]), expected, "{n}, {widths:?}, {kind:?}");
        };
        check(3, [2, 2], Pad::Edge, &[0, 0, 0, 1, 2, 2, 2]);
        check(3, [2, 2], Pad::Reflect, &[2, 1, 0, 1, 2, 1, 0]);
        check(3, [2, 2], Pad::Symmetric, &[1, 0, 0, 1, 2, 2, 1]);
        check(3, [2, 2], Pad::Wrap, &[1, 2, 0, 1, 2, 0, 1]);
        check(2, [5, 5], Pad::Reflect, &[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
        check(2, [5, 5], Pad::Symmetric, &[0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]);
        check(2, [3, 4], Pad::Wrap, &[1, 0, 1, 0, 1, 0, 1, 0, 1]);
        check(3, [7, 0], Pad::Reflect, &[1, 2, 1, 0, 1, 2, 1, 0, 1, 2]);
        check(1, [2, 1], Pad::Reflect, &[0, 0, 0, 0]);
        check(3, [0, 0], Pad::Wrap, &[0, 1, 2]);
        assert_eq!(padded(0, [1, 0], Pad::Wrap), None);
    }
}
