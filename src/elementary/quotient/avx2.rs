//! The loops of quotients for AVX2. In a plain loop over complex numbers, the compiler separates real and imaginary parts in their order,
//! with four shuffles for two registers. The order does not matter, so two shuffles suffice, and what determines whether a quotient is far
//! takes no additional time: the division units are the limit.

use super::Quotient;
use core::arch::x86_64::*;
use num_complex::Complex;

/// Floating-point types with a loop for quotients.
pub(crate) trait QuotientLoop: Quotient {
    /// Computes [`Quotient::quotient`] of `n` dividends and divisors. If `LEFT` or `RIGHT`, there is only one dividend or divisor.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has AVX2.
    /// * `n` elements from `left` and from `right` on are readable, or one if it is the only dividend or divisor.
    /// * `n` elements from `to` on may be written, and nothing else accesses them.
    /// * `to` is equal to an operand of `n` elements, or its elements do not overlap those of the operand.
    unsafe fn all<const LEFT: bool, const RIGHT: bool>(
        left: *const Complex<Self>,
        right: *const Complex<Self>,
        to: *mut Complex<Self>,
        n: usize,
    );
}

macro_rules! quotient_loop {
    ($F:ident, $lanes:literal, $splat:ident $load:ident $store:ident $separate:ident $scale:ident $low:ident $high:ident
     $add:ident $sub:ident $mul:ident $div:ident $and:ident $or:ident $max:ident $min:ident $compare:ident $zero:ident $signs:ident) => {
        impl QuotientLoop for $F {
            #[inline]
            #[target_feature(enable = "avx2")]
            unsafe fn all<const LEFT: bool, const RIGHT: bool>(
                left: *const Complex<$F>,
                right: *const Complex<$F>,
                to: *mut Complex<$F>,
                n: usize,
            ) {
                let magnitude = $splat($F::from_bits($F::to_bits(-0.0) - 1));
                let (far_size, min_ratio, zero) = ($splat($F::FAR_SIZE), $splat($F::MIN_RATIO), $zero());
                // A single operand is copied to the elements of an array, whose elements are read again and again.
                let copies = |from: *const Complex<$F>, single: bool| {
                    // SAFETY: if `single`, the caller ensures that one element from `from` on is readable.
                    [if single { unsafe { *from } } else { Complex::new(0.0, 0.0) }; $lanes]
                };
                let (lefts, rights) = (copies(left, LEFT && n > 0), copies(right, RIGHT && n > 0));
                let address =
                    |from: *const Complex<$F>, copies: &[Complex<$F>; $lanes], single: bool, at: usize| {
                        if single { copies.as_ptr() } else { from.wrapping_add(at) }
                    };
                let mut at = 0;
                while at + $lanes <= n {
                    let (a, b) = (address(left, &lefts, LEFT, at), address(right, &rights, RIGHT, at));
                    let (p, q) = (a.cast::<$F>(), b.cast::<$F>());
                    // SAFETY: `$lanes` elements from `a` on are readable: those of `lefts`, or elements of `left`, because
                    // `at + $lanes <= n`. Each of the two registers holds half of them.
                    let (x, y) = unsafe { $separate([$load(p), $load(p.wrapping_add($lanes))]) };
                    // SAFETY: `$lanes` elements from `b` on are readable: those of `rights`, or elements of `right`, because
                    // `at + $lanes <= n`. Each of the two registers holds half of them.
                    let (c, d) = unsafe { $separate([$load(q), $load(q.wrapping_add($lanes))]) };
                    let (p, q) = ($and(c, magnitude), $and(d, magnitude));
                    let (larger, smaller) = ($max(p, q), $min(p, q));
                    let scale = $scale(larger);
                    let (x, y, c, d) = ($mul(x, scale), $mul(y, scale), $mul(c, scale), $mul(d, scale));
                    let square = $add($mul(c, c), $mul(d, d));
                    let re = $div($add($mul(x, c), $mul(y, d)), square);
                    let im = $div($sub($mul(y, c), $mul(x, d)), square);
                    let size = $max($and(x, magnitude), $and(y, magnitude));
                    let uneven = $and(
                        $compare::<_CMP_LT_OQ>($mul(smaller, scale), min_ratio),
                        $compare::<_CMP_NEQ_UQ>(smaller, zero),
                    );
                    let far = $or($compare::<_CMP_NLT_UQ>(size, far_size), uneven);
                    if $signs(far) != 0 {
                        // SAFETY: `$lanes` elements from `a` and from `b` on are readable. The caller ensures exclusive access to those
                        // from `to` on, of which there are `$lanes` from index `at` on.
                        unsafe { one_by_one(a, b, to.wrapping_add(at), $lanes) };
                    } else {
                        let to = to.wrapping_add(at).cast::<$F>();
                        // SAFETY: `at + $lanes <= n`, and the caller ensures exclusive access to `n` elements from `to` on. Each of the
                        // two registers holds half of these `$lanes` elements. The operands of the elements were read before.
                        unsafe {
                            $store(to, $low(re, im));
                            $store(to.wrapping_add($lanes), $high(re, im));
                        }
                    }
                    at += $lanes;
                }
                let (a, b) = (address(left, &lefts, LEFT, at), address(right, &rights, RIGHT, at));
                // SAFETY: fewer than `$lanes` elements are left. These are readable: elements of the operands, or of `lefts` and `rights`.
                // The caller ensures exclusive access to those from `to` on.
                unsafe { one_by_one(a, b, to.wrapping_add(at), n - at) };
            }
        }
    };
}
quotient_loop!(f64, 4, _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd separate_f64 scale_f64 _mm256_unpacklo_pd _mm256_unpackhi_pd
    _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_and_pd _mm256_or_pd _mm256_max_pd _mm256_min_pd _mm256_cmp_pd
    _mm256_setzero_pd _mm256_movemask_pd);
