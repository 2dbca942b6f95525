//! The registers of AVX-512 F, BW, DQ and VL: 32 of 64 bytes, and mask registers.

use super::Level;
use super::avx2::{F64x4, I32x8, I64x4, PARTED8};
use super::vector::{
    ByteVector, FloatVector, Isa, MaskedVector, OrderedVector, SimdKernel, Vector, interleaving, methods,
    register,
};
use core::arch::x86_64::*;

/// The instruction set of [`Level::Avx512`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

impl Isa for Avx512 {
    #[inline]
    fn new() -> Option<Avx512> {
        (Level::get() >= Level::Avx512).then_some(Avx512(()))
    }
    unsafe fn run<V: Vector<Isa = Avx512>, Output>(kernel: impl SimdKernel<V, Output>) -> Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt")]
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
    /// A register of eight `f64`.
    F64x8(__m512d) of Avx512 has 8 lanes of f64,
    zero: _mm512_setzero_pd, load: _mm512_loadu_pd, store: _mm512_storeu_pd
}
register! {
    /// A register of sixteen `f32`.
    F32x16(__m512) of Avx512 has 16 lanes of f32,
    zero: _mm512_setzero_ps, load: _mm512_loadu_ps, store: _mm512_storeu_ps
}
register! {
    /// A register of eight `i64`.
    I64x8(__m512i) of Avx512 has 8 lanes of i64,
    zero: _mm512_setzero_si512, load: _mm512_loadu_si512, store: _mm512_storeu_si512
}
register! {
    /// A register of sixteen `i32`.
    I32x16(__m512i) of Avx512 has 16 lanes of i32,
    zero: _mm512_setzero_si512, load: _mm512_loadu_si512, store: _mm512_storeu_si512
}
register! {
    /// A register of 64 bytes.
    U8x64(__m512i) of Avx512 has 64 lanes of u8,
    zero: _mm512_setzero_si512, load: _mm512_loadu_si512, store: _mm512_storeu_si512
}

/// Implements [`MaskedVector`].
macro_rules! masked {
    ($(
        $Name:ident: $Lane:ty, splat: $splat:ident, masks of $Mask:ty,
        load_some: $load_some:ident, store_some: $store_some:ident;
    )*) => {$(
        impl MaskedVector for $Name {
            type Mask = $Mask;

            #[inline(always)]
            fn splat(self, x: $Lane) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512.
                $Name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn first(self, lanes: usize) -> $Mask {
                ((1u32 << lanes.min(Self::LANES)) - 1) as $Mask
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $Lane, mask: $Mask) -> Self {
                // SAFETY: the caller ensures that the processor has AVX-512, and that the values that `mask` selects may be read.
                $Name(unsafe { $load_some(mask, from) })
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $Lane, mask: $Mask) {
                // SAFETY: `self` exists, so the processor has AVX-512. The caller ensures that the values that `mask` selects may be
                // written, and that nothing else accesses them.
                unsafe { $store_some(to, mask, self.0) }
            }
        }
    )*};
}
masked! {
    F64x8: f64, splat: _mm512_set1_pd, masks of __mmask8, load_some: _mm512_maskz_loadu_pd, store_some: _mm512_mask_storeu_pd;
    F32x16: f32, splat: _mm512_set1_ps, masks of __mmask16, load_some: _mm512_maskz_loadu_ps, store_some: _mm512_mask_storeu_ps;
    I64x8: i64, splat: _mm512_set1_epi64, masks of __mmask8, load_some: _mm512_maskz_loadu_epi64,
        store_some: _mm512_mask_storeu_epi64;
    I32x16: i32, splat: _mm512_set1_epi32, masks of __mmask16, load_some: _mm512_maskz_loadu_epi32,
        store_some: _mm512_mask_storeu_epi32;
}

/// Defines functions that are compiled for AVX-512. They implement methods that need several intrinsics, or an intrinsic with constant
/// arguments.
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {$(
        $(#[$doc])*
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn $name($($argument: $type),*) -> $result $body
    )*};
}

// ------------------------------------------------------------------ arithmetic

/// Returns, for both results of [`FloatVector::exchange`] with blocks of `block` lanes, the index of the source lane of each lane.
/// Source lanes `0..LANES` are those of the first vector, `LANES..2 * LANES` those of the second.
const fn exchanged<const LANES: usize>(block: usize) -> [[u32; LANES]; 2] {
    let mut from = [[0; LANES]; 2];
    let mut lane = 0;
    while lane < LANES {
        if lane & block == 0 {
            from[0][lane] = lane as u32;
            from[1][lane] = (lane + block) as u32;
        } else {
            from[0][lane] = (LANES + lane - block) as u32;
            from[1][lane] = (LANES + lane) as u32;
        }
        lane += 1;
    }
    from
}

