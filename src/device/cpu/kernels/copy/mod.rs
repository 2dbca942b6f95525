//! Permuted copies: tiles transposed in registers where source and result step differently, pieces where they do not.
//!
//! How a copy is cut into rows, columns and loops around them is decided in [`layout::tiling`](crate::layout::tiling), without
//! any data. Kernels see bytes and the size of elements, not their type.

#[cfg(target_arch = "x86_64")]
mod register;
mod stream;
mod tile;

pub(in crate::device::cpu) use stream::{fence, stream_piece};
pub(in crate::device::cpu) use tile::transpose_tile;

use crate::device::cpu::loops::few::Few;
use crate::device::cpu::loops::threads::{PARALLEL_BYTES, enter, join};
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Operand, Output, Permute};
use crate::element::Element;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::odometer::Odometer;
use crate::layout::one_block;
use crate::layout::plan::Plan;
use crate::layout::tiling::{Blocks, CACHE_LINE_BYTES, Loop};
use crate::rank::MAX_RANK;
use tile::{Steps, Tile};

/// Largest number of elements that is copied without a plan: a loop over the axes ends before a plan is made.
const MAX_UNPLANNED_LEN: usize = 32;
/// Matrices of fewer bytes are transposed without a plan.
const MAX_UNPLANNED_MATRIX_BYTES: usize = 256 << 10;
/// Bytes, read and written, below which a second thread is slower.
const PARALLEL_COPY_BYTES: usize = PARALLEL_BYTES / 2;
/// Rows are split at multiples of this number.
const BAND_ROWS: usize = 64;
/// Results of more bytes are written by non-temporal stores. Together with the time to read the result afterwards, both ways
/// take the same at this size if the last-level cache has twice as much; above it, this one wins.
const MIN_STREAMED_BYTES: usize = 16 << 20;
/// So are results of more bytes than this, if their rows evict each other from the caches.
const MIN_COLLIDING_BYTES: usize = 4 << 20;
/// Shorter rows are written by ordinary stores if they share cache lines with others: an incomplete line would be fetched first.
const MIN_STREAMED_ROW_BYTES: usize = 16 * CACHE_LINE_BYTES;
/// Largest number of positions in one call of a kernel.
const MAX_POSITIONS: usize = 128;
/// Largest number of rows in a table.
const MAX_TABLE_ROWS: usize = 256;

#[diagnostic::do_not_recommend]
impl<T: Element> Permute<T> for Cpu {
    // Always inlined: where the rank is known, little is left of it, and to pass the operands would take longer than a small copy.
    #[inline(always)]
    fn copy(&self, out: Output<'_, T, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
        assert!(same(out.shape(), a.shape()), "operands of one shape");
        if let Some(few) = Few::new(out.shape(), &[out.strides(), a.strides()]) {
            few.for_each(|[o, x]| {
                // SAFETY: `x` is the offset of an index of the operand.
                let value = unsafe { a.ptr().offset(x).get().read() };
                // SAFETY: `o` is the offset of the same index of the output, to which access is exclusive.
                unsafe { out.ptr().offset(o).get().write(value) };
            });
            return Ok(());
        }
        let (to, from) = (HostPtr::new(out.ptr().get().cast()), HostPtr::new(a.ptr().get().cast()));
        // SAFETY: the operands vouch for their elements; the output is ours alone to write.
        unsafe { copy(size_of::<T>(), out.shape(), [to, from], [out.strides(), a.strides()]) };
        Ok(())
    }
}

