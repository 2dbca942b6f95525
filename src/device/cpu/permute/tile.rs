//! Transposing a tile: in registers where the processor has shuffles for it.
//!
//! Elements are bytes here, 1, 2, 4, 8 or 16 of them, so that there are five kernels for each instruction set and not one for
//! each element type.

#[cfg(target_arch = "x86_64")]
use super::register::Register;
use crate::device::cpu::simd::Level;
use crate::element::Element;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{__m128i, __m256i, __m512i};

/// Transposes a tile: `to[r][c] = from[c][r]`, for `r` below `rows` and `c` below `columns`, where
///
/// * element `[r][c]` of the result lies at `to + r · to_stride + c`: its rows are in one piece each, `to_stride` elements
///   apart;
/// * element `[c][r]` of the source lies at `from + c · from_stride + r`: what becomes a *column* of the result is in one
///   piece, `from_stride` elements from the next such column.
///
/// Both strides count elements and may be of any sign; neither needs to be as long as a row. Pointers need no more alignment
/// than the element's. Every element of the result is written, some of them more than once; nothing else is touched. Meant
/// for tiles whose source and result fit the first- or second-level cache together; a tile of 32 × 32 or 64 × 64 elements is
/// a good one, one that has fewer rows or columns than a register has elements (64 bytes) a slow one.
///
/// # Safety
/// All elements of the source may be read, and those of the result are the caller's alone to write; they are not among the
/// source's.
#[inline]
#[allow(dead_code, reason = "elementwise operations stage transposed operands with it")]
pub(in crate::device::cpu) unsafe fn transpose_tile<T: Element>(
    from: *const T,
    from_stride: isize,
    to: *mut T,
    to_stride: isize,
    rows: usize,
    columns: usize,
) {
    let size = size_of::<T>();
    let tile = Tile {
        from: from.cast(),
        from_stride: from_stride.wrapping_mul(size as isize),
        to: to.cast(),
        to_stride: to_stride.wrapping_mul(size as isize),
        rows,
        columns,
    };
    // SAFETY: the caller's, in bytes.
    unsafe { kernel(size)(tile) }
}

/// A tile to transpose; strides count bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile {
    pub(super) from: *const u8,
    /// From one column of the result to the next, in the source.
    pub(super) from_stride: isize,
    pub(super) to: *mut u8,
    /// From one row of the result to the next.
    pub(super) to_stride: isize,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// Transposes a tile of elements of one size.
///
/// # Safety
/// As [`transpose_tile`].
pub(super) type Kernel = unsafe fn(Tile);

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
    let Level::Portable = Level::get() else { unreachable!("no wide vectors") };
    match SIZE {
        1 => one_by_one::<u8>,
        2 => one_by_one::<u16>,
        4 => one_by_one::<u32>,
        8 => one_by_one::<u64>,
        _ => one_by_one::<u128>,
    }
}

// ------------------------------------------------------------------ instruction sets

// Each covers a tile with the largest square that fits it. Sixteen registers of a half or of all bytes are as many as there
// are: squares of 32 × 32 and 64 × 64 would not fit.

/// # Safety
/// As [`transpose_tile`], on a processor with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
unsafe fn avx512<const SIZE: usize>(tile: Tile) {
    // SAFETY: the caller's; a processor with AVX-512 has AVX2.
    unsafe {
        let done = match SIZE {
            4 => tile.cover::<__m512i, 4, 16>(),
            8 => tile.cover::<__m512i, 8, 8>(),
            16 => tile.cover::<__m512i, 16, 4>(),
            _ => false,
        };
        if !done {
            with_avx2::<SIZE>(tile);
        }
    }
}

/// # Safety
/// As [`transpose_tile`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<const SIZE: usize>(tile: Tile) {
    // SAFETY: the caller's.
    unsafe { with_avx2::<SIZE>(tile) }
}

