//! The registers of AVX2 with FMA, BMI1, BMI2 and POPCNT: 16 of 32 bytes.

use super::Level;
use super::vector::{
    ByteVector, FloatVector, Isa, MaskedVector, OrderedVector, SimdKernel, Vector, interleaving, methods,
    register,
};
use core::arch::x86_64::*;

// Builds with debug assertions have no loop for masks.
#[cfg(any(test, not(debug_assertions)))]
pub(crate) mod masks;

/// The instruction set of [`Level::Avx2`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Isa for Avx2 {
    #[inline]
    fn new() -> Option<Avx2> {
        (Level::get() >= Level::Avx2).then_some(Avx2(()))
    }
    unsafe fn run<V: Vector<Isa = Avx2>, Output>(kernel: impl SimdKernel<V, Output>) -> Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
        unsafe fn run<V: Vector, Output>(kernel: impl SimdKernel<V, Output>) -> Output {
            // SAFETY: the caller ensures the conditions of `kernel.run()`.
            unsafe { kernel.run() }
        }
        // SAFETY: the caller ensures the conditions of `kernel.run()`. One of them is that the processor has the instruction set of `V`,
        // whose features are those of the function `run` above.
        unsafe { run(kernel) }
    }
}

register! {
    /// A register of four `f64`.
    F64x4(__m256d) of Avx2 has 4 lanes of f64,
    zero: _mm256_setzero_pd, load: _mm256_loadu_pd, store: _mm256_storeu_pd
}
register! {
    /// A register of eight `f32`.
    F32x8(__m256) of Avx2 has 8 lanes of f32,
    zero: _mm256_setzero_ps, load: _mm256_loadu_ps, store: _mm256_storeu_ps
}
register! {
    /// A register of four `i64`.
    I64x4(__m256i) of Avx2 has 4 lanes of i64,
    zero: _mm256_setzero_si256, load: _mm256_loadu_si256, store: _mm256_storeu_si256
}
register! {
    /// A register of eight `i32`.
    I32x8(__m256i) of Avx2 has 8 lanes of i32,
    zero: _mm256_setzero_si256, load: _mm256_loadu_si256, store: _mm256_storeu_si256
}
register! {
    /// A register of 32 bytes.
    U8x32(__m256i) of Avx2 has 32 lanes of u8,
    zero: _mm256_setzero_si256, load: _mm256_loadu_si256, store: _mm256_storeu_si256
}

/// Implements [`MaskedVector`].
macro_rules! masked {
    ($(
        $Name:ident: $Lane:ty, splat: $splat:ident, masks of $MaskLane:ty,
        load_some: $load_some:ident, store_some: $store_some:ident;
    )*) => {$(
        impl MaskedVector for $Name {
            /// In each lane, either all bits are set or no bit is set.
            type Mask = __m256i;

            #[inline(always)]
            fn splat(self, x: $Lane) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2.
                $Name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn first(self, lanes: usize) -> __m256i {
                // As many lanes with all bits set as a register has, then as many zeros.
                const TABLE: [$MaskLane; 2 * $Name::LANES] = {
                    let mut table = [0; 2 * $Name::LANES];
                    let mut lane = 0;
                    while lane < $Name::LANES {
                        table[lane] = -1;
                        lane += 1;
                    }
                    table
                };
                let from = TABLE.as_ptr().wrapping_add(Self::LANES - lanes.min(Self::LANES));
                // SAFETY: `self` exists, so the processor has AVX2. The table has `2 · LANES` values, and `from` skips at most
                // `LANES` of them. So the `LANES` values from there on are in the table.
                unsafe { _mm256_loadu_si256(from.cast()) }
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $Lane, mask: __m256i) -> Self {
                // SAFETY: the caller ensures that the processor has AVX2, and that the values at the lanes that `mask` selects may be read.
                $Name(unsafe { $load_some(from, mask) })
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $Lane, mask: __m256i) {
                // A full mask uses an ordinary store: on AMD processors up to Zen 3, a masked store takes a dozen cycles.
                // SAFETY: `self` exists, so the processor has AVX2.
                if unsafe { _mm256_movemask_epi8(mask) } == -1 {
                    // SAFETY: `mask` selects all lanes. So the caller of `store_some` ensures that `LANES` values at `to` may be
                    // written, and that nothing else accesses them.
                    return unsafe { self.store(to) };
                }
                // SAFETY: `self` exists, so the processor has AVX2. The caller ensures that the values at the lanes that `mask` selects may
                // be written, and that nothing else accesses them.
                unsafe { $store_some(to, mask, self.0) }
            }
        }
    )*};
}
masked! {
    F64x4: f64, splat: _mm256_set1_pd, masks of i64, load_some: _mm256_maskload_pd, store_some: _mm256_maskstore_pd;
    F32x8: f32, splat: _mm256_set1_ps, masks of i32, load_some: _mm256_maskload_ps, store_some: _mm256_maskstore_ps;
    I64x4: i64, splat: _mm256_set1_epi64x, masks of i64, load_some: _mm256_maskload_epi64, store_some: _mm256_maskstore_epi64;
    I32x8: i32, splat: _mm256_set1_epi32, masks of i32, load_some: _mm256_maskload_epi32, store_some: _mm256_maskstore_epi32;
}

