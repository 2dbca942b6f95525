// Logarithms and inverse hyperbolic functions. `functions.rs` includes this source.

/// Returns `k` and `f` with x = 2^k (1 + f) and 1 + f from sqrt(1/2) to sqrt(2), for positive normal `x`.
/// Uses logical shifts only, because AVX2 has no arithmetic shift of 64-bit lanes. Converts `k` to a floating-point number by adding it
/// to the bits of a large power of two, because AVX2 cannot convert 64-bit integers. `k_offset`, usually `K_OFFSET`, is subtracted from
/// that number.
#[inline(always)]
pub(crate) fn split_normal(x: Float, k_offset: Float) -> (Float, Float) {
    let shifted = shifted_bits(x);
    let k = Float::from_bits((shifted >> MANTISSA_BITS) | INTEGER_BITS) - k_offset;
    let mantissa = Float::from_bits((shifted & ((1 << MANTISSA_BITS) - 1)) + ROOT_HALF_BITS);
    (k, mantissa - 1.0)
}

/// Returns an integer whose upper bits are the exponent k of [`split_normal`] plus the exponent bias. Its `MANTISSA_BITS` lowest bits are
/// those of the mantissa minus `ROOT_HALF_BITS`.
#[inline(always)]
fn shifted_bits(x: Float) -> Bits {
    x.to_bits().wrapping_add((EXPONENT_BIAS << MANTISSA_BITS) - ROOT_HALF_BITS)
}

/// [`split_normal`] that accepts subnormal `x`.
#[inline(always)]
fn split(x: Float) -> (Float, Float) {
    let subnormal = x < Float::MIN_POSITIVE;
    let x = select(subnormal, x * SUBNORMAL_SCALE, x);
    split_normal(x, select(subnormal, K_OFFSET + SUBNORMAL_SCALE_LOG2, K_OFFSET))
}

/// Returns `y`, the computed logarithm of `x`, or the correct result if `x` is zero, infinite, negative or NaN.
///
/// The sign is tested by an integer comparison. From comparisons of `x` alone, the compiler makes a single test of the class of `x`, which
/// takes more instructions.
#[inline(always)]
fn ln_special(x: Float, y: Float) -> Float {
    let y = select(x < Float::INFINITY, y, x);
    let positive = x.to_bits().cast_signed() > 0;
    select(positive, y, select(x == 0.0, Float::NEG_INFINITY, Float::NAN))
}

/// Returns whether `x` is anything but a positive normal number: zero, negative, subnormal, infinite or NaN.
#[inline(always)]
pub(crate) fn is_not_normal(x: Float) -> bool {
    const LEAST: Bits = Float::MIN_POSITIVE.to_bits();
    x.to_bits().wrapping_sub(LEAST) >= Float::INFINITY.to_bits() - LEAST
}

/// Returns k ln(2) + ln(1 + f) + correction. Unless k = 0, the magnitude of the result is at least that of ln(1 + f), which is at most
/// ln(2) / 2. So the sum without the large part of k ln(2) has no larger rounding error than the result.
#[inline(always)]
fn ln_sum(k: Float, f: Float, correction: Float) -> Float {
    let (ln2, low) =
        if LN2_ROUNDED_SUFFICES { (LN2_ROUNDED_1, correction) } else { (LN2_1, fma(k, LN2_2, correction)) };
    fma(k, ln2, f + ln_tail(f, low))
}

/// Returns the natural logarithm: the exponent times ln(2), plus that of the mantissa 1 + f.
/// Largest error measured: 0.80 ulp (`f64`), 0.94 ulp (`f32`).
#[inline(always)]
pub(crate) fn ln(x: Float) -> Float {
    ln_special(x, ln_split(split(x)))
}

/// [`ln`] of a positive normal number.
#[inline(always)]
pub(crate) fn ln_normal(x: Float) -> Float {
    ln_split(split_normal(x, K_OFFSET))
}

/// Returns ln(2^k (1 + f)).
#[inline(always)]
fn ln_split((k, f): (Float, Float)) -> Float {
    // The correction is -0.0, because y + -0.0 is y for each y, so the compiler removes the addition. It could not remove y + 0.0,
    // which is not y if y is -0.0.
    ln_sum(k, f, -0.0)
}

/// Returns the logarithm of base 2: k + log2(1 + f), for the exponent k and the mantissa 1 + f. log2(1 + f) is f log2(e), where
/// log2(e) is a sum of two numbers, plus a tail.
/// Largest error measured: 0.86 ulp (`f64`), 0.99 ulp (`f32`).
#[inline(always)]
pub(crate) fn log2(x: Float) -> Float {
    ln_special(x, log2_split(split(x)))
}