/// # Safety
/// As [`avx2`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn with_avx2<const SIZE: usize>(tile: Tile) {
    // SAFETY: the caller's; every x86-64 processor has SSE2.
    unsafe {
        let done = match SIZE {
            1 => tile.cover::<__m256i, 1, 16>(),
            2 => tile.cover::<__m256i, 2, 16>(),
            4 => tile.cover::<__m256i, 4, 8>(),
            8 => tile.cover::<__m256i, 8, 4>(),
            _ => tile.cover::<__m256i, 16, 2>(),
        };
        if !done {
            sse2::<SIZE>(tile);
        }
    }
}

/// # Safety
/// As [`transpose_tile`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sse2<const SIZE: usize>(tile: Tile) {
    // SAFETY: the caller's; every x86-64 processor has SSE2.
    unsafe {
        match SIZE {
            1 if tile.cover::<__m128i, 1, 16>() => {}
            2 if tile.cover::<__m128i, 2, 8>() => {}
            4 if tile.cover::<__m128i, 4, 4>() => {}
            8 if tile.cover::<__m128i, 8, 2>() => {}
            1 => one_by_one::<u8>(tile),
            2 => one_by_one::<u16>(tile),
            4 => one_by_one::<u32>(tile),
            8 => one_by_one::<u64>(tile),
            _ => one_by_one::<u128>(tile),
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Tile {
    /// Transposes the tile in squares of so many columns, each with a register's rows. What is beyond the last whole square is
    /// part of one that ends with the tile and covers some of its neighbour once more. Does nothing if the tile is too small
    /// for a square, and says so.
    ///
    /// # Safety
    /// As [`transpose_tile`]; the processor has the instruction set.
    #[inline(always)]
    unsafe fn cover<R: Register, const SIZE: usize, const COLUMNS: usize>(self) -> bool {
        let side = R::LANES * 16 / SIZE;
        if self.rows < side || self.columns < COLUMNS {
            return false;
        }
        let mut r = 0;
        while r < self.rows {
            let row = r.min(self.rows - side);
            let mut c = 0;
            while c < self.columns {
                let column = c.min(self.columns - COLUMNS);
                let from =
                    self.from.wrapping_offset(column as isize * self.from_stride).wrapping_add(row * SIZE);
                let to = self.to.wrapping_offset(row as isize * self.to_stride).wrapping_add(column * SIZE);
                // SAFETY: the caller's; the square lies within the tile.
                unsafe { square::<R, SIZE, COLUMNS>(from, self.from_stride, to, self.to_stride) };
                c += COLUMNS;
            }
            r += side;
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
/// `COLUMNS` columns of a register's bytes each may be read, and as many rows of `COLUMNS` elements written as a register has
/// elements; the processor has the instruction set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn square<R: Register, const SIZE: usize, const COLUMNS: usize>(
    from: *const u8,
    from_stride: isize,
    to: *mut u8,
    to_stride: isize,
) {
    let group = 16 / SIZE;
    let groups = COLUMNS / group;
    debug_assert!(groups == 1 || groups == R::LANES);
    // SAFETY: the caller's; there are as many columns as registers.
    unsafe {
        let mut square = [R::load(from); COLUMNS];
        for (c, register) in square.iter_mut().enumerate().skip(1) {
            *register = R::load(from.wrapping_offset(c as isize * from_stride));
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
            for (r, register) in square.into_iter().enumerate() {
                register.store(to.wrapping_offset(r as isize * to_stride));
            }
        } else {
            for lane in 0..R::LANES {
                for (i, register) in square.into_iter().enumerate() {
                    register.store_lane(lane, to.wrapping_offset((lane * group + i) as isize * to_stride));
                }
            }
        }
    }
}

// ------------------------------------------------------------------ any processor

/// # Safety
/// As [`transpose_tile`], for elements of the size of `U`.
#[inline(always)]
unsafe fn one_by_one<U: Copy>(tile: Tile) {
    for r in 0..tile.rows {
        let to = tile.to.wrapping_offset(r as isize * tile.to_stride).cast::<U>();
        let mut from = tile.from.wrapping_add(r * size_of::<U>());
        for c in 0..tile.columns {
            // SAFETY: the caller's. Elements may be aligned to less than an integer of their size.
            unsafe { to.wrapping_add(c).write_unaligned(from.cast::<U>().read_unaligned()) };
            from = from.wrapping_offset(tile.from_stride);
        }
    }
}
