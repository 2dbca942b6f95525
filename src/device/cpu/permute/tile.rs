//! Transposing tiles: in registers where the processor has shuffles for it.
//!
//! Elements are bytes here, 1, 2, 4, 8 or 16 of them, so that there are five kernels for each instruction set and not one for
//! each element type.

#[cfg(target_arch = "x86_64")]
use super::register::Register;
use crate::device::cpu::simd::Level;
use crate::element::Element;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{__m128i, __m256i, __m512i};

/// A cache line.
const LINE: usize = 64;
/// How far ahead of its use the source is asked for, in columns that fill so many bytes of the result.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 2 * LINE;
/// Rows that are swept together.
const BAND: usize = 64;

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
    let mut steps = [0; BAND];
    for (r, step) in steps.iter_mut().enumerate().take(rows) {
        *step = r as isize * to_stride;
    }
    for row in (0..rows).step_by(BAND) {
        let tile = Tile {
            from: from.wrapping_add(row * size),
            to: to.wrapping_offset(row as isize * to_stride),
            rows: &steps[..BAND.min(rows - row)],
            columns: Steps::Even(columns, from_stride),
            lead: 0,
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
pub(super) struct Tile<'a> {
    pub(super) from: *const u8,
    pub(super) to: *mut u8,
    /// Where the rows are in the result, from the first one: in bytes.
    pub(super) rows: &'a [isize],
    pub(super) columns: Steps<'a>,
    /// Elements of each row before its first whole cache line.
    pub(super) lead: usize,
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

// Each covers a tile with the largest square that fits it. Sixteen registers of a half or of all bytes are as many as there
// are: squares of 32 × 32 and 64 × 64 would not fit.

/// # Safety
/// As [`Kernel`], on a processor with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
unsafe fn avx512<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    // SAFETY: the caller's; a processor with AVX-512 has AVX2.
    unsafe {
        let done = match SIZE {
            4 => tile.cover::<__m512i, 4, 16>(at),
            8 => tile.cover::<__m512i, 8, 8>(at),
            16 => tile.cover::<__m512i, 16, 4>(at),
            _ => false,
        };
        if !done {
            with_avx2::<SIZE>(tile, at);
        }
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
    // SAFETY: the caller's; every x86-64 processor has SSE2.
    unsafe {
        let done = match SIZE {
            1 => tile.cover::<__m256i, 1, 16>(at),
            2 => tile.cover::<__m256i, 2, 16>(at),
            4 => tile.cover::<__m256i, 4, 8>(at),
            8 => tile.cover::<__m256i, 8, 4>(at),
            _ => tile.cover::<__m256i, 16, 2>(at),
        };
        if !done {
            with_sse2::<SIZE>(tile, at);
        }
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
    // SAFETY: the caller's; every x86-64 processor has SSE2.
    unsafe {
        let done = match SIZE {
            1 => tile.cover::<__m128i, 1, 16>(at),
            2 => tile.cover::<__m128i, 2, 8>(at),
            4 => tile.cover::<__m128i, 4, 4>(at),
            8 => tile.cover::<__m128i, 8, 2>(at),
            _ => false,
        };
        if !done {
            one_by_one::<SIZE>(tile, at);
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Tile<'_> {
    /// Transposes the tile in squares of so many columns, each with a register's rows. What is beyond the last whole square is
    /// part of one that ends with the tile and covers some of its neighbour once more. Does nothing if the tile is too small
    /// for a square, and says so.
    ///
    /// Squares below each other follow each other, so that lines of the source are read in their sequence. Where they begin
    /// with a line of the result and are as wide, they can write past the caches.
    ///
    /// # Safety
    /// As [`Kernel`]; the processor has the instruction set.
    #[inline(always)]
    unsafe fn cover<R: Register, const SIZE: usize, const COLUMNS: usize>(&self, at: &[[isize; 2]]) -> bool {
        let side = R::LANES * 16 / SIZE;
        let (rows, columns) = (self.rows, self.columns.len());
        if rows.len() < side || columns < COLUMNS {
            return false;
        }
        for &[to, from] in at {
            let (from, to) = (self.from.wrapping_offset(from), self.to.wrapping_offset(to));
            let mut next = 0;
            while next < columns {
                let column = next.min(columns - COLUMNS);
                let in_line = next == column && next >= self.lead;
                let stream = self.stream && in_line && COLUMNS * SIZE == LINE;
                next = if next < self.lead { self.lead.min(next + COLUMNS) } else { next + COLUMNS };
                let (mut steps, mut ahead) = ([0; COLUMNS], [0; COLUMNS]);
                let beyond = (column + AHEAD / SIZE).min(columns - COLUMNS);
                for c in 0..COLUMNS {
                    steps[c] = self.columns.get(column + c);
                    ahead[c] = self.columns.get(beyond + c);
                }
                let to = to.wrapping_add(column * SIZE);
                let mut r = 0;
                while r < rows.len() {
                    let row = r.min(rows.len() - side);
                    let from = from.wrapping_add(row * SIZE);
                    for c in 0..COLUMNS {
                        R::prefetch(from.wrapping_offset(ahead[c]));
                    }
                    // SAFETY: the caller's; the square lies within the tile, and whoever fills lines gave it whole ones.
                    unsafe { square::<R, SIZE, COLUMNS>(from, &steps, to, &rows[row..row + side], stream) };
                    r += side;
                }
            }
        }
        true
    }
}

/// Transposes a square: `COLUMNS` registers, which hold a column each at first.
///
/// Groups of as many registers as 16 bytes have elements are transposed within each lane: interleaving halves, as often as
/// it takes to come from one element to 16 bytes, does that. Then each register holds parts of some rows, one in each lane.
/// With as many groups as there are lanes, a transposition of lanes makes whole rows of them; a single group is stored
/// lane by lane.
///
/// # Safety
/// `COLUMNS` columns of a register's bytes each may be read, and so many rows of `COLUMNS` elements written, which are as many
/// as a register has elements; rows to `stream` are registers that begin with a cache line. The processor has the instruction
/// set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn square<R: Register, const SIZE: usize, const COLUMNS: usize>(
    from: *const u8,
    columns: &[isize; COLUMNS],
    to: *mut u8,
    rows: &[isize],
    stream: bool,
) {
    let group = 16 / SIZE;
    let groups = COLUMNS / group;
    debug_assert!(groups == 1 || groups == R::LANES);
    // SAFETY: the caller's; there are as many columns as registers.
    unsafe {
        let mut square = [R::load(from.wrapping_offset(columns[0])); COLUMNS];
        for c in 1..COLUMNS {
            square[c] = R::load(from.wrapping_offset(columns[c]));
        }
        let mut whole = SIZE;
        while whole < 16 {
            let old = square;
            for i in 0..COLUMNS / 2 {
                let one = i / (group / 2) * group + i % (group / 2);
                let other = one + group / 2;
                square[2 * i] = old[one].interleave_low::<SIZE>(old[other]);
                square[2 * i + 1] = old[one].interleave_high::<SIZE>(old[other]);
            }
            whole *= 2;
        }
        if groups == R::LANES {
            for i in 0..group {
                R::transpose_lanes(&mut square, i, group);
            }
            if stream {
                for r in 0..COLUMNS {
                    square[r].stream(to.wrapping_offset(rows[r]));
                }
            } else {
                for r in 0..COLUMNS {
                    square[r].store(to.wrapping_offset(rows[r]));
                }
            }
        } else {
            for lane in 0..R::LANES {
                for i in 0..COLUMNS {
                    square[i].store_lane(lane, to.wrapping_offset(rows[lane * group + i]));
                }
            }
        }
    }
}

// ------------------------------------------------------------------ any processor

/// # Safety
/// As [`Kernel`].
#[inline(always)]
unsafe fn one_by_one<const SIZE: usize>(tile: &Tile<'_>, at: &[[isize; 2]]) {
    for &[to, from] in at {
        for (r, row) in tile.rows.iter().enumerate() {
            let from = tile.from.wrapping_offset(from).wrapping_add(r * SIZE);
            let to = tile.to.wrapping_offset(to + row);
            for c in 0..tile.columns.len() {
                let from = from.wrapping_offset(tile.columns.get(c)).cast::<[u8; SIZE]>();
                // SAFETY: the caller's.
                unsafe { *to.cast::<[u8; SIZE]>().wrapping_add(c) = *from };
            }
        }
    }
}
