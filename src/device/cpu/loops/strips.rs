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
//! A result whose stride along the rows is not 1 is computed in a buffer, and copied from it one element at a time ([`scatter`]).
//! Large contiguous results can be copied from a buffer with non-temporal stores ([`stream_piece`]).
//!
//! ```text
//! split the plan into parts for threads                                (planned)
//! for each part                                                        (part)
//!     short rows:  for each group of rows: copy to buffers, one call   (joined)
//!     an operand to transpose:
//!         for each tile of rows and columns                            (blocks)
//!             copy the tile of each strided operand to its buffer      (pack)
//!             for each row of the tile: one call                       (block)
//!     otherwise:
//!         for each row
//!             for each ROW_BUFFER_BYTES of it: copy to buffers, one call   (row)
//! ```

use super::pack::{gather, scatter, transpose};
use super::stream::{PREFETCH_DISTANCE_BYTES, fence, stream_piece};
use super::threads::{PARALLEL_BYTES, over_parts};
use crate::device::cpu::HostPtr;
use crate::device::cpu::memory::cache::l3_bytes;
use crate::device::cpu::memory::scratch::{Side, with_buffers};
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::simd::CACHE_LINE_BYTES;
use crate::simd::prefetch;
use core::mem::MaybeUninit;

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
/// Measured: from this size on, non-temporal stores are faster, and if all of the result is read afterwards, both together take about as
/// long as with ordinary stores. For smaller results, ordinary stores are better, because the result stays in L3. Tests without
/// optimisation read and write large results slowly, so they use smaller ones.
fn min_streamed_bytes() -> usize {
    if cfg!(all(test, debug_assertions)) {
        return 8 << 20;
    }
    l3_bytes().map_or(MAX_THRESHOLD_BYTES, |bytes| (bytes / 2).min(MAX_THRESHOLD_BYTES))
}

/// The largest value of [`min_streamed_bytes`]. Larger values were not measured.
const MAX_THRESHOLD_BYTES: usize = 64 << 20;

/// Maximum cost of an element for non-temporal stores, as the number of bytes that could be copied in the same time. The speed of a more
/// expensive loop is not limited by memory, so it writes the result directly: a copy from a buffer with non-temporal stores would only take
/// more time.
const MAX_STREAMED_COST: usize = 64;

/// Maximum ratio of an operand's element size to that of the result, for non-temporal stores.
const MAX_STREAMED_RATIO: usize = 4;

/// Size of a buffer for a row, in bytes. A few buffers fit in L1, next to the operands that are used in place.
const ROW_BUFFER_BYTES: usize = 1 << 10;

/// Size of the parts, in bytes, in which a contiguous row is computed for non-temporal stores. Reads and writes of larger parts would
/// alternate in long bursts. Measured on `a + b` in memory: parts of twice this size are slower, and parts of half this size are faster or
/// slower, depending on the size of the operands.
const STREAMED_PART_BYTES: usize = ROW_BUFFER_BYTES;

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

/// Maximum size of a tile that consists of whole rows, in bytes. A tile has whole rows only if, in each operand that is used in
/// place, each row begins directly after the previous row. Memory is then read and written without gaps.
const MAX_WHOLE_ROWS_BYTES: usize = 1 << 20;

/// Width of a tile that does not consist of whole rows, in bytes.
const TILE_WIDTH_BYTES: usize = 1024;

/// Maximum size of a tile, in bytes, for prefetching the next tile while this one is computed. Both tiles then fit in L2.
const MAX_PREFETCHED_BYTES: usize = 128 << 10;

