//! Results that are made of copies of operands or of their parts: concatenation, stacking, repetition, and triangles of matrices.

use super::pieces::part_of;
use crate::device::wide;
use crate::device::{Copy, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::{Axes, check_axis};
use crate::layout::broadcast::same;
use crate::rank::{Dim, MAX_RANK};

/// Writes the shape of a concatenation along `axis` to `to`, which must have the rank of the parts.
///
/// # Errors
/// If there are no parts, the axis is out of range, or the shapes differ along another axis.
pub(crate) fn concatenated<'a>(
    op: &'static str,
    axis: usize,
    shapes: impl IntoIterator<Item = &'a [usize]>,
    to: &mut [usize],
) -> Result<(), Error> {
    let mut shapes = shapes.into_iter();
    let Some(first) = shapes.next() else {
        return Err(Error::Argument { op, reason: "there are no parts".into() });
    };
    check_axis(op, axis, first)?;
    to.copy_from_slice(first);
    for (k, shape) in shapes.enumerate() {
        let matches = shape.len() == first.len()
            && (0..first.len()).all(|other| other == axis || shape[other] == first[other]);
        if !matches {
            let reason = format!(
                "part 0 has shape {first:?} and part {} has shape {shape:?}; only the extents of axis {axis} may differ",
                k + 1
            );
            return Err(Error::Argument { op, reason });
        }
        // An extent that is not representable is reported when the result is allocated.
        to[axis] = to[axis].saturating_add(shape[axis]);
    }
    Ok(())
}

/// Checks the shapes of parts that are stacked.
///
/// # Errors
/// If there are no parts, or two shapes differ.
pub(crate) fn check_stacked<'a>(shapes: impl IntoIterator<Item = &'a [usize]>) -> Result<(), Error> {
    const OP: &str = "stack";
    let mut shapes = shapes.into_iter();
    let Some(first) = shapes.next() else {
        return Err(Error::Argument { op: OP, reason: "there are no parts".into() });
    };
    match shapes.enumerate().find(|(_, shape)| !same(shape, first)) {
        None => Ok(()),
        Some((k, shape)) => {
            let k = k + 1;
            let reason = format!(
                "part 0 has shape {first:?} and part {k} has shape {shape:?}; all shapes must be equal"
            );
            Err(Error::Argument { op: OP, reason })
        }
    }
}

/// Writes the shape of `count` stacked parts of shape `part` to `to`, whose length is the rank of the parts plus 1.
///
/// # Errors
/// If the axis is out of range.
pub(crate) fn stacked(axis: usize, count: usize, part: &[usize], to: &mut [usize]) -> Result<(), Error> {
    let rank = part.len();
    if axis > rank {
        // The message shows the shape of the result, because `axis` is an axis of the result. The new axis is last in this shape.
        to[..rank].copy_from_slice(part);
        to[rank] = count;
        return check_axis("stack", axis, to);
    }
    to[..axis].copy_from_slice(&part[..axis]);
    to[axis] = count;
    to[axis + 1..].copy_from_slice(&part[axis..]);
    Ok(())
}

/// Copies the parts, tensors of rank `D`, one after another along `axis`, to the output, which must have the shape of the concatenation.
pub(crate) fn concatenate<'a, D: Dim, T: Element, Dev: Copy<T>>(
    device: &Dev,
    axis: usize,
    parts: impl IntoIterator<Item = Operand<'a, T, Dev>>,
    mut out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let (mut first, strides) = (0, out.strides());
    for part in parts {
        let offset = if part.shape().contains(&0) { 0 } else { first as isize * strides[axis] };
        let to = out.reborrow().with_axes(Axes::new(part.shape(), strides), offset);
        wide::copy::<D, _, _>(device, to, part)?;
        first += part.shape()[axis];
    }
    Ok(())
}

/// Copies the parts, which have the same shape, to the indices 0, 1, .. along axis `axis` of the output, a tensor of rank `R`.
pub(crate) fn stack<'a, R: Dim, T: Element, Dev: Copy<T>>(
    device: &Dev,
    axis: usize,
    parts: impl IntoIterator<Item = Operand<'a, T, Dev>>,
    mut out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let (mut strides, step) = (R::strides(out.strides().len()), out.strides()[axis]);
    strides.as_mut().copy_from_slice(out.strides());
    strides.as_mut()[axis..].rotate_left(1);
    let (_, strides) = strides.as_ref().split_last().expect("the output has the new axis");
    for (k, part) in parts.into_iter().enumerate() {
        let offset = if part.shape().contains(&0) { 0 } else { k as isize * step };
        let to = out.reborrow().with_axes(Axes::new(part.shape(), strides), offset);
        wide::copy::<R, _, _>(device, to, part)?;
    }
    Ok(())
}

/// The order in which [`repeat`] repeats elements along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Repeats the axis as a whole. Two repetitions of `1 2` are `1 2 1 2`.
    Whole,
    /// Repeats each index. Two repetitions of `1 2` are `1 1 2 2`.
    Each,
}

