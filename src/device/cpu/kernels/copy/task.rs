//! A planned copy: the loops over blocks of rows and columns that one thread runs.

use super::{PARALLEL_COPY_BYTES, repeat};
use crate::device::cpu::HostPtr;
use crate::device::cpu::loops::pack;
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::loops::tile::{self, Steps, Tile};
use crate::device::cpu::memory::stream;
use crate::layout::odometer::Odometer;
use crate::layout::tiling::{Blocks, Loop};
use crate::rank::MAX_RANK;
use crate::simd::CACHE_LINE_BYTES;
use crate::simd::has_cache_line_registers;
use core::mem::MaybeUninit;

/// Rows, or columns if there are few rows, are split between threads at multiples of this number. Also the minimum number of rows
/// that one call of a transposing kernel copies (a band), unless rows map to the same cache sets (see [`collide`]) or
/// elements have 16 bytes (see [`MAX_WHOLE_TILE_BYTES`]).
const BAND_ROWS: usize = 64;
/// Minimum size of a result, in bytes, for non-temporal stores: half of an L3 of 32 MiB. For larger results, a copy and a later read
/// together take less time with non-temporal stores. The value is smaller in tests without optimisation,
/// because they read and write large results slowly.
pub(in crate::device::cpu::kernels) const MIN_STREAMED_BYTES: usize =
    if cfg!(all(test, debug_assertions)) { 4 << 20 } else { 16 << 20 };
/// Minimum size of a result, in bytes, for non-temporal stores, if rows map to the same cache sets (see [`collide`]). Such a result
/// is written with non-temporal stores only with AVX-512, because each store must write a whole cache line: transposes with
/// non-temporal stores of half a line are slower than with ordinary stores.
const MIN_COLLIDING_BYTES: usize = 4 << 20;
/// Minimum length of a row, in bytes, for non-temporal stores. The incomplete cache lines at the ends of a row need ordinary
/// stores, which fetch the line first. Rows of transposed tiles may be shorter if they consist of whole cache lines.
const MIN_STREAMED_ROW_BYTES: usize = 16 * CACHE_LINE_BYTES;
/// Maximum number of positions that one call of a kernel takes. A position is a pair of offsets: in the result and in the source.
const MAX_POSITIONS: usize = 128;
/// Minimum number of elements of a row for [`gathered`](CopyTask::gathered). Shorter rows are copied by
/// [`pieces`](CopyTask::pieces), which handles many rows in one call. A call for each short row would take longer.
const MIN_GATHERED_LEN: usize = 8;
/// Bytes of the buffer into which elements are gathered before they are written with non-temporal stores.
const GATHER_BUFFER_BYTES: usize = 2048;
/// Maximum size of a tile of elements of 16 bytes, in bytes, that is not divided into bands of 16 rows. Larger tiles are divided, unless
/// they are written with non-temporal stores. Chosen by the rows `transpose` of `benches/core/benches/core/permute.rs`.
const MAX_WHOLE_TILE_BYTES: usize = 16 << 10;
/// Maximum number of rows that one call of a transposing kernel copies (a band), and of columns whose offsets one table holds. The first
/// band can have more rows than this: the rows before the first whole cache line of the source are added to it.
const MAX_TABLE_ROWS: usize = 256;

/// The operands of a planned copy, shared by all threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct CopyTask {
    pub(super) to: HostPtr<u8>,
    pub(super) from: HostPtr<u8>,
    /// Size of the whole copy in bytes, also if its blocks are split between threads, or if it is made up of several calls of
    /// [`copy_part`](super::copy_part). Large copies use non-temporal stores.
    pub(super) bytes: usize,
}

