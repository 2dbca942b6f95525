//! Transposes tiles: with SIMD shuffles on x86-64, element by element on other processors.
//!
//! Elements are bytes here, 1, 2, 4, 8 or 16 of them, so that there are five kernels for each instruction set and not one for
//! each element type.

#[cfg(target_arch = "x86_64")]
use super::register::Register;
use crate::element::Element;
#[cfg(target_arch = "x86_64")]
use crate::layout::tiling::CACHE_LINE_BYTES;
use crate::simd::Level;
#[cfg(target_arch = "x86_64")]
use crate::simd::prefetch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{__m128i, __m256i, __m512i};
#[cfg(target_arch = "x86_64")]
use core::mem::MaybeUninit;

/// How far ahead of its use the source is prefetched: as many columns as fill this many bytes of the result.
#[cfg(target_arch = "x86_64")]
const PREFETCH_BYTES: usize = 2 * CACHE_LINE_BYTES;
/// Rows that one call of a kernel covers.
const BAND_ROWS: usize = 64;

/// Transposes a tile: `to[r][c] = from[c][r]`, for `r` below `rows` and `c` below `columns`, where
///
/// * element `[r][c]` of the result is at `to + r · to_stride + c`: each of its rows is contiguous, and `to_stride` elements from
///   the next one;
/// * element `[c][r]` of the source is at `from + c · from_stride + r`: the elements of a *column* of the result are contiguous,
///   and `from_stride` elements from those of the next column.
///
/// Both strides count elements and may be of any sign, or zero in the source. Pointers need no more alignment than the
/// element's. Every element of the result is written, some of them more than once; no other memory is accessed. Intended for
/// tiles whose source and result fit L1 or L2 together. Tiles of 32 × 32 or 64 × 64 elements are fast; tiles with fewer rows or
/// columns than a register has elements (64 bytes) are slow.
///
/// # Safety
/// The caller must ensure that
///
/// * all elements of the source may be read;
/// * the caller has exclusive access to all elements of the result, which do not overlap the source's.
#[inline]
pub(in crate::device::cpu) unsafe fn transpose_tile<T: Element>(
    from: *const T,
    from_stride: isize,
    to: *mut T,
    to_stride: isize,
    rows: usize,
    columns: usize,
) {
    let bytes = |elements: isize| elements.wrapping_mul(size_of::<T>() as isize);
    // SAFETY: the same elements, with strides in bytes: the source is readable, the result exclusive, as the caller ensures.
    unsafe {
        transpose(size_of::<T>(), from.cast(), bytes(from_stride), to.cast(), bytes(to_stride), rows, columns)
    }
}

/// [`transpose_tile`] for elements of `size` bytes, with strides in bytes.
///
/// # Safety
/// As [`transpose_tile`].
pub(super) unsafe fn transpose(
    size: usize,
    from: *const u8,
    from_stride: isize,
    to: *mut u8,
    to_stride: isize,
    rows: usize,
    columns: usize,
) {
    let kernel = kernel(size);
    let mut steps = [0; BAND_ROWS];
    for (r, step) in steps.iter_mut().enumerate().take(rows) {
        *step = r as isize * to_stride;
    }
    for row in (0..rows).step_by(BAND_ROWS) {
        let tile = Tile {
            from: from.wrapping_add(row * size),
            to: to.wrapping_offset(row as isize * to_stride),
            rows: &steps[..BAND_ROWS.min(rows - row)],
            columns: Steps::Even(columns, from_stride),
            lead_rows: 0,
            lead_columns: 0,
            ahead: true,
            stream: false,
        };
        // SAFETY: at most `BAND_ROWS` rows from `row` on, and all columns: the caller ensures access to their elements.
        unsafe { kernel(&tile, &[[0, 0]]) };
    }
}

/// Offsets in bytes of the columns of the result in the source, from the first one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Steps<'a> {
    /// `.0` columns, each `.1` bytes from the next one.
    Even(usize, isize),
    Table(&'a [isize]),
}

impl Steps<'_> {
    #[inline(always)]
    fn len(self) -> usize {
        match self {
            Steps::Even(len, _) => len,
            Steps::Table(table) => table.len(),
        }
    }

    #[inline(always)]
    fn get(self, i: usize) -> isize {
        match self {
            Steps::Even(_, stride) => i as isize * stride,
            Steps::Table(table) => table[i],
        }
    }
}