/// Repeats the operand `counts[axis]` times along each axis. The output must have the operand's shape, with each extent multiplied by
/// its count.
pub(crate) fn repeat<T: Element, Dev: Copy<T>>(
    device: &Dev,
    how: Repeat,
    counts: &[usize],
    from: Operand<'_, T, Dev>,
    mut out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    if out.shape().contains(&0) {
        return Ok(());
    }
    let rank = counts.len();
    let repeated = counts.iter().filter(|&&count| count != 1).count();
    if rank + repeated > MAX_RANK {
        // The copy below would need more than `MAX_RANK` axes. So a loop repeats one axis, and the recursive call the others.
        let axis = counts.iter().position(|&count| count != 1).expect("an axis is repeated");
        let mut counts_of_part = [0; MAX_RANK];
        counts_of_part[..rank].copy_from_slice(counts);
        counts_of_part[axis] = 1;
        return match how {
            Repeat::Whole => (0..counts[axis]).try_for_each(|k| {
                let (mut first, mut shape) = ([0; MAX_RANK], [0; MAX_RANK]);
                shape[..rank].copy_from_slice(out.shape());
                shape[axis] = from.shape()[axis];
                first[axis] = k * shape[axis];
                let part = part_of(&mut out, &first[..rank], &shape[..rank]);
                repeat(device, how, &counts_of_part[..rank], from, part)
            }),
            Repeat::Each => (0..counts[axis]).try_for_each(|k| {
                let (mut shape, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
                let part = out.reborrow();
                shape[..rank].copy_from_slice(part.shape());
                strides[..rank].copy_from_slice(part.strides());
                let stride = strides[axis];
                (shape[axis], strides[axis]) = (from.shape()[axis], counts[axis] as isize * stride);
                let part = part.with_axes(Axes::new(&shape[..rank], &strides[..rank]), k as isize * stride);
                repeat(device, how, &counts_of_part[..rank], from, part)
            }),
        };
    }
    // A repeated axis of the output is split into two axes: one for the copies, along which the operand has stride 0, and one for the
    // indices of the operand.
    let (mut shape, mut strides, mut of_out) = ([0; MAX_RANK], [0; MAX_RANK], [0; MAX_RANK]);
    let mut len = 0;
    for (axis, &count) in counts.iter().enumerate() {
        let n = from.shape()[axis];
        let (stride, step) = (from.strides()[axis], out.strides()[axis]);
        let whole = (n, stride, if how == Repeat::Whole { step } else { step * count as isize });
        let copies = (count, 0, if how == Repeat::Whole { step * n as isize } else { step });
        let parts = match how {
            _ if count == 1 => [whole, whole],
            Repeat::Whole => [copies, whole],
            Repeat::Each => [whole, copies],
        };
        for part in &parts[usize::from(count == 1)..] {
            (shape[len], strides[len], of_out[len]) = *part;
            len += 1;
        }
    }
    let from = from.with_axes(Axes::new(&shape[..len], &strides[..len]), 0);
    device.copy(out.with_axes(Axes::new(&shape[..len], &of_out[..len]), 0), from)
}

/// The triangle of a matrix that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Triangle {
    Lower,
    Upper,
}

/// Copies one triangle of each matrix, including diagonal `k`, and writes the element of `zero`, which must have rank 0, to the rest of the
/// output. The axes of the matrices are the last two if `row_major` is `true`, and otherwise the first two.
///
/// Copies whole matrices first, and then overwrites a part of each line. A copy for each line would take longer.
pub(crate) fn triangle<T: Element, Dev: Copy<T>>(
    device: &Dev,
    row_major: bool,
    kept: Triangle,
    k: isize,
    zero: Operand<'_, T, Dev>,
    from: Operand<'_, T, Dev>,
    mut out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let rank = out.shape().len();
    let (row, column) = if row_major { (rank - 2, rank - 1) } else { (0, 1) };
    if out.shape().contains(&0) {
        return Ok(());
    }
    device.copy(out.reborrow(), from)?;
    // Lines along the axis with the smaller stride are more likely to be contiguous.
    let step = |axis: usize| out.strides()[axis].unsigned_abs();
    let (lines, along) = if step(row) < step(column) { (column, row) } else { (row, column) };
    let n = out.shape()[along];
    let index = |i: isize| i.clamp(0, n as isize) as usize;
    for i in 0..out.shape()[lines] {
        // The element at row `r` and column `c` is overwritten if `c - r` is greater than `k` (lower triangle) or less (upper triangle).
        let (on_row, on_column) = ((i as isize).saturating_add(k), (i as isize).saturating_sub(k));
        let zeros = match (kept, lines == row) {
            (Triangle::Lower, true) => index(on_row.saturating_add(1))..n,
            (Triangle::Upper, true) => 0..index(on_row),
            (Triangle::Lower, false) => 0..index(on_column),
            (Triangle::Upper, false) => index(on_column.saturating_add(1))..n,
        };
        if !zeros.is_empty() {
            let (mut shape, mut first) = ([0; MAX_RANK], [0; MAX_RANK]);
            shape[..rank].copy_from_slice(out.shape());
            (shape[lines], first[lines]) = (1, i);
            (shape[along], first[along]) = (zeros.len(), zeros.start);
            let part = zero.with_axes(Axes::new(&shape[..rank], &[0; MAX_RANK][..rank]), 0);
            device.copy(part_of(&mut out, &first[..rank], &shape[..rank]), part)?;
        }
    }
    Ok(())
}
