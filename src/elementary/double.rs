//! The functions of `f64`.

use super::coefficients::double::*;
use super::coefficients::{LN2_TWO_OVER_PI_DIGITS, TWO_OVER_PI_DIGITS};
use num_complex::Complex;

type Float = f64;
type Bits = u64;

/// Number of explicit bits of the significand.
const MANTISSA_BITS: u32 = 52;
const EXPONENT_BIAS: u64 = 1023;
/// 1.5 * 2^52. Adding a number to this constant rounds the number to an integer, which the lowest bits of the sum hold in two's
/// complement.
const ROUND: f64 = 6755399441055744.0;
/// [`ROUND`] plus the exponent bias. The bits of `k + ROUND_BIASED`, shifted to the left, are the bits of 2^k: see [`power_of_two`].
pub(crate) const ROUND_BIASED: f64 = ROUND + 1023.0;
/// `k + ROUND_BIASED` for k = -1000. For smaller k, a result may be subnormal.
const LOWEST_K_BIASED: f64 = ROUND_BIASED - 1000.0;
/// 2^-64: the second of the [`scale_factors`] for subnormal results. It is so small that the first factor is normal.
const SUBNORMAL_FACTOR: f64 = 5.421010862427522e-20;
/// For x from this value on, e^x overflows. For x up to [`EXP_MIN`], e^x rounds to zero.
const EXP_MAX: f64 = 710.0;
const EXP_MIN: f64 = -746.0;
/// For x from this value on, 2^x overflows. For x up to [`EXP2_MIN`], 2^x rounds to zero.
const EXP2_MAX: f64 = 1024.0;
const EXP2_MIN: f64 = -1077.0;
/// For |x| below this value, 2^x is a normal number.
const EXP2_NEAR: f64 = 1022.0;
/// For x from this value on, erfc x rounds to zero.
const ERFC_ZERO: f64 = 28.0;
/// From this value on, 1 - e^-x and 1 - e^-2x round to 1.
const EXP_M1_FLAT: f64 = 40.0;
/// From this value on, tanh rounds to 1.
const TANH_FLAT: f64 = 22.0;
/// From this value on, sinh and cosh overflow. [`reduce_exp`] returns the exponent k = 1025 for this value.
const HYPERBOLIC_MAX: f64 = 710.5;
/// For |x| below this value, 2^k and 2^-(k + 2) are normal numbers, where k is the exponent that [`reduce_exp`] returns.
const EXP_NEAR: f64 = 700.0;
/// For |x| below this value, functions with the series x + c x^2 + .. round to x.
const TINY: f64 = 1e-17;
/// For |x| below this value, functions with the series x + c x^3 + .. round to x.
const SMALL: f64 = 1e-9;
/// Above this value, [`ln_1p`] omits its correction, which is negligible, and [`atan`] replaces its argument by this value, because
/// infinity would give NaN.
const HUGE: f64 = 1e300;
/// 2^28. Above this value, the logarithms of x + sqrt(x^2 + 1) and of x + sqrt(x^2 - 1) are ln(2 x) to within their rounding error.
const INVERSE_LARGE: f64 = 268435456.0;
/// The bits of sqrt(1/2), rounded down: the smallest mantissa 1 + f of [`split_normal`].
const ROOT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcc;
/// The bits of 2^52. If its lowest bits are replaced by an integer k, the result is the bits of 2^52 + k.
const INTEGER_BITS: u64 = 0x4330_0000_0000_0000;
/// The sum of 2^52 and the exponent bias.
pub(crate) const K_OFFSET: f64 = 4503599627370496.0 + 1023.0;
/// 2^54: makes subnormal numbers normal.
const SUBNORMAL_SCALE: f64 = 18014398509481984.0;
const SUBNORMAL_SCALE_LOG2: f64 = 54.0;
/// The largest |x| for which [`sin`], [`cos`] and [`tan`] are accurate: 2^22. For such x, the factor n of the nearest multiple
/// n pi/2 has at most 22 bits, and its products with the first two parts of pi/2 are exact.
pub(crate) const FAR: f64 = 4194304.0;

