//! Runs a loop on one row, in parts that fit in a buffer, or on several short rows at once.

use super::{First, ROW_BUFFER_BYTES, StripRows, StripTask, TILE_HEIGHT_BYTES, padded};
use crate::device::cpu::loops::pack::{gather, scatter};
use crate::device::cpu::memory::scratch::{Side, with_buffers};
use crate::device::cpu::memory::stream::stream_piece;
use crate::simd::{CACHE_LINE_BYTES, prefetch};
use core::mem::MaybeUninit;

/// Size of the parts, in bytes, in which a contiguous row is computed for non-temporal stores. Reads and writes of larger parts would
/// alternate in long bursts. Chosen by the rows `a + b` of `benches/core/benches/core/elementwise.rs`.
const STREAMED_PART_BYTES: usize = ROW_BUFFER_BYTES;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Buffer(#[allow(dead_code)] [MaybeUninit<u8>; ROW_BUFFER_BYTES]);

impl<const K: usize> StripTask<'_, K> {
    /// Runs the loop on one row, which begins at the addresses `at`. Calls the loop once for each part of the row that fits in a buffer.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`for_blocks`], for the elements of the row.
    pub(super) unsafe fn row(&self, columns: usize, strides: [isize; K], at: [*mut u8; K]) {
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
    pub(super) unsafe fn contiguous(&self, columns: usize, at: [*mut u8; K]) {
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
    pub(super) unsafe fn joined(&self, rows: &StripRows<K>, at: [isize; K]) {
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
}

/// Prefetches `n` elements from address `from` on. `step` is the stride between them, in bytes, and not 0.
fn prefetch_strided(from: *const u8, step: isize, n: usize) {
    // With a small stride, several elements are in one cache line.
    let each = (CACHE_LINE_BYTES / step.unsigned_abs()).max(1);
    for i in (0..n).step_by(each) {
        prefetch(from.wrapping_offset(i as isize * step));
    }
}