/// A tile to transpose. The elements of a column are contiguous in the source, those of a row in the result.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "without registers there is nothing to align or stream")
)]
pub(super) struct Tile<'a> {
    pub(super) from: *const u8,
    pub(super) to: *mut u8,
    /// Offsets in bytes of the rows in the result, from the first one.
    pub(super) rows: &'a [isize],
    pub(super) columns: Steps<'a>,
    /// Elements of each column before its first whole cache line in the source, if that number is the same for all columns.
    pub(super) lead_rows: usize,
    /// Elements of each row before its first whole cache line in the result, if that number is the same for all rows.
    pub(super) lead_columns: usize,
    /// Whether to prefetch the source.
    pub(super) ahead: bool,
    /// Whether to write whole cache lines with non-temporal stores. The caller must then call [`fence`](super::stream::fence)
    /// at the end.
    pub(super) stream: bool,
}

/// Transposes a tile of elements of one size at several places. Each is a pair of offsets in bytes, in the result and in the
/// source, from `to` and `from` of the tile.
///
/// # Safety
/// The caller must ensure for each pair of offsets that
///
/// * all elements of the source may be read;
/// * the caller has exclusive access to all elements of the result, which do not overlap the source's;
/// * if the tile is to be streamed, each row of the result is at a multiple of 64 bytes after its first `lead_columns` elements.
pub(super) type Kernel = unsafe fn(&Tile<'_>, &[[isize; 2]]);

/// Returns the kernel for elements of `size` bytes, with the best instructions that the processor has.
#[inline]
pub(super) fn kernel(size: usize) -> Kernel {
    match size {
        1 => kernels::<1>(),
        2 => kernels::<2>(),
        4 => kernels::<4>(),
        8 => kernels::<8>(),
        16 => kernels::<16>(),
        _ => unreachable!("no elements of {size} bytes"),
    }
}

#[cfg(target_arch = "x86_64")]
fn kernels<const SIZE: usize>() -> Kernel {
    match Level::get() {
        Level::Avx512 => avx512::<SIZE>,
        Level::Avx2 => avx2::<SIZE>,
        Level::Portable => sse2::<SIZE>,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn kernels<const SIZE: usize>() -> Kernel {
    debug_assert_eq!(Level::get(), Level::Portable);
    one_by_one::<SIZE>
}

// ------------------------------------------------------------------ instruction sets

// Each covers a tile with the widest rows that fit in it: cache lines, registers, elements.

/// Covers a tile of elements of `$size` bytes with blocks of `$columns` columns, if one fits. Returns whether it did.
#[cfg(target_arch = "x86_64")]
macro_rules! cover {
    ($tile:ident at $at:ident: $register:ty, $size:literal, $group:literal, $columns:literal) => {
        // SAFETY: the function around has `cover`'s contract; it runs only on processors with the instruction set.
        // `$group · $size` is 16.
        unsafe { $tile.cover::<$register, $size, $group, $columns>($at) }
    };
}

/// # Safety
/// As [`Kernel`]; the processor must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
unsafe fn avx512<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    let done = match SIZE {
        1 => cover!(tile at at: __m512i, 1, 16, 64),
        2 => cover!(tile at at: __m512i, 2, 8, 32),
        4 => cover!(tile at at: __m512i, 4, 4, 16),
        8 => cover!(tile at at: __m512i, 8, 2, 8),
        _ => cover!(tile at at: __m512i, 16, 1, 4),
    };
    if !done {
        // SAFETY: `with_avx2` has this function's contract; a processor with AVX-512 has AVX2.
        unsafe { with_avx2::<SIZE>(tile, at) };
    }
}

/// # Safety
/// As [`Kernel`]; the processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    // SAFETY: `with_avx2` has this function's contract: AVX2, and access to the tile's elements.
    unsafe { with_avx2::<SIZE>(tile, at) }
}

/// # Safety
/// As [`avx2`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn with_avx2<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    let done = match SIZE {
        1 => cover!(tile at at: __m256i, 1, 16, 64) || cover!(tile at at: __m256i, 1, 16, 32),
        2 => cover!(tile at at: __m256i, 2, 8, 32) || cover!(tile at at: __m256i, 2, 8, 16),
        4 => cover!(tile at at: __m256i, 4, 4, 16) || cover!(tile at at: __m256i, 4, 4, 8),
        8 => cover!(tile at at: __m256i, 8, 2, 8) || cover!(tile at at: __m256i, 8, 2, 4),
        _ => cover!(tile at at: __m256i, 16, 1, 4) || cover!(tile at at: __m256i, 16, 1, 2),
    };
    if !done {
        // SAFETY: `with_sse2` has this function's contract, except for AVX2.
        unsafe { with_sse2::<SIZE>(tile, at) };
    }
}

