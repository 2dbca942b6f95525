//! Strips of elements that are contiguous in every operand, on which elementwise loops run.
//!
//! An operation is compiled to a single loop, over contiguous operands. All code around it is compiled once for all operations
//! and element types, whose elements are just bytes here. Operands that are contiguous in one order are one strip. Otherwise a
//! plan splits the loops into rows. If an operand's stride is 1, the loop uses its elements in place; otherwise they are brought
//! into a buffer in the cache:
//!
//! ```text
//! stride 0                              the value, repeated
//! another, ±1 in some loop around it    transposed, block by block
//! another                               gathered, or scattered
//! ```

use super::pack::{gather, repeat, scatter, transpose};
use super::threads::{PARALLEL_BYTES, over_parts};
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::copy::{fence, stream_piece};
use crate::device::cpu::memory::scratch::{Side, with_buffers};
use crate::layout::odometer::Odometer;
use crate::layout::one_block;
use crate::layout::plan::Plan;
use crate::layout::tiling::CACHE_LINE_BYTES;
use crate::simd::prefetch;
use core::mem::MaybeUninit;

/// One operand, without the type of its elements.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) struct RawOperand<'a> {
    ptr: HostPtr<u8>,
    /// Bytes of an element.
    size: usize,
    /// In elements, one for each axis of the loops' shape.
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

/// How the first operand is accessed. The others are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cpu) enum First {
    Read,
    Written,
    Updated,
}

/// A loop over `n` contiguous elements per operand; each address is that of an operand's first element.
pub(in crate::device::cpu) type Loop<'a> = &'a (dyn Fn(usize, Addresses) + Sync);

/// Largest number of operands of a loop.
pub(in crate::device::cpu) const MAX_LOOP_OPERANDS: usize = 4;

/// An address for each operand of a loop. Those after the last operand are null.
pub(in crate::device::cpu) type Addresses = [*mut u8; MAX_LOOP_OPERANDS];