functions! {
    fn swap_f64(x: __m512d) -> __m512d {
        _mm512_permute_pd::<0b0101_0101>(x)
    }
    fn swap_f32(x: __m512) -> __m512 {
        _mm512_permute_ps::<0b10_11_00_01>(x)
    }
    fn alternating_f64(even: f64, odd: f64) -> __m512d {
        _mm512_broadcast_f64x2(_mm_set_pd(odd, even))
    }
    fn alternating_f32(even: f32, odd: f32) -> __m512 {
        let both = u64::from(even.to_bits()) | u64::from(odd.to_bits()) << 32;
        _mm512_castsi512_ps(_mm512_set1_epi64(both as i64))
    }
    fn exchange_f32(a: __m512, b: __m512, block: usize) -> (__m512, __m512) {
        const FROM: [[[u32; 16]; 2]; 4] = [exchanged(1), exchanged(2), exchanged(4), exchanged(8)];
        let [one, other] = &FROM[block.trailing_zeros() as usize];
        let from = |lanes: &[u32; 16]| {
            // SAFETY: `lanes` has 16 values of 4 bytes, which are the 64 bytes of a register.
            unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
        };
        (_mm512_permutex2var_ps(a, from(one), b), _mm512_permutex2var_ps(a, from(other), b))
    }
    /// Calls the function for `f32`, with twice as many lanes per block.
    fn exchange_f64(a: __m512d, b: __m512d, block: usize) -> (__m512d, __m512d) {
        let (one, other) = exchange_f32(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 2 * block);
        (_mm512_castps_pd(one), _mm512_castps_pd(other))
    }
}

impl FloatVector for F64x8 {
    type Real = f64;

    #[inline(always)]
    fn alternating(self, even: f64, odd: f64) -> Self {
        // SAFETY: `self` exists, so the processor has AVX-512.
        F64x8(unsafe { alternating_f64(even, odd) })
    }
    methods! {
        add(a) = _mm512_add_pd;
        sub(a) = _mm512_sub_pd;
        mul(a) = _mm512_mul_pd;
        mul_add(a, b) = _mm512_fmadd_pd;
        mul_sub_add(a, b) = _mm512_fmaddsub_pd;
        flip(signs) = _mm512_xor_pd;
        swap_pairs() = swap_f64;
    }
    #[inline(always)]
    fn exchange(self, other: Self, block: usize) -> (Self, Self) {
        // SAFETY: `self` exists, so the processor has AVX-512.
        let (one, other) = unsafe { exchange_f64(self.0, other.0, block) };
        (F64x8(one), F64x8(other))
    }
}

impl FloatVector for F32x16 {
    type Real = f32;

    #[inline(always)]
    fn alternating(self, even: f32, odd: f32) -> Self {
        // SAFETY: `self` exists, so the processor has AVX-512.
        F32x16(unsafe { alternating_f32(even, odd) })
    }
    methods! {
        add(a) = _mm512_add_ps;
        sub(a) = _mm512_sub_ps;
        mul(a) = _mm512_mul_ps;
        mul_add(a, b) = _mm512_fmadd_ps;
        mul_sub_add(a, b) = _mm512_fmaddsub_ps;
        flip(signs) = _mm512_xor_ps;
        swap_pairs() = swap_f32;
    }
    #[inline(always)]
    fn exchange(self, other: Self, block: usize) -> (Self, Self) {
        // SAFETY: `self` exists, so the processor has AVX-512.
        let (one, other) = unsafe { exchange_f32(self.0, other.0, block) };
        (F32x16(one), F32x16(other))
    }
}

// ------------------------------------------------------------------ order

