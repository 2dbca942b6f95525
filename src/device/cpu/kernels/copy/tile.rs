//! Transposing tiles: in registers where the processor has shuffles for it.
//!
//! Elements are bytes here, 1, 2, 4, 8 or 16 of them, so that there are five kernels for each instruction set and not one for
//! each element type.

#[cfg(target_arch = "x86_64")]
use super::register::Register;
use crate::device::cpu::simd::Level;
#[cfg(target_arch = "x86_64")]
use crate::device::cpu::simd::prefetch;
use crate::element::Element;
#[cfg(target_arch = "x86_64")]
use crate::layout::tiling::CACHE_LINE_BYTES;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{__m128i, __m256i, __m512i};
#[cfg(target_arch = "x86_64")]
use core::mem::MaybeUninit;

/// How far ahead of its use the source is prefetched: as many columns as fill this many bytes of the result.
#[cfg(target_arch = "x86_64")]
const PREFETCH_BYTES: usize = 2 * CACHE_LINE_BYTES;
/// Rows that one sweep covers.
const BAND_ROWS: usize = 64;

/// Transposes a tile: `to[r][c] = from[c][r]`, for `r` below `rows` and `c` below `columns`, where
///
/// * element `[r][c]` of the result lies at `to + r · to_stride + c`: its rows are in one piece each, `to_stride` elements
///   apart;
/// * element `[c][r]` of the source lies at `from + c · from_stride + r`: what becomes a *column* of the result is in one
///   piece, `from_stride` elements from the next such column.
///
/// Both strides count elements and may be of any sign, or zero in the source. Pointers need no more alignment than the
/// element's. Every element of the result is written, some of them more than once; nothing else is touched. Meant for tiles
/// whose source and result fit the first- or second-level cache together; 32 × 32 or 64 × 64 elements are a good tile, fewer
/// rows or columns than a register has elements (64 bytes) a slow one.
///
/// # Safety
/// All elements of the source may be read, and those of the result are the caller's alone to write; they are not among the
/// source's.
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
    // SAFETY: the caller's, in bytes.
    unsafe {
        transpose(size_of::<T>(), from.cast(), bytes(from_stride), to.cast(), bytes(to_stride), rows, columns)
    }
}

/// The same for elements of a size, with strides that count bytes.
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
        // SAFETY: the caller's.
        unsafe { kernel(&tile, &[[0, 0]]) };
    }
}

/// Where columns of the result are in the source, from the first one: in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Steps<'a> {
    /// So many, so far from each other.
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

/// A tile to transpose. What becomes a column lies side by side in the source, a row in the result.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "without registers there is nothing to align or stream")
)]
pub(super) struct Tile<'a> {
    pub(super) from: *const u8,
    pub(super) to: *mut u8,
    /// Where the rows are in the result, from the first one: in bytes.
    pub(super) rows: &'a [isize],
    pub(super) columns: Steps<'a>,
    /// Elements of each column before its first whole cache line in the source, where that is the same for all columns.
    pub(super) lead_rows: usize,
    /// Elements of each row before its first whole cache line in the result, where that is the same for all rows.
    pub(super) lead_columns: usize,
    /// Whether to ask for the source ahead of its use.
    pub(super) ahead: bool,
    /// Whether to write whole cache lines past the caches. Whoever asks for it calls [`fence`](super::stream::fence) in the end.
    pub(super) stream: bool,
}

/// Transposes a tile of elements of one size at some positions: bytes from its beginning, in the result and in the source.
///
/// # Safety
/// At each position: all elements of the source may be read, and those of the result are the caller's alone to write; they
/// are not among the source's.
pub(super) type Kernel = unsafe fn(&Tile<'_>, &[[isize; 2]]);

/// The kernel for elements of so many bytes, with the best instructions that may be used.
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

// Each covers a tile with the widest rows that it has room for: cache lines, registers, elements.

/// Covers a tile of elements of a size with blocks of registers, of so many columns, if there is room for one; says so.
#[cfg(target_arch = "x86_64")]
macro_rules! cover {
    ($tile:ident at $at:ident: $register:ty, $size:literal, $group:literal, $columns:literal) => {
        // SAFETY: the caller's, on a processor with the instruction set. A group has 16 bytes.
        unsafe { $tile.cover::<$register, $size, $group, $columns>($at) }
    };
}

/// # Safety
/// As [`Kernel`], on a processor with AVX-512.
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
        // SAFETY: the caller's; a processor with AVX-512 has AVX2.
        unsafe { with_avx2::<SIZE>(tile, at) };
    }
}