/// Defines functions that are compiled for AVX2. They implement methods that need several intrinsics, or an intrinsic with constant arguments.
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {$(
        $(#[$doc])*
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $name($($argument: $type),*) -> $result $body
    )*};
}

// ------------------------------------------------------------------ arithmetic

functions! {
    fn swap_f64(x: __m256d) -> __m256d {
        _mm256_permute_pd::<0b0101>(x)
    }
    fn swap_f32(x: __m256) -> __m256 {
        _mm256_permute_ps::<0b10_11_00_01>(x)
    }
    fn exchange_f64(a: __m256d, b: __m256d, block: usize) -> (__m256d, __m256d) {
        match block {
            1 => (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)),
            _ => (_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b)),
        }
    }
    fn exchange_f32(a: __m256, b: __m256, block: usize) -> (__m256, __m256) {
        if block == 1 {
            let one = _mm256_blend_ps::<0b1010_1010>(a, _mm256_moveldup_ps(b));
            let other = _mm256_blend_ps::<0b1010_1010>(_mm256_movehdup_ps(a), b);
            return (one, other);
        }
        let (one, other) = exchange_f64(_mm256_castps_pd(a), _mm256_castps_pd(b), block / 2);
        (_mm256_castpd_ps(one), _mm256_castpd_ps(other))
    }
}

impl FloatVector for F64x4 {
    type Real = f64;

    #[inline(always)]
    fn alternating(self, even: f64, odd: f64) -> Self {
        // SAFETY: `self` exists, so the processor has AVX2.
        F64x4(unsafe { _mm256_set_pd(odd, even, odd, even) })
    }
    methods! {
        add(a) = _mm256_add_pd;
        sub(a) = _mm256_sub_pd;
        mul(a) = _mm256_mul_pd;
        mul_add(a, b) = _mm256_fmadd_pd;
        mul_sub_add(a, b) = _mm256_fmaddsub_pd;
        flip(signs) = _mm256_xor_pd;
        swap_pairs() = swap_f64;
    }
    #[inline(always)]
    fn exchange(self, other: Self, block: usize) -> (Self, Self) {
        // SAFETY: `self` exists, so the processor has AVX2.
        let (one, other) = unsafe { exchange_f64(self.0, other.0, block) };
        (F64x4(one), F64x4(other))
    }
}

impl FloatVector for F32x8 {
    type Real = f32;

    #[inline(always)]
    fn alternating(self, even: f32, odd: f32) -> Self {
        // SAFETY: `self` exists, so the processor has AVX2.
        F32x8(unsafe { _mm256_set_ps(odd, even, odd, even, odd, even, odd, even) })
    }
    methods! {
        add(a) = _mm256_add_ps;
        sub(a) = _mm256_sub_ps;
        mul(a) = _mm256_mul_ps;
        mul_add(a, b) = _mm256_fmadd_ps;
        mul_sub_add(a, b) = _mm256_fmaddsub_ps;
        flip(signs) = _mm256_xor_ps;
        swap_pairs() = swap_f32;
    }
    #[inline(always)]
    fn exchange(self, other: Self, block: usize) -> (Self, Self) {
        // SAFETY: `self` exists, so the processor has AVX2.
        let (one, other) = unsafe { exchange_f32(self.0, other.0, block) };
        (F32x8(one), F32x8(other))
    }
}

// ------------------------------------------------------------------ order

