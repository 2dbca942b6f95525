//! Loops over the lines of operands. A line consists of the elements along the last axis or the last axes. Lines that are not contiguous
//! are copied to a scratch buffer, several at a time, so that elements in one cache line are copied together.

use crate::device::cpu::loops::threads::over_parts;
use crate::device::via_host::zeros;
use crate::device::{Copy, Cpu, HostPtr, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use core::array::from_fn;
use std::sync::{Mutex, PoisonError};

/// Maximum number of lines that are copied together, unless they are short.
const TILE_LINES: usize = 32;
/// Maximum total size of more lines that are copied together, in bytes. They fit in L1.
const SHORT_TILE_BYTES: usize = 16 << 10;
/// Maximum total size of several lines that are copied together, in bytes: half of a typical L2 cache. A single line may be larger.
const TILE_BYTES: usize = 512 << 10;

/// The lines of an operand or output along its last axis. `first` is the first element of the first line, `shape` and `strides` are those
/// of the leading axes, and `len` and `stride` those of the last axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines<'a, T> {
    pub(super) first: HostPtr<T>,
    pub(super) shape: &'a [usize],
    pub(super) strides: &'a [isize],
    pub(super) len: usize,
    pub(super) stride: isize,
}

impl<'a, T: Element> Lines<'a, T> {
    fn new(first: HostPtr<T>, shape: &'a [usize], strides: &'a [isize]) -> Self {
        let (&len, shape) = shape.split_last().expect("there is an axis along which to sort");
        let (&stride, strides) = strides.split_last().expect("each axis has a stride");
        Lines { first, shape, strides, len, stride }
    }
    pub(super) fn of(a: &Operand<'a, T, Cpu>) -> Self {
        Lines::new(a.ptr(), a.shape(), a.strides())
    }
    pub(super) fn of_output(a: &Output<'a, T, Cpu>) -> Self {
        Lines::new(a.ptr(), a.shape(), a.strides())
    }
    pub(super) fn is_contiguous(&self) -> bool {
        self.stride == 1 || self.len == 1
    }

    /// Returns `count` lines as slices. The first one begins at `offset`, and the others at distances of `step`. Lines that are not
    /// contiguous are copied to `buffer`.
    ///
    /// # Errors
    /// If an allocation fails.
    ///
    /// # Safety
    /// The caller must ensure that these are lines of the operand, and that their elements are readable and not written to during `'b`.
    pub(super) unsafe fn read<'b>(
        &self,
        [count, offset, step]: [isize; 3],
        buffer: &'b mut Vec<T>,
    ) -> Result<impl Iterator<Item = &'b [T]>, Error> {
        let (n, mut first, mut distance) = (self.len, self.first.offset(offset).get().cast_const(), step);
        if !self.is_contiguous() {
            let copy = reuse(buffer, count as usize, n)?;
            // SAFETY: the caller ensures that the elements of these lines are readable and not written to.
            unsafe { gather(self.first.offset(offset), count as usize, step, &[n], &[self.stride], copy)? };
            (first, distance) = (copy.as_ptr(), n as isize);
        }
        Ok((0..count).map(move |k| {
            // SAFETY: a line of `n` contiguous elements begins here: in the operand, whose elements are readable and not written to during
            // `'b` as the caller ensures, or in `buffer`, which is borrowed during `'b`.
            unsafe { core::slice::from_raw_parts(first.wrapping_offset(k * distance), n) }
        }))
    }

    /// Calls `f` with `count` lines to be written, as slices. The lines are at the places that [`read`](Self::read) describes. Lines that are
    /// not contiguous are written to `buffer` first. Their previous elements are unspecified for `f`.
    ///
    /// # Errors
    /// An error of `f`, or if an allocation fails.
    ///
    /// # Safety
    /// The caller must ensure that these are lines of the output, exclusive access to their elements, and that all these elements are
    /// distinct.
    pub(super) unsafe fn write(
        &self,
        [count, offset, step]: [isize; 3],
        buffer: &mut Vec<T>,
        mut f: impl FnMut(&mut [T]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let n = self.len;
        if self.is_contiguous() {
            return (0..count).try_for_each(|k| {
                let line = self.first.offset(offset + k * step).get();
                // SAFETY: a line of `n` contiguous elements begins here. The caller ensures exclusive access to them.
                f(unsafe { core::slice::from_raw_parts_mut(line, n) })
            });
        }
        let lines = reuse(buffer, count as usize, n)?;
        lines.chunks_exact_mut(n).try_for_each(f)?;
        // SAFETY: the caller ensures exclusive access to the elements of these lines, which are distinct.
        unsafe { scatter(self.first.offset(offset), count as usize, step, n, self.stride, lines) }
    }
}