/// Numbers with a magnitude above this value, or below [`SQUARE_MIN`], are scaled before they are squared.
const SQUARE_MAX: f64 = power(500);
const SQUARE_MIN: f64 = power(-450);
/// The exponent of the two scaling factors below.
const SQUARE_EXPONENT: f64 = 600.0;
const SQUARE_SCALE_UP: f64 = power(600);
const SQUARE_SCALE_DOWN: f64 = power(-600);
/// Square roots of the two scaling factors above.
const ROOT_SCALE_UP: f64 = power(300);
const ROOT_SCALE_DOWN: f64 = power(-300);
/// Points are scaled by [`POINT_SCALE_DOWN`] if a coordinate is above this magnitude, so that its reciprocal is a normal number, and by
/// [`POINT_SCALE_UP`] if a coordinate is below [`POINT_MIN`], so that the rounding error of the quotient is a normal number.
const POINT_MAX: f64 = power(880);
const POINT_MIN: f64 = power(-900);
const POINT_SCALE_DOWN: f64 = power(-20);
const POINT_SCALE_UP: f64 = power(120);
/// For exponents with a larger magnitude, every power is 0, 1 or infinite.
const POWER_MAX: f64 = 1e30;
/// Up to this value, e^x does not overflow.
const EXP_SAFE: f64 = 709.0;

/// Returns 2^k, if k is the exponent of a normal number.
const fn power(k: i32) -> f64 {
    f64::from_bits(((k + EXPONENT_BIAS as i32) as Bits) << MANTISSA_BITS)
}

/// For magnitudes below this value, [`cbrt`] multiplies its argument by [`CBRT_SCALE`], because the residual of its Newton step would be
/// subnormal.
const CBRT_SMALL: f64 = power(-900);
const CBRT_SCALE: f64 = power(180);
/// The inverse cube root of [`CBRT_SCALE`].
const CBRT_SCALE_BACK: f64 = power(-60);
/// Whether [`inverse_cbrt`] takes a second step.
const CBRT_IMPROVES_INVERSE: bool = true;

/// Whether ln(2) as a single number is accurate enough for a product with a small integer.
const LN2_ROUNDED_SUFFICES: bool = false;
/// Whether [`tan`] corrects its quotient for rounding errors.
const TAN_CORRECTS_QUOTIENT: bool = true;
/// Whether [`atan`] corrects its quotient for rounding errors.
const ATAN_CORRECTS_QUOTIENT: bool = true;

include!("functions.rs");

pub(crate) use super::integer_power::{complex_power, real_power, short_complex_power};

/// Returns x^n. `n` has at most `BITS` bits.
#[inline(always)]
pub(crate) fn short_power<const BITS: u32>(x: f64, n: u32) -> f64 {
    super::integer_power::short_power::<BITS>(x, n).0
}

/// Returns x^-n. `n` has at most `BITS` bits.
#[inline(always)]
pub(crate) fn short_inverse<const BITS: u32>(x: f64, n: u32) -> f64 {
    super::integer_power::reciprocal(super::integer_power::short_power::<BITS>(x, n).1)
}

/// Returns whether [`short_inverse`] is wrong: the power or its reciprocal is not a normal number.
#[inline(always)]
pub(crate) fn short_inverse_is_far<const BITS: u32>(x: f64, n: u32) -> bool {
    let size = short_power::<BITS>(x, n).abs();
    // Comparisons with NaN are false.
    !((size > f64::MIN_POSITIVE) & (size < 1.0 / f64::MIN_POSITIVE))
}
pub(crate) use complex::ln_1p as complex_ln_1p;

/// Functions of complex numbers.
pub(crate) mod complex {
    include!("complex.rs");
}