/// # Safety
/// As [`Kernel`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    // SAFETY: the caller's.
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
        // SAFETY: the caller's.
        unsafe { with_sse2::<SIZE>(tile, at) };
    }
}

/// # Safety
/// As [`Kernel`].
#[cfg(target_arch = "x86_64")]
unsafe fn sse2<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    // SAFETY: the caller's.
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
        // SAFETY: the caller's.
        unsafe { one_by_one::<SIZE>(tile, at) };
    }
}

#[cfg(target_arch = "x86_64")]
impl Tile<'_> {
    /// Transposes the tile in blocks of so many columns, each with a register's rows. What is beyond the last whole block is
    /// part of one that ends with the tile and covers some of its neighbour once more. Does nothing if the tile is too small
    /// for a block, and says so.
    ///
    /// Blocks below each other follow each other, so that lines of the source are read in their sequence. Where they begin
    /// with a line of the result and are as wide, they can write past the caches.
    ///
    /// # Safety
    /// As [`Kernel`]; the processor has the instruction set. `GROUP` elements have 16 bytes.
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
                    // SAFETY: the caller's; the block lies within the tile, and whoever asks for streams gives whole lines.
                    unsafe { block::<R, SIZE, GROUP, COLUMNS>(from, &steps, to, rows, stream) };
                }
            }
        }
        true
    }
}

/// A loop over constants: the compiler does not unroll loops over so many registers, and would keep them in memory.
#[cfg(target_arch = "x86_64")]
macro_rules! unrolled {
    ($i:ident below $end:expr, $($k:literal)* => $body:block) => {
        $({
            let $i: usize = $k;
            if $i < $end $body
        })*
    };
}

/// Transposes a block: `COLUMNS` registers, which hold a part of a column each at first.
///
/// Groups of as many columns as 16 bytes have elements are transposed within each lane: interleaving halves, as often as it
/// takes to come from one element to 16 bytes, does that. Then each register holds parts of some rows, one in each lane, and a
/// transposition of the lanes of as many groups as there are lanes makes whole registers of each row.
///
/// # Safety
/// `COLUMNS` columns of a register's bytes each may be read, and as many rows of `COLUMNS` elements written as a register has
/// elements; rows to `stream` begin with a cache line. `GROUP` elements have 16 bytes. The processor has the instruction set.
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
        // SAFETY: the caller's, for one of the columns.
        unsafe { R::load(from.wrapping_offset(columns[column])) }
    };
    for first in (0..COLUMNS).step_by(GROUP) {
        let mut group = [load(first); GROUP];
        unrolled!(c below GROUP, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
            group[c] = load(first + c);
        });
        // Once for each doubling from an element to 16 bytes.
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
        // SAFETY: all parts have been written, by groups.
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
                // SAFETY: the caller's, for one of the rows.
                let row = unsafe { *rows.wrapping_add(lane * GROUP + i) };
                let to = to.wrapping_offset(row).wrapping_add(first * SIZE);
                if stream {
                    // SAFETY: the caller's; each row has `COLUMNS / (GROUP · LANES)` registers.
                    unsafe { part.stream(to) }
                } else {
                    // SAFETY: as above.
                    unsafe { part.store(to) }
                }
            }
        }
    }
}

/// Interleaves the first half of a group with the second one, within each lane. Elements have 1, 2, 4 or 8 bytes.
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
                // SAFETY: the caller's.
                unsafe { to.wrapping_add(c).copy_from_nonoverlapping(from, 1) };
            }
        }
    }
}
