//! Implements [`Vector`] for AVX2 with FMA, which has 16 registers of 32 bytes.

use super::vector::{SimdKernel, Vector};
use core::arch::x86_64::*;

/// A register of four `f64`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct F64x4(__m256d);
/// A register of eight `f32`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct F32x8(__m256);

/// Runs `task`, compiled for the target features that the attribute enables.
///
/// # Safety
/// The caller must ensure that the processor has these target features, and the conditions of [`run`](SimdKernel::run) of `task`.
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
unsafe fn within<V: Vector>(task: impl SimdKernel<V>) {
    // SAFETY: the caller ensures that the processor has the target features, and the conditions of `task.run()`.
    unsafe { task.run() }
}

macro_rules! vector {
    ($name:ident, $real:ty, $lanes:literal, $mask_lane:ty, $zero:ident $splat:ident $load:ident $load_some:ident $store:ident
     $store_some:ident $add:ident $sub:ident $mul:ident $mul_add:ident $mul_sub_add:ident $xor:ident $swap:ident
     $alternating:ident $exchange:ident) => {
        impl Vector for $name {
            type Real = $real;
            /// In each lane, either all bits are set or no bit is set.
            type Mask = __m256i;
            const LANES: usize = $lanes;
            const TILE_VECTORS: usize = 2;
            const TILE_COLUMNS: usize = 6;
            const COMPLEX_COLUMNS: usize = 6;

            unsafe fn within(task: impl SimdKernel<Self>) {
                // SAFETY: the Safety section of `Vector::within` requires the conditions of `task.run()`. One of them is that the
                // processor has the instruction set of this vector: AVX2, FMA, BMI1 and BMI2. So the conditions of the function
                // `within` above hold.
                unsafe { within(task) }
            }
            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller ensures that the processor has AVX2, as the Safety section of `Vector::zero` requires.
                $name(unsafe { $zero() })
            }
            #[inline(always)]
            fn splat(self, x: $real) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                $name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn alternating(self, even: $real, odd: $real) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                $name(unsafe { $alternating(even, odd) })
            }
            #[inline(always)]
            fn first(self, lanes: usize) -> __m256i {
                const ALL: $mask_lane = -1;
                const TABLE: [$mask_lane; 2 * $lanes] = {
                    let mut table = [0; 2 * $lanes];
                    let mut lane = 0;
                    while lane < $lanes {
                        table[lane] = ALL;
                        lane += 1;
                    }
                    table
                };
                let from = TABLE.as_ptr().wrapping_add($lanes - lanes.min($lanes));
                // SAFETY: `self` exists, so the processor has AVX2. The table has `2 · LANES` values, and `from` skips at most
                // `LANES` of them. So the `LANES` values from there on are in the table.
                unsafe { _mm256_loadu_si256(from.cast()) }
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
                // SAFETY: the caller ensures that the processor has AVX2. It also ensures that `LANES` values at `from` may be read.
                // See the Safety section of `Vector::load`.
                $name(unsafe { $load(from) })
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $real, mask: __m256i) -> Self {
                // SAFETY: the caller ensures that the processor has AVX2. It also ensures that the values at the lanes that `mask`
                // selects may be read. See the Safety section of `Vector::load_some`.
                $name(unsafe { $load_some(from, mask) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real) {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]). The caller ensures that `LANES` values at `to` may
                // be written, and that nothing else accesses them.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $real, mask: __m256i) {
                // A full mask uses an ordinary store: on AMD processors up to Zen 3, a masked store takes a dozen cycles.
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                if unsafe { _mm256_movemask_epi8(mask) } == -1 {
                    // SAFETY: `mask` selects all lanes. So the caller of `store_some` ensures that `LANES` values at `to` may be
                    // written, and that nothing else accesses them.
                    return unsafe { self.store(to) };
                }
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]). The caller ensures that the values at the lanes
                // that `mask` selects may be written, and that nothing else accesses them.
                unsafe { $store_some(to, mask, self.0) }
            }
            #[inline(always)]
            fn add(self, a: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                $name(unsafe { $add(self.0, a.0) })
            }
            #[inline(always)]
            fn sub(self, a: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                $name(unsafe { $sub(self.0, a.0) })
            }
            #[inline(always)]
            fn mul(self, a: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                $name(unsafe { $mul(self.0, a.0) })
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                // SAFETY: `self` exists, so the processor has FMA (see [`Vector`]).
                $name(unsafe { $mul_add(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn mul_sub_add(self, a: Self, b: Self) -> Self {
                // SAFETY: `self` exists, so the processor has FMA (see [`Vector`]).
                $name(unsafe { $mul_sub_add(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn flip(self, signs: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                $name(unsafe { $xor(self.0, signs.0) })
            }
            #[inline(always)]
            fn swap_pairs(self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                $name(unsafe { $swap(self.0) })
            }
            #[inline(always)]
            fn exchange(self, other: Self, block: usize) -> (Self, Self) {
                // SAFETY: `self` exists, so the processor has AVX2 (see [`Vector`]).
                let (one, other) = unsafe { $exchange(self.0, other.0, block) };
                ($name(one), $name(other))
            }
        }
    };
}

// The functions below implement methods of `Vector` that need several intrinsics, or an intrinsic with constant arguments.

#[inline]
#[target_feature(enable = "avx2")]
fn swap_f64(x: __m256d) -> __m256d {
    _mm256_permute_pd::<0b0101>(x)
}

#[inline]
#[target_feature(enable = "avx2")]
fn swap_f32(x: __m256) -> __m256 {
    _mm256_permute_ps::<0b10_11_00_01>(x)
}

#[inline]
#[target_feature(enable = "avx2")]
fn alternating_f64(even: f64, odd: f64) -> __m256d {
    _mm256_set_pd(odd, even, odd, even)
}

#[inline]
#[target_feature(enable = "avx2")]
fn alternating_f32(even: f32, odd: f32) -> __m256 {
    _mm256_set_ps(odd, even, odd, even, odd, even, odd, even)
}

#[inline]
#[target_feature(enable = "avx2")]
fn exchange_f64(a: __m256d, b: __m256d, block: usize) -> (__m256d, __m256d) {
    match block {
        1 => (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)),
        _ => (_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b)),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn exchange_f32(a: __m256, b: __m256, block: usize) -> (__m256, __m256) {
    if block == 1 {
        let one = _mm256_blend_ps::<0b1010_1010>(a, _mm256_moveldup_ps(b));
        let other = _mm256_blend_ps::<0b1010_1010>(_mm256_movehdup_ps(a), b);
        return (one, other);
    }
    let (one, other) = exchange_f64(_mm256_castps_pd(a), _mm256_castps_pd(b), block / 2);
    (_mm256_castpd_ps(one), _mm256_castpd_ps(other))
}

vector!(F64x4, f64, 4, i64, _mm256_setzero_pd _mm256_set1_pd _mm256_loadu_pd _mm256_maskload_pd _mm256_storeu_pd
    _mm256_maskstore_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_fmadd_pd _mm256_fmaddsub_pd _mm256_xor_pd
    swap_f64 alternating_f64 exchange_f64);
vector!(F32x8, f32, 8, i32, _mm256_setzero_ps _mm256_set1_ps _mm256_loadu_ps _mm256_maskload_ps _mm256_storeu_ps
    _mm256_maskstore_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_fmadd_ps _mm256_fmaddsub_ps _mm256_xor_ps
    swap_f32 alternating_f32 exchange_f32);
