// Elementary functions of one or two numbers, without branches. They consist of additions, products, fused multiply-adds, divisions,
// square roots, comparisons, selects on computed values, and operations on bit patterns. A loop that calls any of the functions
// vectorises. IEEE 754 defines the result of each operation, so every processor with FMA computes the same bits.
//
// `double.rs` and `single.rs` include this source, after defining `Float`, `Bits` and the constants.
// Both arms of a select are computed. Quotients by zero and infinity minus infinity occur in arms that are not selected.
// Functions return NaN for a NaN argument; they do not preserve its payload or sign.

/// Computes `a * b + c` with one rounding.
#[inline(always)]
fn fma(a: Float, b: Float, c: Float) -> Float {
    a.mul_add(b, c)
}

/// Returns `a` if `condition` is true, else `b`. The caller computes both values, so vector code has a select and no branch.
#[inline(always)]
pub(crate) fn select(condition: bool, a: Float, b: Float) -> Float {
    if condition { a } else { b }
}

/// Evaluates the polynomial with the given coefficients, constant term first: as a sum of two polynomials of x^2, which have the
/// coefficients with even and with odd indices, or of four polynomials of x^4 if there are ten coefficients or more. Each is evaluated by
/// Horner's scheme.
///
/// Horner's scheme for the whole polynomial has one long dependency chain. Estrin's scheme, a tree of pairs, has the shortest chain, but
/// takes one or two products more. Most functions are faster with two or four polynomials than with Estrin's scheme (measured).
#[inline(always)]
pub(crate) fn polynomial<const N: usize>(x: Float, coefficients: &[Float; N]) -> Float {
    polynomial_from(0, x, coefficients)
}

/// Evaluates the same polynomial as [`polynomial`], with Horner's scheme for the last step, c0 + x p(x): one rounding less, a longer chain.
#[inline(always)]
fn polynomial_accurate<const N: usize>(x: Float, coefficients: &[Float; N]) -> Float {
    fma(x, polynomial_from(1, x, coefficients), coefficients[0])
}

/// Evaluates the polynomial that has the coefficients from index `first` on. Its constant term is `coefficients[first]`.
#[inline(always)]
fn polynomial_from<const N: usize>(first: usize, x: Float, coefficients: &[Float; N]) -> Float {
    let square = x * x;
    if N - first < 10 {
        let part = |start| horner(square, coefficients, first + start, 2);
        return fma(part(1), x, part(0));
    }
    let part = |start| horner(square * square, coefficients, first + start, 4);
    fma(fma(part(3), x, part(2)), square, fma(part(1), x, part(0)))
}

/// Evaluates the polynomial that has every `step`-th coefficient from index `start` on, by Horner's scheme.
#[inline(always)]
fn horner<const N: usize>(x: Float, coefficients: &[Float; N], start: usize, step: usize) -> Float {
    let mut i = start + (N - 1 - start) / step * step;
    let mut sum = coefficients[i];
    while i > start {
        i -= step;
        sum = fma(sum, x, coefficients[i]);
    }
    sum
}

// Exponentials.

/// The result of [`reduce_exp`]: `x = k ln(2) + r + r_low`.
struct ReducedExp {
    /// `k + ROUND_BIASED`: its lowest bits hold `k` with the exponent bias added.
    k_biased: Float,
    r: Float,
    r_low: Float,
}

/// Splits `x` for the exponential: subtracts k ln(2), the multiple of ln(2) nearest to `x`. Two constants, whose sum is accurate beyond
/// the precision of `Float`, represent ln(2) (Cody and Waite, 1980).
#[inline(always)]
fn reduce_exp(x: Float) -> ReducedExp {
    let k_biased = fma(x, LOG2_E_1, ROUND_BIASED);
    let k = k_biased - ROUND_BIASED;
    let high = fma(-k, LN2_1, x);
    let r = fma(-k, LN2_2, high);
    let r_low = fma(-k, LN2_2, high - r);
    ReducedExp { k_biased, r, r_low }
}

/// Returns 2^k, given `k + ROUND_BIASED`, for `k` in the range of normal exponents.
#[inline(always)]
pub(crate) fn power_of_two(k_biased: Float) -> Float {
    Float::from_bits(k_biased.to_bits() << MANTISSA_BITS)
}

/// Returns two factors with the product 2^k, given `k + ROUND_BIASED`. The first factor is normal even if 2^k is subnormal or
/// overflows. The caller multiplies by the first factor and then by the second, so a subnormal result is rounded only once.
#[inline(always)]
fn scale_factors(k_biased: Float) -> (Float, Float) {
    let second = select(k_biased < LOWEST_K_BIASED, SUBNORMAL_FACTOR, 2.0);
    let first = (k_biased.to_bits() << MANTISSA_BITS)
        .wrapping_sub(second.to_bits())
        .wrapping_add((1.0 as Float).to_bits());
    (Float::from_bits(first), second)
}