/// Returns a permutation of the eight 4-byte parts of a register that has `lanes` lanes. The parts of the lanes whose bit in `bits` is set
/// come first, then those of the other lanes.
const fn parted(bits: usize, lanes: usize) -> [u8; 8] {
    let (mut order, mut at, mut k) = ([0; 8], 0, 0);
    let parts = 8 / lanes;
    while k < 2 * lanes {
        if (bits >> (k % lanes) & 1 == 1) == (k < lanes) {
            let mut part = 0;
            while part < parts {
                order[at] = (k % lanes * parts + part) as u8;
                at += 1;
                part += 1;
            }
        }
        k += 1;
    }
    order
}

/// The results of [`parted`] for each value of the bits of `lanes` lanes.
const fn parted_for_bits<const VALUES: usize>(lanes: usize) -> [[u8; 8]; VALUES] {
    let (mut table, mut bits) = ([[0; 8]; VALUES], 0);
    while bits < VALUES {
        table[bits] = parted(bits, lanes);
        bits += 1;
    }
    table
}
static PARTED4: [[u8; 8]; 16] = parted_for_bits(4);
pub(super) static PARTED8: [[u8; 8]; 256] = parted_for_bits(8);

functions! {
    /// Returns a register in which all bits are set in those lanes whose bit in `bits` is set, and no bits in the other lanes.
    fn mask64(bits: u32) -> __m256i {
        let of = _mm256_setr_epi64x(1, 2, 4, 8);
        _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), of), of)
    }
    fn mask32(bits: u32) -> __m256i {
        let of = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), of), of)
    }
    fn blend64(a: __m256i, b: __m256i, bits: u32) -> __m256i {
        _mm256_blendv_epi8(a, b, mask64(bits))
    }
    fn blend32(a: __m256i, b: __m256i, bits: u32) -> __m256i {
        _mm256_blendv_epi8(a, b, mask32(bits))
    }
    fn permuted(v: __m256i, lanes: &[u8; 8]) -> __m256i {
        let lanes = _mm_cvtsi64_si128(i64::from_le_bytes(*lanes));
        _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(lanes))
    }
    fn parted64(v: __m256i, bits: u32) -> __m256i {
        permuted(v, &PARTED4[bits as usize & 15])
    }
    fn parted32(v: __m256i, bits: u32) -> __m256i {
        permuted(v, &PARTED8[bits as usize & 255])
    }
    fn swap_lanes64(v: __m256i, x: usize) -> __m256i {
        match x {
            1 => _mm256_shuffle_epi32::<0b01_00_11_10>(v),
            2 => _mm256_permute4x64_epi64::<0b01_00_11_10>(v),
            _ => _mm256_permute4x64_epi64::<0b00_01_10_11>(v),
        }
    }
    fn swap_lanes32(v: __m256i, x: usize) -> __m256i {
        match x {
            1 => _mm256_shuffle_epi32::<0b10_11_00_01>(v),
            2 => _mm256_shuffle_epi32::<0b01_00_11_10>(v),
            3 => _mm256_shuffle_epi32::<0b00_01_10_11>(v),
            4 => _mm256_permute4x64_epi64::<0b01_00_11_10>(v),
            _ => _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)),
        }
    }
    // AVX2 has comparisons of 64-bit integers, but no minimum and no maximum.
    fn min_i64(a: __m256i, b: __m256i) -> __m256i {
        _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b))
    }
    fn max_i64(a: __m256i, b: __m256i) -> __m256i {
        _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b))
    }
    fn less_i64(a: __m256i, b: __m256i) -> u32 {
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(b, a))) as u32
    }
    fn less_i32(a: __m256i, b: __m256i) -> u32 {
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a))) as u32
    }
    fn less_f64(a: __m256d, b: __m256d) -> u32 {
        _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b)) as u32
    }
}