/// # Safety
/// As [`Kernel`].
#[cfg(target_arch = "x86_64")]
unsafe fn sse2<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    // SAFETY: `with_sse2` has this function's contract, that of `Kernel`.
    unsafe { with_sse2::<SIZE>(tile, at) }
}

/// # Safety
/// As [`Kernel`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn with_sse2<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    // Every x86-64 processor has SSE2.
    let done = match SIZE {
        1 => cover!(tile at at: __m128i, 1, 16, 64) || cover!(tile at at: __m128i, 1, 16, 16),
        2 => cover!(tile at at: __m128i, 2, 8, 32) || cover!(tile at at: __m128i, 2, 8, 8),
        4 => cover!(tile at at: __m128i, 4, 4, 16) || cover!(tile at at: __m128i, 4, 4, 4),
        8 => cover!(tile at at: __m128i, 8, 2, 8) || cover!(tile at at: __m128i, 8, 2, 2),
        _ => cover!(tile at at: __m128i, 16, 1, 4),
    };
    if !done {
        // SAFETY: `one_by_one` has this function's contract, that of `Kernel`.
        unsafe { one_by_one::<SIZE>(tile, at) };
    }
}

#[cfg(target_arch = "x86_64")]
impl Tile<'_> {
    /// Transposes the tile in blocks of `COLUMNS` columns, each with the rows of a register. The rest after the last whole block
    /// is covered by a block that ends with the tile and overlaps its neighbour. Returns `false`, without doing anything, if the
    /// tile is too small for a block.
    ///
    /// The inner loop advances down the rows, so that cache lines of the source are read in order. Blocks that begin with a cache
    /// line of the result and are as wide as one can be written with non-temporal stores.
    ///
    /// # Safety
    /// As [`Kernel`]. The processor must have the instruction set of `R`, `GROUP` elements must have 16 bytes, and `COLUMNS` must
    /// be a multiple of `GROUP · R::LANES`.
    #[inline(always)]
    unsafe fn cover<R: Register, const SIZE: usize, const GROUP: usize, const COLUMNS: usize>(
        &self,
        at: &[[isize; 2]],
    ) -> bool {
        let side = R::LANES * GROUP;
        let (rows, columns) = (self.rows, self.columns.len());
        if rows.len() < side || columns < COLUMNS {
            return false;
        }
        for &[to, from] in at {
            let (from, to) = (self.from.wrapping_offset(from), self.to.wrapping_offset(to));
            let mut next = 0;
            while next < columns {
                let column = next.min(columns - COLUMNS);
                let stream = self.stream
                    && next == column
                    && next >= self.lead_columns
                    && COLUMNS * SIZE == CACHE_LINE_BYTES;
                next = if next < self.lead_columns {
                    self.lead_columns.min(next + COLUMNS)
                } else {
                    next + COLUMNS
                };
                let (mut steps, mut ahead) = ([0; COLUMNS], [0; COLUMNS]);
                let beyond = (column + PREFETCH_BYTES / SIZE).min(columns - COLUMNS);
                for c in 0..COLUMNS {
                    steps[c] = self.columns.get(column + c);
                    ahead[c] = self.columns.get(beyond + c);
                }
                let to = to.wrapping_add(column * SIZE);
                let mut r = 0;
                while r < rows.len() {
                    let row = r.min(rows.len() - side);
                    r = if r < self.lead_rows { self.lead_rows.min(r + side) } else { r + side };
                    let from = from.wrapping_add(row * SIZE);
                    if self.ahead {
                        for step in ahead {
                            prefetch(from.wrapping_offset(step));
                        }
                    }
                    let rows = rows[row..row + side].as_ptr();
                    // SAFETY: the block is within the tile, whose elements the caller may access; `rows` has `side` offsets.
                    // If `stream`, `column - lead_columns` is a multiple of a line's elements: each row begins with a line.
                    unsafe { block::<R, SIZE, GROUP, COLUMNS>(from, &steps, to, rows, stream) };
                }
            }
        }
        true
    }
}

/// A loop over constants: the compiler does not unroll loops over this many registers, and would keep them in memory.
#[cfg(target_arch = "x86_64")]
macro_rules! unrolled {
    ($i:ident below $end:expr, $($k:literal)* => $body:block) => {
        $({
            let $i: usize = $k;
            if $i < $end $body
        })*
    };
}