/// Limits `x` to `low..=high`. NaN stays NaN.
#[inline(always)]
pub(crate) fn clamp(x: Float, low: Float, high: Float) -> Float {
    let x = select(x > high, high, x);
    select(x < low, low, x)
}

/// Returns 2^k e^(r + r_low). Multiplies both terms of e^(r + r_low) by the first of the [`scale_factors`], and their sum by the second.
#[inline(always)]
fn exp_reduced(reduced: ReducedExp) -> Float {
    let (first, second) = scale_factors(reduced.k_biased);
    let (high, rest) = exp_parts(reduced);
    fma(rest, first, high * first) * second
}

/// [`exp_reduced`] if the result is a normal number.
#[inline(always)]
fn exp_reduced_ordinary(reduced: ReducedExp) -> Float {
    let power = power_of_two(reduced.k_biased);
    let (high, rest) = exp_parts(reduced);
    fma(rest, power, high * power)
}

/// Returns e^(r + r_low) as the sum of 1 + r and r^2 q(r) + r_low (1 + r), where q is the polynomial `EXP`.
#[inline(always)]
fn exp_parts(ReducedExp { r, r_low, .. }: ReducedExp) -> (Float, Float) {
    let high = 1.0 + r;
    let low = fma(r_low, high, r - (high - 1.0));
    (high, fma(r * r, polynomial(r, &EXP), low))
}

/// Returns e^x: reduction by multiples of ln(2), a polynomial, and exponent arithmetic.
/// Largest error measured: 0.67 ulp (`f64`), 0.80 ulp (`f32`).
#[inline(always)]
pub(crate) fn exp(x: Float) -> Float {
    exp_reduced(reduce_exp(clamp(x, EXP_MIN, EXP_MAX)))
}

/// Returns whether `x` is NaN, or its magnitude is so large that e^x or e^-x may not be a normal number.
#[inline(always)]
pub(crate) fn exp_is_far(x: Float) -> bool {
    // Comparisons with NaN are false.
    let near = x.abs() < EXP_NEAR;
    !near
}

/// [`exp`] of a number that is not [far](exp_is_far).
#[inline(always)]
pub(crate) fn exp_ordinary(x: Float) -> Float {
    exp_reduced_ordinary(reduce_exp(x))
}

/// Returns 2^x as 2^k 2^f, where k is the integer nearest to x, and f = x - k. 2^k is made by exponent arithmetic, and 2^f is
/// 1 + f ln(2) + f^2 q(f), where q is the polynomial `EXP2`.
/// Largest error measured: 0.65 ulp (`f64`), 0.78 ulp (`f32`).
#[inline(always)]
pub(crate) fn exp2(x: Float) -> Float {
    let (k_biased, high, rest) = exp2_parts(clamp(x, EXP2_MIN, EXP2_MAX));
    let (first, second) = scale_factors(k_biased);
    fma(rest, first, high * first) * second
}

/// Returns whether `x` is NaN, or 2^x may be subnormal or overflow.
#[inline(always)]
pub(crate) fn exp2_is_far(x: Float) -> bool {
    // Comparisons with NaN are false.
    let near = x.abs() < EXP2_NEAR;
    !near
}

/// [`exp2`] of a number that is not [far](exp2_is_far).
#[inline(always)]
pub(crate) fn exp2_ordinary(x: Float) -> Float {
    let (k_biased, high, rest) = exp2_parts(x);
    let power = power_of_two(k_biased);
    fma(rest, power, high * power)
}

/// Returns `k + ROUND_BIASED`, `high` and `rest` with 2^x = 2^k (high + rest).
#[inline(always)]
fn exp2_parts(x: Float) -> (Float, Float, Float) {
    let k_biased = x + ROUND_BIASED;
    let f = x - (k_biased - ROUND_BIASED);
    let high = fma(f, LN2_ROUNDED_1, 1.0);
    let low = fma(f, LN2_ROUNDED_1, 1.0 - high);
    let low = if LN2_ROUNDED_SUFFICES { low } else { fma(f, LN2_ROUNDED_2, low) };
    (k_biased, high, fma(f * f, polynomial(f, &EXP2), low))
}

/// Returns scale (e^x - 1) as a sum of two numbers, given `power`, which is `scale` times 2^k. `scale` is a power of two.
#[inline(always)]
fn exp_m1_parts(ReducedExp { r, r_low, .. }: ReducedExp, power: Float, scale: Float) -> (Float, Float) {
    let tail = fma(r * r, polynomial_accurate(r, &EXP_M1), fma(r_low, r, r_low));
    let constant = power - scale;
    let constant_low = (power - constant) - scale;
    let high = fma(power, r, constant);
    let high_low = fma(power, r, constant - high);
    (high, fma(power, tail, high_low + constant_low))
}