impl CopyTask {
    /// Copies the blocks. Splits them in half, recursively, for threads while they are large enough.
    ///
    /// # Safety
    /// The caller must ensure, for the elements that the blocks visit:
    /// * The elements of the source are readable.
    /// * The caller has exclusive access to the elements of the result, which do not overlap those of the source.
    pub(super) unsafe fn run(&self, blocks: &Blocks) {
        if blocks.bytes() >= PARALLEL_COPY_BYTES
            && let Some((low, high)) = blocks.halves(BAND_ROWS)
        {
            // SAFETY: `low` and `high` visit only elements that `blocks` visits, and the caller ensures the conditions of `run` for
            // these. No element of the result is in both halves, so they may run in parallel.
            join(|| unsafe { self.run(&low) }, || unsafe { self.run(&high) });
            return;
        }
        if let Some((row, copies, rest)) = blocks.split_repeated()
            && (2..=repeat::MAX_COPIES).contains(&copies)
        {
            // SAFETY: `repeated` needs the conditions of `run`, which the caller ensures. It also needs rows that are contiguous in the
            // source, and whose copies are contiguous in the result. `split_repeated` returns only such rows. `rest` has the loops
            // around the row; together they visit the elements of `blocks`.
            unsafe { self.repeated(row, copies, &rest) };
        } else if blocks.contiguous {
            // SAFETY: `tiles` needs the conditions of `run`, which the caller ensures, and `blocks.contiguous`, which was just checked.
            unsafe { self.tiles(blocks) };
        } else if let Some((row, rest)) = blocks.split_contiguous()
            && row.extent >= MIN_GATHERED_LEN
        {
            // SAFETY: `gathered` needs the conditions of `run`, which the caller ensures. It also needs a row whose stride in the
            // result is `blocks.unit`, and whose stride in the source is a multiple of this unit. `split_contiguous` returns only
            // such rows. `rest` has the loops around the row; together they visit the elements of `blocks`.
            unsafe { self.gathered(row, &rest) };
        } else {
            // SAFETY: `pieces` needs the conditions of `run` for the same blocks, and the caller ensures these.
            unsafe { self.pieces(blocks) };
        }
        // Non-temporal stores need a fence after them. Copies with fewer bytes than this do not use such stores.
        if self.bytes >= MIN_COLLIDING_BYTES {
            stream::fence();
        }
    }