functions! {
    fn parted64(v: __m512i, bits: u32) -> __m512i {
        let lanes = i64::from_le_bytes(PARTED8[bits as usize & 255]);
        // A permutation by a table: two calls of `vpcompress` are slower.
        _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128(lanes)), v)
    }
    fn parted32(v: __m512i, bits: u32) -> __m512i {
        _mm512_mask_expand_epi32(compress32(v, bits), (u32::MAX << (bits as u16).count_ones()) as u16, compress32(v, !bits))
    }
    fn compress64(v: __m512i, bits: u32) -> __m512i {
        _mm512_maskz_compress_epi64(bits as u8, v)
    }
    fn compress32(v: __m512i, bits: u32) -> __m512i {
        _mm512_maskz_compress_epi32(bits as u16, v)
    }
    fn swap_lanes64(v: __m512i, x: usize) -> __m512i {
        match x {
            1 => _mm512_permutex_epi64::<0b10_11_00_01>(v),
            2 => _mm512_permutex_epi64::<0b01_00_11_10>(v),
            3 => _mm512_permutex_epi64::<0b00_01_10_11>(v),
            4 => _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v),
            _ => _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v),
        }
    }
    fn swap_lanes32(v: __m512i, x: usize) -> __m512i {
        match x {
            1 => _mm512_shuffle_epi32::<0b10_11_00_01>(v),
            2 => _mm512_shuffle_epi32::<0b01_00_11_10>(v),
            3 => _mm512_shuffle_epi32::<0b00_01_10_11>(v),
            4 => _mm512_permutex_epi64::<0b01_00_11_10>(v),
            8 => _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v),
            7 => _mm512_permutexvar_epi32(
                _mm512_set_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
                v,
            ),
            _ => _mm512_permutexvar_epi32(
                _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                v,
            ),
        }
    }
    fn blend64(a: __m512i, b: __m512i, bits: u32) -> __m512i {
        _mm512_mask_blend_epi64(bits as u8, a, b)
    }
    fn blend32(a: __m512i, b: __m512i, bits: u32) -> __m512i {
        _mm512_mask_blend_epi32(bits as u16, a, b)
    }
    fn less_f64(a: __m512d, b: __m512d) -> u8 {
        _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b)
    }
}

/// Defines the methods that read and write parts of slices, without branches: the number of values is hard to predict, and masks cost little.
macro_rules! slices {
    () => {
        #[inline(always)]
        fn from_slice_at(isa: Avx512, from: &[Self::Lane], at: usize) -> Self {
            let n = from.len();
            Self::from_short_slice(isa, &from[n.min(at)..n.min(at + Self::LANES)])
        }
        #[inline(always)]
        fn to_slice_at(self, to: &mut [Self::Lane], at: usize) {
            let n = to.len();
            self.to_short_slice(&mut to[n.min(at)..n.min(at + Self::LANES)]);
        }
    };
}

/// Defines methods of [`OrderedVector`] for integers.
macro_rules! integers {
    (
        $Name:ident: $Lane:ty, half: $Half:ident, load_others: $load_others:ident, min: $min:ident, max: $max:ident,
        less: $less:ident, blend: $blend:ident, parted: $parted:ident, compress: $compress:ident, swap_lanes: $swap_lanes:ident
    ) => {
        type Half = $Half;
        type Bytes = U8x64;
        const HIGHEST: $Lane = <$Lane>::MAX;

        slices! {}
        #[inline(always)]
        fn bytes(self) -> U8x64 {
            U8x64(self.0)
        }
        #[inline(always)]
        fn from_bytes(bytes: U8x64) -> Self {
            $Name(bytes.0)
        }
        #[inline(always)]
        unsafe fn load_others(self, from: *const $Lane, mask: Self::Mask) -> Self {
            // SAFETY: `self` exists, so the processor has AVX-512. The caller ensures that the values that `mask` selects may be read.
            $Name(unsafe { $load_others(self.0, mask, from) })
        }
        methods! {
            min(other) = $min;
            max(other) = $max;
        }
        #[inline(always)]
        fn less(self, other: Self) -> u32 {
            // SAFETY: `self` exists, so the processor has AVX-512.
            u32::from(unsafe { $less(self.0, other.0) })
        }
        #[inline(always)]
        fn blend(self, other: Self, bits: u32) -> Self {
            // SAFETY: `self` exists, so the processor has AVX-512.
            $Name(unsafe { $blend(self.0, other.0, bits) })
        }
        #[inline(always)]
        fn parted(self, bits: u32) -> Self {
            // SAFETY: `self` exists, so the processor has AVX-512.
            $Name(unsafe { $parted(self.0, bits) })
        }
        #[inline(always)]
        fn compress(self, bits: u32) -> Self {
            // SAFETY: `self` exists, so the processor has AVX-512.
            $Name(unsafe { $compress(self.0, bits) })
        }
        #[inline(always)]
        fn swap_lanes(self, x: usize) -> Self {
            // SAFETY: `self` exists, so the processor has AVX-512.
            $Name(unsafe { $swap_lanes(self.0, x) })
        }
    };
}

impl OrderedVector for I64x8 {
    integers! {
        I64x8: i64, half: I64x4, load_others: _mm512_mask_loadu_epi64, min: _mm512_min_epi64, max: _mm512_max_epi64,
        less: _mm512_cmplt_epi64_mask, blend: blend64, parted: parted64, compress: compress64, swap_lanes: swap_lanes64
    }
}

impl OrderedVector for I32x16 {
    integers! {
        I32x16: i32, half: I32x8, load_others: _mm512_mask_loadu_epi32, min: _mm512_min_epi32, max: _mm512_max_epi32,
        less: _mm512_cmplt_epi32_mask, blend: blend32, parted: parted32, compress: compress32, swap_lanes: swap_lanes32
    }