/// Returns f^2/2 and `rest`, where ln(1 + f) = f - f^2/2 + rest. With s = f / (2 + f), ln(1 + f) = 2 atanh(s), for which
/// a polynomial of s^2 with 7 coefficients suffices. A polynomial of f needs 14 more coefficients, which is slower than the division.
#[inline(always)]
fn ln_terms(f: f64) -> (f64, f64) {
    let s = f / (2.0 + f);
    let z = s * s;
    let half_f = 0.5 * f;
    let half_square = half_f * f;
    let half_square_low = fma(half_f, f, -half_square);
    (half_square, fma(s, fma(z, polynomial(z, &LN), half_square), -half_square_low))
}

/// Returns ln(1 + f) - f + low.
#[inline(always)]
fn ln_tail(f: f64, low: f64) -> f64 {
    let (half_square, rest) = ln_terms(f);
    (rest - half_square) + low
}

/// Returns log2(1 + f) - f LOG2_E_1.
#[inline(always)]
fn log2_tail(f: f64) -> f64 {
    let (half_square, rest) = ln_terms(f);
    fma(-half_square, LOG2_E_1, fma(rest, LOG2_E_1, f * LOG2_E_2))
}

/// Returns log10(1 + f) - f LOG10_E_1 + low.
#[inline(always)]
fn log10_tail(f: f64, low: f64) -> f64 {
    let (half_square, rest) = ln_terms(f);
    fma(-half_square, LOG10_E_1, fma(rest, LOG10_E_1, fma(f, LOG10_E_2, low)))
}

/// Returns k LOG10_2_2, where k is the exponent of [`split_normal`].
#[inline(always)]
fn exponent_log10_low(_: f64, k: f64) -> f64 {
    k * LOG10_2_2
}

/// Returns the hyperbolic tangent of |x|, with the sign of x: n / (n + 2), where n = e^(2|x|) - 1. With 2|x| = k ln(2) + 2 r, n is
/// 2^k - 1 + 2^k (2 r + (2 r)^2 q(2 r)), where q is the polynomial `EXP`. Numerator and denominator are sums of two numbers.
/// Largest error measured: 1.00 ulp.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let limited = select(a > TANH_FLAT, TANH_FLAT, a);
    let k_biased = fma(limited, 2.0 * LOG2_E_1, ROUND_BIASED + 1.0);
    let k = k_biased - (ROUND_BIASED + 1.0);
    let r = fma(-k, 0.5 * LN2_ROUNDED_1, limited);
    let twice_power = power_of_two(k_biased);
    let tail = fma(-k, 0.5 * LN2_ROUNDED_2, r * r * polynomial(r, &EXP_OF_TWICE));
    let linear = fma(twice_power, r, fma(0.5, twice_power, -1.0));
    let numerator = fma(twice_power, tail, linear);
    let numerator_low = fma(twice_power, tail, linear - numerator);
    let denominator = numerator + 2.0;
    let denominator_low = (numerator - (denominator - 2.0)) + numerator_low;
    divide_sums([numerator, numerator_low], [denominator, denominator_low]).copysign(x)
}

/// Returns x to the power y: e^(y ln|x|), where the logarithm is a sum of two numbers, accurate to about 66 bits.
/// Largest error measured: 1.10 ulp.
#[inline(always)]
pub(crate) fn powf(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let (ln, ln_low) = ln_long(split(a));
    // The logarithms of zero and infinity are replaced by infinities. The product and the exponential then give the results of C99,
    // Annex F.
    let ln = select(a == 0.0, f64::NEG_INFINITY, ln);
    let ln = select(a < f64::INFINITY, ln, a);
    // Limiting |y| prevents an overflow of the product with `ln_low`. It also prevents NaN for |x| = 1, where the product of an infinite y
    // and ln(1) = 0 would be NaN.
    let y_limited = select(y.abs() > POWER_MAX, POWER_MAX.copysign(y), y);
    let (product, product_low) = times((ln, ln_low), y_limited);
    let product_low = select(product.abs() < EXP_MAX + 50.0, product_low, 0.0);
    let (k_biased, p) = exp_sum(clamp(product, EXP_MIN, EXP_MAX), product_low);
    let (first, second) = scale_factors(k_biased);
    powf_special(x, y, fma(p, first, first) * second)
}