/// Returns e^x - 1 as 2^k - 1 + 2^k (r + r^2 q(r)), where q is the polynomial `EXP_M1`. The leading terms are the sum of two numbers.
/// Largest error measured: 0.89 ulp (`f64`), 0.86 ulp (`f32`).
#[inline(always)]
pub(crate) fn exp_m1(x: Float) -> Float {
    let reduced = reduce_exp(clamp(x, -EXP_M1_FLAT, EXP_MAX));
    // Half of the result: 2^k may overflow, but 2^k / 2 cannot.
    let half_power = power_of_two(reduced.k_biased - 1.0);
    let (high, low) = exp_m1_parts(reduced, half_power, 0.5);
    select(x.abs() < TINY, x, 2.0 * (high + low))
}

/// [`exp_m1`] of a number that is not [far](exp_is_far).
#[inline(always)]
pub(crate) fn exp_m1_ordinary(x: Float) -> Float {
    let reduced = reduce_exp(x);
    let power = power_of_two(reduced.k_biased);
    let (high, low) = exp_m1_parts(reduced, power, 1.0);
    (high + low).copysign(x)
}

/// The result of [`hyperbolic`].
struct Hyperbolic {
    sinh: Float,
    cosh: Float,
}

/// Computes sinh and cosh of a = |x| with the addition theorems for a = k ln(2) + r. Half the difference and half the sum of 2^k and
/// 2^-k are sinh and cosh of k ln(2). Two short polynomials give sinh(r) and cosh(r). There is no division and no cancellation.
#[inline(always)]
fn hyperbolic(x: Float) -> Hyperbolic {
    let a = x.abs();
    let reduced = reduce_exp(select(a > HYPERBOLIC_MAX, HYPERBOLIC_MAX, a));
    // 2^k / 4 and 2^-k / 4: the division by 4 keeps the power in range, because k may be the largest exponent plus 2.
    let power = power_of_two(reduced.k_biased - 2.0);
    let inverse = select(a < EXP_NEAR, inverse_power_of_two(reduced.k_biased, 2), 0.0);
    let Hyperbolic { sinh, cosh } = hyperbolic_reduced(reduced, power, inverse);
    Hyperbolic { sinh: 2.0 * sinh, cosh: 2.0 * cosh }
}

/// [`hyperbolic`] of a number that is not [far](exp_is_far).
#[inline(always)]
fn hyperbolic_ordinary(x: Float) -> Hyperbolic {
    let reduced = reduce_exp(x.abs());
    let power = power_of_two(reduced.k_biased - 1.0);
    let inverse = inverse_power_of_two(reduced.k_biased, 1);
    hyperbolic_reduced(reduced, power, inverse)
}

/// Returns 2^-(k + n), given `k + ROUND_BIASED`, for `k + n` in the range of normal exponents.
#[inline(always)]
fn inverse_power_of_two(k_biased: Float, n: Bits) -> Float {
    Float::from_bits((2 * EXPONENT_BIAS - n).wrapping_sub(k_biased.to_bits()) << MANTISSA_BITS)
}

/// Returns sinh and cosh, multiplied by the factor 2^-n, given 2^(k - 1 - n) and 2^(-k - 1 - n).
#[inline(always)]
fn hyperbolic_reduced(reduced: ReducedExp, power: Float, inverse: Float) -> Hyperbolic {
    let ReducedExp { r, r_low, .. } = reduced;
    let odd = power - inverse;
    let even = power + inverse;
    let even_low = (power - even) + inverse;
    let z = r * r;
    let sinh_rest = z * r * horner(z, &SINH, 0, 1);
    let cosh_rest = z * fma(z, horner(z, &COSH, 0, 1), 0.5);
    // Returns p (1 + cosh_rest) + q r + rest. Computes p + q r as the sum of two numbers.
    let combine = |p: Float, q: Float, rest: Float| {
        let high = fma(q, r, p);
        let high_low = fma(q, r, p - high);
        high + (high_low + fma(p, cosh_rest, rest))
    };
    // For cosh, `r_low` is negligible. So is the rounding error of `odd` for `f32`, and -0.0 causes no addition.
    let odd_low = if Bits::BITS == 32 { -0.0 } else { (power - odd) - inverse };
    Hyperbolic {
        sinh: combine(odd, even, fma(even, sinh_rest + r_low, odd_low)),
        cosh: combine(even, odd, fma(odd, sinh_rest, even_low)),
    }
}

/// Returns the hyperbolic sine, see [`hyperbolic`].
/// Largest error measured: 0.83 ulp (`f64`), 0.94 ulp (`f32`).
#[inline(always)]
pub(crate) fn sinh(x: Float) -> Float {
    select(x.abs() < SMALL, x, hyperbolic(x).sinh.copysign(x))
}

/// [`sinh`] of a number that is not [far](exp_is_far).
#[inline(always)]
pub(crate) fn sinh_ordinary(x: Float) -> Float {
    hyperbolic_ordinary(x).sinh.copysign(x)
}

/// Returns the hyperbolic cosine, see [`hyperbolic`].
/// Largest error measured: 0.83 ulp (`f64`), 0.82 ulp (`f32`).
#[inline(always)]
pub(crate) fn cosh(x: Float) -> Float {
    hyperbolic(x).cosh
}

