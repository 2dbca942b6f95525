// Exponentials, hyperbolic functions, the logistic function, and the special values of powers. `functions.rs` includes this source.

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