/// Returns whether `x` is not a positive normal number, or x^y may not be a normal number.
#[inline(always)]
pub(crate) fn powf_is_far(x: f64, y: f64) -> bool {
    let (product, _) = times(ln_long(split_normal(x, K_OFFSET)), y);
    // Comparisons with NaN are false.
    let near = product.abs() < EXP_NEAR;
    is_not_normal(x) | !near
}

/// [`powf`] of arguments that are not [far](powf_is_far).
#[inline(always)]
pub(crate) fn powf_ordinary(x: f64, y: f64) -> f64 {
    let (product, product_low) = times(ln_long(split_normal(x, K_OFFSET)), y);
    let (k_biased, p) = exp_sum(product, product_low);
    let power = power_of_two(k_biased);
    fma(p, power, power)
}

/// Returns `k + ROUND_BIASED` and p with e^(x + low) = 2^k (1 + p), where `low` is a small number. If instead the exact sum of 1 and the
/// largest term of p were used, the largest error of [`powf`] would be 0.86 ulp, but it would be slower.
#[inline(always)]
fn exp_sum(x: f64, low: f64) -> (f64, f64) {
    let k_biased = fma(x, LOG2_E_1, ROUND_BIASED);
    let k = k_biased - ROUND_BIASED;
    let high = fma(-k, LN2_1, x);
    let low = fma(-k, LN2_2, low);
    let r = high + low;
    (k_biased, high + fma(r * r, polynomial(r, &EXP), low))
}

/// Returns ln(2^k (1 + f)) as a sum of two numbers.
#[inline(always)]
fn ln_long((k, f): (f64, f64)) -> (f64, f64) {
    // s = f / (2 + f) and z = s^2, each as a sum of two numbers
    let denominator = f + 2.0;
    let denominator_low = f - (denominator - 2.0);
    let inverse = 1.0 / denominator;
    let s = f * inverse;
    let s_low = fma(-s, denominator_low, fma(-s, denominator, f)) * inverse;
    let twice_s = 2.0 * s;
    let z = s * s;
    let z_low = fma(twice_s, s_low, fma(s, s, -z));
    // ln(1 + f) = 2 s + s z (2/3 + z P(z)), where P is the polynomial `LN_LONG`
    let rest = polynomial(z, &LN_LONG);
    let factor = fma(z, rest, TWO_THIRDS_1);
    let factor_low = fma(z, rest, TWO_THIRDS_1 - factor) + TWO_THIRDS_2;
    let tail = z * factor;
    let tail_low = fma(z, factor_low, fma(z_low, factor, fma(z, factor, -tail)));
    let mantissa = fma(s, tail, twice_s);
    let mantissa_low = fma(s, tail, twice_s - mantissa) + fma(s_low, tail, s_low + s_low);
    let sum = fma(k, LN2_1, mantissa);
    let sum_low = fma(k, LN2_2, fma(k, LN2_1, -sum) + mantissa) + mantissa_low;
    (sum, fma(s, tail_low, sum_low))
}

/// Returns y (x + x_low) as a sum of two numbers.
#[inline(always)]
fn times((x, x_low): (f64, f64), y: f64) -> (f64, f64) {
    let product = x * y;
    (product, fma(x_low, y, fma(x, y, -product)))
}

