//! Transposes tiles: with SIMD shuffles on x86-64, element by element on other processors.
//!
//! The kernels treat an element as an array of 1, 2, 4, 8 or 16 bytes. So each instruction set has five kernels, and not one for
//! each element type.
//!
//! ```text
//! for each position of the tile                                (Tile::cover)
//!     for each block of COLUMNS columns
//!         for each block of rows that fills a register
//!             prefetch the columns PREFETCH_BYTES ahead
//!             load COLUMNS registers, transpose, store         (block)
//! ```
//!
//! A position of a tile is a pair of offsets, one in the result and one in the source.
//!
//! A block is transposed in two stages. Example: elements of 4 bytes, registers of two 16-byte blocks, eight columns. Each
//! register holds eight elements of one column of the result:
//!
//! ```text
//! columns 0..4:  a0 a1 a2 a3 | a4 a5 a6 a7     columns 4..8:  e0 e1 e2 e3 | e4 e5 e6 e7
//!                b0 b1 b2 b3 | b4 b5 b6 b7                    f0 f1 f2 f3 | f4 f5 f6 f7
//!                c0 c1 c2 c3 | c4 c5 c6 c7                    g0 g1 g2 g3 | g4 g5 g6 g7
//!                d0 d1 d2 d3 | d4 d5 d6 d7                    h0 h1 h2 h3 | h4 h5 h6 h7
//!
//! 1. transpose each group of four within its blocks, by interleaving (interleave)
//!                a0 b0 c0 d0 | a4 b4 c4 d4                    e0 f0 g0 h0 | e4 f4 g4 h4
//!                ..                                           ..
//! 2. transpose blocks between groups                           (transpose_blocks)
//!                a0 b0 c0 d0 | e0 f0 g0 h0     row 0
//!                a4 b4 c4 d4 | e4 f4 g4 h4     row 4
//! ```

use crate::element::Element;
#[cfg(target_arch = "aarch64")]
use crate::simd::neon::{Neon, U8x16};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::simd::{
    CACHE_LINE_BYTES, prefetch,
    vector::{ByteVector, Isa, SimdKernel, Vector, interleave, unrolled},
};
#[cfg(target_arch = "x86_64")]
use crate::simd::{
    HAS_WIDE_LEVELS,
    avx2::{Avx2, U8x32},
    avx512::{Avx512, U8x64},
    sse2::U8x16,
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use core::mem::MaybeUninit;

/// Prefetch distance, in bytes along a row of the result. While the kernel transposes some columns, it prefetches the columns that are
/// this many bytes further along the row.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const PREFETCH_BYTES: usize = 2 * CACHE_LINE_BYTES;
/// Number of rows that one call of a kernel transposes in [`transpose`].
const BAND_ROWS: usize = 64;

/// Transposes a tile: `to[r][c] = from[c][r]` for all `r < rows` and `c < columns`.
///
/// * Element `[r][c]` of the result is at `to + r · to_stride + c`. Each of its rows is contiguous.
/// * Element `[c][r]` of the source is at `from + c · from_stride + r`. So the elements of each *column* of the result are
///   contiguous in the source.
///
/// Both strides count elements and may have any sign; `from_stride` may be zero. Pointers must be aligned for `T` only. Every
/// element of the result is written, some of them more than once; no other memory is accessed.
///
/// Intended for tiles whose source and result together fit in L1 or L2. Tiles of 32 × 32 or 64 × 64 elements are fast. Tiles whose
/// rows or columns have less than 64 bytes, the size of the widest register, are slow.
///
/// # Safety
/// The caller must ensure:
/// * All elements of the source are readable.
/// * The caller has exclusive access to all elements of the result, which do not overlap those of the source.
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
    // SAFETY: `transpose` has the contract of `transpose_tile`, which the caller ensures. The arguments describe the same elements, with
    // strides in bytes.
    unsafe {
        transpose(size_of::<T>(), from.cast(), bytes(from_stride), to.cast(), bytes(to_stride), rows, columns)
    }
}

/// [`transpose_tile`] for elements of `size` bytes, with strides in bytes.
///
/// # Safety
/// The contract of [`transpose_tile`].
pub(in crate::device::cpu) unsafe fn transpose(
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
        // SAFETY: the tile has at most `BAND_ROWS` rows from `row` on, and all columns. The caller ensures that these elements may be read
        // in the source. The caller also ensures exclusive access to them in the result, which does not overlap the source. `stream` is not
        // set.
        unsafe { kernel(&tile, &[[0, 0]]) };
    }
}