    /// Copies the blocks by transposing tiles. A tile has all columns, and a part of the rows (a band).
    ///
    /// # Safety
    /// The contract of [`run`](CopyTask::run). The blocks must be `contiguous`.
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
        // Rows that are not whole cache lines share lines with other rows. Non-temporal stores are slower if such rows are short.
        let shared = lead_columns != Some(0) || !(count * unit).is_multiple_of(CACHE_LINE_BYTES);
        let collide = collide(blocks);
        let stream = lead_columns.is_some()
            && (!shared || count * unit >= MIN_STREAMED_ROW_BYTES)
            && match collide {
                true => self.bytes >= MIN_COLLIDING_BYTES && has_cache_line_registers(),
                false => self.bytes >= MIN_STREAMED_BYTES,
            };
        let lead_columns = lead_columns.unwrap_or(0);
        // If `lead_rows` is 0, the loads of columns are not aligned. Unaligned loads are faster if rows map to the same cache sets: a load
        // that spans two cache lines fetches the line of the next load early.
        let lead_rows = lead_rows.filter(|_| !collide).unwrap_or(0);
        // Number of rows in a band, and so in a tile. In the source, the elements of one column in one band are contiguous and fill
        // a few cache lines. If the lines of different columns would evict each other (`collide`), a band has fewer rows.
        let band = match (blocks.rows.as_slice().len(), collide, stream) {
            (1, true, true) if self.bytes >= MIN_STREAMED_BYTES => {
                (4 * CACHE_LINE_BYTES / unit).clamp(64, 128)
            }
            (1, true, true) => (4 * CACHE_LINE_BYTES / unit).clamp(32, 128),
            (1, true, false) => 16.max(CACHE_LINE_BYTES / unit),
            (1, false, false) if unit == 16 && rows * count * unit > MAX_WHOLE_TILE_BYTES => 16,
            (1, false, _) => (8 * CACHE_LINE_BYTES / unit).clamp(BAND_ROWS, MAX_TABLE_ROWS),
            _ => MAX_TABLE_ROWS,
        };
        // There are several bands only if the rows are a single loop. All bands then have the same offsets relative to their first row.
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
                // SAFETY: `at` has offsets of `blocks`, and the tile has the rows `row .. end` and all columns. So the kernel visits
                // only elements that `blocks` visits. The caller ensures that they may be read in the source, and exclusive access to
                // them in the result. `stream` is set only if `lead` found that all rows have `lead_columns` elements before the first
                // whole cache line.
                unsafe { kernel(&tile, at) }
            });
        }
    }

    /// Writes `copies` copies of each of `row` elements, once for each index of the outer loops of `blocks`.
    ///
    /// # Safety
    /// The contract of [`run`](CopyTask::run). The caller must also ensure, at each index of the outer loops:
    /// * The source has `row` contiguous elements.
    /// * The blocks visit `row * copies` contiguous elements of the result.
    unsafe fn repeated(&self, row: usize, copies: usize, blocks: &Blocks) {
        let unit = blocks.unit;
        let stream = self.bytes >= MIN_STREAMED_BYTES && row * copies * unit >= MIN_STREAMED_ROW_BYTES;
        let mut buffer = MaybeUninit::<[u8; GATHER_BUFFER_BYTES]>::uninit();
        let buffer = buffer.as_mut_ptr().cast::<u8>();
        for_positions(blocks, 0, &mut |base, at| {
            for &[to_at, from_at] in at {
                let to = self.to.offset(base[0] + to_at).get();
                let from = self.from.offset(base[1] + from_at).get().cast_const();
                if !stream {
                    // SAFETY: the caller ensures that `row` contiguous elements may be read at `from`. The caller also ensures
                    // exclusive access to the `row * copies` elements at `to`.
                    unsafe { repeat::repeat(unit, copies, from, to, row) };
                    continue;
                }
                for begin in (0..row).step_by(GATHER_BUFFER_BYTES / unit / copies) {
                    let n = (row - begin).min(GATHER_BUFFER_BYTES / unit / copies);
                    // SAFETY: `begin + n <= row`, so the caller ensures that these `n` elements of the source may be read. `n` is so
                    // small that `buffer` has space for their copies. Only this function accesses `buffer`.
                    unsafe { repeat::repeat(unit, copies, from.wrapping_add(begin * unit), buffer, n) };
                    let to = to.wrapping_add(begin * copies * unit);
                    // SAFETY: `repeat` has written these bytes of `buffer`. They are the copies of the elements from `begin` on, so
                    // they belong at `to`. The caller ensures exclusive access to the result. `run` calls `fence` afterwards.
                    unsafe { stream::stream_piece(buffer, to, n * copies * unit, None) };
                }
            }
        });
    }

    /// Copies `row` once for each index of the loops of `blocks`. The rows are contiguous in the result and strided in the source.
    ///
    /// # Safety
    /// The contract of [`run`](CopyTask::run), for the elements that `row` and `blocks` visit together. The caller must also ensure
    /// that the stride of `row` is `blocks.unit` in the result, and a multiple of `blocks.unit` in the source.
    unsafe fn gathered(&self, row: Loop, blocks: &Blocks) {
        let (unit, stride) = (blocks.unit, row.from / blocks.unit as isize);
        let stream = self.bytes >= MIN_STREAMED_BYTES && row.extent * unit >= MIN_STREAMED_ROW_BYTES;
        // A row that runs backwards in the source is copied from its last element to the first, because processors read memory faster in
        // ascending order of the addresses.
        let backwards = stride < 0;
        let mut buffer = MaybeUninit::<[u8; GATHER_BUFFER_BYTES]>::uninit();
        let buffer = buffer.as_mut_ptr().cast::<u8>();
        for_positions(blocks, 2, &mut |base, at| {
            let (to, from) = (self.to.offset(base[0]).get(), self.from.offset(base[1]).get());
            for &[to_at, from_at] in at {
                let (to, from) = (to.wrapping_offset(to_at), from.wrapping_offset(from_at).cast_const());
                if !stream {
                    // SAFETY: `row` and `blocks` visit these `row.extent` elements. The caller ensures that they may be read in the
                    // source, and exclusive access to them in the result.
                    unsafe { pack::gather(unit, from, stride, to, row.extent) };
                    continue;
                }
                let mut left = 0..row.extent;
                while !left.is_empty() {
                    // Each part begins or ends at a cache line boundary of the result.
                    let first = to.wrapping_add(if backwards { left.end } else { left.start } * unit);
                    let beyond = first as usize % CACHE_LINE_BYTES / unit;
                    let n =
                        if backwards && beyond > 0 { beyond } else { GATHER_BUFFER_BYTES / unit - beyond };
                    let n = n.min(left.len());
                    let begin = if backwards { left.end - n } else { left.start };
                    let at = |i: usize| from.wrapping_offset(i as isize * row.from);
                    if backwards {
                        left.end = begin;
                        // SAFETY: `begin + n <= row.extent`, so these are elements of the row, and the caller ensures that they may be
                        // read. `n` elements fit in `buffer`, which only this function accesses.
                        unsafe { pack::gather_reversed(unit, at(begin + n - 1), -stride, buffer, n) };
                    } else {
                        left.start = begin + n;
                        // SAFETY: `begin + n <= row.extent`, so these are elements of the row, and the caller ensures that they may be
                        // read. `n` elements fit in `buffer`, which only this function accesses.
                        unsafe { pack::gather(unit, at(begin), stride, buffer, n) };
                    }
                    // SAFETY: `n · unit` bytes of `buffer` have been written. They are the elements from `begin` on of the row in the
                    // result. The caller ensures exclusive access to that row. `run` calls `fence` afterwards.
                    unsafe { stream::stream_piece(buffer, to.wrapping_add(begin * unit), n * unit, None) };
                }
            }
        });
    }

    /// Copies the blocks as contiguous runs of `unit` bytes.
    ///
    /// # Safety
    /// The contract of [`run`](CopyTask::run).
    unsafe fn pieces(&self, blocks: &Blocks) {
        let stream = self.bytes >= MIN_STREAMED_BYTES && blocks.unit >= MIN_STREAMED_ROW_BYTES;
        for_positions(blocks, 2, &mut |base, at| {
            let (to, from) = (self.to.offset(base[0]).get(), self.from.offset(base[1]).get().cast_const());
            if stream {
                let sources = at.iter().map(|&[_, from_at]| from.wrapping_offset(from_at));
                // The source of the piece after the last one is not known here. Often, it follows the last one.
                let after = sources.clone().next_back().map(|last| last.wrapping_add(blocks.unit));
                let next = sources.clone().skip(1).chain(after);
                for ((&[to_at, _], from), next) in at.iter().zip(sources).zip(next) {
                    let to = to.wrapping_offset(to_at);
                    // SAFETY: `blocks` visits these `blocks.unit` bytes. The caller ensures that they may be read at `from`, and
                    // exclusive access to those at `to`. The two ranges do not overlap. `run` calls `fence` afterwards.
                    unsafe { stream::stream_piece(from, to, blocks.unit, Some(next)) };
                }
            } else {
                // SAFETY: `blocks` visits `blocks.unit` bytes at each pair of offsets in `at`. The caller ensures that they may be read
                // in the source, and exclusive access to them in the result. Source and result do not overlap.
                unsafe { stream::copy_pieces(blocks.unit, from, to, at) };
            }
        });
    }
}