/// Returns erf x or, if `complement`, erfc x = 1 - erf x. With a = |x|, erfc a is e^(-a^2) f / (1 + 2a), where f is a polynomial of
/// 3.5 / (a + 3.5) (after M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity",
/// 1981). For a < 1, erf x is a polynomial of x, and for -1 < x < 0.65, erfc x is 1 - erf x.
/// Largest errors measured: 1.43 ulp (erf), 1.87 ulp (erfc).
#[inline(always)]
pub(crate) fn erf_or_erfc(complement: bool, x: f64) -> f64 {
    let a = clamp(x.abs(), 0.0, ERFC_ZERO);
    // f = c + v P(v) as a sum of two numbers
    let v = 3.5 / (a + 3.5) - 0.5;
    let rest = fma(v, polynomial(v, &ERFC), ERFC_MIDDLE_2);
    let f = ERFC_MIDDLE_1 + rest;
    let f_low = (ERFC_MIDDLE_1 - f) + rest;
    // f / (1 + 2a) as a sum of two numbers
    let twice = a + a;
    let divisor = 1.0 + twice;
    let divisor_low = twice - (divisor - 1.0);
    let inverse = 1.0 / divisor;
    let size = f * inverse;
    let size_low = fma(-size, divisor_low, fma(-size, divisor, f) + f_low) * inverse;
    let square = a * a;
    let square_low = select(square < -EXP_MIN, fma(a, a, -square), 0.0);
    let (k_biased, p) = exp_sum(clamp(-square, EXP_MIN, 0.0), -square_low);
    let (first, second) = scale_factors(k_biased);
    let tail = (fma(size, p, size_low) + size) * first * second;
    // For small a: erf x = product + rest and 1 - product = part + part_low
    let z = x * x;
    let product = x * TWO_OVER_ROOT_PI_1;
    let slope = fma(z, polynomial_accurate(z, &ERF), TWO_OVER_ROOT_PI_2);
    let rest = fma(x, slope, fma(x, TWO_OVER_ROOT_PI_1, -product));
    let part = 1.0 - product;
    let part_low = (1.0 - part) - product;
    let erf = select(a < 1.0, product + rest, 1.0 - tail).copysign(x);
    let near = (x > -1.0) & (x < 0.65);
    let erfc = select(near, part + (part_low - rest), select(x < 0.0, 2.0 - tail, tail));
    select(complement, erfc, erf)
}

/// Returns z to the power w, for two complex numbers: e^(w ln z), with w ln z as [`exponent_of_power`] returns it. The error is relative to
/// the larger part of the result.
/// Largest error measured: 2.6 ulp for |w| up to 140, 3.7 ulp for w = 300.
#[inline(always)]
pub(crate) fn powc(z: Complex<f64>, w: Complex<f64>) -> Complex<f64> {
    let ((x, x_low), (y, y_low)) = exponent_of_power(z, w);
    let (k_biased, p) = exp_sum(x, x_low);
    let power = power_of_two(k_biased);
    complex::turn(complex::cos_sin(y), y_low).scale(fma(p, power, power))
}

/// Returns whether `z` is zero or not finite, or z^w may overflow or underflow, or its angle needs more than [`FAR`] permits.
#[inline(always)]
pub(crate) fn powc_is_far(z: Complex<f64>, w: Complex<f64>) -> bool {
    let ((x, _), (y, _)) = exponent_of_power(z, w);
    let is_zero = (z.re == 0.0) & (z.im == 0.0);
    // Comparisons with NaN are false.
    let near = (x.abs() < EXP_NEAR) & (y.abs() <= FAR) & complex::is_finite(z);
    is_zero | !near
}