/// [`log2`] of a positive normal number.
#[inline(always)]
pub(crate) fn log2_normal(x: Float) -> Float {
    log2_split(split_normal(x, K_OFFSET))
}

/// Returns log2(2^k (1 + f)).
#[inline(always)]
fn log2_split((k, f): (Float, Float)) -> Float {
    k + fma(f, LOG2_E_1, log2_tail(f))
}

/// Returns the logarithm of base 10: k log10(2) + log10(1 + f), for the exponent k and the mantissa 1 + f. log10(1 + f) is f log10(e) plus
/// a tail. The constant log10(2) is a sum of two numbers.
/// Largest error measured: 0.86 ulp (`f64`), 0.95 ulp (`f32`).
#[inline(always)]
pub(crate) fn log10(x: Float) -> Float {
    let (k, f) = split(x);
    ln_special(x, log10_split(k, k * LOG10_2_2, f))
}

/// [`log10`] of a positive normal number.
#[inline(always)]
pub(crate) fn log10_normal(x: Float) -> Float {
    let (k, f) = split_normal(x, K_OFFSET);
    log10_split(k, exponent_log10_low(x, k), f)
}

/// Returns log10(2^k (1 + f)), given `low` = k LOG10_2_2.
#[inline(always)]
fn log10_split(k: Float, low: Float, f: Float) -> Float {
    fma(k, LOG10_2_1, fma(f, LOG10_E_1, log10_tail(f, low)))
}

/// Returns ln(1 + x): the logarithm of the rounded sum, plus a correction, which is the rounding error of the sum divided by the sum.
/// Largest error measured: 0.79 ulp (`f64`), 0.90 ulp (`f32`).
#[inline(always)]
pub(crate) fn ln_1p(x: Float) -> Float {
    let (sum, sum_low) = one_plus(x);
    let (k, f) = split_normal(sum, K_OFFSET);
    let y = ln_sum(k, f, select(sum > HUGE, 0.0, sum_low / sum));
    select(x.abs() < TINY, x, ln_special(sum, y))
}

/// Returns whether `x` is -1 or less, more than `HUGE` or NaN, or its magnitude is less than `TINY`.
#[inline(always)]
pub(crate) fn ln_1p_is_far(x: Float) -> bool {
    !((x > -1.0) & (x < HUGE)) | (x.abs() < TINY)
}

/// [`ln_1p`] of a number that is not [far](ln_1p_is_far).
#[inline(always)]
pub(crate) fn ln_1p_ordinary(x: Float) -> Float {
    let (sum, sum_low) = one_plus(x);
    let (k, f) = split_normal(sum, K_OFFSET);
    ln_sum(k, f, sum_low / sum)
}

/// Returns the rounded sum 1 + x, and its rounding error.
#[inline(always)]
pub(crate) fn one_plus(x: Float) -> (Float, Float) {
    let sum = 1.0 + x;
    let x_rounded = sum - 1.0;
    (sum, (1.0 - (sum - x_rounded)) + (x - x_rounded))
}

/// Returns asinh: ln(a + sqrt(a^2 + 1)) for a = |x|, with the sign of x.
/// Largest error measured: 0.82 ulp (`f64`), 0.87 ulp (`f32`).
#[inline(always)]
pub(crate) fn asinh(x: Float) -> Float {
    let a = x.abs();
    select(a < SMALL, a, ln_of_sum(a, asinh_sum(a))).copysign(x)
}

/// Returns whether `x` is NaN, or its magnitude is at least `INVERSE_LARGE`.
#[inline(always)]
pub(crate) fn asinh_is_far(x: Float) -> bool {
    // Comparisons with NaN are false.
    let near = x.abs() < INVERSE_LARGE;
    !near
}

/// [`asinh`] of a number that is not [far](asinh_is_far).
#[inline(always)]
pub(crate) fn asinh_ordinary(x: Float) -> Float {
    let a = x.abs();
    select(a < SMALL, a, asinh_sum(a).ln()).copysign(x)
}

/// Returns a + sqrt(a^2 + 1) for a >= 0.
#[inline(always)]
fn asinh_sum(a: Float) -> CorrectedSum {
    let square = a * a;
    let square_low = fma(a, a, -square);
    let radicand = square + 1.0;
    // The rounding error of the first sum is exact while 1 is a multiple of the last place of `square`, and negligible for larger numbers.
    let radicand_low = (square - (radicand - 1.0)) + square_low;
    let root = radicand.sqrt();
    let sum = root + a;
    corrected_sum(sum, (root - sum) + a, root, radicand, radicand_low)
}

