//! Masks of comparisons, which become bytes: one for each result of type `bool`.

use super::{I32x8, I64x4, U8x32};
use crate::simd::vector::Vector;
use core::arch::x86_64::*;
use core::mem::transmute;

/// The number of masks that [`MaskVector::narrow`] narrows at once: the bytes of a register.
pub(crate) const MASKS: usize = 32;

/// A SIMD register of masks: integers of which all bits are set, or none.
pub(crate) trait MaskVector: Vector {
    /// Returns a mask in which all bits are set if `set`, otherwise none.
    fn mask(set: bool) -> Self::Lane;
    /// Returns one byte for each mask: 1 if it is set, otherwise 0.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set.
    unsafe fn narrow(masks: &[Self::Lane; MASKS]) -> U8x32;
}

/// Returns the bytes with all bits but the lowest cleared.
#[inline]
#[target_feature(enable = "avx2")]
fn ones(bytes: __m256i) -> __m256i {
    _mm256_and_si256(bytes, _mm256_set1_epi8(1))
}

#[inline]
#[target_feature(enable = "avx2")]
fn narrow64(masks: [__m256i; 8]) -> __m256i {
    let [a, b, c, d, e, f, g, h] = masks;
    // A mask of 8 bytes is narrowed like two masks of 4 bytes. The last step joins these pairs.
    let (ab, cd) = (_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    let (ef, gh) = (_mm256_packs_epi32(e, f), _mm256_packs_epi32(g, h));
    let bytes = _mm256_packs_epi16(_mm256_packs_epi16(ab, cd), _mm256_packs_epi16(ef, gh));
    // The first half of `bytes` has the first two masks of each register, the second half the other two.
    let halves = _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes);
    let pairs = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    ones(_mm256_shuffle_epi8(halves, _mm256_broadcastsi128_si256(pairs)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn narrow32(masks: [__m256i; 4]) -> __m256i {
    let [a, b, c, d] = masks;
    let bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    // The first half of `bytes` has the first four masks of each register, the second half the other four.
    ones(_mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)))
}

impl MaskVector for I64x4 {
    #[inline(always)]
    fn mask(set: bool) -> i64 {
        -i64::from(set)
    }
    #[inline(always)]
    unsafe fn narrow(masks: &[i64; MASKS]) -> U8x32 {
        // SAFETY: both types have the same size, and all bits are valid for both.
        let masks = unsafe { transmute::<[i64; MASKS], [__m256i; 8]>(*masks) };
        // SAFETY: the caller ensures that the processor has AVX2.
        U8x32(unsafe { narrow64(masks) })
    }
}

impl MaskVector for I32x8 {
    #[inline(always)]
    fn mask(set: bool) -> i32 {
        -i32::from(set)
    }
    #[inline(always)]
    unsafe fn narrow(masks: &[i32; MASKS]) -> U8x32 {
        // SAFETY: both types have the same size, and all bits are valid for both.
        let masks = unsafe { transmute::<[i32; MASKS], [__m256i; 4]>(*masks) };
        // SAFETY: the caller ensures that the processor has AVX2.
        U8x32(unsafe { narrow32(masks) })
    }
}