/// Implements [`OrderedVector`] for integers.
macro_rules! ordered {
    ($(
        $Name:ident: $Lane:ty, min: $min:ident, max: $max:ident, less: $less:ident, blend: $blend:ident, parted: $parted:ident,
        swap_lanes: $swap_lanes:ident;
    )*) => {$(
        impl OrderedVector for $Name {
            type Half = $Name;
            type Bytes = U8x32;
            const HIGHEST: $Lane = <$Lane>::MAX;

            #[inline(always)]
            fn bytes(self) -> U8x32 {
                U8x32(self.0)
            }
            #[inline(always)]
            fn from_bytes(bytes: U8x32) -> Self {
                $Name(bytes.0)
            }
            #[inline(always)]
            unsafe fn load_others(self, from: *const $Lane, mask: __m256i) -> Self {
                // SAFETY: the caller ensures that the values at the lanes that `mask` selects may be read.
                let some = unsafe { Self::load_some(from, mask) };
                // SAFETY: `self` exists, so the processor has AVX2.
                $Name(unsafe { _mm256_blendv_epi8(self.0, some.0, mask) })
            }
            methods! {
                min(other) = $min;
                max(other) = $max;
            }
            #[inline(always)]
            fn less(self, other: Self) -> u32 {
                // SAFETY: `self` exists, so the processor has AVX2.
                unsafe { $less(self.0, other.0) }
            }
            #[inline(always)]
            fn blend(self, other: Self, bits: u32) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2.
                $Name(unsafe { $blend(self.0, other.0, bits) })
            }
            #[inline(always)]
            fn parted(self, bits: u32) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2.
                $Name(unsafe { $parted(self.0, bits) })
            }
            #[inline(always)]
            fn swap_lanes(self, x: usize) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2.
                $Name(unsafe { $swap_lanes(self.0, x) })
            }
        }
    )*};
}
ordered! {
    I64x4: i64, min: min_i64, max: max_i64, less: less_i64, blend: blend64, parted: parted64, swap_lanes: swap_lanes64;
    I32x8: i32, min: _mm256_min_epi32, max: _mm256_max_epi32, less: less_i32, blend: blend32, parted: parted32,
        swap_lanes: swap_lanes32;
}

impl F64x4 {
    #[inline(always)]
    fn bits(self) -> I64x4 {
        // SAFETY: `self` exists, so the processor has AVX2.
        I64x4(unsafe { _mm256_castpd_si256(self.0) })
    }
    #[inline(always)]
    fn from_bits(bits: I64x4) -> F64x4 {
        // SAFETY: `bits` exists, so the processor has AVX2.
        F64x4(unsafe { _mm256_castsi256_pd(bits.0) })
    }
}

impl OrderedVector for F64x4 {
    type Half = F64x4;
    type Bytes = U8x32;
    const HIGHEST: f64 = f64::INFINITY;

    #[inline(always)]
    fn bytes(self) -> U8x32 {
        self.bits().bytes()
    }
    #[inline(always)]
    fn from_bytes(bytes: U8x32) -> Self {
        F64x4::from_bits(I64x4::from_bytes(bytes))
    }
    #[inline(always)]
    unsafe fn load_others(self, from: *const f64, mask: __m256i) -> Self {
        // SAFETY: the caller ensures that the values at the lanes that `mask` selects may be read.
        F64x4::from_bits(unsafe { self.bits().load_others(from.cast(), mask) })
    }
    methods! {
        min(other) = _mm256_min_pd;
        max(other) = _mm256_max_pd;
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        // SAFETY: `self` exists, so the processor has AVX2.
        unsafe { less_f64(self.0, other.0) }
    }
    #[inline(always)]
    fn blend(self, other: Self, bits: u32) -> Self {
        F64x4::from_bits(self.bits().blend(other.bits(), bits))
    }
    #[inline(always)]
    fn parted(self, bits: u32) -> Self {
        F64x4::from_bits(self.bits().parted(bits))
    }
    #[inline(always)]
    fn swap_lanes(self, x: usize) -> Self {
        F64x4::from_bits(self.bits().swap_lanes(x))
    }
}

// ------------------------------------------------------------------ bytes

impl ByteVector for U8x32 {
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: `self` exists, so the processor has AVX2. The caller ensures that 32 bytes may be written at `to`, a multiple of 32.
        unsafe { _mm256_stream_si256(to.cast(), self.0) }
    }
    interleaving! {
        interleave_low: 1 => _mm256_unpacklo_epi8, 2 => _mm256_unpacklo_epi16, 4 => _mm256_unpacklo_epi32, 8 => _mm256_unpacklo_epi64;
        interleave_high: 1 => _mm256_unpackhi_epi8, 2 => _mm256_unpackhi_epi16, 4 => _mm256_unpackhi_epi32, 8 => _mm256_unpackhi_epi64;
    }
    #[inline(always)]
    fn transpose_blocks(square: &mut [Self; 4]) {
        let [a, b, ..] = *square;
        // SAFETY: `a` exists, so the processor has AVX2.
        square[0] = U8x32(unsafe { _mm256_permute2x128_si256::<0x20>(a.0, b.0) });
        // SAFETY: `a` exists, so the processor has AVX2.
        square[1] = U8x32(unsafe { _mm256_permute2x128_si256::<0x31>(a.0, b.0) });
    }
}
