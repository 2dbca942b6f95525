//! Blocks of elements that lie side by side in every operand: what elementwise loops run on.
//!
//! An operation is compiled to a single loop, over dense operands. All around it is compiled once for all operations and
//! element types, which are so many bytes here. Operands dense in one order are one block. Otherwise a plan is walked: an
//! operand goes to the loop as it lies where its stride is 1; else it is brought into a buffer in the first-level cache:
//!
//! ```text
//! stride 0                            the value, repeated
//! another, 1 in some loop around it   transposed, tile by tile
//! another                             gathered, or scattered
//! ```

use super::HostPtr;
use super::pack::{gather, repeat, scatter, transpose};
use super::stream::{LINE, fence, stream};
use super::threads::over_parts;
use crate::layout::is_dense;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;
use core::mem::MaybeUninit;

/// One operand, whatever its elements are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lane {
    ptr: HostPtr<u8>,
    /// The bytes of an element.
    size: usize,
}

impl Lane {
    pub(super) fn new<T>(ptr: HostPtr<T>) -> Lane {
        Lane { ptr: HostPtr::new(ptr.get().cast()), size: size_of::<T>() }
    }
}

/// What becomes of the first operand. The others are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    Read,
    Written,
    Updated,
}

/// A loop over so many elements, which begin at these addresses and lie side by side.
pub(super) type Loop<'a, const K: usize> = &'a (dyn Fn(usize, [*mut u8; K]) + Sync);

/// Calls `f` on blocks that make up the operands. None of them is empty.
///
/// Where an operand is read, `f` finds its elements at the address that it is given, or copies of them; what it leaves at the
/// address of the first one becomes that operand's, unless that is to be read only.
///
/// # Safety
/// All elements behind the lanes, by shape and strides, may be read; those of the first one are ours alone to write, unless it
/// is to be read only, and no other lane's are among them.
pub(super) unsafe fn for_blocks<const K: usize>(
    shape: &[usize],
    strides: [&[isize]; K],
    lanes: [Lane; K],
    first: First,
    f: Loop<'_, K>,
) {
    if let Some(n) = one_block(shape, strides)
        && n < AT_ONCE
    {
        if n > 0 {
            f(n, lanes.map(|lane| lane.ptr.get()));
        }
        return;
    }
    let plan = Plan::unordered(shape, strides);
    let streams = first == First::Written && plan.len() * lanes[0].size >= STREAMED;
    let job = Job { lanes, first, streams, f };
    // SAFETY: parts of a plan of the operands' own shape and strides; the rest is the caller's.
    over_parts(&plan, &|part| unsafe { job.part(part) });
}

/// Dense operands of fewer elements are one block.
const AT_ONCE: usize = 2 * super::threads::GRAIN;

/// Results of so many bytes go past the caches.
const STREAMED: usize = 8 << 20;

/// The number of elements, where all operands are dense in one order.
fn one_block<const K: usize>(shape: &[usize], strides: [&[isize]; K]) -> Option<usize> {
    let dense = |row_major| strides.iter().all(|strides| is_dense(shape, strides, row_major));
    (dense(true) || dense(false)).then(|| shape.iter().product())
}

/// The bytes of a buffer: one for each operand fit the first-level cache, or nearly so.
const BUFFER: usize = 16 << 10;

/// The bytes of a row that is gathered, repeated or streamed.
const ROW: usize = 4 << 10;

/// The elements of a row of a tile that is transposed.
const TILE: usize = 64;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Buffer(#[allow(dead_code)] [MaybeUninit<u8>; BUFFER]);

/// What is to be done with each part of a plan.
struct Job<'a, const K: usize> {
    lanes: [Lane; K],
    first: First,
    /// Whether the first operand is written past the caches.
    streams: bool,
    f: Loop<'a, K>,
}

/// Rows of elements, `steps` apart, within which elements lie `strides` apart.
struct Rows<const K: usize> {
    rows: usize,
    columns: usize,
    steps: [isize; K],
    strides: [isize; K],
}

