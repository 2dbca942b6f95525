//! Runs a loop on tiles of rows and columns, so that operands can be transposed.

use super::{First, StripRows, StripTask, TILE_WIDTH_BYTES};
use crate::device::cpu::loops::pack::scatter;
use crate::device::cpu::memory::scratch::{Side, with_buffers};
use crate::simd::{CACHE_LINE_BYTES, prefetch};

/// Maximum size of a tile that consists of whole rows, in bytes. A tile has whole rows only if, in each operand that is used in
/// place, each row begins directly after the previous row. Memory is then read and written without gaps.
const MAX_WHOLE_ROWS_BYTES: usize = 1 << 20;

/// Maximum size of a tile, in bytes, for prefetching the next tile while this one is computed. Both tiles then fit in L2.
const MAX_PREFETCHED_BYTES: usize = 128 << 10;

/// The largest height, in rows, to which tiles are reduced if the allocation of buffers for larger tiles fails.
const REDUCED_TILE_HEIGHT: usize = 32;

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

impl<const K: usize> StripTask<'_, K> {
    /// Runs the loop on many rows, tile by tile, so that operands can be transposed. The first row begins at the offsets `at`.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`for_blocks`], for the elements of the rows.
    pub(super) unsafe fn blocks(&self, rows: &StripRows<K>, at: [isize; K]) {
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
