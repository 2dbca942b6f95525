//! Blocks of elements that lie side by side in every operand: what elementwise loops run on.
//!
//! An operation is compiled to a single loop, over dense operands. All around it is compiled once for all operations and
//! element types, which are so many bytes here. Operands dense in one order are one block. Otherwise a plan is walked: an
//! operand goes to the loop as it lies where its stride is 1; else it is brought into a buffer in the cache:
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
use crate::device::cpu::simd::prefetch;
use crate::layout::odometer::Odometer;
use crate::layout::one_block;
use crate::layout::plan::Plan;
use crate::layout::tiling::CACHE_LINE_BYTES;
use core::mem::MaybeUninit;

/// One operand, whatever the type of its elements.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) struct RawOperand<'a> {
    ptr: HostPtr<u8>,
    /// The bytes of an element.
    size: usize,
    /// In elements, one for each axis of the loops' shape.
    strides: &'a [isize],
}

impl<'a> RawOperand<'a> {
    #[inline]
    pub(in crate::device::cpu) fn new<T>(ptr: HostPtr<T>, strides: &'a [isize]) -> RawOperand<'a> {
        RawOperand { ptr: HostPtr::new(ptr.get().cast()), size: size_of::<T>(), strides }
    }

    /// The address of the element at index 0.
    #[inline]
    pub(in crate::device::cpu) fn address(&self) -> *mut u8 {
        self.ptr.get()
    }

    #[inline]
    pub(in crate::device::cpu) fn strides(&self) -> &'a [isize] {
        self.strides
    }
}

/// What becomes of the first operand. The others are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cpu) enum First {
    Read,
    Written,
    Updated,
}

/// A loop over `n` contiguous elements of each operand, whose first elements are at the addresses.
pub(in crate::device::cpu) type Loop<'a> = &'a (dyn Fn(usize, Addresses) + Sync);

/// The most operands of a loop.
pub(in crate::device::cpu) const MAX_OPERANDS: usize = 4;

/// An address for each operand of a loop. Those behind the last operand are null.
pub(in crate::device::cpu) type Addresses = [*mut u8; MAX_OPERANDS];

/// Calls `f` on blocks that make up the operands. None of them is empty.
///
/// Where an operand is read, `f` finds its elements at the address that it is given, or copies of them; what it leaves at the
/// address of the first one becomes that operand's, unless that is to be read only. An element takes as long as to move `cost`
/// bytes more.
///
/// # Safety
/// There are one to [`MAX_OPERANDS`] operands. All of their elements, by shape and strides, may be read; those of the first one may
/// be written and nothing else accesses them, unless it is to be read only.
///
/// # Panics
/// If there are no operands, or too many.
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
        // SAFETY: the caller's contract is the same.
        _ => unsafe { for_planned_blocks(shape, operands, first, work, &f) },
    }
}

/// [`for_blocks`] of several blocks, or of one that several threads share. Compiled once, in this crate.
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
        // SAFETY: the same contract, for the same operands.
        [a] => unsafe { planned(shape, [a], first, work, f) },
        // SAFETY: as above.
        [a, b] => unsafe { planned(shape, [a, b], first, work, f) },
        // SAFETY: as above.
        [a, b, c] => unsafe { planned(shape, [a, b, c], first, work, f) },
        // SAFETY: as above.
        [a, b, c, d] => unsafe { planned(shape, [a, b, c, d], first, work, f) },
        _ => panic!("elementwise loops have one to four operands"),
    }
}

/// [`for_planned_blocks`] of `K` operands.
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
    let long = plan.len() * operands[0].size >= MIN_STREAMED_BYTES;
    let streams = long && first == First::Written && plan.inner_strides()[0] == 1;
    let job = StripTask { operands, first, streams, across: across(&plan), f };
    // SAFETY: parts of a plan of the operands' own shape and strides; the rest is the caller's contract.
    over_parts(&plan, work, &|axis| job.grain(&plan, axis), &|part| unsafe { job.part(part) });
}

/// Addresses with null behind the last operand.
fn padded<const K: usize>(addresses: [*mut u8; K]) -> Addresses {
    let mut padded = [core::ptr::null_mut(); MAX_OPERANDS];
    padded[..K].copy_from_slice(&addresses);
    padded
}

/// A loop in which an operand is dense that is not so in the inner one: it is to be transposed.
fn across<const K: usize>(plan: &Plan<K>) -> Option<usize> {
    let strides = plan.inner_strides();
    plan.outer_strides()
        .iter()
        .rposition(|steps| (0..K).any(|k| strides[k].unsigned_abs() > 1 && steps[k].unsigned_abs() == 1))
}

/// Results of this many bytes or more are written by non-temporal stores.
const MIN_STREAMED_BYTES: usize = 16 << 20;

/// Bytes of a row's buffer: a few buffers fit L1, beside what is read and written directly. Longer ones make the processor alternate
/// between reading and writing memory if a result is streamed.
const ROW_BUFFER_BYTES: usize = 1 << 10;

/// Rows of at most this many elements are joined to longer ones.
const MAX_JOINED_COLUMNS: usize = 64;