quotient_loop!(f32, 8, _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps separate_f32 scale_f32 _mm256_unpacklo_ps _mm256_unpackhi_ps
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_and_ps _mm256_or_ps _mm256_max_ps _mm256_min_ps _mm256_cmp_ps
    _mm256_setzero_ps _mm256_movemask_ps);

/// Returns the real and the imaginary parts of the elements in two registers. Unpacking them joins them in the original order.
#[inline]
#[target_feature(enable = "avx2")]
fn separate_f64([a, b]: [__m256d; 2]) -> (__m256d, __m256d) {
    (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b))
}

/// [`separate_f64`] for `f32`.
#[inline]
#[target_feature(enable = "avx2")]
fn separate_f32([a, b]: [__m256; 2]) -> (__m256, __m256) {
    (_mm256_shuffle_ps::<0b10_00_10_00>(a, b), _mm256_shuffle_ps::<0b11_01_11_01>(a, b))
}

/// Returns the power of two that brings a magnitude near 1, as `scale64` does.
#[inline]
#[target_feature(enable = "avx2")]
fn scale_f64(larger: __m256d) -> __m256d {
    let exponent =
        _mm256_and_si256(_mm256_castpd_si256(larger), _mm256_set1_epi64x(f64::EXPONENT.cast_signed()));
    _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(f64::SUM_OF_EXPONENTS.cast_signed()), exponent))
}

/// [`scale_f64`] for `f32`.
#[inline]
#[target_feature(enable = "avx2")]
fn scale_f32(larger: __m256) -> __m256 {
    let exponent =
        _mm256_and_si256(_mm256_castps_si256(larger), _mm256_set1_epi32(f32::EXPONENT.cast_signed()));
    _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(f32::SUM_OF_EXPONENTS.cast_signed()), exponent))
}

/// Computes quotients one after the other.
///
/// # Safety
/// The caller must ensure:
/// * `n` elements from `left` and from `right` on are readable.
/// * `n` elements from `to` on may be written, and nothing else accesses them.
/// * `to` is equal to an operand, or its elements do not overlap those of the operand.
#[inline]
unsafe fn one_by_one<F: Quotient + Copy>(
    left: *const Complex<F>,
    right: *const Complex<F>,
    to: *mut Complex<F>,
    n: usize,
) {
    for i in 0..n {
        // SAFETY: `i < n`, and the caller ensures that `n` elements from `left` on are readable.
        let a = unsafe { *left.wrapping_add(i) };
        // SAFETY: `i < n`, and the caller ensures that `n` elements from `right` on are readable.
        let b = unsafe { *right.wrapping_add(i) };
        // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements from `to` on.
        unsafe { *to.wrapping_add(i) = F::quotient(a, b) };
    }
}
