//! Elementwise loops over strided operands. Operands are split into strips that are contiguous, or made contiguous by a copy. The
//! elementwise kernel calls [`for_blocks`].
//!
//! An elementwise function is compiled only to loops over contiguous operands. The code of this module treats elements as bytes,
//! so it is compiled once for all functions and element types. If all operands are contiguous in the same memory order, they are
//! a single strip. Otherwise a plan splits the loops into rows. An operand with unit stride along the rows is used in place.
//! Other operands are copied to a buffer that stays in cache:
//!
//! ```text
//! stride along the rows                 copied to the buffer by
//! 0                                     repeating the value            (gather)
//! other, but ±1 along another axis      transposing tiles              (transpose)
//! other                                 one element at a time          (gather)
//! ```
//!
//! A result whose stride along the rows is not 1 is computed in a buffer, and copied from it one element at a time ([`scatter`](super::pack::scatter)).
//! Large contiguous results can be copied from a buffer with non-temporal stores
//! ([`stream_piece`](crate::device::cpu::memory::stream::stream_piece)).
//!
//! ```text
//! split the plan into parts for threads                                (planned)
//! for each part                                                        (part)
//!     short rows:  for each group of rows: copy to buffers, one call   (rows::joined)
//!     an operand to transpose:
//!         for each tile of rows and columns                            (tiles::blocks)
//!             copy the tile of each strided operand to its buffer      (pack)
//!             for each row of the tile: one call                       (tiles::block)
//!     otherwise:
//!         for each row
//!             for each ROW_BUFFER_BYTES of it: copy to buffers, one call   (rows::row)
//! ```

mod rows;
mod tiles;

use super::pack::{gather, transpose};
use super::threads::{PARALLEL_BYTES, over_parts};
use crate::device::cpu::HostPtr;
use crate::device::cpu::memory::cache::l3_bytes;
use crate::device::cpu::memory::stream::{PREFETCH_DISTANCE_BYTES, fence};
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// An operand of a loop, without its element type.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) struct RawOperand<'a> {
    ptr: HostPtr<u8>,
    /// Size of an element, in bytes.
    size: usize,
    /// Strides in elements, one for each axis of the shape of the loops.
    strides: &'a [isize],
}

impl<'a> RawOperand<'a> {
    #[inline]
    pub(in crate::device::cpu) fn new<T>(ptr: HostPtr<T>, strides: &'a [isize]) -> RawOperand<'a> {
        RawOperand { ptr: HostPtr::new(ptr.get().cast()), size: size_of::<T>(), strides }
    }

    /// Returns the address of the element at index 0.
    #[inline]
    pub(in crate::device::cpu) fn address(&self) -> *mut u8 {
        self.ptr.get()
    }

    #[inline]
    pub(in crate::device::cpu) fn strides(&self) -> &'a [isize] {
        self.strides
    }
}

/// How the loop accesses the first operand. The loop only reads the other operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cpu) enum First {
    Read,
    Written,
    Updated,
}

/// A loop over contiguous elements. The arguments are the number of elements, and the address of the first element of each
/// operand.
///
/// The addresses are passed by reference. The compiler would copy them in pairs, and a load of two addresses that were just stored one by
/// one stalls the processor.
pub(in crate::device::cpu) type Loop<'a> = &'a (dyn Fn(usize, &Addresses) + Sync);

/// Maximum number of operands of a loop.
pub(in crate::device::cpu) const MAX_LOOP_OPERANDS: usize = 4;

/// The address of the first element of each operand of a loop. The addresses after that of the last operand are null.
pub(in crate::device::cpu) type Addresses = [*mut u8; MAX_LOOP_OPERANDS];