/// Returns acosh: ln(x + sqrt(x^2 - 1)).
/// Largest error measured: 0.78 ulp (`f64`), 0.87 ulp (`f32`).
#[inline(always)]
pub(crate) fn acosh(x: Float) -> Float {
    let y = ln_of_sum(x, acosh_sum(x));
    select(x >= 1.0, select(x == 1.0, 0.0, y), Float::NAN)
}

/// Returns whether `x` is NaN, 1 or less, or at least `INVERSE_LARGE`.
#[inline(always)]
pub(crate) fn acosh_is_far(x: Float) -> bool {
    // Comparisons with NaN are false.
    let near = (x > 1.0) & (x < INVERSE_LARGE);
    !near
}

/// [`acosh`] of a number that is not [far](acosh_is_far).
#[inline(always)]
pub(crate) fn acosh_ordinary(x: Float) -> Float {
    acosh_sum(x).ln()
}

/// Returns x + sqrt(x^2 - 1) for x >= 1. With t = x - 1, which is exact for x up to `INVERSE_LARGE`, the radicand is t^2 + 2 t.
#[inline(always)]
fn acosh_sum(x: Float) -> CorrectedSum {
    let t = x - 1.0;
    let twice_t = t + t;
    let radicand = fma(t, t, twice_t);
    let radicand_low = fma(t, t, twice_t - radicand);
    let root = radicand.sqrt();
    let sum = x + root;
    corrected_sum(sum, (x - sum) + root, root, radicand, radicand_low)
}

/// A positive number, the argument of a logarithm.
#[derive(Clone, Copy)]
struct CorrectedSum {
    sum: Float,
    /// The rounding error of `sum`, divided by `sum`: a correction of its logarithm.
    correction: Float,
}

/// Returns the sum of a number and a square root, and its correction for the rounding errors `sum_low` of the sum, `radicand_low` of the
/// radicand, and that of the root.
#[inline(always)]
fn corrected_sum(
    sum: Float,
    sum_low: Float,
    root: Float,
    radicand: Float,
    radicand_low: Float,
) -> CorrectedSum {
    let twice_root_error = fma(-root, root, radicand) + radicand_low; // the root's error times `2 root`
    let twice_root = 2.0 * root;
    CorrectedSum { sum, correction: fma(sum_low, twice_root, twice_root_error) / (twice_root * sum) }
}

impl CorrectedSum {
    #[inline(always)]
    fn ln(self) -> Float {
        let (k, f) = split_normal(self.sum, K_OFFSET);
        ln_sum(k, f, self.correction)
    }
}

/// Returns the logarithm of the sum, or ln(2 a) from `INVERSE_LARGE` on.
#[inline(always)]
fn ln_of_sum(a: Float, CorrectedSum { sum, correction }: CorrectedSum) -> Float {
    let large = a >= INVERSE_LARGE;
    let (k, f) = split_normal(select(large, a, sum), select(large, K_OFFSET - 1.0, K_OFFSET));
    let y = ln_sum(k, f, select(large, 0.0, correction));
    select(a == Float::INFINITY, a, y)
}

/// Returns atanh: ln((1 + a) / (1 - a)) / 2 for a = |x|, with the sign of x. One correction of the logarithm accounts for the
/// rounding errors of both sums and of the quotient.
/// Largest error measured: 0.84 ulp (`f64`), 0.88 ulp (`f32`).
#[inline(always)]
pub(crate) fn atanh(x: Float) -> Float {
    let a = x.abs();
    let y = select(a == 1.0, Float::INFINITY, atanh_ordinary(a));
    select(a <= 1.0, y, Float::NAN).copysign(x)
}

/// Returns whether `x` is NaN, or its magnitude is at least 1.
#[inline(always)]
pub(crate) fn atanh_is_far(x: Float) -> bool {
    // Comparisons with NaN are false.
    let near = x.abs() < 1.0;
    !near
}

/// [`atanh`] of a number that is not [far](atanh_is_far).
#[inline(always)]
pub(crate) fn atanh_ordinary(x: Float) -> Float {
    let a = x.abs();
    let numerator = 1.0 + a;
    let numerator_low = (1.0 - numerator) + a;
    let denominator = 1.0 - a;
    let denominator_low = (1.0 - denominator) - a;
    let quotient = numerator / denominator;
    let remainder = fma(-quotient, denominator, numerator) + fma(-quotient, denominator_low, numerator_low);
    let (k, f) = split_normal(quotient, K_OFFSET);
    let y = 0.5 * ln_sum(k, f, remainder / numerator);
    select(a < SMALL, a, y).copysign(x)
}