    #[inline(always)]
    unsafe fn store_parted(self, to: &mut [i32], left: usize, right: usize, bits: u32, count: usize) {
        debug_assert!(right <= to.len() && (left + 16 == right || left + 32 <= right));
        debug_assert_eq!(bits.count_ones() as usize, count);
        let (front, back) = (self.compress(bits), self.compress(!bits));
        let start = to.as_mut_ptr();
        // SAFETY: the caller ensures `left + 16 <= right <= to.len()`. So the values `left .. left + 16` are in `to`, which is exclusively
        // borrowed.
        unsafe { front.store(start.wrapping_add(left)) };
        // SAFETY: the mask selects the values `right - (16 - count) .. right`. The caller ensures `16 <= right <= to.len()`, and that `count`
        // is at most 16. So these values are in `to`, which is exclusively borrowed.
        unsafe { back.store_some(start.wrapping_add(right - (16 - count)), back.first(16 - count)) };
    }
}

impl F64x8 {
    #[inline(always)]
    fn bits(self) -> I64x8 {
        // SAFETY: `self` exists, so the processor has AVX-512.
        I64x8(unsafe { _mm512_castpd_si512(self.0) })
    }
    #[inline(always)]
    fn from_bits(bits: I64x8) -> F64x8 {
        // SAFETY: `bits` exists, so the processor has AVX-512.
        F64x8(unsafe { _mm512_castsi512_pd(bits.0) })
    }
}

impl OrderedVector for F64x8 {
    type Half = F64x4;
    type Bytes = U8x64;
    const HIGHEST: f64 = f64::INFINITY;

    slices! {}
    #[inline(always)]
    fn bytes(self) -> U8x64 {
        self.bits().bytes()
    }
    #[inline(always)]
    fn from_bytes(bytes: U8x64) -> Self {
        F64x8::from_bits(I64x8::from_bytes(bytes))
    }
    #[inline(always)]
    unsafe fn load_others(self, from: *const f64, mask: __mmask8) -> Self {
        // SAFETY: the caller ensures that the values that `mask` selects may be read.
        F64x8::from_bits(unsafe { self.bits().load_others(from.cast(), mask) })
    }
    methods! {
        min(other) = _mm512_min_pd;
        max(other) = _mm512_max_pd;
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        // SAFETY: `self` exists, so the processor has AVX-512.
        u32::from(unsafe { less_f64(self.0, other.0) })
    }
    #[inline(always)]
    fn blend(self, other: Self, bits: u32) -> Self {
        F64x8::from_bits(self.bits().blend(other.bits(), bits))
    }
    #[inline(always)]
    fn parted(self, bits: u32) -> Self {
        F64x8::from_bits(self.bits().parted(bits))
    }
    #[inline(always)]
    fn compress(self, bits: u32) -> Self {
        F64x8::from_bits(self.bits().compress(bits))
    }
    #[inline(always)]
    fn swap_lanes(self, x: usize) -> Self {
        F64x8::from_bits(self.bits().swap_lanes(x))
    }
}

// ------------------------------------------------------------------ bytes

impl ByteVector for U8x64 {
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: `self` exists, so the processor has AVX-512. The caller ensures that 64 bytes may be written at `to`, a multiple of 64.
        unsafe { _mm512_stream_si512(to.cast(), self.0) }
    }
    interleaving! {
        interleave_low: 1 => _mm512_unpacklo_epi8, 2 => _mm512_unpacklo_epi16, 4 => _mm512_unpacklo_epi32, 8 => _mm512_unpacklo_epi64;
        interleave_high: 1 => _mm512_unpackhi_epi8, 2 => _mm512_unpackhi_epi16, 4 => _mm512_unpackhi_epi32, 8 => _mm512_unpackhi_epi64;
    }
    #[inline(always)]
    fn transpose_blocks(square: &mut [Self; 4]) {
        let [a, b, c, d] = *square;
        // `even` returns the even blocks of two registers, and `odd` the odd blocks.
        let even = |a: Self, b: Self| {
            // SAFETY: `a` exists, so the processor has AVX-512.
            U8x64(unsafe { _mm512_shuffle_i64x2::<0b10_00_10_00>(a.0, b.0) })
        };
        let odd = |a: Self, b: Self| {
            // SAFETY: `a` exists, so the processor has AVX-512.
            U8x64(unsafe { _mm512_shuffle_i64x2::<0b11_01_11_01>(a.0, b.0) })
        };
        let (ab, cd) = (even(a, b), even(c, d));
        let (ef, gh) = (odd(a, b), odd(c, d));
        *square = [even(ab, cd), even(ef, gh), odd(ab, cd), odd(ef, gh)];
    }
}