/// Height of a tile that is transposed: rows of which this many bytes are contiguous in the source, ..
const TILE_HEIGHT_BYTES: usize = 512;

/// .. but at most this many rows.
const MAX_TILE_HEIGHT: usize = 128;

/// Width of a tile: whole rows, if the contiguous ones follow each other and have at most this many bytes together, so that all
/// is read and written without gaps; ..
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

/// What is to be done with each part of a plan.
struct StripTask<'a, const K: usize> {
    operands: [RawOperand<'a>; K],
    first: First,
    /// Whether the first operand, whose inner loop is dense, is written past the caches.
    streams: bool,
    /// The loop around the inner one along which an operand is transposed.
    across: Option<usize>,
    f: Loop<'a>,
}

/// Two loops, the inner one over `columns`.
#[derive(Debug, Clone, Copy)]
struct Rows<const K: usize> {
    rows: usize,
    columns: usize,
    steps: [isize; K],
    strides: [isize; K],
}

impl<const K: usize> StripTask<'_, K> {
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
        // Short rows are joined where that copies nothing that is dense.
        let follow = |rows: &Rows<K>| {
            (0..K).all(|k| strides[k] != 1 || rows.steps[k] == 0 || rows.steps[k] == columns as isize)
        };
        if let (Some(axis), Some(rows)) = (axis, rows)
            && columns <= MAX_JOINED_COLUMNS
            && follow(&rows)
        {
            // SAFETY: together the loops visit what the part does; the rest is the caller's.
            for_each(&part.without(axis), |at| unsafe { self.joined(&rows, at) });
        } else if let (Some(axis), Some(rows)) = (self.across, rows) {
            // SAFETY: as above.
            for_each(&part.without(axis), |at| unsafe { self.blocks(&rows, at) });
        } else {
            // SAFETY: the caller's.
            for_each(part, |at| unsafe { self.row(columns, strides, self.addresses(at)) });
        }
        if self.streams {
            fence();
        }
    }

    /// Parts for threads end at a multiple of so many positions of a loop: what is transposed goes in whole blocks.
    fn grain(&self, plan: &Plan<K>, axis: usize) -> usize {
        match self.across {
            Some(across) if axis == across => self.height(),
            Some(_) if axis + 1 == plan.shape().len() => TILE_WIDTH_BYTES,
            _ => 1,
        }
    }

    /// How many rows are transposed at once.
    fn height(&self) -> usize {
        (TILE_HEIGHT_BYTES / self.largest()).min(MAX_TILE_HEIGHT)
    }

    /// The address of the element `offset` elements after the operand's first.
    fn address(&self, k: usize, offset: isize) -> *mut u8 {
        self.operands[k].ptr.offset(offset.wrapping_mul(self.operands[k].size as isize)).get()
    }

    fn addresses(&self, offsets: [isize; K]) -> [*mut u8; K] {
        core::array::from_fn(|k| self.address(k, offsets[k]))
    }

    /// Whether the loop reads an operand.
    fn reads(&self, k: usize) -> bool {
        k > 0 || self.first != First::Written
    }

    fn largest(&self) -> usize {
        self.operands.iter().map(|operand| operand.size).max().unwrap_or(1)
    }

    /// One row, which begins `at` these addresses: in one piece where it is dense in all operands, else in pieces of a buffer's
    /// length.
    ///
    /// # Safety
    /// As [`for_blocks`], for the elements of the row.
    unsafe fn row(&self, columns: usize, strides: [isize; K], at: [*mut u8; K]) {
        if strides == [1; K] {
            // SAFETY: the caller's.
            return unsafe { self.dense(columns, at) };
        }
        let mut buffers = [const { MaybeUninit::<Buffer>::uninit() }; K];
        let buffers: [*mut u8; K] = buffers.each_mut().map(|buffer| buffer.as_mut_ptr().cast());
        let width = (ROW_BUFFER_BYTES / self.largest()).min(columns);
        let direct: [bool; K] = core::array::from_fn(|k| strides[k] == 1 && !(k == 0 && self.streams));
        for k in (0..K).filter(|&k| strides[k] == 0 && self.reads(k)) {
            // SAFETY: the row's only element; the buffer has room for the width of a piece.
            unsafe { repeat(self.operands[k].size, at[k], buffers[k], width) };
        }
        let size = self.operands[0].size;
        // Pieces that are streamed end where a cache line does.
        let beyond = if self.streams { at[0] as usize % CACHE_LINE_BYTES / size } else { 0 };
        let (mut column, mut end) = (0, width - beyond.min(width - 1));
        while column < columns {
            let n = end.min(columns) - column;
            let there: [_; K] = core::array::from_fn(|k| {
                at[k].wrapping_offset(column as isize * strides[k] * self.operands[k].size as isize)
            });
            for k in (0..K).filter(|&k| strides[k].unsigned_abs() > 1 || strides[k] == -1) {
                if self.reads(k) {
                    // SAFETY: `n` elements of the row, no more than fit the buffer.
                    unsafe { gather(self.operands[k].size, there[k], strides[k], buffers[k], n) };
                }
            }
            (self.f)(
                n,
                padded(core::array::from_fn::<_, K, _>(|k| if direct[k] { there[k] } else { buffers[k] })),
            );
            if !direct[0] && self.first != First::Read {
                match strides[0] {
                    // SAFETY: `n` elements of the row, which are ours to write.
                    1 => unsafe { stream_piece(buffers[0], there[0], n * size) },
                    // SAFETY: as above.
                    stride => unsafe { scatter(size, buffers[0], there[0], stride, n) },
                }
            }
            (column, end) = (end, end + width);
        }
    }

    /// A row that is dense in all operands.
    ///
    /// # Safety
    /// As [`row`](StripTask::row).
    #[inline]
    unsafe fn dense(&self, columns: usize, mut at: [*mut u8; K]) {
        if !self.streams {
            return (self.f)(columns, padded(at));
        }
        let mut buffer = MaybeUninit::<Buffer>::uninit();
        let buffer: *mut u8 = buffer.as_mut_ptr().cast();
        let (size, width) = (self.operands[0].size, ROW_BUFFER_BYTES / self.largest());
        let mut left = columns;
        while left > 0 {
            let n = (width - at[0] as usize % CACHE_LINE_BYTES / size).min(left);
            let to = core::mem::replace(&mut at[0], buffer);
            (self.f)(n, padded(at));
            // SAFETY: `n` elements of the row, which are ours to write.
            unsafe { stream_piece(buffer, to, n * size) };
            at[0] = to;
            at = core::array::from_fn(|k| at[k].wrapping_add(n * self.operands[k].size));
            left -= n;
        }
    }

    /// Many short rows, the first of which begins `at`, several of them as one: operands whose rows do not follow each other go
    /// through buffers in which they do.
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
                    // Rows that are all the same are there from the first block.
                    if row == 0 || rows.steps[k] != 0 {
                        // SAFETY: rows of the operand; the buffer has room for `height` of them.
                        unsafe { self.pack(k, rows, there(k, 0), buffer(k, 0), [height, columns], columns) };
                    }
                }
                let given: [_; K] =
                    core::array::from_fn(|k| if direct[k] { there(k, 0) } else { buffer(k, 0) });
                (self.f)(height * columns, padded(given));
                if !direct[0] && self.first != First::Read {
                    for j in 0..height {
                        // SAFETY: a row of the first operand, which is ours to write.
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

    /// Many rows, the first of which begins `at`, in blocks of several rows, so that operands can be transposed.
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
        // Rows of a buffer are not a power of two apart, lest they share their places in the cache.
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
                    // SAFETY: the block lies within the rows, and its size within a buffer's.
                    unsafe { self.block(rows, &block, buffers) };
                }
            }
        });
    }

    /// Brings rows of an operand, the first of which begins at `from`, to where each lies side by side, `pitch` elements from
    /// the next.
    ///
    /// # Safety
    /// So many rows and columns of the operand may be read there, and written at `to`.
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
            // From the row on whose elements lie first.
            let (from, to) = at(if step > 0 { 0 } else { height as isize - 1 });
            // SAFETY: the caller's.
            return unsafe { transpose(size, from, stride, to, step * pitch, [height, width]) };
        }
        for (from, to) in (0..height as isize).map(at) {
            match stride {
                // SAFETY: the caller's; a row.
                0 => unsafe { repeat(size, from, to, width) },
                // SAFETY: as above.
                _ => unsafe { gather(size, from, stride, to, width) },
            }
        }
    }

    /// # Safety
    /// As [`blocks`](StripTask::blocks); the block lies within the rows, and fits the buffers.
    unsafe fn block(&self, rows: &Rows<K>, block: &Tile<K>, buffers: [*mut u8; K]) {
        let bytes = |k: usize, elements: isize| elements * self.operands[k].size as isize;
        for k in (0..K).filter(|&k| rows.strides[k] != 1 && self.reads(k)) {
            // SAFETY: the rows of the block lie within the operand, and fit the buffer.
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
            // SAFETY: a row of the block, or of a buffer.
            unsafe { self.dense(block.width, given) };
            if rows.strides[0] != 1 && self.first != First::Read {
                let to = block.at[0].wrapping_offset(bytes(0, j * rows.steps[0]));
                // SAFETY: a row of the block, which is ours to write.
                unsafe { scatter(self.operands[0].size, given[0], to, rows.strides[0], block.width) };
            }
        }
    }

    /// Asks for the `j`-th part of the next block: of operands that are dense a row, of those to transpose some columns.
    /// Processors do so by themselves only where memory is read in long pieces.
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
    /// Where it begins in each operand.
    at: [*mut u8; K],
    height: usize,
    width: usize,
    /// How far rows are apart in a buffer.
    pitch: usize,
    /// Where the next one begins, which is of the same size, or smaller, if it is to be asked for.
    next: Option<[*mut u8; K]>,
}

/// Calls `f` with the offsets of all positions of the loops around the inner one.
fn for_each<const K: usize>(plan: &Plan<K>, mut f: impl FnMut([isize; K])) {
    let mut walk = Odometer::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        f(walk.offsets());
        walk.advance();
    }
}

#[cfg(test)]
mod tests;