/// Calls `f` on blocks that make up the operands. None of them is empty.
///
/// If an operand is read, `f` gets the address of its elements or of copies of them. What `f` leaves at the first address is
/// stored in the first operand, unless `first` is [`First::Read`]. Computing an element takes as long as moving `cost`
/// bytes more.
///
/// # Safety
/// The caller must ensure, for the elements that `shape` and the strides describe, that
///
/// * all elements may be read, except those of the first operand if `first` is [`First::Written`], and are aligned;
/// * unless `first` is [`First::Read`], the caller has exclusive access to those of the first operand, no two indices of which
///   share an element.
///
/// # Panics
/// If there are no operands, or more than [`MAX_LOOP_OPERANDS`].
#[inline(always)]
pub(in crate::device::cpu) unsafe fn for_blocks(
    shape: &[usize],
    operands: &[RawOperand<'_>],
    first: First,
    cost: usize,
    f: impl Fn(usize, Addresses) + Sync,
) {
    let work = operands.iter().fold(cost, |work, operand| work.saturating_add(operand.size));
    match one_block(shape, operands.iter().map(RawOperand::strides)) {
        Some(0) => {}
        Some(n) if n.saturating_mul(work) < PARALLEL_BYTES => {
            let address = |k| operands.get(k).map_or(core::ptr::null_mut(), RawOperand::address);
            f(n, core::array::from_fn(address));
        }
        // SAFETY: `for_planned_blocks` has this function's contract, for the same operands.
        _ => unsafe { for_planned_blocks(shape, operands, first, work, &f) },
    }
}

/// [`for_blocks`] for several blocks, or for one that is split among threads. Compiled once, in this crate.
///
/// # Safety
/// As [`for_blocks`].
#[inline(never)]
unsafe fn for_planned_blocks(
    shape: &[usize],
    operands: &[RawOperand<'_>],
    first: First,
    work: usize,
    f: Loop<'_>,
) {
    match *operands {
        // SAFETY: `planned` has this function's contract, for the same operands.
        [a] => unsafe { planned(shape, [a], first, work, f) },
        // SAFETY: as for one operand: `planned` has this function's contract.
        [a, b] => unsafe { planned(shape, [a, b], first, work, f) },
        // SAFETY: as for one operand: `planned` has this function's contract.
        [a, b, c] => unsafe { planned(shape, [a, b, c], first, work, f) },
        // SAFETY: as for one operand: `planned` has this function's contract.
        [a, b, c, d] => unsafe { planned(shape, [a, b, c, d], first, work, f) },
        _ => panic!("elementwise loops have one to four operands"),
    }
}

/// [`for_planned_blocks`] for `K` operands.
///
/// # Safety
/// As [`for_blocks`].
unsafe fn planned<const K: usize>(
    shape: &[usize],
    operands: [RawOperand<'_>; K],
    first: First,
    work: usize,
    f: Loop<'_>,
) {
    let plan = Plan::unordered(shape, operands.each_ref().map(RawOperand::strides));
    let size = operands[0].size;
    let long = plan.len() * size >= MIN_STREAMED_BYTES;
    // Masks are a small part of what is read and written.
    let wide = operands.iter().all(|operand| operand.size <= MAX_STREAMED_RATIO * size);
    let streams = long && wide && first == First::Written && plan.inner_strides()[0] == 1;
    let job = StripTask { operands, first, streams, across: across(&plan), f };
    // SAFETY: each part of the plan visits elements of `shape` in these operands, to which the caller ensures access. No two
    // parts have an element of the first operand in common.
    over_parts(&plan, work, &|axis| job.grain(&plan, axis), &|part| unsafe { job.part(part) });
}

/// Returns the addresses, with null after the last operand.
fn padded<const K: usize>(addresses: [*mut u8; K]) -> Addresses {
    let mut padded = [core::ptr::null_mut(); MAX_LOOP_OPERANDS];
    padded[..K].copy_from_slice(&addresses);
    padded
}

/// Returns a loop in which some operand has stride ±1, if its stride in the inner loop is neither that nor 0: it is to be
/// transposed.
fn across<const K: usize>(plan: &Plan<K>) -> Option<usize> {
    let strides = plan.inner_strides();
    plan.outer_strides()
        .iter()
        .rposition(|steps| (0..K).any(|k| strides[k].unsigned_abs() > 1 && steps[k].unsigned_abs() == 1))
}

/// Results of this many bytes or more are written by non-temporal stores.
const MIN_STREAMED_BYTES: usize = 16 << 20;

/// .. unless some operand's elements are larger by more than this factor.
const MAX_STREAMED_RATIO: usize = 4;

/// Bytes of a row's buffer: a few buffers fit L1, next to what is read and written directly. Longer ones make the processor
/// alternate between reading and writing memory if a result is streamed.
const ROW_BUFFER_BYTES: usize = 1 << 10;

/// Rows of at most this many elements are joined to longer ones.
const MAX_JOINED_COLUMNS: usize = 64;

/// Height of a tile that is transposed: rows of which this many bytes are contiguous in the source, ..
const TILE_HEIGHT_BYTES: usize = 512;

/// .. but at most this many rows.
const MAX_TILE_HEIGHT: usize = 128;

/// Width of a tile: whole rows, if the contiguous ones continue each other and have at most this many bytes together, so that
/// memory is read and written without gaps; ..
const MAX_WHOLE_ROWS_BYTES: usize = 1 << 20;

/// .. otherwise about this many bytes of each row.
const TILE_WIDTH_BYTES: usize = 1024;

/// While a tile of at most this many bytes is computed, the next one is prefetched: both fit L2.
const MAX_PREFETCHED_BYTES: usize = 128 << 10;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Buffer(#[allow(dead_code)] [MaybeUninit<u8>; ROW_BUFFER_BYTES]);

/// Height of a tile if the allocation of larger buffers fails.
const MIN_TILE_HEIGHT: usize = 32;

/// The operands of a plan and the loop to run on each of its parts.
struct StripTask<'a, const K: usize> {
    operands: [RawOperand<'a>; K],
    first: First,
    /// Whether the first operand, whose inner stride is 1, is written with non-temporal stores.
    streams: bool,
    /// The loop around the inner one along which an operand is transposed.
    across: Option<usize>,
    f: Loop<'a>,
}

/// Two loops: `rows` rows `steps` elements apart, of `columns` elements `strides` apart, in each operand.
#[derive(Debug, Clone, Copy)]
struct Rows<const K: usize> {
    rows: usize,
    columns: usize,
    steps: [isize; K],
    strides: [isize; K],
}

impl<const K: usize> StripTask<'_, K> {
    /// Runs the loop on all elements of a part.
    ///
    /// # Safety
    /// As [`for_blocks`], for the elements that the part visits.
    unsafe fn part(&self, part: &Plan<K>) {
        if part.len() == 0 {
            return;
        }
        let (columns, strides) = (part.inner_len(), part.inner_strides());
        let axis = self.across.or(part.outer_shape().len().checked_sub(1));
        let rows = axis.map(|axis| Rows {
            rows: part.outer_shape()[axis],
            columns,
            steps: part.outer_strides()[axis],
            strides,
        });
        // Short rows are joined, unless rows that are contiguous would have to be copied for it.
        let follow = |rows: &Rows<K>| {
            (0..K).all(|k| strides[k] != 1 || rows.steps[k] == 0 || rows.steps[k] == columns as isize)
        };
        if let (Some(axis), Some(rows)) = (axis, rows)
            && columns <= MAX_JOINED_COLUMNS
            && follow(&rows)
        {
            // SAFETY: `rows` at each offset of the other loops are elements of the part, to which the caller ensures access.
            for_each(&part.without(axis), |at| unsafe { self.joined(&rows, at) });
        } else if let (Some(axis), Some(rows)) = (self.across, rows) {
            // SAFETY: as for `joined`: `rows` at each of these offsets are elements of the part.
            for_each(&part.without(axis), |at| unsafe { self.blocks(&rows, at) });
        } else {
            // SAFETY: the inner loop at each offset of the others has elements of the part, to which the caller ensures access.
            for_each(part, |at| unsafe { self.row(columns, strides, self.addresses(at)) });
        }
        if self.streams {
            fence();
        }
    }

    /// Returns the number of which the splits of a loop for threads are multiples: whole blocks of what is transposed.
    fn grain(&self, plan: &Plan<K>, axis: usize) -> usize {
        match self.across {
            Some(across) if axis == across => self.height(),
            Some(_) if axis + 1 == plan.shape().len() => TILE_WIDTH_BYTES,
            _ => 1,
        }
    }

    /// Returns the number of rows that are transposed at once.
    fn height(&self) -> usize {
        (TILE_HEIGHT_BYTES / self.largest()).min(MAX_TILE_HEIGHT)
    }

    /// Returns the address of the element `offset` elements after the operand's first.
    fn address(&self, k: usize, offset: isize) -> *mut u8 {
        self.operands[k].ptr.offset(offset.wrapping_mul(self.operands[k].size as isize)).get()
    }

    fn addresses(&self, offsets: [isize; K]) -> [*mut u8; K] {
        core::array::from_fn(|k| self.address(k, offsets[k]))
    }

    /// Whether the loop reads operand `k`.
    fn reads(&self, k: usize) -> bool {
        k > 0 || self.first != First::Written
    }

    fn largest(&self) -> usize {
        self.operands.iter().map(|operand| operand.size).max().unwrap_or(1)
    }

    /// Runs the loop on one row, which begins at the addresses `at`: in one call if all operands are contiguous, else in parts as
    /// long as a buffer.
    ///
    /// # Safety
    /// As [`for_blocks`], for the elements of the row.
    unsafe fn row(&self, columns: usize, strides: [isize; K], at: [*mut u8; K]) {
        if strides == [1; K] {
            // SAFETY: `dense` has this function's contract, and all strides are 1.
            return unsafe { self.dense(columns, at) };
        }
        let mut buffers = [const { MaybeUninit::<Buffer>::uninit() }; K];
        let buffers: [*mut u8; K] = buffers.each_mut().map(|buffer| buffer.as_mut_ptr().cast());
        let width = (ROW_BUFFER_BYTES / self.largest()).min(columns);
        let direct: [bool; K] = core::array::from_fn(|k| strides[k] == 1 && !(k == 0 && self.streams));
        for k in (0..K).filter(|&k| strides[k] == 0 && self.reads(k)) {
            // SAFETY: the row's only element, to which the caller ensures access; the buffer has at least `width` elements.
            unsafe { repeat(self.operands[k].size, at[k], buffers[k], width) };
        }
        let size = self.operands[0].size;
        // Parts that are streamed end at the end of a cache line.
        let beyond = if self.streams { at[0] as usize % CACHE_LINE_BYTES / size } else { 0 };
        let (mut column, mut end) = (0, width - beyond.min(width - 1));
        while column < columns {
            let n = end.min(columns) - column;
            let there: [_; K] = core::array::from_fn(|k| {
                at[k].wrapping_offset(column as isize * strides[k] * self.operands[k].size as isize)
            });
            for k in (0..K).filter(|&k| strides[k].unsigned_abs() > 1 || strides[k] == -1) {
                if self.reads(k) {
                    // SAFETY: elements `column .. column + n` of the row, which may be read; `n <= width` fit in the buffer.
                    unsafe { gather(self.operands[k].size, there[k], strides[k], buffers[k], n) };
                }
            }
            (self.f)(
                n,
                padded(core::array::from_fn::<_, K, _>(|k| if direct[k] { there[k] } else { buffers[k] })),
            );
            if !direct[0] && self.first != First::Read {
                match strides[0] {
                    // SAFETY: elements `column .. column + n` of the row, to which the caller ensures exclusive access; the
                    // buffer has `n` elements. `part` calls `fence`.
                    1 => unsafe { stream_piece(buffers[0], there[0], n * size) },
                    // SAFETY: as for stride 1: `n` elements of the row, and of the buffer.
                    stride => unsafe { scatter(size, buffers[0], there[0], stride, n) },
                }
            }
            (column, end) = (end, end + width);
        }
    }

    /// Runs the loop on a row that is contiguous in all operands.
    ///
    /// # Safety
    /// As [`row`](StripTask::row), for a row whose strides are all 1.
    #[inline]
    unsafe fn dense(&self, columns: usize, mut at: [*mut u8; K]) {
        if !self.streams {
            return (self.f)(columns, padded(at));
        }
        let mut buffer = MaybeUninit::<Buffer>::uninit();
        let buffer: *mut u8 = buffer.as_mut_ptr().cast();
        let size = self.operands[0].size;
        let width = ROW_BUFFER_BYTES / size;
        let mut left = columns;
        while left > 0 {
            let n = (width - at[0] as usize % CACHE_LINE_BYTES / size).min(left);
            let to = core::mem::replace(&mut at[0], buffer);
            (self.f)(n, padded(at));
            // SAFETY: the next `n` elements of the row, to which the caller ensures exclusive access; `n <= width` elements are
            // in the buffer. `part` calls `fence`.
            unsafe { stream_piece(buffer, to, n * size) };
            at[0] = to;
            at = core::array::from_fn(|k| at[k].wrapping_add(n * self.operands[k].size));
            left -= n;
        }
    }

    /// Runs the loop on many short rows, several of them at once; the first row begins at the offsets `at`. If an operand's rows
    /// do not continue each other, they are copied into a buffer in which they do.
    ///
    /// # Safety
    /// As [`for_blocks`], for the elements of the rows.
    unsafe fn joined(&self, rows: &Rows<K>, at: [isize; K]) {
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
                    // If all rows are the same, the buffer has them from the first block.
                    if row == 0 || rows.steps[k] != 0 {
                        // SAFETY: `height` rows of the operand from `row` on, which the caller may read; the buffer has as many
                        // elements.
                        unsafe { self.pack(k, rows, there(k, 0), buffer(k, 0), [height, columns], columns) };
                    }
                }
                let given: [_; K] =
                    core::array::from_fn(|k| if direct[k] { there(k, 0) } else { buffer(k, 0) });
                (self.f)(height * columns, padded(given));
                if !direct[0] && self.first != First::Read {
                    for j in 0..height {
                        // SAFETY: row `row + j` of the first operand, to which the caller ensures exclusive access; the buffer
                        // has `height > j` rows.
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

    /// Runs the loop on many rows in blocks of several rows, so that operands can be transposed; the first row begins at the
    /// offsets `at`.
    ///
    /// # Safety
    /// As [`for_blocks`], for the elements of the rows.
    unsafe fn blocks(&self, rows: &Rows<K>, at: [isize; K]) {
        let (size, height) = (self.largest(), self.height().min(rows.rows));
        let follow = (0..K).all(|k| rows.strides[k] != 1 || rows.steps[k] == rows.columns as isize);
        let whole = follow && height * rows.columns * size <= MAX_WHOLE_ROWS_BYTES;
        let width = if whole || rows.columns * size <= 2 * TILE_WIDTH_BYTES {
            rows.columns
        } else {
            TILE_WIDTH_BYTES / size
        };
        // The distance of rows in a buffer is not a power of two, so that they do not compete for the same cache sets.
        let pitch = |width: usize| width + CACHE_LINE_BYTES / size;
        let bytes = |[height, width]: [usize; 2]| {
            core::array::from_fn(|k| match rows.strides[k] {
                1 => 0,
                _ => ((height - 1) * pitch(width) + width) * self.operands[k].size,
            })
        };
        let (all, few) = ([height, width], [height.min(MIN_TILE_HEIGHT), width.min(TILE_WIDTH_BYTES / size)]);
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
                    let block = Tile {
                        at: self.addresses(offsets(row, column)),
                        height: height.min(rows.rows - row),
                        width: width.min(rows.columns - column),
                        pitch: pitch(width),
                        next: (ask && next.0 < rows.rows).then(|| self.addresses(offsets(next.0, next.1))),
                    };
                    // SAFETY: the block is within the rows, to which the caller ensures access, and the buffers were allocated
                    // for blocks of `height` rows and `width` columns.
                    unsafe { self.block(rows, &block, buffers) };
                }
            }
        });
    }

    /// Copies rows of operand `k`, the first of which begins at `from`, to contiguous rows at `to`, each `pitch` elements from
    /// the next. `[height, width]` are the numbers of rows and columns.
    ///
    /// # Safety
    /// The caller must ensure that these elements of the operand may be read, and that it has exclusive access to `height` rows
    /// of `width` elements at `to`, aligned for the operand's type.
    unsafe fn pack(
        &self,
        k: usize,
        rows: &Rows<K>,
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
            // From the row whose elements have the lowest addresses.
            let (from, to) = at(if step > 0 { 0 } else { height as isize - 1 });
            // SAFETY: the same rows, from the last one if `step` is -1; the caller ensures access on both sides.
            return unsafe { transpose(size, from, stride, to, step * pitch, [height, width]) };
        }
        for (from, to) in (0..height as isize).map(at) {
            match stride {
                // SAFETY: one of the rows: its only element may be read, and `width` elements written, as the caller ensures.
                0 => unsafe { repeat(size, from, to, width) },
                // SAFETY: one of the rows: its elements may be read, and `width` elements written, as the caller ensures.
                _ => unsafe { gather(size, from, stride, to, width) },
            }
        }
    }

    /// Runs the loop on a block of rows.
    ///
    /// # Safety
    /// As [`for_blocks`], for the elements of the block. For each operand whose stride is not 1, its buffer must have
    /// `block.height` rows of `block.width` elements, `block.pitch` elements apart.
    unsafe fn block(&self, rows: &Rows<K>, block: &Tile<K>, buffers: [*mut u8; K]) {
        let bytes = |k: usize, elements: isize| elements * self.operands[k].size as isize;
        for k in (0..K).filter(|&k| rows.strides[k] != 1 && self.reads(k)) {
            // SAFETY: the caller may read the rows of the block, and the buffer has as many, `pitch` elements apart.
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
            // SAFETY: row `j` of the block, or its copy in a buffer, is contiguous in each operand.
            unsafe { self.dense(block.width, given) };
            if rows.strides[0] != 1 && self.first != First::Read {
                let to = block.at[0].wrapping_offset(bytes(0, j * rows.steps[0]));
                // SAFETY: row `j` of the block, to which the caller ensures exclusive access; the buffer has its elements.
                unsafe { scatter(self.operands[0].size, given[0], to, rows.strides[0], block.width) };
            }
        }
    }

    /// Prefetches the `j`-th part of the next block: a row of each operand whose stride is 1, some columns of each operand to
    /// transpose. Hardware prefetchers do so only if long contiguous ranges are read.
    fn prefetch_next(&self, rows: &Rows<K>, block: &Tile<K>, next: [*mut u8; K], j: usize) {
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

/// A block of rows.
struct Tile<const K: usize> {
    /// The address of its first element in each operand.
    at: [*mut u8; K],
    height: usize,
    width: usize,
    /// The distance of rows in a buffer, in elements.
    pitch: usize,
    /// The addresses of the next block, if it is to be prefetched. That block is of the same size, or smaller.
    next: Option<[*mut u8; K]>,
}

/// Calls `f` with the operands' offsets at all positions of the loops around the inner one.
fn for_each<const K: usize>(plan: &Plan<K>, mut f: impl FnMut([isize; K])) {
    let mut walk = Odometer::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        f(walk.offsets());
        walk.advance();
    }
}

#[cfg(test)]
mod tests;