/// Maximum size of a row of the result, in bytes, for which an operand's row that is read again is assumed to be in L2.
const MAX_REPEATED_BYTES: usize = 128 << 10;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Buffer(#[allow(dead_code)] [MaybeUninit<u8>; ROW_BUFFER_BYTES]);

/// The largest height, in rows, to which tiles are reduced if the allocation of buffers for larger tiles fails.
const REDUCED_TILE_HEIGHT: usize = 32;

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

    /// Runs the loop on one row, which begins at the addresses `at`. Calls the loop once for each part of the row that fits in a buffer.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`for_blocks`], for the elements of the row.
    unsafe fn row(&self, columns: usize, strides: [isize; K], at: [*mut u8; K]) {
        let mut buffers = [const { MaybeUninit::<Buffer>::uninit() }; K];
        let buffers: [*mut u8; K] = buffers.each_mut().map(|buffer| buffer.as_mut_ptr().cast());
        let width = (ROW_BUFFER_BYTES / self.largest()).min(columns);
        let direct: [bool; K] = core::array::from_fn(|k| strides[k] == 1 && !(k == 0 && self.streams));
        for k in (0..K).filter(|&k| strides[k] == 0 && self.reads(k)) {
            // SAFETY: with stride 0, the element at `at[k]` is the only element of the row. The caller of `row` ensures that it may be read
            // and is aligned. The local buffer has space for `width` elements, and is aligned.
            unsafe { gather(self.operands[k].size, at[k], 0, buffers[k], width) };
        }
        let gathered = |&k: &usize| !matches!(strides[k], 0 | 1);
        let size = self.operands[0].size;
        // With non-temporal stores, each part of the row ends at a cache line boundary of the result, except the last.
        let beyond = if self.streams { at[0] as usize % CACHE_LINE_BYTES / size } else { 0 };
        let (mut column, mut end) = (0, width - beyond.min(width - 1));
        while column < columns {
            let n = end.min(columns) - column;
            let there: [_; K] = core::array::from_fn(|k| {
                at[k].wrapping_offset(column as isize * strides[k] * self.operands[k].size as isize)
            });
            for k in (0..K).filter(gathered) {
                if self.reads(k) {
                    // SAFETY: `column + n <= columns`, so `there[k]` is the address of `n` elements of the row. The caller of `row` ensures
                    // that they may be read. The local buffer has space for `width >= n` elements, and does not overlap the row.
                    unsafe { gather(self.operands[k].size, there[k], strides[k], buffers[k], n) };
                }
            }
            (self.f)(
                n,
                &padded(core::array::from_fn::<_, K, _>(|k| if direct[k] { there[k] } else { buffers[k] })),
            );
            // The next elements are read from memory while the result is written.
            if self.streams {
                let left = width.min(columns - column - n);
                for k in (1..K).filter(|&k| strides[k] != 0 && !self.repeats[k]) {
                    let step = strides[k] * self.operands[k].size as isize;
                    prefetch_strided(there[k].wrapping_offset(n as isize * step), step, left);
                }
            }
            if !direct[0] && self.first != First::Read {
                match strides[0] {
                    // SAFETY: `column + n <= columns`, so `there[0]` is the address of `n` elements of the row. The caller of `row` ensures
                    // exclusive access to them. The local buffer has `n` elements. `part` calls `fence` before it returns.
                    1 => unsafe { stream_piece(buffers[0], there[0], n * size, None) },
                    // SAFETY: `column + n <= columns`, so `there[0]` is the address of `n` elements of the row. The caller of `row` ensures
                    // exclusive access to them. The local buffer has `n` elements. The row and the buffer are aligned.
                    stride => unsafe { scatter(size, buffers[0], there[0], stride, n) },
                }
            }
            (column, end) = (end, end + width);
        }
    }

    /// Runs the loop on a row that is contiguous in all operands. Without non-temporal stores, this is one call of the loop. Always
    /// inlined, so that the addresses are computed in registers and stored once.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`row`](StripTask::row), and that all strides of the row are 1.
    #[inline(always)]
    unsafe fn contiguous(&self, columns: usize, at: [*mut u8; K]) {
        if self.streams {
            // SAFETY: `streamed` has the contract of `contiguous`, which the caller ensures.
            unsafe { self.streamed(columns, at) }
        } else {
            (self.f)(columns, &padded(at))
        }
    }

    /// [`contiguous`](StripTask::contiguous) with non-temporal stores: one call of the loop for each part of the row that fits in a
    /// buffer.
    ///
    /// # Safety
    /// The contract of [`contiguous`](StripTask::contiguous).
    #[inline(never)]
    unsafe fn streamed(&self, columns: usize, at: [*mut u8; K]) {
        let mut buffer = MaybeUninit::<Buffer>::uninit();
        let buffer: *mut u8 = buffer.as_mut_ptr().cast();
        let size = self.operands[0].size;
        let width = STREAMED_PART_BYTES / size;
        let mut done = 0;
        while done < columns {
            // Computed anew for each part. If these addresses were kept in memory and some were updated, loads of several of them together
            // would wait until the earlier stores of this thread are complete.
            let there: [_; K] = core::array::from_fn(|k| at[k].wrapping_add(done * self.operands[k].size));
            let n = (width - there[0] as usize % CACHE_LINE_BYTES / size).min(columns - done);
            (self.f)(n, &padded(core::array::from_fn::<_, K, _>(|k| if k == 0 { buffer } else { there[k] })));
            done += n;
            // Later elements are read from memory while the current ones are written.
            for k in (1..K).filter(|&k| !self.repeats[k]) {
                let size = self.operands[k].size;
                let next = there[k].wrapping_add(n * size + self.distances[k]);
                prefetch_strided(next, size as isize, width.min(columns - done));
            }
            // SAFETY: `done <= columns`, so the row has `n` elements from `there[0]` on. The caller of `streamed` ensures exclusive access
            // to them. The loop has written `n` elements to the local buffer. `part` calls `fence` before it returns.
            unsafe { stream_piece(buffer, there[0], n * size, None) };
        }
    }

    /// Runs the loop on many short rows, several rows per call. The first row begins at the offsets `at`. If the rows of an
    /// operand are not one contiguous block, they are copied to a contiguous buffer.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`for_blocks`], for the elements of the rows.
    unsafe fn joined(&self, rows: &StripRows<K>, at: [isize; K]) {
        let (columns, size) = (rows.columns, self.largest());
        let height =
            (4 * ROW_BUFFER_BYTES / (columns * size)).max(TILE_HEIGHT_BYTES / 2 / size).min(rows.rows);
        let direct: [bool; K] =
            core::array::from_fn(|k| rows.strides[k] == 1 && rows.steps[k] == columns as isize);
        let bytes =
            core::array::from_fn(|k| if direct[k] { 0 } else { height * columns * self.operands[k].size });
        with_buffers(Side::Blocks, bytes, bytes, |buffers: [*mut u8; K], _| {
            for row in (0..rows.rows).step_by(height) {
                let height = height.min(rows.rows - row);
                let there = |k: usize, j: usize| self.address(k, at[k] + (row + j) as isize * rows.steps[k]);
                let buffer =
                    |k: usize, j: usize| buffers[k].wrapping_add(j * columns * self.operands[k].size);
                for k in (0..K).filter(|&k| !direct[k] && self.reads(k)) {
                    // If all rows of the operand are the same, the first iteration has filled the buffer, and its rows are
                    // reused.
                    if row == 0 || rows.steps[k] != 0 {
                        // SAFETY: `row + height <= rows.rows`, so these are rows of the operand. The caller of `joined` ensures that they
                        // may be read and are aligned. The buffer has space for `height` rows of `columns` elements. It is aligned, and
                        // only this closure accesses it.
                        unsafe { self.pack(k, rows, there(k, 0), buffer(k, 0), [height, columns], columns) };
                    }
                }
                let given: [_; K] =
                    core::array::from_fn(|k| if direct[k] { there(k, 0) } else { buffer(k, 0) });
                (self.f)(height * columns, &padded(given));
                if !direct[0] && self.first != First::Read {
                    for j in 0..height {
                        // SAFETY: `row + j < rows.rows`, so `there(0, j)` is a row of the first operand. The caller of `joined` ensures
                        // exclusive access to it. The buffer has `height > j` rows. The operand and the buffer are aligned.
                        unsafe {
                            scatter(
                                self.operands[0].size,
                                buffer(0, j),
                                there(0, j),
                                rows.strides[0],
                                columns,
                            )
                        };
                    }
                }
            }
        });
    }

    /// Runs the loop on many rows, tile by tile, so that operands can be transposed. The first row begins at the offsets `at`.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`for_blocks`], for the elements of the rows.
    unsafe fn blocks(&self, rows: &StripRows<K>, at: [isize; K]) {
        let (size, height) = (self.largest(), self.height().min(rows.rows));
        let follow = (0..K).all(|k| rows.strides[k] != 1 || rows.steps[k] == rows.columns as isize);
        let whole = follow && height * rows.columns * size <= MAX_WHOLE_ROWS_BYTES;
        let width = if whole || rows.columns * size <= 2 * TILE_WIDTH_BYTES {
            rows.columns
        } else {
            TILE_WIDTH_BYTES / size
        };
        // The stride between rows of a buffer exceeds the width by a cache line. So if the width is a power of two, the stride is
        // not, and the rows do not all map to the same cache sets.
        let pitch = |width: usize| width + CACHE_LINE_BYTES / size;
        let bytes = |[height, width]: [usize; 2]| {
            core::array::from_fn(|k| match rows.strides[k] {
                1 => 0,
                _ => ((height - 1) * pitch(width) + width) * self.operands[k].size,
            })
        };
        let (all, few) =
            ([height, width], [height.min(REDUCED_TILE_HEIGHT), width.min(TILE_WIDTH_BYTES / size)]);
        let offsets = |row: usize, column: usize| {
            core::array::from_fn(|k| at[k] + row as isize * rows.steps[k] + column as isize * rows.strides[k])
        };
        with_buffers(Side::Blocks, bytes(all), bytes(few), |buffers: [*mut u8; K], granted| {
            let [height, width] = if granted { all } else { few };
            let ask = height * width * size <= MAX_PREFETCHED_BYTES;
            for row in (0..rows.rows).step_by(height) {
                for column in (0..rows.columns).step_by(width) {
                    let next = match column + width {
                        next if next < rows.columns => (row, next),
                        _ => (row + height, 0),
                    };
                    let block = StripTile {
                        at: self.addresses(offsets(row, column)),
                        height: height.min(rows.rows - row),
                        width: width.min(rows.columns - column),
                        pitch: pitch(width),
                        next: (ask && next.0 < rows.rows).then(|| self.addresses(offsets(next.0, next.1))),
                    };
                    // SAFETY: the tile is within `rows`, for whose elements the caller of `blocks` ensures the conditions of `for_blocks`.
                    // For each operand whose stride is not 1, the buffer has space for `height` rows of `width` elements, with stride
                    // `pitch` between rows. It is aligned, and only this closure accesses it.
                    unsafe { self.block(rows, &block, buffers) };
                }
            }
        });
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

    /// Runs the loop on each row of a tile, after copying the tile of each strided operand to its buffer.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The conditions of [`for_blocks`], for the elements of the tile.
    /// * For each operand whose stride is not 1, its buffer is exclusive to the caller and aligned. It has space for
    ///   `block.height` rows of `block.width` elements with stride `block.pitch` between rows.
    unsafe fn block(&self, rows: &StripRows<K>, block: &StripTile<K>, buffers: [*mut u8; K]) {
        let bytes = |k: usize, elements: isize| elements * self.operands[k].size as isize;
        for k in (0..K).filter(|&k| rows.strides[k] != 1 && self.reads(k)) {
            // SAFETY: the caller of `block` ensures that the rows of the tile may be read and are aligned. It also ensures exclusive access
            // to the buffer, which is aligned and has space for these rows with stride `block.pitch`.
            unsafe { self.pack(k, rows, block.at[k], buffers[k], [block.height, block.width], block.pitch) };
        }
        for j in 0..block.height {
            if let Some(next) = block.next {
                self.prefetch_next(rows, block, next, j);
            }
            let j = j as isize;
            let given: [_; K] = core::array::from_fn(|k| match rows.strides[k] {
                1 => block.at[k].wrapping_offset(bytes(k, j * rows.steps[k])),
                _ => buffers[k].wrapping_offset(bytes(k, j * block.pitch as isize)),
            });
            // SAFETY: each address in `given` is that of a contiguous row: row `j` of the tile, or its copy in a buffer. The caller of
            // `block` ensures the conditions of `for_blocks` for the tile, and exclusive access to the buffers.
            unsafe { self.contiguous(block.width, given) };
            if rows.strides[0] != 1 && self.first != First::Read {
                let to = block.at[0].wrapping_offset(bytes(0, j * rows.steps[0]));
                // SAFETY: the caller of `block` ensures exclusive access to row `j` of the tile. `given[0]` is the address of the row's
                // elements in the buffer. The operand and the buffer are aligned.
                unsafe { scatter(self.operands[0].size, given[0], to, rows.strides[0], block.width) };
            }
        }
    }

    /// Prefetches part `j` of the next tile, which is divided into `block.height` parts. A part consists of one row of each
    /// operand with unit stride, and of some columns of each operand that is copied. The hardware does not prefetch them, because
    /// hardware prefetchers follow only long contiguous ranges.
    fn prefetch_next(&self, rows: &StripRows<K>, block: &StripTile<K>, next: [*mut u8; K], j: usize) {
        for k in (0..K).filter(|&k| rows.strides[k] != 0 && (self.reads(k) || !self.streams)) {
            let (pieces, step, length) = match rows.strides[k] {
                1 => (j..j + 1, rows.steps[k], block.width),
                stride => (
                    j * block.width / block.height..(j + 1) * block.width / block.height,
                    stride,
                    block.height,
                ),
            };
            let size = self.operands[k].size;
            for piece in pieces {
                let from = next[k].wrapping_offset(piece as isize * step * size as isize);
                for byte in (0..length * size).step_by(CACHE_LINE_BYTES) {
                    prefetch(from.wrapping_add(byte));
                }
            }
        }
    }
}

/// Prefetches `n` elements from address `from` on. `step` is the stride between them, in bytes, and not 0.
fn prefetch_strided(from: *const u8, step: isize, n: usize) {
    // With a small stride, several elements are in one cache line.
    let each = (CACHE_LINE_BYTES / step.unsigned_abs()).max(1);
    for i in (0..n).step_by(each) {
        prefetch(from.wrapping_offset(i as isize * step));
    }
}

/// A tile of rows and columns.
struct StripTile<const K: usize> {
    /// The address of the tile's first element in each operand.
    at: [*mut u8; K],
    height: usize,
    width: usize,
    /// The stride between rows in a buffer, in elements.
    pitch: usize,
    /// The addresses of the first elements of the next tile, or `None` if that tile is not prefetched. The prefetched range has the
    /// extents of this tile, although the next tile may be larger or smaller.
    next: Option<[*mut u8; K]>,
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