/// Calls `f` on contiguous strips that together make up the operands. Each strip has at least one element.
///
/// The arguments of `f` are those of a [`Loop`]. Each address points to elements of an operand, or to their copies in a buffer. Unless
/// `first` is [`First::Read`], the values that `f` writes at the first address become those of the first operand. `cost` is the
/// time to compute an element, expressed as the number of bytes that could be copied in this time.
///
/// # Safety
/// The caller must ensure:
/// * The elements that `shape` and the strides describe are aligned. They may be read, except those of the first operand if
///   `first` is [`First::Written`].
/// * Unless `first` is [`First::Read`], the caller has exclusive access to the elements of the first operand, and no two indices
///   of this operand share an element.
///
/// # Panics
/// If there are no operands, or more than [`MAX_LOOP_OPERANDS`].
// Never inlined, because the callers are compiled for each function.
#[inline(never)]
pub(in crate::device::cpu) unsafe fn for_blocks(
    shape: &[usize],
    operands: &[RawOperand<'_>],
    first: First,
    cost: usize,
    f: Loop<'_>,
) {
    let work = work(operands, cost);
    match *operands {
        // SAFETY: `planned` requires the conditions of `for_blocks`, which the caller ensures for the same shape and operands.
        [a] => unsafe { planned(shape, [a], first, work, f) },
        // SAFETY: `planned` requires the conditions of `for_blocks`, which the caller ensures for the same shape and operands.
        [a, b] => unsafe { planned(shape, [a, b], first, work, f) },
        // SAFETY: `planned` requires the conditions of `for_blocks`, which the caller ensures for the same shape and operands.
        [a, b, c] => unsafe { planned(shape, [a, b, c], first, work, f) },
        // SAFETY: `planned` requires the conditions of `for_blocks`, which the caller ensures for the same shape and operands.
        [a, b, c, d] => unsafe { planned(shape, [a, b, c, d], first, work, f) },
        _ => panic!("elementwise loops have one to four operands"),
    }
}

/// Returns whether a loop over `n` elements is too short for several threads. `cost` is that of an element: see [`for_blocks`].
#[inline(always)]
pub(in crate::device::cpu) fn is_short(operands: &[RawOperand<'_>], n: usize, cost: usize) -> bool {
    n.saturating_mul(work(operands, cost)) < PARALLEL_BYTES
}

/// Returns the cost of an element plus the size of one element of each operand.
#[inline(always)]
fn work(operands: &[RawOperand<'_>], cost: usize) -> usize {
    operands.iter().fold(cost, |work, operand| work.saturating_add(operand.size))
}

/// [`for_blocks`] for a constant number of operands, `K`. `work` is the result of [`work`].
///
/// # Safety
/// The caller must ensure the conditions of [`for_blocks`].
unsafe fn planned<const K: usize>(
    shape: &[usize],
    operands: [RawOperand<'_>; K],
    first: First,
    work: usize,
    f: Loop<'_>,
) {
    let plan = Plan::unordered(shape, operands.each_ref().map(RawOperand::strides));
    let size = operands[0].size;
    let long = plan.len() * size >= min_streamed_bytes();
    let moved = operands.iter().map(|operand| operand.size).sum::<usize>();
    let cheap = work <= moved + MAX_STREAMED_COST;
    // If the elements of the result are much smaller than those of an operand, as for a `bool` mask, non-temporal stores save
    // little.
    let wide = operands.iter().all(|operand| operand.size <= MAX_STREAMED_RATIO * size);
    let streams = long && cheap && wide && first == First::Written && plan.inner_strides()[0] == 1;
    let across = across(&plan);
    let steps = across.or(plan.outer_shape().len().checked_sub(1)).map(|axis| plan.outer_strides()[axis]);
    let short = plan.inner_len() * size <= MAX_REPEATED_BYTES;
    let repeats = core::array::from_fn(|k| short && steps.is_some_and(|steps| steps[k] == 0));
    let distances = core::array::from_fn(|k| {
        let follows = steps.is_some_and(|steps| steps[k] == plan.inner_len() as isize);
        let long = plan.inner_len() * operands[k].size >= MIN_DISTANT_ROW_BYTES;
        if follows || long { PREFETCH_DISTANCE_BYTES } else { 0 }
    });
    let job = StripTask { operands, first, streams, repeats, distances, across, f };
    // SAFETY: each part of the plan consists of indices of `shape`, for whose elements the caller ensures the conditions of `for_blocks`.
    // No two parts have an index in common. So no two threads access the same element of the first operand.
    over_parts(&plan, work, &|axis| job.grain(&plan, axis), &|part| unsafe { job.part(part) });
}

/// Appends null pointers to the addresses, up to [`MAX_LOOP_OPERANDS`].
fn padded<const K: usize>(addresses: [*mut u8; K]) -> Addresses {
    let mut padded = [core::ptr::null_mut(); MAX_LOOP_OPERANDS];
    padded[..K].copy_from_slice(&addresses);
    padded
}

/// Returns the innermost of the outer loops along which an operand is to be transposed. There, the stride of that operand is ±1, and in
/// the inner loop it is neither ±1 nor 0. Returns `None` if no operand is to be transposed.
fn across<const K: usize>(plan: &Plan<K>) -> Option<usize> {
    let strides = plan.inner_strides();
    plan.outer_strides()
        .iter()
        .rposition(|steps| (0..K).any(|k| strides[k].unsigned_abs() > 1 && steps[k].unsigned_abs() == 1))
}

/// Returns the minimum size of a result, in bytes, for non-temporal stores: half of L3, but not more than [`MAX_THRESHOLD_BYTES`].
///
/// From this size on, non-temporal stores are faster, and if all of the result is read afterwards, both together take about as long as with
/// ordinary stores. For smaller results, ordinary stores are better, because the result stays in L3. Tests without optimisation read and
/// write large results slowly, so they use smaller ones.
fn min_streamed_bytes() -> usize {
    if cfg!(all(test, debug_assertions)) {
        return 8 << 20;
    }
    l3_bytes().map_or(MAX_THRESHOLD_BYTES, |bytes| (bytes / 2).min(MAX_THRESHOLD_BYTES))
}

/// The largest value of [`min_streamed_bytes`].
const MAX_THRESHOLD_BYTES: usize = 64 << 20;

/// Maximum cost of an element for non-temporal stores, as the number of bytes that could be copied in the same time. The speed of a more
/// expensive loop is not limited by memory, so it writes the result directly: a copy from a buffer with non-temporal stores would only take
/// more time.
const MAX_STREAMED_COST: usize = 64;

/// Maximum ratio of an operand's element size to that of the result, for non-temporal stores.
const MAX_STREAMED_RATIO: usize = 4;

/// Size of a buffer for a row, in bytes. A few buffers fit in L1, next to the operands that are used in place.
const ROW_BUFFER_BYTES: usize = 1 << 10;

/// Minimum size in bytes of a row that does not begin where the previous row ends, for [`PREFETCH_DISTANCE_BYTES`]: at the end of the row,
/// elements that are not used are prefetched.
const MIN_DISTANT_ROW_BYTES: usize = 8 * PREFETCH_DISTANCE_BYTES;

/// Maximum number of elements of a row that is joined with other rows, so that one call of the loop computes all of them. The row must also
/// fit in a buffer of `ROW_BUFFER_BYTES`.
const MAX_JOINED_COLUMNS: usize = 128;

/// Height of a tile with a transposed operand, in bytes. The elements of a column of the tile are contiguous in that operand.
const TILE_HEIGHT_BYTES: usize = 512;

/// Maximum number of rows of a tile.
const MAX_TILE_HEIGHT: usize = 128;

/// Width of a tile that does not consist of whole rows, in bytes.
const TILE_WIDTH_BYTES: usize = 1024;

/// Maximum size of a row of the result, in bytes, for which an operand's row that is read again is assumed to be in L2.
const MAX_REPEATED_BYTES: usize = 128 << 10;

/// The operands of a plan, and the loop that runs on them. All threads share this value.
struct StripTask<'a, const K: usize> {
    operands: [RawOperand<'a>; K],
    first: First,
    /// Whether the first operand is written with non-temporal stores. Its inner stride is then 1.
    streams: bool,
    /// Whether successive rows of an operand are the same row, of at most [`MAX_REPEATED_BYTES`]. It stays in cache, so it is not
    /// prefetched.
    repeats: [bool; K],
    /// For each operand, the number of bytes between the next elements of a contiguous row and those that are prefetched:
    /// [`PREFETCH_DISTANCE_BYTES`], or 0 if they would not be in this row or in the next one.
    distances: [usize; K],
    /// The outer loop along which an operand is transposed, or `None` if no operand is transposed.
    across: Option<usize>,
    f: Loop<'a>,
}

/// Two nested loops: an outer loop over `rows` rows, and an inner loop over the `columns` elements of a row. For each operand,
/// `steps` has the stride between rows, and `strides` the stride within a row.
#[derive(Debug, Clone, Copy)]
struct StripRows<const K: usize> {
    rows: usize,
    columns: usize,
    steps: [isize; K],
    strides: [isize; K],
}

impl<const K: usize> StripTask<'_, K> {
    /// Runs the loop on all elements of a part of the plan.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`for_blocks`], for the elements of the part.
    unsafe fn part(&self, part: &Plan<K>) {
        if part.len() == 0 {
            return;
        }
        let (columns, strides) = (part.inner_len(), part.inner_strides());
        let axis = self.across.or(part.outer_shape().len().checked_sub(1));
        let rows = axis.map(|axis| StripRows {
            rows: part.outer_shape()[axis],
            columns,
            steps: part.outer_strides()[axis],
            strides,
        });
        // One call of the loop computes several short rows, unless this requires a copy of an operand with contiguous rows. Such an operand
        // may be copied if the step between its rows is 0: all rows are then the same row, which is copied only once.
        let follow = |rows: &StripRows<K>| {
            (0..K).all(|k| strides[k] != 1 || rows.steps[k] == 0 || rows.steps[k] == columns as isize)
        };
        if let (Some(axis), Some(rows)) = (axis, rows)
            && columns <= MAX_JOINED_COLUMNS.min(ROW_BUFFER_BYTES / self.largest())
            && follow(&rows)
        {
            // SAFETY: for each index of the other loops, the rows at the offsets `at` consist of elements of `part`. The caller ensures the
            // conditions of `for_blocks` for these elements.
            for_each(&part.without(axis), |at| unsafe { self.joined(&rows, at) });
        } else if let (Some(axis), Some(rows)) = (self.across, rows) {
            // SAFETY: for each index of the other loops, the rows at the offsets `at` consist of elements of `part`. The caller ensures the
            // conditions of `for_blocks` for these elements.
            for_each(&part.without(axis), |at| unsafe { self.blocks(&rows, at) });
        } else if strides == [1; K] {
            // SAFETY: all strides of a row are 1. For each index of the outer loops, the row at the offsets `at` consists of elements of
            // `part`. The caller ensures the conditions of `for_blocks` for these elements.
            for_each(part, |at| unsafe { self.contiguous(columns, self.addresses(at)) });
        } else {
            // SAFETY: for each index of the outer loops, the row at the offsets `at` consists of elements of `part`. The caller ensures the
            // conditions of `for_blocks` for these elements.
            for_each(part, |at| unsafe { self.row(columns, strides, self.addresses(at)) });
        }
        if self.streams {
            fence();
        }
    }

    /// Returns the granularity at which `axis` is split for threads, in indices. If an operand is transposed, the parts then consist
    /// of whole tiles. Along the inner axis, `TILE_WIDTH_BYTES` indices are a whole number of tiles for every size of elements.
    fn grain(&self, plan: &Plan<K>, axis: usize) -> usize {
        match self.across {
            Some(across) if axis == across => self.height(),
            Some(_) if axis + 1 == plan.shape().len() => TILE_WIDTH_BYTES,
            _ => 1,
        }
    }

    /// Returns the number of rows of a tile with a transposed operand.
    fn height(&self) -> usize {
        (TILE_HEIGHT_BYTES / self.largest()).min(MAX_TILE_HEIGHT)
    }

    /// Returns the address of operand `k` plus `offset` elements.
    fn address(&self, k: usize, offset: isize) -> *mut u8 {
        self.operands[k].ptr.offset(offset.wrapping_mul(self.operands[k].size as isize)).get()
    }

    /// Returns the address of each operand plus its offset in elements.
    fn addresses(&self, offsets: [isize; K]) -> [*mut u8; K] {
        core::array::from_fn(|k| self.address(k, offsets[k]))
    }

    /// Returns whether the loop reads operand `k`.
    fn reads(&self, k: usize) -> bool {
        k > 0 || self.first != First::Written
    }

    /// Returns the size of the largest element type of the operands, in bytes.
    fn largest(&self) -> usize {
        self.operands.iter().map(|operand| operand.size).max().unwrap_or(1)
    }

    /// Copies rows of operand `k` to contiguous rows. `[height, width]` are the number of rows and the number of elements of a
    /// row. The first row is copied from `from` to `to`. `pitch` is the stride between the copied rows, in elements.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * These elements of the operand may be read, and are aligned.
    /// * The caller has exclusive access to `height` rows of `width` elements at `to`, with stride `pitch` between rows, aligned
    ///   for the operand's element type.
    unsafe fn pack(
        &self,
        k: usize,
        rows: &StripRows<K>,
        from: *const u8,
        to: *mut u8,
        [height, width]: [usize; 2],
        pitch: usize,
    ) {
        let (size, stride, step, pitch) =
            (self.operands[k].size, rows.strides[k], rows.steps[k], pitch as isize);
        let at = |j: isize| {
            (from.wrapping_offset(j * step * size as isize), to.wrapping_offset(j * pitch * size as isize))
        };
        if stride.unsigned_abs() > 1 && step.unsigned_abs() == 1 {
            // The transpose begins with the row whose elements have the lowest addresses: the last row if `step` is -1.
            let (from, to) = at(if step > 0 { 0 } else { height as isize - 1 });
            // SAFETY: `from` and `to` are the addresses of the first or the last row, and the strides lead from there to all `height` rows.
            // The caller of `pack` ensures that the source rows may be read, exclusive access to the target rows, and that both are
            // aligned. Exclusive memory does not overlap the operand.
            return unsafe { transpose(size, from, stride, to, step * pitch, [height, width]) };
        }
        for (from, to) in (0..height as isize).map(at) {
            // SAFETY: the caller of `pack` ensures that the elements of this row may be read, and exclusive access to `width` elements at
            // `to`. Exclusive memory does not overlap the operand.
            unsafe { gather(size, from, stride, to, width) };
        }
    }
}

/// Calls `f` with the offsets of the operands, in elements, for each index of the outer loops.
fn for_each<const K: usize>(plan: &Plan<K>, mut f: impl FnMut([isize; K])) {
    let mut walk = Odometer::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        f(walk.offsets());
        walk.advance();
    }
}

#[cfg(test)]
mod tests;