/// Copies elements of so many bytes to the first operand from the second one.
///
/// # Safety
/// All elements of the source may be read, and those of the result are the caller's alone to write; they are not among the
/// source's.
unsafe fn copy(size: usize, shape: &[usize], [to, from]: [HostPtr<u8>; 2], strides: [&[isize]; 2]) {
    if shape.contains(&0) {
        return;
    }
    let len: usize = shape.iter().product();
    let short = len * size < PARALLEL_COPY_BYTES;
    if short && one_block(shape, strides.into_iter()).is_some() {
        // SAFETY: the caller's; all elements as so many bytes.
        unsafe { core::ptr::copy_nonoverlapping(from.get().cast_const(), to.get(), len * size) };
    } else if len <= MAX_UNPLANNED_LEN {
        macro_rules! small {
            ($size:literal) => {
                // SAFETY: the caller's; elements of the size are copied as so many bytes.
                unsafe {
                    small::<[u8; $size]>(
                        shape,
                        to.get().cast(),
                        strides[0],
                        from.get().cast_const().cast(),
                        strides[1],
                    )
                }
            };
        }
        match size {
            1 => small!(1),
            2 => small!(2),
            4 => small!(4),
            8 => small!(8),
            16 => small!(16),
            _ => unreachable!("no elements of {size} bytes"),
        }
    } else if let (&[rows, columns], [&[to_row, 1], &[1, from_column]]) = (shape, strides)
        && len * size < MAX_UNPLANNED_MATRIX_BYTES
    {
        // A matrix that is transposed needs no plan.
        let (from_column, to_row) = (from_column * size as isize, to_row * size as isize);
        // SAFETY: the caller's, in bytes.
        unsafe { tile::transpose(size, from.get(), from_column, to.get(), to_row, rows, columns) };
    } else {
        let blocks = Blocks::new(&Plan::unordered_by(shape, strides, 0), size);
        let job = CopyTask { to, from, bytes: blocks.bytes() };
        // SAFETY: the caller's; blocks are of the operands' shape.
        enter(2 * job.bytes, || unsafe { job.run(&blocks) });
    }
}

/// A loop for each axis, the last one inside.
///
/// # Safety
/// As [`copy`], for elements of the size of `P`.
unsafe fn small<P: Copy>(
    shape: &[usize],
    to: *mut P,
    to_strides: &[isize],
    from: *const P,
    from_strides: &[isize],
) {
    let (Some((&extent, shape)), Some((&t, to_strides)), Some((&f, from_strides))) =
        (shape.split_first(), to_strides.split_first(), from_strides.split_first())
    else {
        // SAFETY: an element of each.
        unsafe { to.copy_from_nonoverlapping(from, 1) };
        return;
    };
    for i in 0..extent as isize {
        let (to, from) = (to.wrapping_offset(i * t), from.wrapping_offset(i * f));
        if shape.is_empty() {
            // SAFETY: a position along the only axis.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        } else {
            // SAFETY: a position along the first axis; the others are left.
            unsafe { small(shape, to, to_strides, from, from_strides) };
        }
    }
}

/// A copy of blocks, of which threads take parts.
#[derive(Debug, Clone, Copy)]
struct CopyTask {
    to: HostPtr<u8>,
    from: HostPtr<u8>,
    /// How many bytes are copied in all parts together.
    bytes: usize,
}

impl CopyTask {
    /// # Safety
    /// All elements that the blocks visit may be read in the source and are ours alone to write in the result.
    unsafe fn run(&self, blocks: &Blocks) {
        if blocks.bytes() >= PARALLEL_COPY_BYTES
            && let Some((low, high)) = blocks.halves(BAND_ROWS)
        {
            // SAFETY: the halves are of the same elements, and write different ones.
            join(|| unsafe { self.run(&low) }, || unsafe { self.run(&high) });
            return;
        }
        if blocks.dense {
            // SAFETY: the caller's.
            unsafe { self.tiles(blocks) };
        } else {
            // SAFETY: the caller's.
            unsafe { self.pieces(blocks) };
        }
        if self.bytes >= MIN_COLLIDING_BYTES {
            stream::fence();
        }
    }