/// Transposes a block: `COLUMNS` registers, each of which holds a part of a column at first.
///
/// Groups of as many columns as 16 bytes have elements are transposed within each 16-byte lane: the two halves of a group are
/// interleaved, once for each doubling from one element to 16 bytes. Then each register holds parts of some rows, one in each
/// lane. Transposing the lanes of as many groups as there are lanes makes whole registers of each row.
///
/// # Safety
/// The caller must ensure that
///
/// * the processor has the instruction set of `R`, and `GROUP` elements have 16 bytes; `COLUMNS` is a multiple of
///   `GROUP · R::LANES`;
/// * a register may be read at `from` plus each of `columns`;
/// * `rows` points to as many offsets as a register has elements, and `COLUMNS` elements may be written at `to` plus each
///   of them;
/// * if `stream`, each of these rows begins at a multiple of 64 bytes and has 64 bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn block<R: Register, const SIZE: usize, const GROUP: usize, const COLUMNS: usize>(
    from: *const u8,
    columns: &[isize; COLUMNS],
    to: *mut u8,
    rows: *const isize,
    stream: bool,
) {
    let mut parts = [MaybeUninit::<R>::uninit(); COLUMNS];
    let load = |column: usize| {
        // SAFETY: a register may be read at each of `columns`, and `columns[column]` is one of them.
        unsafe { R::load(from.wrapping_offset(columns[column])) }
    };
    for first in (0..COLUMNS).step_by(GROUP) {
        let mut group = [load(first); GROUP];
        unrolled!(c below GROUP, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
            group[c] = load(first + c);
        });
        // Once for each doubling from one element to 16 bytes.
        if SIZE < 2 {
            group = interleave::<R, SIZE, GROUP>(group);
        }
        if SIZE < 4 {
            group = interleave::<R, SIZE, GROUP>(group);
        }
        if SIZE < 8 {
            group = interleave::<R, SIZE, GROUP>(group);
        }
        if SIZE < 16 {
            group = interleave::<R, SIZE, GROUP>(group);
        }
        unrolled!(c below GROUP, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
            parts[first + c].write(group[c]);
        });
    }
    let part = |at: usize| {
        // SAFETY: the loop over groups above wrote all `COLUMNS` parts.
        unsafe { parts[at].assume_init() }
    };
    for i in 0..GROUP {
        for first in (0..COLUMNS).step_by(GROUP * R::LANES) {
            let mut lanes = [part(first + i); 4];
            for (lane, to) in lanes.iter_mut().enumerate().take(R::LANES) {
                *to = part(first + lane * GROUP + i);
            }
            R::transpose_lanes(&mut lanes);
            for (lane, part) in lanes.into_iter().enumerate().take(R::LANES) {
                // SAFETY: `lane · GROUP + i < LANES · GROUP`, the elements of a register; `rows` points to as many offsets.
                let row = unsafe { *rows.wrapping_add(lane * GROUP + i) };
                let to = to.wrapping_offset(row).wrapping_add(first * SIZE);
                if stream {
                    // SAFETY: `first + GROUP · LANES <= COLUMNS`: a register at `to` is within the row. The row begins with
                    // a cache line, and `first · SIZE` is a multiple of the register's bytes, so `to` is aligned.
                    unsafe { part.stream(to) }
                } else {
                    // SAFETY: as for `stream`, without the alignment: a register at `to` is within the row, which may be written.
                    unsafe { part.store(to) }
                }
            }
        }
    }
}

/// Interleaves the first half of a group with the second half, within each 16-byte lane. Elements have 1, 2, 4 or 8 bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn interleave<R: Register, const SIZE: usize, const GROUP: usize>(group: [R; GROUP]) -> [R; GROUP] {
    let mut result = group;
    unrolled!(i below GROUP / 2, 0 1 2 3 4 5 6 7 => {
        let (one, other) = (group[i], group[i + GROUP / 2]);
        result[2 * i] = one.interleave_low::<SIZE>(other);
        result[2 * i + 1] = one.interleave_high::<SIZE>(other);
    });
    result
}

// ------------------------------------------------------------------ any processor

/// # Safety
/// As [`Kernel`].
#[inline(always)]
unsafe fn one_by_one<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    for &[to, from] in at {
        for (r, row) in tile.rows.iter().enumerate() {
            let from = tile.from.wrapping_offset(from).wrapping_add(r * SIZE);
            let to = tile.to.wrapping_offset(to + row).cast::<[u8; SIZE]>();
            for c in 0..tile.columns.len() {
                let from = from.wrapping_offset(tile.columns.get(c)).cast::<[u8; SIZE]>();
                // SAFETY: `r` and `c` are below the tile's extents, and the caller may read and write its elements at each pair
                // of offsets; the two sides do not overlap, and arrays of bytes need no alignment.
                unsafe { to.wrapping_add(c).copy_from_nonoverlapping(from, 1) };
            }
        }
    }
}