impl<const K: usize> Job<'_, K> {
    /// # Safety
    /// As [`for_blocks`], for the elements that the part visits.
    unsafe fn part(&self, part: &Plan<K>) {
        let (columns, strides) = (part.inner_len(), part.inner_strides());
        if part.len() == 0 {
            return;
        }
        if !self.streams && strides == [1; K] {
            return for_each(part, |at| (self.f)(columns, self.addresses(at)));
        }
        // The loop in which an operand is dense that is not in the inner one.
        let across = part.outer_strides().iter().rposition(|steps| {
            (0..K).any(|k| strides[k].unsigned_abs() > 1 && steps[k].unsigned_abs() == 1)
        });
        let mut buffers = [const { MaybeUninit::<Buffer>::uninit() }; K];
        let buffers = buffers.each_mut().map(|buffer| buffer.as_mut_ptr().cast::<u8>());
        match across {
            Some(axis) => {
                let (rows, steps) = (part.outer_shape()[axis], part.outer_strides()[axis]);
                let rows = Rows { rows, columns, steps, strides };
                // SAFETY: together the loops visit what the part does; the rest is the caller's.
                for_each(&part.without_outer(axis), |at| unsafe { self.rows(&rows, at, buffers, TILE) });
            }
            None => {
                let rows = Rows { rows: 1, columns, steps: [0; K], strides };
                let size = self.lanes.iter().map(|lane| lane.size).max().unwrap_or(1);
                // SAFETY: the caller's.
                for_each(part, |at| unsafe { self.rows(&rows, at, buffers, ROW / size) });
            }
        }
        if self.streams {
            fence();
        }
    }

    /// Where the lanes are, so many elements from where they begin.
    fn addresses(&self, offsets: [isize; K]) -> [*mut u8; K] {
        core::array::from_fn(|k| self.address(k, offsets[k]))
    }

    fn address(&self, k: usize, offset: isize) -> *mut u8 {
        self.lanes[k].ptr.offset(offset.wrapping_mul(self.lanes[k].size as isize)).get()
    }

    /// Rows in blocks of `width` columns and as many rows as fit a buffer.
    ///
    /// # Safety
    /// As [`for_blocks`], for the elements of the rows, which begin `at`. The buffers are ours.
    unsafe fn rows(&self, rows: &Rows<K>, at: [isize; K], buffers: [*mut u8; K], width: usize) {
        let size = self.lanes.iter().map(|lane| lane.size).max().unwrap_or(1);
        let width = width.min(rows.columns);
        let height = BUFFER / (width * size);
        for row in (0..rows.rows).step_by(height) {
            let height = height.min(rows.rows - row);
            // Blocks that are streamed end where a cache line does.
            let mut column = 0;
            let to = self.address(0, at[0] + row as isize * rows.steps[0]);
            let ahead = if self.streams { to.align_offset(LINE) / self.lanes[0].size % width } else { 0 };
            let mut end = if ahead > 0 { ahead } else { width };
            while column < rows.columns {
                let block = Block { row, column, height, width: end.min(rows.columns) - column, pitch: width };
                // SAFETY: the block lies within the rows and fits the buffers.
                unsafe { self.block(rows, at, buffers, &block) };
                column = end;
                end += width;
            }
        }
    }

    /// # Safety
    /// As [`rows`](Job::rows); the block lies within them, and fits the buffers.
    unsafe fn block(&self, rows: &Rows<K>, at: [isize; K], buffers: [*mut u8; K], block: &Block) {
        let (mut from, mut pitch) = ([core::ptr::null_mut(); K], [0isize; K]);
        for k in 0..K {
            let Lane { size, .. } = self.lanes[k];
            let (stride, step) = (rows.strides[k], rows.steps[k]);
            let lane = self.address(k, at[k] + block.row as isize * step + block.column as isize * stride);
            let direct = stride == 1 && !(k == 0 && self.streams);
            if direct {
                (from[k], pitch[k]) = (lane, step.wrapping_mul(size as isize));
                continue;
            }
            (from[k], pitch[k]) = (buffers[k], (block.pitch * size) as isize);
            if k == 0 && stride == 1 {
                pitch[k] = 0;
                continue;
            }
            if k == 0 && self.first == First::Written {
                continue;
            }
            // Rows that are all the same are one.
            let height = if step == 0 { 1 } else { block.height };
            if step == 0 {
                pitch[k] = 0;
            }
            // SAFETY: the block lies within the rows, and fits the buffers.
            unsafe {
                if stride == 0 {
                    if block.column == 0 {
                        for j in 0..height {
                            repeat(size, lane.wrapping_offset(j as isize * step * size as isize), buffers[k].add(j * block.pitch * size), block.pitch);
                        }
                    }
                } else if step.unsigned_abs() == 1 && height > 1 {
                    // Where rows run backwards, from the last one on.
                    let (first, to_step) = if step == 1 { (0, block.pitch as isize) } else { (height - 1, -(block.pitch as isize)) };
                    let lane = lane.wrapping_offset(first as isize * step * size as isize);
                    let to = buffers[k].add(first * block.pitch * size);
                    transpose(size, lane, stride, to, to_step, height, block.width);
                } else {
                    for j in 0..height {
                        gather(size, lane.wrapping_offset(j as isize * step * size as isize), stride, buffers[k].add(j * block.pitch * size), block.width);
                    }
                }
            }
        }
        let Lane { size, .. } = self.lanes[0];
        let target = self.address(0, at[0] + block.row as isize * rows.steps[0] + block.column as isize * rows.strides[0]);
        for j in 0..block.height as isize {
            (self.f)(block.width, core::array::from_fn(|k| from[k].wrapping_offset(j * pitch[k])));
            if self.first == First::Read || from[0] != buffers[0] {
                continue;
            }
            let row = target.wrapping_offset(j * rows.steps[0] * size as isize);
            let made = from[0].wrapping_offset(j * pitch[0]);
            // SAFETY: the block's row is ours to write.
            unsafe {
                if rows.strides[0] == 1 {
                    stream(made, row, block.width * size);
                } else {
                    scatter(size, made, row, rows.strides[0], block.width);
                }
            }
        }
    }
}

/// A block of rows.
struct Block {
    row: usize,
    column: usize,
    height: usize,
    width: usize,
    /// How far rows are apart in a buffer.
    pitch: usize,
}

/// Calls `f` with the offsets of all positions of the loops around the inner one.
fn for_each<const K: usize>(plan: &Plan<K>, mut f: impl FnMut([isize; K])) {
    let mut walk = Walk::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        f(walk.offsets());
        walk.advance();
    }
}
