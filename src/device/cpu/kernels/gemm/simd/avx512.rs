//! Implements [`Vector`] for AVX-512, which has 32 registers of 64 bytes and mask registers.

use super::vector::{SimdKernel, Vector};
use core::arch::x86_64::*;

/// A register of eight `f64`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct F64x8(__m512d);
/// A register of sixteen `f32`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct F32x16(__m512);

/// Runs `task`, compiled for the target features that the attribute enables.
///
/// # Safety
/// The caller must ensure that the processor has these target features, and the conditions of [`run`](SimdKernel::run) of `task`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2")]
unsafe fn within<V: Vector>(task: impl SimdKernel<V>) {
    // SAFETY: the caller of `within` ensures that the processor has the target features, and the conditions of `task.run`.
    unsafe { task.run() }
}

macro_rules! vector {
    ($name:ident, $real:ty, $mask:ty, $zero:ident $splat:ident $load:ident $load_some:ident $store:ident
     $store_some:ident $add:ident $sub:ident $mul:ident $mul_add:ident $mul_sub_add:ident $xor:ident $swap:ident
     $alternating:ident $exchange:ident) => {
        impl Vector for $name {
            type Real = $real;
            type Mask = $mask;
            const LANES: usize = <$mask>::BITS as usize;
            const TILE_VECTORS: usize = 3;
            const TILE_COLUMNS: usize = 8;
            const COMPLEX_COLUMNS: usize = 4;

            unsafe fn within(task: impl SimdKernel<Self>) {
                // SAFETY: the caller ensures the conditions of `task.run`, which include that the processor has the instruction set
                // of this vector. The free function `within` requires nothing else.
                unsafe { within(task) }
            }
            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller ensures that the processor has AVX-512.
                $name(unsafe { $zero() })
            }
            #[inline(always)]
            fn splat(self, x: $real) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn alternating(self, even: $real, odd: $real) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $alternating(even, odd) })
            }
            #[inline(always)]
            fn first(self, lanes: usize) -> $mask {
                if lanes >= Self::LANES { <$mask>::MAX } else { (1 << lanes) - 1 }
            }
            #[inline(always)]
            fn prefetch(address: *const $real) {
                // SAFETY: a prefetch is a hint and does not access memory, so any address is allowed.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
            }
            #[inline(always)]
            fn prefetch_far(address: *const $real) {
                // SAFETY: a prefetch is a hint and does not access memory, so any address is allowed.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $real) -> Self {
                // SAFETY: the caller ensures that the processor has AVX-512, and that `LANES` values may be read at `from`.
                $name(unsafe { $load(from) })
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $real, mask: $mask) -> Self {
                // SAFETY: the caller ensures that the processor has AVX-512, and that the values that `mask` selects may be read.
                $name(unsafe { $load_some(mask, from) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real) {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]). The caller ensures that `LANES` values may
                // be written at `to`.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $real, mask: $mask) {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]). The caller ensures that the values that
                // `mask` selects may be written.
                unsafe { $store_some(to, mask, self.0) }
            }
            #[inline(always)]
            fn add(self, a: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $add(self.0, a.0) })
            }
            #[inline(always)]
            fn sub(self, a: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $sub(self.0, a.0) })
            }
            #[inline(always)]
            fn mul(self, a: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $mul(self.0, a.0) })
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $mul_add(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn mul_sub_add(self, a: Self, b: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $mul_sub_add(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn flip(self, signs: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $xor(self.0, signs.0) })
            }
            #[inline(always)]
            fn swap_pairs(self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                $name(unsafe { $swap(self.0) })
            }
            #[inline(always)]
            fn exchange(self, other: Self, block: usize) -> (Self, Self) {
                // SAFETY: `self` exists, so the processor has AVX-512 (see [`Vector`]).
                let (one, other) = unsafe { $exchange(self.0, other.0, block) };
                ($name(one), $name(other))
            }
        }
    };
}

// The functions below implement methods of `Vector` that need several intrinsics, or an intrinsic with constant arguments.

#[inline]
#[target_feature(enable = "avx512f")]
fn swap_f64(x: __m512d) -> __m512d {
    _mm512_permute_pd::<0b0101_0101>(x)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn swap_f32(x: __m512) -> __m512 {
    _mm512_permute_ps::<0b10_11_00_01>(x)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn alternating_f64(even: f64, odd: f64) -> __m512d {
    _mm512_broadcast_f64x2(_mm_set_pd(odd, even))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn alternating_f32(even: f32, odd: f32) -> __m512 {
    let both = u64::from(even.to_bits()) | u64::from(odd.to_bits()) << 32;
    _mm512_castsi512_ps(_mm512_set1_epi64(both as i64))
}

/// Returns, for both results of [`Vector::exchange`] with blocks of `block` lanes, the index of the source lane of each lane.
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

#[inline]
#[target_feature(enable = "avx512f")]
fn exchange_f32(a: __m512, b: __m512, block: usize) -> (__m512, __m512) {
    const FROM: [[[u32; 16]; 2]; 4] = [exchanged(1), exchanged(2), exchanged(4), exchanged(8)];
    let [one, other] = &FROM[block.trailing_zeros() as usize];
    let from = |lanes: &[u32; 16]| {
        // SAFETY: `lanes` has 16 values of 4 bytes, which are the 64 bytes of a register.
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    };
    (_mm512_permutex2var_ps(a, from(one), b), _mm512_permutex2var_ps(a, from(other), b))
}

/// Implements [`Vector::exchange`] for `f64` by calling the function for `f32`, with twice as many lanes per block.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange_f64(a: __m512d, b: __m512d, block: usize) -> (__m512d, __m512d) {
    let (one, other) = exchange_f32(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 2 * block);
    (_mm512_castps_pd(one), _mm512_castps_pd(other))
}

vector!(F64x8, f64, __mmask8, _mm512_setzero_pd _mm512_set1_pd _mm512_loadu_pd _mm512_maskz_loadu_pd _mm512_storeu_pd
    _mm512_mask_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_fmadd_pd _mm512_fmaddsub_pd _mm512_xor_pd swap_f64
    alternating_f64 exchange_f64);
vector!(F32x16, f32, __mmask16, _mm512_setzero_ps _mm512_set1_ps _mm512_loadu_ps _mm512_maskz_loadu_ps _mm512_storeu_ps
    _mm512_mask_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_fmadd_ps _mm512_fmaddsub_ps _mm512_xor_ps swap_f32
    alternating_f32 exchange_f32);