/// The positions in the source of the columns of the result: offsets in bytes, relative to the first column.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) enum Steps<'a> {
    /// The number of columns, and the stride between them.
    Even(usize, isize),
    /// The offset of each column.
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

/// A tile to transpose. The elements of a column are contiguous in the source; the elements of a row are contiguous in the result.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "used with SIMD registers only")
)]
pub(in crate::device::cpu) struct Tile<'a> {
    pub(in crate::device::cpu) from: *const u8,
    pub(in crate::device::cpu) to: *mut u8,
    /// Offsets in bytes of the rows in the result, relative to the first row.
    pub(in crate::device::cpu) rows: &'a [isize],
    pub(in crate::device::cpu) columns: Steps<'a>,
    /// Elements of each column before its first whole cache line in the source. 0 if this number differs between columns, or if the
    /// loads of columns should not be aligned.
    pub(in crate::device::cpu) lead_rows: usize,
    /// Elements of each row before its first whole cache line in the result. 0 if this number differs between rows.
    pub(in crate::device::cpu) lead_columns: usize,
    /// Whether to prefetch the source.
    pub(in crate::device::cpu) ahead: bool,
    /// Whether to write whole cache lines with non-temporal stores. The caller must then call [`fence`](crate::device::cpu::memory::stream::fence)
    /// at the end.
    pub(in crate::device::cpu) stream: bool,
}

/// A function that transposes a tile of elements of one size at several positions. A position is a pair of offsets in bytes, which
/// are added to `to` and to `from` of the tile.
///
/// # Safety
/// The caller must ensure, for each pair of offsets:
/// * All elements of the source are readable.
/// * The caller has exclusive access to all elements of the result, which do not overlap those of the source.
/// * If `stream` is set, element `lead_columns` of each row of the result is at a multiple of 64 bytes.
pub(in crate::device::cpu) type Kernel = unsafe fn(&Tile<'_>, &[[isize; 2]]);

/// Returns the kernel for elements of `size` bytes and the widest instruction set that is available.
#[inline]
pub(in crate::device::cpu) fn kernel(size: usize) -> Kernel {
    match size {
        1 => kernels::<1>(),
        2 => kernels::<2>(),
        4 => kernels::<4>(),
        8 => kernels::<8>(),
        16 => kernels::<16>(),
        _ => unreachable!("unsupported element size: {size} bytes"),
    }
}

#[cfg(target_arch = "x86_64")]
fn kernels<const SIZE: usize>() -> Kernel {
    if const { HAS_WIDE_LEVELS } {
        if Avx512::new().is_some() {
            return run::<U8x64, SIZE>;
        } else if Avx2::new().is_some() {
            return run::<U8x32, SIZE>;
        }
    }
    run::<U8x16, SIZE>
}

#[cfg(target_arch = "aarch64")]
fn kernels<const SIZE: usize>() -> Kernel {
    if Neon::new().is_some() { run::<U8x16, SIZE> } else { one_by_one::<SIZE> }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn kernels<const SIZE: usize>() -> Kernel {
    one_by_one::<SIZE>
}

// ------------------------------------------------------------------ instruction sets

/// The [`Kernel`] with registers of `V`.
///
/// # Safety
/// The contract of [`Kernel`]. In addition, the processor must have the instruction set of `V`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
unsafe fn run<V: Vector, const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]])
where
    for<'a> TransposeTile<'a, SIZE>: SimdKernel<V>,
{
    // SAFETY: `TransposeTile::run` has the contract of this function, which the caller ensures.
    unsafe { V::within(TransposeTile::<SIZE> { tile, at }) }
}

/// The transpose of a tile of elements of `SIZE` bytes: see [`Kernel`].
///
/// It uses the widest blocks that fit in the tile. It tries blocks whose rows fill a cache line, then blocks whose rows fill a register, then
/// both with narrower registers. If no block fits, it copies element by element.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Debug, Clone, Copy)]
struct TransposeTile<'a, const SIZE: usize> {
    tile: &'a Tile<'a>,
    at: &'a [[isize; 2]],
}

/// Transposes a tile in blocks of `$columns` columns of elements of `$size` bytes. Returns `false` and does nothing if no such block fits in
/// the tile.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! cover {
    ($transpose:ident: $register:ty, $columns:literal of $size:literal) => {
        // SAFETY: the caller of the surrounding function ensures the contract of `Kernel`, and that the processor has the instruction set of
        // `$register`. `16 / $size` elements have 16 bytes, and `$columns` is a multiple of this number times the 16-byte blocks of
        // `$register`.
        unsafe { $transpose.tile.cover::<$register, $size, { 16 / $size }, $columns>($transpose.at) }
    };
}