    /// # Safety
    /// As [`run`](CopyTask::run).
    unsafe fn tiles(&self, blocks: &Blocks) {
        let (unit, kernel) = (blocks.unit, tile::kernel(blocks.unit));
        let (rows, count) = (blocks.rows.len(), blocks.columns.len());
        let (to, from) = (self.to.get(), self.from.get().cast_const());
        let mut table = [0; MAX_TABLE_ROWS];
        let columns = match blocks.columns.as_slice() {
            [one] => Steps::Even(count, one.from),
            several => {
                fill(&mut table[..count], several, |l| l.from);
                Steps::Table(&table[..count])
            }
        };
        let outer = blocks.outer.as_slice();
        let start = [
            to.wrapping_offset(blocks.offsets[0]) as usize,
            from.wrapping_offset(blocks.offsets[1]) as usize,
        ];
        let lead_rows = lead(start[1], unit, [blocks.columns.as_slice(), outer], |l| l.from);
        let lead_columns = lead(start[0], unit, [blocks.rows.as_slice(), outer], |l| l.to);
        // Lines that rows share with others are not worth it where rows are short.
        let shared = lead_columns != Some(0) || !(count * unit).is_multiple_of(CACHE_LINE_BYTES);
        let collide = collide(blocks);
        let stream = lead_columns.is_some()
            && (!shared || count * unit >= MIN_STREAMED_ROW_BYTES)
            && self.bytes >= if collide { MIN_COLLIDING_BYTES } else { MIN_STREAMED_BYTES };
        let lead_columns = lead_columns.unwrap_or(0);
        // Where lines collide, registers had better span two of them: each fetches the next one's line early enough.
        let lead_rows = lead_rows.filter(|_| !collide).unwrap_or(0);
        // What lies side by side in the source fills some cache lines, but fewer where they would push each other out.
        let band = match (blocks.rows.as_slice().len(), collide, stream) {
            (1, true, true) if self.bytes >= MIN_STREAMED_BYTES => {
                (4 * CACHE_LINE_BYTES / unit).clamp(64, 128)
            }
            (1, true, true) => (4 * CACHE_LINE_BYTES / unit).clamp(32, 128),
            (1, true, false) => 16.max(CACHE_LINE_BYTES / unit),
            (1, false, _) => (8 * CACHE_LINE_BYTES / unit).clamp(BAND_ROWS, MAX_TABLE_ROWS),
            _ => MAX_TABLE_ROWS,
        };
        // Where there are several bands, there is one loop: its first steps are those of each band.
        let mut steps = [0; MAX_TABLE_ROWS + CACHE_LINE_BYTES];
        fill(&mut steps[..(lead_rows + band).min(rows)], blocks.rows.as_slice(), |l| l.to);
        let mut end = 0;
        while end < rows {
            let row = end;
            let lead_rows = if row == 0 { lead_rows } else { 0 };
            end = rows.min(row + lead_rows + band);
            let first = blocks.rows.as_slice()[0].to * row as isize;
            for_positions(blocks, 0, &mut |base, at| {
                let tile = Tile {
                    from: from.wrapping_offset(base[1]).wrapping_add(row * unit),
                    to: to.wrapping_offset(base[0] + first),
                    rows: &steps[..end - row],
                    columns,
                    lead_rows,
                    lead_columns,
                    ahead: !(collide && stream) || unit == 16,
                    stream,
                };
                // SAFETY: positions of the blocks, and rows and columns of theirs.
                unsafe { kernel(&tile, at) }
            });
        }
    }

    /// # Safety
    /// As [`run`](CopyTask::run).
    unsafe fn pieces(&self, blocks: &Blocks) {
        let stream = self.bytes >= MIN_STREAMED_BYTES && blocks.unit >= MIN_STREAMED_ROW_BYTES;
        for_positions(blocks, 2, &mut |base, at| {
            let (to, from) = (self.to.offset(base[0]).get(), self.from.offset(base[1]).get());
            if stream {
                for &[to_at, from_at] in at {
                    let (to, from) = (to.wrapping_offset(to_at), from.wrapping_offset(from_at));
                    // SAFETY: a position of the blocks.
                    unsafe { stream::stream_piece(from, to, blocks.unit) };
                }
            } else {
                // SAFETY: positions of the blocks.
                unsafe { stream::copy_pieces(blocks.unit, from, to, at) };
            }
        });
    }
}