/// [`powc`] of arguments that are [far](powc_is_far). C99 has no special values of powers, other than those of e^(w ln z).
pub(crate) fn powc_far(z: Complex<f64>, w: Complex<f64>) -> Complex<f64> {
    if w.re == 0.0 && w.im == 0.0 {
        return Complex::new(1.0, 0.0);
    }
    let is_zero = z.re == 0.0 && z.im == 0.0;
    if is_zero || !complex::is_finite(z) {
        if w.im == 0.0 {
            let (y, y_low) = times(angle_long(z.im, z.re), w.re);
            return complex::scaled(
                powf(hypot(z.re, z.im), w.re),
                complex::cos_sin_any(y) * complex::cos_sin(y_low),
            );
        }
        if is_zero && w.re > 0.0 {
            return Complex::new(0.0, 0.0);
        }
        let product = w * complex::log(complex::BASE_E, z);
        return if complex::exp_is_far(product) { complex::exp_far(product) } else { complex::exp(product) };
    }
    let ((x, x_low), (y, y_low)) = exponent_of_power(z, w);
    // For larger |x|, the result overflows or underflows.
    let x_low = if x.abs() < 2000.0 { x_low } else { 0.0 };
    let unit = complex::cos_sin_any(y) * complex::cos_sin_any(y_low) * (1.0 + x_low);
    complex::exponential(Complex::new(x, y), [exp(0.5 * x); 2], unit)
}

/// Returns the real and imaginary part of w ln z, each as a sum of two numbers: ln|z| and arg z are such sums, so that a large w does not
/// multiply their rounding errors. The result is meaningless if z is zero or not finite.
#[inline(always)]
fn exponent_of_power(z: Complex<f64>, w: Complex<f64>) -> ((f64, f64), (f64, f64)) {
    // ln|z| = ln(high + low)/2 - exponent ln 2
    let sum = sum_of_squares(z.re, z.im);
    let (k, f) = split_normal(sum.high, K_OFFSET);
    let (ln, ln_low) = ln_long((fma(-2.0, sum.exponent, k), f));
    let ln = (0.5 * ln, 0.5 * (ln_low + sum.low / sum.high));
    let arg = angle_long(z.im, z.re);
    let re = add_sums(times(ln, w.re), times(arg, -w.im));
    (re, add_sums(times(arg, w.re), times(ln, w.im)))
}

/// Returns the angle of the point (x, y) as a sum of two numbers, accurate to about 62 bits.
#[inline(always)]
fn angle_long(y: f64, x: f64) -> (f64, f64) {
    let point = reduce_point(y, x);
    // z = t^2 as a sum of two numbers
    let (t, t_low) = (point.t, point.t_low);
    let z = t * t;
    let z_low = fma(2.0 * t, t_low, fma(t, t, -z));
    // atan(t) = t + t z (-1/3 + z P(z)), where P is the polynomial `ATAN_LONG`
    let rest = polynomial(z, &ATAN_LONG);
    let factor = fma(z, rest, -0.5 * TWO_THIRDS_1);
    let factor_low = fma(z, rest, -0.5 * TWO_THIRDS_1 - factor) - 0.5 * TWO_THIRDS_2;
    let tail = z * factor;
    let tail_low = fma(z, factor_low, fma(z_low, factor, fma(z, factor, -tail)));
    let atan = fma(t, tail, t);
    let atan_low = fma(t, tail_low, fma(t_low, tail, fma(t, tail, t - atan)) + t_low);
    let (high, low) = point.angle(y, x, atan, atan_low);
    (high + low, (high - (high + low)) + low)
}

/// Adds two sums of two numbers each. The first two numbers are added without a rounding error (D. E. Knuth, "The Art of Computer
/// Programming", vol. 2, 4.2.2, Theorem B).
#[inline(always)]
fn add_sums((a, a_low): (f64, f64), (b, b_low): (f64, f64)) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, ((a - (sum - part)) + (b - part)) + (a_low + b_low))
}

