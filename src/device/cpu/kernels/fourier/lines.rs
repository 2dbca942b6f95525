//! Lines are the elements along the transformed axis. This module splits the loops over all lines of two operands, enumerates and copies
//! lines, and scales them.

#[cfg(target_arch = "x86_64")]
use super::workspace::{check_workspace, out_of_memory, with_workspace};
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::copy::copy_part;
use crate::device::cpu::loops::threads::over_parts;
#[cfg(target_arch = "x86_64")]
use crate::device::cpu::memory::scratch::Side;
use crate::device::{Operand, Output};
use crate::element::Element;
#[cfg(target_arch = "x86_64")]
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use core::ops::Mul;
#[cfg(target_arch = "x86_64")]
use core::sync::atomic::{AtomicBool, Ordering};

/// Lines are distributed to tiles and threads in groups of this number, unless they are long.
pub(super) const LINE_GRAIN: usize = 8;
/// Work of a transform for each byte of a line: the number of bytes that could be copied in the same time.
const WORK: usize = 32;
/// Minimum size of the output, in bytes, for non-temporal stores in a pass that reads the operand and writes lines that are not
/// contiguous. Ordinary stores fetch each cache line first. In a pass that works in place, the lines were read before they are written,
/// and non-temporal stores gain nothing.
const MIN_STREAMED_BYTES: usize = 8 << 20;

/// The lines of a pass along one axis, from elements of type `A` to elements of type `B`.
pub(super) struct TransformLines<'a, A, B> {
    pub(super) axis: usize,
    /// The extents of the part of the output that is written. The extent along `axis` is not used.
    pub(super) shape: &'a [usize],
    /// The strides of the output and of the operand.
    pub(super) strides: [&'a [isize]; 2],
    pub(super) to: HostPtr<B>,
    pub(super) from: HostPtr<A>,
    /// The number of elements that are read of each line of the operand. The transform treats the others as zeros.
    pub(super) read: usize,
    /// Whether the operand is the output. Otherwise, they do not overlap.
    pub(super) in_place: bool,
}

impl<A: Element, B: Element> TransformLines<'_, A, B> {
    /// Returns the strides of the elements of a line, in the output and in the operand.
    pub(super) fn line_strides(&self) -> [isize; 2] {
        self.strides.map(|strides| strides[self.axis])
    }

    /// Returns the number of lines.
    pub(super) fn count(&self) -> usize {
        self.shape.iter().enumerate().filter(|&(k, _)| k != self.axis).map(|(_, &extent)| extent).product()
    }

    /// Returns whether lines of `n` elements of the output are written with non-temporal stores if they are not contiguous.
    pub(super) fn are_streamed(&self, n: usize) -> bool {
        let bytes = self.count().saturating_mul(n).saturating_mul(size_of::<B>());
        !self.in_place && bytes >= MIN_STREAMED_BYTES
    }

    /// Plans the loops over all axes but that of the lines.
    pub(super) fn plan(&self) -> Plan<2> {
        let without = |k: usize| k + usize::from(k >= self.axis);
        let rank = self.shape.len() - 1;
        let (mut extents, mut steps) = ([1; MAX_RANK], [[0; MAX_RANK]; 2]);
        for k in 0..rank {
            extents[k] = self.shape[without(k)];
            (steps[0][k], steps[1][k]) = (self.strides[0][without(k)], self.strides[1][without(k)]);
        }
        Plan::unordered(&extents[..rank], [&steps[0][..rank], &steps[1][..rank]])
    }

    /// Calls `f` for parts of the plan, on several threads if there is enough work. `bytes` is the size of a line. The innermost loop is
    /// split at multiples of `grain`.
    pub(super) fn over_parts(
        &self,
        plan: &Plan<2>,
        bytes: usize,
        grain: usize,
        f: &(dyn Fn(&Plan<2>) + Sync),
    ) {
        let inner = plan.shape().len().saturating_sub(1);
        let grain_of = |k: usize| if k == inner { grain } else { 1 };
        over_parts(plan, bytes.saturating_mul(WORK), &grain_of, f);
    }

    /// Returns the number of neighbouring lines that are adjacent in memory, in the operand and in the output.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn adjacent(&self) -> usize {
        let plan = self.plan();
        if plan.inner_strides() == [1, 1] { plan.inner_len() } else { 1 }
    }

    /// Calls `f` for blocks of up to `block_lines` adjacent lines, with the offsets of the first line in the output and in the operand, the
    /// number of lines, and a workspace of `len` numbers. `bytes` is the size of a line.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the workspace cannot be allocated. The output then has unspecified elements.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn over_blocks<T: Element>(
        &self,
        block_lines: usize,
        bytes: usize,
        len: usize,
        f: &(dyn Fn([isize; 2], usize, &mut [T]) + Sync),
    ) -> Result<(), Error> {
        check_workspace::<T>(len)?;
        let failed = AtomicBool::new(false);
        self.over_parts(&self.plan(), bytes, LINE_GRAIN, &|part| {
            with_workspace(Side::A, len, &failed, |workspace| {
                // A part with a single index along the axis of the neighbouring lines can have another innermost loop.
                let (lines, [to, from]) = (part.inner_len(), part.inner_strides());
                let together = if [to, from] == [1, 1] { block_lines } else { 1 };
                let mut walk = Odometer::outer(part);
                for _ in 0..part.outer_shape().iter().product() {
                    let [o, a] = walk.offsets();
                    walk.advance();
                    for line in (0..lines).step_by(together) {
                        let at = line as isize;
                        f([o + at * to, a + at * from], together.min(lines - line), workspace);
                    }
                }
            });
        });
        if failed.load(Ordering::Relaxed) { Err(out_of_memory::<T>(len)) } else { Ok(()) }
    }
}

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
pub(super) struct LinePlace {
    offset: isize,
    strides: [isize; MAX_RANK],
}

impl LinePlace {
    /// Returns the place of the lines of operand `k` of the tile. `stride` is the stride along a line.
    pub(super) fn of(tile: &Plan<2>, k: usize, stride: isize) -> LinePlace {
        let mut strides = [0; MAX_RANK];
        let loops = tile.strides();
        strides.iter_mut().zip(loops).for_each(|(to, of)| *to = of[k]);
        strides[loops.len()] = stride;
        LinePlace { offset: tile.offsets()[k], strides }
    }

    /// Returns the place of contiguous lines in workspace. Each line begins `pitch` elements after the previous one.
    pub(super) fn packed(tile: &Plan<2>, pitch: usize) -> LinePlace {
        let (mut strides, mut step) = ([0; MAX_RANK], pitch as isize);
        let extents = tile.shape();
        for axis in (0..extents.len()).rev() {
            strides[axis] = step;
            step *= extents[axis] as isize;
        }
        strides[extents.len()] = 1;
        LinePlace { offset: 0, strides }
    }
}

/// Calls `f` for each line of a tile, with the offset of its first element in each place.
#[inline]
pub(super) fn for_each_line<const K: usize>(
    tile: &Plan<2>,
    places: [&LinePlace; K],
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
    (to, to_place): (HostPtr<T>, &LinePlace),
    (from, from_place): (HostPtr<T>, &LinePlace),
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