/// How many elements lie before the first whole cache line, where that is the same wherever loops are.
fn lead(start: usize, unit: usize, loops: [&[Loop]; 2], step: fn(&Loop) -> isize) -> Option<usize> {
    let same = loops.into_iter().flatten().all(|l| step(l) % CACHE_LINE_BYTES as isize == 0);
    (same && start.is_multiple_of(unit)).then(|| (start.next_multiple_of(CACHE_LINE_BYTES) - start) / unit)
}

/// Whether all rows, of the result or of the source, fall into the same few sets of the first-level cache.
fn collide(blocks: &Blocks) -> bool {
    let far = |step: isize| step != 0 && step % 2048 == 0;
    blocks.rows.as_slice().iter().any(|l| far(l.to)) || blocks.columns.as_slice().iter().any(|l| far(l.from))
}

/// Steps of all positions of loops, the first of which turns fastest.
fn fill(table: &mut [isize], loops: &[Loop], step: impl Fn(&Loop) -> isize) {
    let mut filled = 1;
    for l in loops {
        for i in filled..table.len().min(filled * l.extent) {
            table[i] = table[i - filled] + step(l);
        }
        filled *= l.extent;
    }
}

/// Calls `f` with the positions of the loops around the blocks, and of rows and columns if these are `inner` loops: where they
/// begin, and some positions from there.
fn for_positions(blocks: &Blocks, inner: usize, f: &mut dyn FnMut([isize; 2], &[[isize; 2]])) {
    // Innermost first.
    let sides = [blocks.columns.as_slice(), blocks.rows.as_slice()];
    let mut loops = [Loop { extent: 1, to: 0, from: 0 }; MAX_RANK];
    let mut count = 0;
    for &l in sides.iter().take(inner).copied().flatten().chain(blocks.outer.as_slice().iter().rev()) {
        loops[count] = l;
        count += 1;
    }
    let loops = &loops[..count];
    let mut table = [[0, 0]; MAX_POSITIONS];
    let mut filled = 1;
    let mut whole = 0;
    for l in loops {
        if filled > 1 && filled * l.extent > MAX_POSITIONS {
            break;
        }
        for i in filled..MAX_POSITIONS.min(filled * l.extent) {
            let [to, from] = table[i - filled];
            table[i] = [to + l.to, from + l.from];
        }
        filled = MAX_POSITIONS.min(filled * l.extent);
        whole += 1;
        if filled < l.extent {
            break;
        }
    }
    // Of a longer loop the table has the first positions only; it goes on outside of all others.
    let chunked = loops.first().filter(|l| l.extent > MAX_POSITIONS);
    let rest = &loops[whole..];
    let (mut shape, mut strides) = ([1; MAX_RANK], [[0, 0]; MAX_RANK]);
    for (k, l) in rest.iter().rev().enumerate() {
        (shape[k], strides[k]) = (l.extent, [l.to, l.from]);
    }
    let shape = &shape[..rest.len()];
    let turns: usize = shape.iter().product();
    for chunk in (0..chunked.map_or(1, |l| l.extent)).step_by(MAX_POSITIONS) {
        let (mut begin, mut here) = (blocks.offsets, filled);
        if let Some(l) = chunked {
            here = MAX_POSITIONS.min(l.extent - chunk);
            begin = [begin[0] + l.to * chunk as isize, begin[1] + l.from * chunk as isize];
        }
        let mut walk = Odometer::over(shape, &strides[..shape.len()], begin);
        for _ in 0..turns {
            f(walk.offsets(), &table[..here]);
            walk.advance();
        }
    }
}

#[cfg(test)]
mod tests;