/// [`cosh`] of a number that is not [far](exp_is_far).
#[inline(always)]
pub(crate) fn cosh_ordinary(x: Float) -> Float {
    hyperbolic_ordinary(x).cosh
}

/// The coefficients of 2 q(2 r), where q is the polynomial `EXP`.
const EXP_OF_TWICE: [Float; EXP.len()] = {
    let mut coefficients = EXP;
    let (mut i, mut factor) = (0, 2.0);
    while i < EXP.len() {
        coefficients[i] *= factor;
        factor *= 2.0;
        i += 1;
    }
    coefficients
};

/// Returns 1 / (1 + e^-x), computed as 1 / (1 + e^-|x|), or e^-|x| / (1 + e^-|x|) if x < 0, so the exponential does not overflow. The
/// remainder of the division corrects the quotient, so only the error of the exponential and the last rounding are left.
/// Largest error measured: 1.48 ulp (`f32`).
#[inline(always)]
pub(crate) fn sigmoid(x: Float) -> Float {
    sigmoid_of(x, exp(-x.abs()))
}

/// [`sigmoid`] of a number that is not [far](exp_is_far).
#[inline(always)]
pub(crate) fn sigmoid_ordinary(x: Float) -> Float {
    sigmoid_of(x, exp_ordinary(-x.abs()))
}

/// [`sigmoid`] of x, given e = e^-|x|.
#[inline(always)]
fn sigmoid_of(x: Float, e: Float) -> Float {
    let numerator = select(x < 0.0, e, 1.0);
    let denominator = 1.0 + e;
    let denominator_low = e - (denominator - 1.0);
    let reciprocal = 1.0 / denominator;
    let quotient = numerator * reciprocal;
    let remainder = fma(-quotient, denominator_low, fma(-quotient, denominator, numerator));
    fma(remainder, reciprocal, quotient)
}

