//! The trait [`Register`]: the SIMD instructions that transposes and non-temporal copies need, for SSE2, AVX2 and AVX-512. A
//! register consists of 16-byte lanes. The modules `tile` and `stream` use the trait.

use core::arch::x86_64::*;

/// A register of 16, 32 or 64 bytes. A value exists only on a processor with the instruction set, because
/// [`load`](Register::load) requires it. The `SAFETY` comments of methods with `self` rely on that.
pub(super) trait Register: Copy {
    /// The number of 16-byte lanes.
    const LANES: usize;

    /// Loads a register; `from` need not be aligned.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that a register's bytes are readable at `from`.
    unsafe fn load(from: *const u8) -> Self;
    /// Stores the register; `to` need not be aligned.
    ///
    /// # Safety
    /// The caller must ensure that a register's bytes are writable at `to`.
    unsafe fn store(self, to: *mut u8);
    /// Stores the register with a non-temporal store.
    ///
    /// # Safety
    /// The contract of [`store`](Register::store). In addition, `to` must be a multiple of the register's bytes.
    unsafe fn stream(self, to: *mut u8);
    /// In each lane, interleaves the lower halves of both operands. Elements have `SIZE` bytes: 1, 2, 4 or 8.
    fn interleave_low<const SIZE: usize>(self, other: Self) -> Self;
    /// In each lane, interleaves the upper halves of both operands. Elements have `SIZE` bytes: 1, 2, 4 or 8.
    fn interleave_high<const SIZE: usize>(self, other: Self) -> Self;
    /// Transposes the lanes of the first `LANES` registers: lane `j` of register `i` becomes lane `i` of register `j`.
    fn transpose_lanes(square: &mut [Self; 4]);
}

macro_rules! interleave {
    ($($name:ident: $one:ident $two:ident $four:ident $eight:ident;)*) => {$(
        #[inline(always)]
        fn $name<const SIZE: usize>(self, other: Self) -> Self {
            // SAFETY: a value of this type exists only if the processor has the instruction set (see [`Register`]).
            unsafe {
                match SIZE {
                    1 => $one(self, other),
                    2 => $two(self, other),
                    4 => $four(self, other),
                    _ => $eight(self, other),
                }
            }
        }
    )*};
}

impl Register for __m128i {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 16 bytes may be read at `from`, as the caller ensures; every x86-64 processor has SSE2.
        unsafe { _mm_loadu_si128(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: 16 bytes may be written at `to`, as the caller ensures; every x86-64 processor has SSE2.
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller ensures that 16 bytes may be written at `to`, and that `to` is a multiple of 16. Every x86-64
        // processor has SSE2.
        unsafe { _mm_stream_si128(to.cast(), self) }
    }
    interleave! {
        interleave_low: _mm_unpacklo_epi8 _mm_unpacklo_epi16 _mm_unpacklo_epi32 _mm_unpacklo_epi64;
        interleave_high: _mm_unpackhi_epi8 _mm_unpackhi_epi16 _mm_unpackhi_epi32 _mm_unpackhi_epi64;
    }
    #[inline(always)]
    fn transpose_lanes(_: &mut [Self; 4]) {}
}

impl Register for __m256i {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 32 bytes may be read at `from` and the processor has AVX2, as the caller ensures.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller ensures that 32 bytes may be written at `to`. A `__m256i` exists only if the processor has AVX2 (see
        // [`Register`]).
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller ensures that 32 bytes may be written at `to`, and that `to` is a multiple of 32. A `__m256i` exists
        // only if the processor has AVX2 (see [`Register`]).
        unsafe { _mm256_stream_si256(to.cast(), self) }
    }
    interleave! {
        interleave_low: _mm256_unpacklo_epi8 _mm256_unpacklo_epi16 _mm256_unpacklo_epi32 _mm256_unpacklo_epi64;
        interleave_high: _mm256_unpackhi_epi8 _mm256_unpackhi_epi16 _mm256_unpackhi_epi32 _mm256_unpackhi_epi64;
    }
    #[inline(always)]
    fn transpose_lanes(square: &mut [Self; 4]) {
        let [a, b, ..] = *square;
        // SAFETY: a `__m256i` exists only if the processor has AVX2 (see [`Register`]).
        square[0] = unsafe { _mm256_permute2x128_si256::<0x20>(a, b) };
        // SAFETY: a `__m256i` exists only if the processor has AVX2 (see [`Register`]).
        square[1] = unsafe { _mm256_permute2x128_si256::<0x31>(a, b) };
    }
}

impl Register for __m512i {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 64 bytes may be read at `from` and the processor has AVX-512, as the caller ensures.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller ensures that 64 bytes may be written at `to`. A `__m512i` exists only if the processor has AVX-512
        // (see [`Register`]).
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller ensures that 64 bytes may be written at `to`, and that `to` is a multiple of 64. A `__m512i` exists
        // only if the processor has AVX-512 (see [`Register`]).
        unsafe { _mm512_stream_si512(to.cast(), self) }
    }
    interleave! {
        interleave_low: _mm512_unpacklo_epi8 _mm512_unpacklo_epi16 _mm512_unpacklo_epi32 _mm512_unpacklo_epi64;
        interleave_high: _mm512_unpackhi_epi8 _mm512_unpackhi_epi16 _mm512_unpackhi_epi32 _mm512_unpackhi_epi64;
    }
    #[inline(always)]
    fn transpose_lanes(square: &mut [Self; 4]) {
        let [a, b, c, d] = *square;
        // `even` returns the even lanes of two registers, and `odd` the odd lanes.
        let even = |a, b| {
            // SAFETY: a `__m512i` exists only if the processor has AVX-512 (see [`Register`]).
            unsafe { _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b) }
        };
        let odd = |a, b| {
            // SAFETY: a `__m512i` exists only if the processor has AVX-512 (see [`Register`]).
            unsafe { _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b) }
        };
        let (ab, cd) = (even(a, b), even(c, d));
        let (ef, gh) = (odd(a, b), odd(c, d));
        *square = [even(ab, cd), even(ef, gh), odd(ab, cd), odd(ef, gh)];
    }
}
