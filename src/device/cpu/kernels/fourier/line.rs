//! Lines are the elements along the transformed axis. This module splits the loops over all lines of two operands into tiles of a few
//! lines. It enumerates the lines of a tile, copies them and scales them.

use super::LINE_GRAIN;
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::copy::copy_part;
use crate::device::{Operand, Output};
use crate::element::Element;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use core::ops::Mul;

/// Calls `f` for parts of the plan with at most `lines` lines each.
pub(super) fn tiles(part: &Plan<2>, lines: usize, f: &mut dyn FnMut(&Plan<2>)) {
    let inner = part.shape().len().saturating_sub(1);
    let grain = LINE_GRAIN.min(lines);
    if part.len() > lines
        && let Some((low, high)) = part.halves_by(&|axis| if axis == inner { grain } else { 1 })
    {
        tiles(&low, lines, f);
        tiles(&high, lines, f);
    } else {
        f(part);
    }
}

/// The position of the lines of a tile: the offset of the first element of the first line, and the strides. There is one stride for
/// each loop of the tile, and then the stride along a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    offset: isize,
    strides: [isize; MAX_RANK],
}

impl Place {
    /// Returns the place of the lines of operand `k` of the tile. `stride` is the stride along a line.
    pub(super) fn of(tile: &Plan<2>, k: usize, stride: isize) -> Place {
        let mut strides = [0; MAX_RANK];
        let loops = tile.strides();
        strides.iter_mut().zip(loops).for_each(|(to, of)| *to = of[k]);
        strides[loops.len()] = stride;
        Place { offset: tile.offsets()[k], strides }
    }

    /// Returns the place of contiguous lines in workspace. Each line begins `pitch` elements after the previous one.
    pub(super) fn packed(tile: &Plan<2>, pitch: usize) -> Place {
        let (mut strides, mut step) = ([0; MAX_RANK], pitch as isize);
        let extents = tile.shape();
        for axis in (0..extents.len()).rev() {
            strides[axis] = step;
            step *= extents[axis] as isize;
        }
        strides[extents.len()] = 1;
        Place { offset: 0, strides }
    }

    /// Returns the place of the real parts of complex elements: an offset and strides that count real numbers.
    pub(super) fn doubled(&self) -> Place {
        Place { offset: 2 * self.offset, strides: self.strides.map(|stride| 2 * stride) }
    }
}

/// Calls `f` for each line of a tile, with the offset of its first element in each place.
#[inline]
pub(super) fn for_each_line<const K: usize>(
    tile: &Plan<2>,
    places: [&Place; K],
    mut f: impl FnMut([isize; K]),
) {
    let Some((&lines, outer)) = tile.shape().split_last() else {
        return f(places.map(|place| place.offset));
    };
    let steps = places.map(|place| place.strides[outer.len()]);
    let mut walk = Odometer::row_major(outer, places.map(|place| &place.strides[..outer.len()]));
    for _ in 0..outer.iter().product() {
        let at = walk.offsets();
        walk.advance();
        for line in 0..lines as isize {
            f(core::array::from_fn(|k| places[k].offset + at[k] + line * steps[k]));
        }
    }
}

/// Copies the first `len` elements of each line from the source `from` to the target `to`. If `large`, the target is a part of a large
/// output, which is written with non-temporal stores.
///
/// # Safety
/// The caller must ensure that these elements of the source are readable, that access to these elements of the target is exclusive, and
/// that different lines of the target do not overlap.
pub(super) unsafe fn copy_lines<T: Element>(
    tile: &Plan<2>,
    len: usize,
    large: bool,
    (to, to_place): (HostPtr<T>, &Place),
    (from, from_place): (HostPtr<T>, &Place),
) {
    let rank = tile.shape().len();
    let mut shape = [1; MAX_RANK];
    shape[..rank].copy_from_slice(tile.shape());
    shape[rank] = len;
    let shape = &shape[..=rank];
    // SAFETY: an index consists of an index of `tile` and a number less than `len`. So it addresses one of the elements of the source,
    // which the caller ensures to be readable.
    let operand =
        unsafe { Operand::from_raw(from.offset(from_place.offset), shape, &from_place.strides[..=rank]) };
    // SAFETY: an index consists of an index of `tile` and a number less than `len`. So it addresses one of the elements of the target. The
    // caller ensures exclusive access to these elements, and that lines do not overlap.
    let output = unsafe { Output::from_raw(to.offset(to_place.offset), shape, &to_place.strides[..=rank]) };
    copy_part(&output, &operand, if large { usize::MAX } else { 0 });
}

/// Multiplies the elements by a factor, if there is one.
pub(super) fn rescale<R: Copy, T: Copy + Mul<R, Output = T>>(elements: &mut [T], factor: Option<R>) {
    if let Some(factor) = factor {
        elements.iter_mut().for_each(|x| *x = *x * factor);
    }
}