/// Subtracts the nearest multiple of pi/2 from any finite x with |x| >= 1, by exact integer products with those digits of 2/pi that affect
/// the result (Payne and Hanek, "Radian reduction for trigonometric functions", 1983). With the digits of 2/pi times a factor, reduces x
/// times this factor.
#[cold]
fn reduce_angle_far(x: f64, two_over_pi: &[u64; 20]) -> ReducedAngle {
    let bits = x.to_bits();
    // |x| = significand * 2^exponent
    let exponent = ((bits >> MANTISSA_BITS) & 0x7ff) as i32 - 1075;
    let significand = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    // The first binary digit of 2/pi that is used: earlier digits add only multiples of 4 quadrants. The index also counts 64 zeros in
    // front of the digits.
    let first_digit = (exponent - 2 + 64) as usize;
    let digits = |i: usize| if i == 0 { 0 } else { two_over_pi.get(i - 1).copied().unwrap_or(0) };
    let word = |i: usize| {
        let (index, shift) = ((first_digit + 64 * i) / 64, (first_digit + 64 * i) % 64);
        if shift == 0 {
            digits(index)
        } else {
            (digits(index) << shift) | (digits(index + 1) >> (64 - shift))
        }
    };
    // 192 bits of |x| / (2 pi) modulo 1, which is a fraction of a full turn: 128 bits in `turn`, then the lower 64 bits of `product_2`
    let product_2 = u128::from(significand) * u128::from(word(2));
    let product_1 = u128::from(significand) * u128::from(word(1)) + (product_2 >> 64);
    let product_0 = significand.wrapping_mul(word(0)).wrapping_add((product_1 >> 64) as u64);
    let turn = (u128::from(product_0) << 64) | u128::from(product_1 as u64);
    let quadrant = turn.wrapping_add(1 << 125) >> 126;
    // the difference between `turn` and `quadrant`, in units of 2^-126 quadrants
    let fraction = turn.wrapping_sub(quadrant << 126) as i128;
    let high = fraction as f64;
    let low = fraction.wrapping_sub(high as i128) as f64 + (product_2 as u64) as f64 * 2f64.powi(-64);
    let unit = 2f64.powi(-126);
    let (high, low) = (high * unit, low * unit);
    let product = high * HALF_PI_ROUNDED_1;
    let product_low =
        fma(high, HALF_PI_ROUNDED_1, -product) + fma(high, HALF_PI_ROUNDED_2, low * HALF_PI_ROUNDED_1);
    let r = product + product_low;
    let r_low = (product - r) + product_low;
    if x < 0.0 {
        ReducedAngle { r: -r, r_low: -r_low, quadrant: (quadrant as u64).wrapping_neg() }
    } else {
        ReducedAngle { r, r_low, quadrant: quadrant as u64 }
    }
}

/// Returns 2^(i y): the cosine and the sine of y ln(2). NaN if `y` is infinite.
#[cold]
pub(crate) fn imaginary_exp2(y: f64) -> Complex<f64> {
    if y.abs() <= FAR {
        let (product, low) = times((LN2_ROUNDED_1, LN2_ROUNDED_2), y);
        return complex::turn(complex::cos_sin(product), low);
    }
    if !y.is_finite() {
        return Complex::new(f64::NAN, f64::NAN);
    }
    let angle = reduce_angle_far(y, &LN2_TWO_OVER_PI_DIGITS);
    Complex::new(sin_reduced(angle, 1), sin_reduced(angle, 0))
}

/// Returns the sine for |x| > FAR. NaN if `x` is infinite.
#[cold]
pub(crate) fn sin_far(x: f64) -> f64 {
    if x.is_finite() { sin_reduced(reduce_angle_far(x, &TWO_OVER_PI_DIGITS), 0) } else { f64::NAN }
}

/// Returns the cosine for |x| > FAR. NaN if `x` is infinite.
#[cold]
pub(crate) fn cos_far(x: f64) -> f64 {
    if x.is_finite() { sin_reduced(reduce_angle_far(x, &TWO_OVER_PI_DIGITS), 1) } else { f64::NAN }
}

/// Returns the tangent for |x| > FAR. NaN if `x` is infinite.
#[cold]
pub(crate) fn tan_far(x: f64) -> f64 {
    if x.is_finite() { tan_reduced(reduce_angle_far(x, &TWO_OVER_PI_DIGITS)) } else { f64::NAN }
}