#[cfg(target_arch = "x86_64")]
impl<const SIZE: usize> SimdKernel<U8x64> for TransposeTile<'_, SIZE> {
    /// # Safety
    /// The contract of [`Kernel`]. In addition, the processor must have AVX-512.
    #[inline(always)]
    unsafe fn run(self) {
        let done = match SIZE {
            1 => cover!(self: U8x64, 64 of 1),
            2 => cover!(self: U8x64, 32 of 2),
            4 => cover!(self: U8x64, 16 of 4),
            8 => cover!(self: U8x64, 8 of 8),
            _ => cover!(self: U8x64, 4 of 16),
        };
        if !done {
            // SAFETY: the caller ensures the contract of `Kernel`. A processor with AVX-512 has AVX2.
            unsafe { SimdKernel::<U8x32>::run(self) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl<const SIZE: usize> SimdKernel<U8x32> for TransposeTile<'_, SIZE> {
    /// # Safety
    /// The contract of [`Kernel`]. In addition, the processor must have AVX2.
    #[inline(always)]
    unsafe fn run(self) {
        let done = match SIZE {
            1 => cover!(self: U8x32, 64 of 1) || cover!(self: U8x32, 32 of 1),
            2 => cover!(self: U8x32, 32 of 2) || cover!(self: U8x32, 16 of 2),
            4 => cover!(self: U8x32, 16 of 4) || cover!(self: U8x32, 8 of 4),
            8 => cover!(self: U8x32, 8 of 8) || cover!(self: U8x32, 4 of 8),
            _ => cover!(self: U8x32, 4 of 16) || cover!(self: U8x32, 2 of 16),
        };
        if !done {
            // SAFETY: the caller ensures the contract of `Kernel`. Every x86-64 processor has SSE2.
            unsafe { SimdKernel::<U8x16>::run(self) };
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<const SIZE: usize> SimdKernel<U8x16> for TransposeTile<'_, SIZE> {
    /// Uses SSE2 or NEON, which every processor of the architecture has.
    ///
    /// # Safety
    /// The contract of [`Kernel`].
    #[inline(always)]
    unsafe fn run(self) {
        let done = match SIZE {
            1 => cover!(self: U8x16, 64 of 1) || cover!(self: U8x16, 16 of 1),
            2 => cover!(self: U8x16, 32 of 2) || cover!(self: U8x16, 8 of 2),
            4 => cover!(self: U8x16, 16 of 4) || cover!(self: U8x16, 4 of 4),
            8 => cover!(self: U8x16, 8 of 8) || cover!(self: U8x16, 2 of 8),
            _ => cover!(self: U8x16, 4 of 16),
        };
        if !done {
            // SAFETY: `one_by_one` has the contract of `Kernel`, which the caller ensures.
            unsafe { one_by_one::<SIZE>(self.tile, self.at) };
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Tile<'_> {
    /// Transposes the tile in blocks of `COLUMNS` columns, each with as many rows as a register has elements. The last block ends
    /// with the tile, so it may overlap the block before it. Returns `false` and does nothing if the tile is smaller than a block.
    ///
    /// The inner loop advances along the rows, so that cache lines of the source are read in order. A block is written with
    /// non-temporal stores if each of its rows is exactly one cache line of the result.
    ///
    /// # Safety
    /// The contract of [`Kernel`]. The caller must also ensure:
    /// * The processor has the instruction set of `R`.
    /// * `GROUP` elements have 16 bytes, and `COLUMNS` is a multiple of `GROUP · R::BLOCKS`.
    #[inline(always)]
    unsafe fn cover<R: ByteVector, const SIZE: usize, const GROUP: usize, const COLUMNS: usize>(
        &self,
        at: &[[isize; 2]],
    ) -> bool {
        let side = R::BLOCKS * GROUP;
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
                    // SAFETY: the caller ensures the conditions on `R`, `GROUP` and `COLUMNS`. The block is within the tile, so the caller
                    // also ensures that its source may be read, and exclusive access to its result. `rows` has `side` offsets, one per
                    // element of a register. With `stream`, `column - lead_columns` is a multiple of a cache line's elements, so each row
                    // of the block is one cache line.
                    unsafe { block::<R, SIZE, GROUP, COLUMNS>(from, &steps, to, rows, stream) };
                }
            }
        }
        true
    }
}

/// Transposes a block: `COLUMNS` registers, each loaded from one column.
///
/// 1. Each group of `GROUP` columns is transposed within the 16-byte blocks of the registers. The two halves of the group are interleaved, once for
///    each doubling from the size of an element to 16 bytes. Then each block of a register has 16 bytes of one row.
/// 2. The 16-byte blocks of `R::BLOCKS` groups are transposed. Then each register holds elements of one row only.
///
/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `R`.
/// * `GROUP` elements have 16 bytes, and `COLUMNS` is a multiple of `GROUP · R::BLOCKS`.
/// * A register's bytes are readable at `from` plus each of `columns`.
/// * `rows` points to as many offsets as a register has elements. `COLUMNS` elements are writable at `to` plus each of them.
/// * If `stream`, each of these rows begins at a multiple of 64 bytes and has 64 bytes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn block<R: ByteVector, const SIZE: usize, const GROUP: usize, const COLUMNS: usize>(
    from: *const u8,
    columns: &[isize; COLUMNS],
    to: *mut u8,
    rows: *const isize,
    stream: bool,
) {
    let mut parts = [MaybeUninit::<R>::uninit(); COLUMNS];
    let load = |column: usize| {
        // SAFETY: the caller ensures that the processor has the instruction set of `R`. The caller also ensures that the bytes of a
        // register may be read at `from` plus each of `columns`.
        unsafe { R::load(from.wrapping_offset(columns[column])) }
    };
    for first in (0..COLUMNS).step_by(GROUP) {
        let mut group = [load(first); GROUP];
        unrolled!(c below GROUP, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
            group[c] = load(first + c);
        });
        // log2(16 / SIZE) interleavings transpose the group: one for each doubling from `SIZE` to 16 bytes.
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
        // SAFETY: `GROUP` divides `COLUMNS`, so the loop above wrote all `COLUMNS` parts.
        unsafe { parts[at].assume_init() }
    };
    for i in 0..GROUP {
        for first in (0..COLUMNS).step_by(GROUP * R::BLOCKS) {
            let mut blocks = [part(first + i); 4];
            for (block, to) in blocks.iter_mut().enumerate().take(R::BLOCKS) {
                *to = part(first + block * GROUP + i);
            }
            R::transpose_blocks(&mut blocks);
            for (block, part) in blocks.into_iter().enumerate().take(R::BLOCKS) {
                // SAFETY: `block · GROUP + i < BLOCKS · GROUP`, the number of elements in a register. The caller ensures that `rows` points
                // to this number of offsets.
                let row = unsafe { *rows.wrapping_add(block * GROUP + i) };
                let to = to.wrapping_offset(row).wrapping_add(first * SIZE);
                if stream {
                    // SAFETY: `first + GROUP · BLOCKS <= COLUMNS`, so the register's bytes at `to` are within the row. The caller ensures
                    // that the row may be written, and that it begins at a multiple of 64 bytes. `first · SIZE` is a multiple of the
                    // register's bytes, so `to` is aligned.
                    unsafe { part.stream(to) }
                } else {
                    // SAFETY: `first + GROUP · BLOCKS <= COLUMNS`, so the register's bytes at `to` are within the row. The caller ensures
                    // that the row may be written.
                    unsafe { part.store(to) }
                }
            }
        }
    }
}

// ------------------------------------------------------------------ any processor

/// The [`Kernel`] for any processor, and for tiles that are smaller than a block: copies element by element.
///
/// # Safety
/// The contract of [`Kernel`].
#[inline(always)]
unsafe fn one_by_one<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    for &[to, from] in at {
        for (r, row) in tile.rows.iter().enumerate() {
            let from = tile.from.wrapping_offset(from).wrapping_add(r * SIZE);
            let to = tile.to.wrapping_offset(to + row).cast::<[u8; SIZE]>();
            for c in 0..tile.columns.len() {
                let from = from.wrapping_offset(tile.columns.get(c)).cast::<[u8; SIZE]>();
                // SAFETY: `r` and `c` are less than the tile's extents. So the caller ensures that the element may be read in the source,
                // and exclusive access to it in the result. The caller also ensures that source and result do not overlap. Arrays of bytes
                // have alignment 1.
                unsafe { to.wrapping_add(c).copy_from_nonoverlapping(from, 1) };
            }
        }
    }
}