/// Returns the number of elements, of `unit` bytes each, from the address `start` to the first whole cache line. Returns `None` if
/// `start` is not a multiple of `unit`, or if this number is not the same at all indices of the loops. `step` returns the stride of
/// a loop in the operand that contains `start`.
fn lead(start: usize, unit: usize, loops: [&[Loop]; 2], step: fn(&Loop) -> isize) -> Option<usize> {
    let same = loops.into_iter().flatten().all(|l| step(l) % CACHE_LINE_BYTES as isize == 0);
    (same && start.is_multiple_of(unit)).then(|| (start.next_multiple_of(CACHE_LINE_BYTES) - start) / unit)
}

/// Returns whether the contiguous lines of the result, or those of the source, have a stride that is a multiple of 2048 bytes. Such
/// lines map to the same few sets of L1 and evict each other.
fn collide(blocks: &Blocks) -> bool {
    let far = |step: isize| step != 0 && step % 2048 == 0;
    blocks.rows.as_slice().iter().any(|l| far(l.to)) || blocks.columns.as_slice().iter().any(|l| far(l.from))
}

/// Fills `table` with the offsets of all indices of the loops. The first loop is the innermost. `table[0]` must be 0.
fn fill(table: &mut [isize], loops: &[Loop], step: impl Fn(&Loop) -> isize) {
    let mut filled = 1;
    for l in loops {
        for i in filled..table.len().min(filled * l.extent) {
            table[i] = table[i - filled] + step(l);
        }
        filled *= l.extent;
    }
}

/// Calls `f` for all indices of the outer loops and, if `inner` is 2, of columns and rows as well. `inner` must be 0 or 2. `f`
/// takes a pair of base offsets, in the result and in the source, and a table of pairs of offsets to add to the base offsets.
fn for_positions(blocks: &Blocks, inner: usize, f: &mut dyn FnMut([isize; 2], &[[isize; 2]])) {
    // All loops, innermost first.
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
        let needed = MAX_POSITIONS.min(filled * l.extent);
        // The offsets at all further indices of this loop, from those at its index 0. If they were computed from those at the index
        // before, each addition would wait for the previous one.
        let (first, further) = table[..needed].split_at_mut(filled);
        let mut at = [0, 0];
        for offsets in further.chunks_mut(filled) {
            at = [at[0] + l.to, at[1] + l.from];
            for (offset, &[to, from]) in offsets.iter_mut().zip(&*first) {
                *offset = [to + at[0], from + at[1]];
            }
        }
        filled = needed;
        whole += 1;
        if filled < l.extent {
            break;
        }
    }
    // If the innermost loop is longer than the table, it is divided into chunks of `MAX_POSITIONS` indices. The table has the
    // offsets of the first chunk, and a new outermost loop visits the chunks.
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