/// Returns the work of sorting a line of `len` elements, as the number of bytes that could be copied in the same time.
pub(super) fn sort_work(len: usize) -> usize {
    len.saturating_mul(512)
}

/// Returns the work of selecting elements of a line, as the number of bytes that could be copied in the same time. Short lines take as long
/// as sorting them. A single line enters the pool from about 2¹⁸ elements on: shorter lines are partitioned on one thread.
pub(super) fn select_work(len: usize) -> usize {
    sort_work(len).min(len.saturating_mul(96).saturating_add(40 << 10))
}

/// `count` lines with a constant stride between them: for each operand, the offset of the first line and the stride between lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineTile<const K: usize> {
    pub(super) count: usize,
    pub(super) offsets: [isize; K],
    pub(super) strides: [isize; K],
}

/// Calls `f` with tiles, in parallel if there is enough work. Each line is in one tile. `shape` and `strides` are those of the axes that
/// are not part of a line. `bytes` is the size of a line, and `work` its work, as the number of bytes that could be copied in the same
/// time. `f` is called once for each task, so that it can use a buffer for all tiles of the task: see [`reuse`].
///
/// # Errors
/// An error of `f`. `f` may have been called with other tiles, before or after the error.
pub(super) fn over_lines<const K: usize>(
    shape: &[usize],
    strides: [&[isize]; K],
    bytes: usize,
    work: usize,
    f: &(dyn Fn(&mut dyn Iterator<Item = LineTile<K>>) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let plan = Plan::unordered(shape, strides);
    let bytes = bytes.max(1);
    let tile = (TILE_BYTES / bytes).clamp(1, TILE_LINES.max(SHORT_TILE_BYTES / bytes));
    let failure = Mutex::new(None);
    over_parts(&plan, work, &|_| 1, &|part| {
        let (n, strides) = (part.inner_len(), part.inner_strides());
        let mut walk = Odometer::outer(part);
        let mut tiles = (0..part.outer_shape().iter().product()).flat_map(|_| {
            let start = walk.offsets();
            walk.advance();
            (0..n).step_by(tile).map(move |first| {
                let offsets = from_fn(|k| start[k] + first as isize * strides[k]);
                LineTile { count: tile.min(n - first), offsets, strides }
            })
        });
        if let Err(error) = f(&mut tiles) {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// The axes of a tile: first the axis from line to line, then the axes of a line. A tile with a single line has only the axes of the line.
/// `strides` are those of the tile in the operand, and `contiguous` are those of its copy in a scratch buffer.
struct TileAxes {
    rank: usize,
    shape: [usize; MAX_RANK],
    strides: [isize; MAX_RANK],
    contiguous: [isize; MAX_RANK],
}

impl TileAxes {
    /// Creates the axes of a tile of `count` lines. `shape` and `strides` are those of a line.
    ///
    /// # Panics
    /// If there are more than [`MAX_RANK`] axes. This does not occur: an operand with several lines has at least one axis in addition to
    /// those of a line.
    fn new(count: usize, line_stride: isize, shape: &[usize], strides: &[isize]) -> TileAxes {
        let lines = usize::from(count > 1);
        let rank = lines + shape.len();
        let mut axes =
            TileAxes { rank, shape: [1; MAX_RANK], strides: [0; MAX_RANK], contiguous: [0; MAX_RANK] };
        if lines == 1 {
            (axes.shape[0], axes.strides[0]) = (count, line_stride);
        }
        axes.shape[lines..rank].copy_from_slice(shape);
        axes.strides[lines..rank].copy_from_slice(strides);
        let mut stride = 1;
        for axis in (0..rank).rev() {
            axes.contiguous[axis] = stride;
            stride *= axes.shape[axis] as isize;
        }
        axes
    }
}

/// Returns a scratch buffer of zeros for `count` lines of `len` elements.
///
/// # Errors
/// If the allocation fails.
pub(super) fn scratch<T: Element>(count: usize, len: usize) -> Result<Vec<T>, Error> {
    zeros(count * len)
}

/// Returns `count` lines of `len` elements of a buffer, which is replaced if it is too short. The elements are unspecified. If each
/// tile allocated its buffers, the operating system would provide and clear their pages each time.
///
/// # Errors
/// If the allocation fails.
pub(super) fn reuse<T: Element>(buffer: &mut Vec<T>, count: usize, len: usize) -> Result<&mut [T], Error> {
    let needed = count * len;
    if buffer.len() < needed {
        *buffer = Vec::new();
        *buffer = scratch(count, len)?;
    }
    Ok(&mut buffer[..needed])
}

/// Copies the lines of a tile to a scratch buffer. `shape` and `strides` are those of a line. For each `k < count`, line `k` begins
/// `k * line_stride` elements after `from`.
///
/// # Safety
/// The caller must ensure that the elements of each line are readable and not written to during the call.
pub(super) unsafe fn gather<T: Element>(
    from: HostPtr<T>,
    count: usize,
    line_stride: isize,
    shape: &[usize],
    strides: &[isize],
    to: &mut [T],
) -> Result<(), Error> {
    let axes = TileAxes::new(count, line_stride, shape, strides);
    assert_eq!(to.len(), axes.shape[..axes.rank].iter().product::<usize>());
    let shape = &axes.shape[..axes.rank];
    // SAFETY: an index along these axes selects a line and an element of this line. The caller of `gather` ensures that the element may be
    // read and is not written to during the call.
    let from = unsafe { Operand::<T, Cpu>::from_raw(from, shape, &axes.strides[..axes.rank]) };
    let to = HostPtr::new(to.as_mut_ptr());
    // SAFETY: `to` has an element for each index of the shape, as was checked, the strides are contiguous, and `to` is exclusively
    // borrowed.
    let to = unsafe { Output::<T, Cpu>::from_raw(to, shape, &axes.contiguous[..axes.rank]) };
    Cpu.copy(to, from)
}

/// Copies the lines of a tile from a scratch buffer. A line has `len` elements with stride `stride`. For each `k < count`, line `k`
/// begins `k * line_stride` elements after `to`.
///
/// # Safety
/// The caller must ensure exclusive access to the elements of each line, and that the elements of all lines are distinct.
pub(super) unsafe fn scatter<T: Element>(
    to: HostPtr<T>,
    count: usize,
    line_stride: isize,
    len: usize,
    stride: isize,
    from: &[T],
) -> Result<(), Error> {
    let axes = TileAxes::new(count, line_stride, &[len], &[stride]);
    assert_eq!(from.len(), count * len);
    let shape = &axes.shape[..axes.rank];
    let from = HostPtr::new(from.as_ptr().cast_mut());
    // SAFETY: `from` has an element for each index of the shape, as was checked, the strides are contiguous, and `from` is borrowed.
    let from = unsafe { Operand::<T, Cpu>::from_raw(from, shape, &axes.contiguous[..axes.rank]) };
    // SAFETY: an index along these axes selects a line and an element of this line. The caller of `scatter` ensures exclusive access to the
    // element, and that no other index selects the same element.
    let to = unsafe { Output::<T, Cpu>::from_raw(to, shape, &axes.strides[..axes.rank]) };
    Cpu.copy(to, from)
}