// Logarithms.

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
fn corrected_sum(sum: Float, sum_low: Float, root: Float, radicand: Float, radicand_low: Float) -> CorrectedSum {
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

/// Returns the cube root: [`inverse_cbrt`] approximates the inverse of the root, and a Newton step improves the root. There is no
/// division.
/// Largest error measured: 0.74 ulp (`f64`), 0.74 ulp (`f32`).
#[inline(always)]
pub(crate) fn cbrt(x: Float) -> Float {
    let a = x.abs();
    let small = a < CBRT_SMALL;
    let y = cbrt_positive(select(small, a * CBRT_SCALE, a));
    let y = (y * select(small, CBRT_SCALE_BACK, 1.0)).copysign(x);
    let y = select(a < Float::INFINITY, y, x);
    select(a == 0.0, x, y)
}

/// Returns whether the magnitude of `x` is less than `CBRT_SMALL`, or `x` is infinite or NaN.
#[inline(always)]
pub(crate) fn cbrt_is_far(x: Float) -> bool {
    let near = (x.abs() >= CBRT_SMALL) & (x.abs() < Float::INFINITY);
    !near
}

/// [`cbrt`] of a number that is not [far](cbrt_is_far).
#[inline(always)]
pub(crate) fn cbrt_ordinary(x: Float) -> Float {
    cbrt_positive(x.abs()).copysign(x)
}

/// Returns the cube root of a finite number that is at least `CBRT_SMALL`.
#[inline(always)]
fn cbrt_positive(a: Float) -> Float {
    let inverse = inverse_cbrt(a);
    let inverse_square = inverse * inverse;
    let root = a * inverse_square;
    let error = fma(-(root * root), root, a);
    fma(error, inverse_square * (1.0 / 3.0), root)
}

/// Shifted to the right by this number, the bits of a positive number are an integer below 2^MANTISSA_BITS.
const CBRT_SHIFT: u32 = Bits::BITS - MANTISSA_BITS;
/// The minuend of [`inverse_cbrt`]: 4/3 of the exponent bias, minus 0.068, which makes the largest error least, as the exponent of
/// shifted bits; plus 4/3 2^MANTISSA_BITS, because the subtrahend and the result contain 2^MANTISSA_BITS.
const CBRT_START: Float = power(MANTISSA_BITS as i32) * (4.0 / 3.0)
    + (EXPONENT_BIAS as Float * (4.0 / 3.0) - 0.068) * power((MANTISSA_BITS - CBRT_SHIFT) as i32);

/// Returns the inverse cube root of a positive normal number, with a relative error of at most 2^-18 (`f32`) or 2^-40 (`f64`).
///
/// The bits of a floating-point number, as an integer, are roughly a linear function of its logarithm. So a constant minus a third of the
/// bits are the bits of an approximation of the inverse cube root. Its relative error is at most 0.036. (W. Kahan, "Computing a real cube
/// root", 1991, approximates the cube root in this way.) The approximation is multiplied by a polynomial of e that approximates the exact
/// factor (1 - e)^(-1/3), where e = 1 - a approximation^3. For `f64`, a second step improves the result.
#[inline(always)]
fn inverse_cbrt(a: Float) -> Float {
    // 2^MANTISSA_BITS plus the upper bits of `a`
    let bits = Float::from_bits((a.to_bits() >> CBRT_SHIFT) | INTEGER_BITS);
    // The shift to the left removes the exponent of the difference, which is an integer.
    let start = Float::from_bits(fma(bits, -1.0 / 3.0, CBRT_START).to_bits() << CBRT_SHIFT);
    let residual = |inverse: Float| fma(-(a * inverse), inverse * inverse, 1.0);
    let e = residual(start);
    let inverse = fma(start * e, horner(e, &CBRT_FACTOR, 0, 1), start);
    if CBRT_IMPROVES_INVERSE {
        let e = residual(inverse);
        fma(inverse * e, fma(e, 2.0 / 9.0, 1.0 / 3.0), inverse)
    } else {
        inverse
    }
}

// Circular functions.

/// The result of [`reduce_angle`]: x = quadrant pi/2 + r + r_low. Only the two lowest bits of `quadrant` are used.
#[derive(Clone, Copy)]
struct ReducedAngle {
    r: Float,
    r_low: Float,
    quadrant: Bits,
}

/// Returns true if [`sin`], [`cos`] and [`tan`] are not accurate for `x`. For such `x`, use [`sin_far`], [`cos_far`] and
/// [`tan_far`].
#[inline(always)]
pub(crate) fn is_far(x: Float) -> bool {
    x.abs() > FAR
}

/// Subtracts n pi/2, the nearest multiple, from `x`, for |x| <= FAR. pi/2 is the sum of three constants (Cody and Waite, 1980). The first
/// subtraction is exact: unless n = 0, `x` and the product are multiples of half the machine epsilon, and so is the difference, whose
/// magnitude is less than 1. The second product is split into its rounded value and its rounding error, because the subtractions may
/// cancel the leading digits of x.
#[inline(always)]
fn reduce_angle(x: Float) -> ReducedAngle {
    let rounded = fma(x, TWO_OVER_PI, ROUND);
    let n = rounded - ROUND;
    let difference = fma(-n, HALF_PI_1, x);
    let second = n * HALF_PI_2;
    let second_low = fma(n, HALF_PI_2, -second);
    let r = difference - second;
    let r_low = ((difference - r) - second) - fma(n, HALF_PI_3, second_low);
    ReducedAngle { r, r_low, quadrant: rounded.to_bits() }
}

/// Returns the sine of the reduced angle, with `quadrant` added to the angle's own quadrant.
#[inline(always)]
fn sin_reduced(angle: ReducedAngle, quadrant: Bits) -> Float {
    let ReducedAngle { r, r_low, .. } = angle;
    let quadrant = angle.quadrant.wrapping_add(quadrant);
    let z = r * r;
    let half_z = 0.5 * z;
    // Subtracting the negative of the other terms preserves the sign of r = -0.
    let sin = r - fma(-(z * r), polynomial(z, &SIN), fma(half_z, r_low, -r_low));
    let high = 1.0 - half_z;
    let cos = high + (((1.0 - high) - half_z) + fma(z * z, polynomial(z, &COS), -(r * r_low)));
    let y = select(quadrant & 1 == 0, sin, cos);
    Float::from_bits(y.to_bits() ^ ((quadrant & 2) << (Bits::BITS - 2)))
}

/// Returns the tangent of the reduced angle. tan(r) is the quotient of r (1 + z n(z)) and 1 + z d(z), where z = r^2. In odd quadrants, the
/// result is the negative reciprocal of this quotient.
#[inline(always)]
fn tan_reduced(angle: ReducedAngle) -> Float {
    let ReducedAngle { r, r_low, quadrant } = angle;
    let z = r * r;
    let d = horner(z, &TAN_DENOMINATOR, 0, 1);
    let below = fma(z, d, 1.0);
    let below_low = fma(z, d, 1.0 - below);
    // The derivative of the tangent, times the denominator, is 1 + 3/4 z or, less exactly, 1 + z.
    let slope = if TAN_CORRECTS_QUOTIENT { 0.75 * z } else { z };
    let rest = fma(z * r, horner(z, &TAN_NUMERATOR, 0, 1), fma(slope, r_low, r_low));
    let even = quadrant & 1 == 0;
    let tan = if TAN_CORRECTS_QUOTIENT {
        let above = r + rest;
        let above_low = (r - above) + rest;
        let z_low = fma(r, r, -z);
        let below_low = fma(z_low, d, below_low);
        let (numerator, numerator_low) = (select(even, above, below), select(even, above_low, below_low));
        let (denominator, denominator_low) = (select(even, below, above), select(even, below_low, above_low));
        divide_sums([numerator, numerator_low], [denominator, denominator_low])
    } else {
        // The quotient is roughly r, so this corrects it for `below_low`.
        let above = r + fma(-r, below_low, rest);
        select(even, above, below) / select(even, below, above)
    };
    Float::from_bits(tan.to_bits() ^ (quadrant << (Bits::BITS - 1)))
}

/// Returns the quotient of two sums of two numbers. The remainder of the division corrects the quotient.
#[inline(always)]
fn divide_sums([numerator, numerator_low]: [Float; 2], [denominator, denominator_low]: [Float; 2]) -> Float {
    let reciprocal = 1.0 / denominator;
    let quotient = numerator * reciprocal;
    let remainder = fma(-quotient, denominator, numerator) + fma(-quotient, denominator_low, numerator_low);
    fma(remainder, reciprocal, quotient)
}

/// Returns the sine for |x| <= FAR: reduction by multiples of pi/2, two polynomials, and a select.
/// Largest error measured: 0.78 ulp (`f64`), 0.79 ulp (`f32`).
#[inline(always)]
pub(crate) fn sin(x: Float) -> Float {
    sin_reduced(reduce_angle(x), 0)
}

/// Returns the cosine for |x| <= FAR: reduction by multiples of pi/2, two polynomials, and a select.
/// Largest error measured: 0.77 ulp (`f64`), 0.79 ulp (`f32`).
#[inline(always)]
pub(crate) fn cos(x: Float) -> Float {
    sin_reduced(reduce_angle(x), 1)
}

/// Returns [`cos`] of x if `cosine`, otherwise [`sin`] of x.
#[inline(always)]
pub(crate) fn sin_or_cos(cosine: bool, x: Float) -> Float {
    sin_reduced(reduce_angle(x), Bits::from(cosine))
}

/// Returns the tangent for |x| <= FAR: reduction by multiples of pi/2, a quotient of polynomials, and in odd quadrants the negative
/// reciprocal of the quotient.
/// Largest error measured: 0.93 ulp (`f64`), 1.78 ulp (`f32`).
#[inline(always)]
pub(crate) fn tan(x: Float) -> Float {
    times_sign(tan_reduced(reduce_angle(x.abs())), x)
}

/// Returns the arc tangent of |x|, with the sign of x: 0, pi/4 or pi/2, plus the arc tangent of a quotient of magnitude 1/2 at most. This
/// quotient takes the only division. For `f64`, the remainder of the division corrects it.
/// Largest error measured: 0.76 ulp (`f64`), 1.42 ulp (`f32`, all arguments).
#[inline(always)]
pub(crate) fn atan(x: Float) -> Float {
    let a = x.abs();
    let a = select(a > HUGE, HUGE, a);
    let (above_middle, above_high) = (a > 0.5, a > 2.4);
    let numerator = select(above_high, -1.0, select(above_middle, a - 1.0, a));
    let sum = a + 1.0;
    let sum_low = a - (sum - 1.0); // exact from 1/2 to 2.4
    let denominator = select(above_high, a, select(above_middle, sum, 1.0));
    let denominator_low = select(above_high | !above_middle, 0.0, sum_low);
    let (t, t_low) = if ATAN_CORRECTS_QUOTIENT {
        let inverse = 1.0 / denominator;
        let t = numerator * inverse;
        (t, fma(-t, denominator_low, fma(-t, denominator, numerator)) * inverse)
    } else {
        (numerator / denominator, 0.0)
    };
    let z = t * t;
    let rest = fma(z * t, polynomial(z, &ATAN), t_low);
    let half_pi_share = select(above_high, 1.0, select(above_middle, 0.5, 0.0));
    let base = half_pi_share * HALF_PI_ROUNDED_1;
    let high = base + t;
    let low = ((base - high) + t) + fma(half_pi_share, HALF_PI_ROUNDED_2, rest);
    (high + low).copysign(x)
}

/// Returns `t` and `rest` with t + rest = asin(t'). If a <= 1/2, t' is `a`. If a > 1/2, t' is sqrt((1 - a) / 2), and the caller uses
/// asin(a) = pi/2 - 2 asin(t'). The rounding error of the square root is part of `rest`.
#[inline(always)]
fn asin_parts(a: Float) -> (Float, Float) {
    let large = a > 0.5;
    let half_complement = fma(a, -0.5, 0.5); // exact if a > 1/2
    let root = half_complement.sqrt();
    let root_low = fma(-root, root, half_complement) / select(a < 1.0, root + root, 1.0);
    // `t` and its square `z`, by comparisons of their own: from selects with the condition `large`, the compiler makes branches with a
    // polynomial each.
    let t = select(a < root, a, root);
    let z = select(a * a < half_complement, a * a, half_complement);
    let rest = fma(z * t, polynomial(z, &ASIN), select(large, root_low, 0.0));
    (t, rest)
}

/// Returns the arc sine: a polynomial for |x| <= 1/2, and else pi/2 - 2 asin(sqrt((1 - |x|) / 2)) with the sign of x.
/// Largest error measured: 0.63 ulp (`f64`), 0.69 ulp (`f32`).
#[inline(always)]
pub(crate) fn asin(x: Float) -> Float {
    let a = x.abs();
    let (t, rest) = asin_parts(a);
    let high = fma(-2.0, t, HALF_PI_ROUNDED_1);
    let low = fma(-2.0, t, HALF_PI_ROUNDED_1 - high) + fma(-2.0, rest, HALF_PI_ROUNDED_2);
    let y = select(a > 0.5, high + low, t + rest);
    y.copysign(x)
}

/// Returns the arc cosine: pi/2 - asin(x) for |x| <= 1/2, 2 asin(sqrt((1 - x) / 2)) for x > 1/2, and pi - 2 asin(sqrt((1 + x) / 2)) for
/// x < -1/2.
/// Largest error measured: 0.61 ulp (`f64`), 0.66 ulp (`f32`).
#[inline(always)]
pub(crate) fn acos(x: Float) -> Float {
    let a = x.abs();
    let (t, rest) = asin_parts(a);
    let large = a > 0.5;
    // base + factor (t + rest), where base is 0, pi/2 or pi
    let factor = times_sign(select(large, 2.0, -1.0), x);
    let half_pis = 1.0 - select(large, times_sign(1.0, x), 0.0);
    let base = half_pis * HALF_PI_ROUNDED_1;
    let high = fma(factor, t, base);
    let low = fma(factor, t, base - high) + fma(factor, rest, half_pis * HALF_PI_ROUNDED_2);
    high + low
}

/// Returns x^y, given `power` = |x|^y: with the sign of `x` if `y` is an odd integer, NaN if `x` is negative and finite and `y` is not an
/// integer, and 1 if x = 1 or y = 0 (C99, F.9.4.4).
#[inline(always)]
fn powf_special(x: Float, y: Float, power: Float) -> Float {
    let y_is_integer = y.trunc() == y;
    let half_y = 0.5 * y;
    let y_is_odd = y_is_integer & (half_y.trunc() != half_y);
    let sign = if y_is_odd { x.to_bits() & (-0.0 as Float).to_bits() } else { 0 };
    let power = Float::from_bits(power.to_bits() ^ sign);
    let power = select((x < 0.0) & (x > Float::NEG_INFINITY) & !y_is_integer, Float::NAN, power);
    select((x == 1.0) | (y == 0.0), 1.0, power)
}

// Functions of two numbers.

/// Returns `x`, or `-x` if the sign bit of `negative` is set.
#[inline(always)]
fn times_sign(x: Float, negative: Float) -> Float {
    Float::from_bits(x.to_bits() ^ (negative.to_bits() & (-0.0 as Float).to_bits()))
}

/// The result of [`sum_of_squares`]: (x^2 + y^2) 4^exponent = high + low.
#[derive(Clone, Copy)]
struct SumOfSquares {
    high: Float,
    low: Float,
    /// 0, [`SQUARE_EXPONENT`] or `-SQUARE_EXPONENT`.
    exponent: Float,
}

/// Computes x^2 + y^2 as `high + low`. Scales both numbers by a power of two if the larger magnitude is above `SQUARE_MAX` or below
/// `SQUARE_MIN`. `high` is 0 only if `x` and `y` are 0. If `x` or `y` is not finite, `high` and `low` are not finite.
#[inline(always)]
fn sum_of_squares(x: Float, y: Float) -> SumOfSquares {
    let (a, b) = (x.abs(), y.abs());
    let larger = select(a > b, a, b);
    let smaller = select(a > b, b, a);
    let (large, small) = (larger > SQUARE_MAX, larger < SQUARE_MIN);
    let scale = select(large, SQUARE_SCALE_DOWN, select(small, SQUARE_SCALE_UP, 1.0));
    let exponent = select(large, -SQUARE_EXPONENT, select(small, SQUARE_EXPONENT, 0.0));
    let (larger, smaller) = (larger * scale, smaller * scale);
    let square = larger * larger;
    let square_low = fma(larger, larger, -square);
    let other = smaller * smaller;
    let other_low = fma(smaller, smaller, -other);
    let high = square + other;
    SumOfSquares { high, low: ((square - high) + other) + (square_low + other_low), exponent }
}

impl SumOfSquares {
    /// Returns `yes` if the squares were scaled up, `no` if they were scaled down, and else 1.
    #[inline(always)]
    fn factor(self, yes: Float, no: Float) -> Float {
        select(self.exponent > 0.0, yes, select(self.exponent < 0.0, no, 1.0))
    }

    /// Returns the square root of `high + low`, with a correction for the rounding errors of the sum and of the root. Returns NaN if `high`
    /// is 0.
    #[inline(always)]
    fn root(self) -> Float {
        let root = self.high.sqrt();
        root + (fma(-root, root, self.high) + self.low) / (root + root)
    }
}

/// Returns sqrt(x^2 + y^2), see [`sum_of_squares`] (C. F. Borges, "An improved algorithm for hypot(a, b)", 2019).
/// Largest error measured: 0.51 ulp (`f64`), 0.51 ulp (`f32`).
#[inline(always)]
pub(crate) fn hypot(x: Float, y: Float) -> Float {
    let sum = sum_of_squares(x, y);
    let z = sum.root() * sum.factor(SQUARE_SCALE_DOWN, SQUARE_SCALE_UP);
    let z = select(sum.high == 0.0, 0.0, z);
    let infinite = (x.abs() == Float::INFINITY) | (y.abs() == Float::INFINITY);
    select(infinite, Float::INFINITY, z)
}

/// Returns the remainder of the division of x by y, with the sign of x. It is exact: a quotient less than 2^52 (`f64`) rounds to a number
/// whose integer part q is that of the exact quotient, or is greater by 1 if the remainder is almost |y|. In both cases, |x| - q |y| is a
/// floating-point number, and so is its sum with |y| in the latter case.
#[inline(always)]
pub(crate) fn remainder(x: Float, y: Float) -> Float {
    let (a, b) = (x.abs(), y.abs());
    let difference = fma(-(a / b).trunc(), b, a);
    select(difference < 0.0, difference + b, difference).copysign(x)
}

/// Returns whether [`remainder`] is invalid: for large quotients, infinities and NaN.
#[inline(always)]
pub(crate) fn remainder_is_far(x: Float, y: Float) -> bool {
    // Comparisons with NaN are false.
    let near = ((x / y).abs() < 1.0 / Float::EPSILON) & (y.abs() < Float::INFINITY);
    !near
}

/// The result of [`reduce_point`]: t + t_low, whether |y| > |x|, and whether t is the quotient of a difference and a sum.
struct ReducedPoint {
    t: Float,
    t_low: Float,
    steep: bool,
    middle: bool,
}

/// Reduces the angle of a point to an arctangent. t is the quotient of the smaller and the larger of |x| and |y|, or of their difference
/// and their sum; its magnitude is at most 1/2. The angle is a multiple of pi/4, plus or minus atan(t). The quotient takes the only
/// division, and the remainder of the division corrects it.
#[inline(always)]
fn reduce_point(y: Float, x: Float) -> ReducedPoint {
    let (a, b) = (x.abs(), y.abs());
    let steep = b > a;
    let larger = select(steep, b, a);
    let smaller = select(steep, a, b);
    let infinite = larger == Float::INFINITY;
    let smaller = select(infinite, select(smaller == Float::INFINITY, 1.0, 0.0 * smaller), smaller);
    let larger = select(infinite | (larger == 0.0), 1.0, larger);
    let scale = select(larger > POINT_MAX, POINT_SCALE_DOWN, select(smaller < POINT_MIN, POINT_SCALE_UP, 1.0));
    let (larger, smaller) = (larger * scale, smaller * scale);
    let middle = smaller > 0.5 * larger;
    let sum = larger + smaller;
    let sum_low = (larger - sum) + smaller;
    let numerator = select(middle, smaller - larger, smaller);
    let denominator = select(middle, sum, larger);
    let denominator_low = select(middle, sum_low, 0.0);
    let inverse = 1.0 / denominator;
    let t = numerator * inverse;
    let t_low = fma(-t, denominator_low, fma(-t, denominator, numerator)) * inverse;
    ReducedPoint { t, t_low, steep, middle }
}

impl ReducedPoint {
    /// Returns the angle of the point (x, y) as a sum of two numbers, given atan(t + t_low) as such a sum.
    #[inline(always)]
    fn angle(self, y: Float, x: Float, atan: Float, atan_low: Float) -> (Float, Float) {
        let ReducedPoint { steep, middle, .. } = self;
        // The angle of the point (x, |y|) is share pi/2 + sign (atan + atan_low). The next lines compute `share` and `sign` in three
        // steps: for the angle with the tangent smaller / larger, for the angle of the point (|x|, |y|), and for that of (x, |y|).
        let share = select(middle, 0.5, 0.0);
        let (share, sign) = (select(steep, 1.0 - share, share), select(steep, -1.0, 1.0));
        let left = x.to_bits() >> (Bits::BITS - 1) != 0;
        let (share, sign) = (select(left, 2.0 - share, share), select(left, -sign, sign));
        let base = share * HALF_PI_ROUNDED_1;
        let base_low = fma(share, HALF_PI_ROUNDED_2, fma(share, HALF_PI_ROUNDED_1, -base));
        let atan = sign * atan;
        let high = base + atan;
        let low = ((base - high) + atan) + fma(sign, atan_low, base_low);
        (times_sign(high, y), times_sign(low, y))
    }
}

/// Returns the angle of the point (x, y) as a sum of two numbers. The error of the sum is a small part of the last place of the first
/// number.
#[inline(always)]
fn angle(y: Float, x: Float) -> (Float, Float) {
    let point = reduce_point(y, x);
    let (t, z) = (point.t, point.t * point.t);
    let rest = fma(z * t, polynomial(z, &ATAN), point.t_low);
    point.angle(y, x, t, rest)
}

/// Returns the angle of the point (x, y), from -pi to pi, with the special values of C99, F.9.1.4.
/// Largest error measured: 0.83 ulp (`f64`), 0.83 ulp (`f32`).
#[inline(always)]
pub(crate) fn atan2(y: Float, x: Float) -> Float {
    let (high, low) = angle(y, x);
    high + low
}
