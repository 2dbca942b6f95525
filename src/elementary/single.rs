//! The functions of `f32`.

use super::coefficients::double::{EXP2_FOR_F32, LOG2_FOR_F32};
use super::coefficients::single::*;
use super::double;
use num_complex::Complex;

type Float = f32;
type Bits = u32;

/// Number of explicit bits of the significand.
const MANTISSA_BITS: u32 = 23;
const EXPONENT_BIAS: u32 = 127;
/// 1.5 * 2^23. Adding a number to this constant rounds the number to an integer, which the lowest bits of the sum hold in two's
/// complement.
const ROUND: f32 = 12582912.0;
/// [`ROUND`] plus the exponent bias. The bits of `k + ROUND_BIASED`, shifted to the left, are the bits of 2^k: see [`power_of_two`].
const ROUND_BIASED: f32 = ROUND + 127.0;
/// `k + ROUND_BIASED` for k = -110. For smaller k, a result may be subnormal.
const LOWEST_K_BIASED: f32 = ROUND_BIASED - 110.0;
/// 2^-32: the second of the two [`scale_factors`] of 2^k for subnormal results. The first is 2^k divided by this number, so it is normal.
const SUBNORMAL_FACTOR: f32 = 2.3283064e-10;
/// For x from this value on, e^x overflows. For x up to [`EXP_MIN`], e^x rounds to zero.
const EXP_MAX: f32 = 89.0;
const EXP_MIN: f32 = -104.5;
/// For x from this value on, 2^x overflows. For x up to [`EXP2_MIN`], 2^x rounds to zero.
const EXP2_MAX: f32 = 128.0;
const EXP2_MIN: f32 = -151.0;
/// For |x| below this value, 2^x is a normal number.
const EXP2_NEAR: f32 = 126.0;
/// From this value on, 1 - e^-x and 1 - e^-2x round to 1.
const EXP_M1_FLAT: f32 = 20.0;
/// From this value on, tanh rounds to 1.
const TANH_FLAT: f32 = 10.0;
/// ln(3)/2: up to this value, tanh is at most 1/2.
const TANH_HALF: f32 = 0.54930615;
/// From this value on, sinh and cosh overflow. [`reduce_exp`] returns the exponent k = 129 for this value.
const HYPERBOLIC_MAX: f32 = 89.5;
/// For |x| below this value, 2^k and 2^-(k + 2) are normal numbers, where k is the exponent that [`reduce_exp`] returns.
const EXP_NEAR: f32 = 86.0;
/// For |x| below this value, functions with the series x + c x^2 + .. round to x.
const TINY: f32 = 1e-8;
/// For |x| below this value, functions with the series x + c x^3 + .. round to x.
const SMALL: f32 = 1e-4;
/// Above this value, [`ln_1p`] omits its correction, which is negligible, and [`atan`] replaces its argument by this value, because
/// infinity would give NaN.
const HUGE: f32 = 1e36;
/// 2^13. Above this value, the logarithms of x + sqrt(x^2 + 1) and of x + sqrt(x^2 - 1) are ln(2 x) to within their rounding error.
const INVERSE_LARGE: f32 = 8192.0;
/// The bits of sqrt(1/2), rounded down: the smallest mantissa 1 + f of [`split_normal`].
const ROOT_HALF_BITS: u32 = 0x3f35_04f3;
/// The bits of 2^23. If its lowest bits are replaced by an integer k, the result is the bits of 2^23 + k.
const INTEGER_BITS: u32 = 0x4b00_0000;
/// The sum of 2^23 and the exponent bias.
const K_OFFSET: f32 = 8388608.0 + 127.0;
/// 2^24: makes subnormal numbers normal.
const SUBNORMAL_SCALE: f32 = 16777216.0;
const SUBNORMAL_SCALE_LOG2: f32 = 24.0;
/// The largest |x| for which [`sin`], [`cos`] and [`tan`] are accurate: 2^12. For such x, the factor n of the nearest multiple
/// n pi/2 has at most 12 bits, and its products with the first two parts of pi/2 are exact.
pub(crate) const FAR: f32 = 4096.0;

/// Numbers with a magnitude above this value, or below [`SQUARE_MIN`], are scaled before they are squared.
const SQUARE_MAX: f32 = power(60);
const SQUARE_MIN: f32 = power(-50);
/// The exponent of the two scaling factors below.
const SQUARE_EXPONENT: f32 = 100.0;
const SQUARE_SCALE_UP: f32 = power(100);
const SQUARE_SCALE_DOWN: f32 = power(-100);
/// Square roots of the two scaling factors above.
const ROOT_SCALE_UP: f32 = power(50);
const ROOT_SCALE_DOWN: f32 = power(-50);
/// Points are scaled by [`POINT_SCALE_DOWN`] if a coordinate is above this magnitude, so that its reciprocal is a normal number, and by
/// [`POINT_SCALE_UP`] if a coordinate is below [`POINT_MIN`], so that the rounding error of the quotient is a normal number.
const POINT_MAX: f32 = power(80);
const POINT_MIN: f32 = power(-60);
const POINT_SCALE_DOWN: f32 = power(-20);
const POINT_SCALE_UP: f32 = power(40);
/// For exponents with a larger magnitude, every power is 0, 1 or infinite.
const POWER_MAX: f32 = 1e30;
/// Up to this value, e^x does not overflow.
const EXP_SAFE: f32 = 88.0;

/// Returns 2^k, if k is the exponent of a normal number.
const fn power(k: i32) -> f32 {
    f32::from_bits(((k + EXPONENT_BIAS as i32) as Bits) << MANTISSA_BITS)
}

/// For magnitudes below this value, [`cbrt`] multiplies its argument by [`CBRT_SCALE`], because the residual of its Newton step would be
/// subnormal.
const CBRT_SMALL: f32 = power(-100);
const CBRT_SCALE: f32 = power(72);
/// The inverse cube root of [`CBRT_SCALE`].
const CBRT_SCALE_BACK: f32 = power(-24);
/// Whether [`inverse_cbrt`] takes a second step.
const CBRT_IMPROVES_INVERSE: bool = false;

/// Whether ln(2) as a single number is accurate enough for a product with a small integer. Its error is 0.05 ulp.
const LN2_ROUNDED_SUFFICES: bool = true;
/// Whether [`tan`] corrects its quotient for rounding errors. The errors would be below 1 ulp, but it would be slower.
const TAN_CORRECTS_QUOTIENT: bool = false;
/// Whether [`atan`] corrects its quotient for rounding errors. The errors would be below 1 ulp, but it would be slower.
const ATAN_CORRECTS_QUOTIENT: bool = false;

include!("functions.rs");

/// Returns x^n.
#[inline(always)]
pub(crate) fn real_power(x: f32, n: i32) -> f32 {
    super::integer_power::real_power(x.into(), n) as f32
}

/// Returns x^n as a `f64`. `n` has at most `BITS` bits. The errors of the products are far below those of rounding to `f32`.
#[inline(always)]
fn wide_power<const BITS: u32>(x: f32, n: u32) -> f64 {
    let (mut base, mut power) = (f64::from(x), 1.0);
    for bit in 0..BITS {
        power = if (n >> bit) & 1 == 1 { power * base } else { power };
        base *= base;
    }
    power
}

/// Returns x^n. `n` has at most `BITS` bits.
#[inline(always)]
pub(crate) fn short_power<const BITS: u32>(x: f32, n: u32) -> f32 {
    wide_power::<BITS>(x, n) as f32
}

/// Returns x^-n. `n` has at most `BITS` bits. A power that is not representable as a `f64` has a reciprocal that is 0 or infinite as a `f32`.
#[inline(always)]
pub(crate) fn short_inverse<const BITS: u32>(x: f32, n: u32) -> f32 {
    (1.0 / wide_power::<BITS>(x, n)) as f32
}

/// Returns whether [`short_inverse`] is wrong.
#[inline(always)]
pub(crate) fn short_inverse_is_far<const BITS: u32>(_: f32, _: u32) -> bool {
    false
}

/// Returns z^n or, if `inverse`, z^-n, for `n` up to [`LONGEST`](super::integer_power::LONGEST).
#[inline(always)]
pub(crate) fn short_complex_power(z: Complex<f32>, n: u32, inverse: bool) -> Complex<f32> {
    let power = super::integer_power::short_complex_power(Complex::new(z.re.into(), z.im.into()), n, inverse);
    Complex::new(power.re as f32, power.im as f32)
}

/// Returns z^n.
#[inline(always)]
pub(crate) fn complex_power(z: Complex<f32>, n: i32) -> Complex<f32> {
    let power = super::integer_power::complex_power(Complex::new(z.re.into(), z.im.into()), n);
    Complex::new(power.re as f32, power.im as f32)
}

/// Functions of complex numbers.
pub(crate) mod complex {
    include!("complex.rs");
}

/// Returns ln(1 + f) - f + low: -f^2/2 + f^3 p(f) + low, where p is the polynomial `LN_TAIL`. There is no division.
#[inline(always)]
fn ln_tail(f: f32, low: f32) -> f32 {
    fma(f * f, fma(f, polynomial(f, &LN_TAIL), -0.5), low)
}

/// Returns log2(1 + f) - f LOG2_E_1, with a polynomial of f as in [`ln_tail`].
#[inline(always)]
fn log2_tail(f: f32) -> f32 {
    f * f * fma(f, polynomial(f, &LOG2_TAIL), -0.5 * LOG2_E_1)
}

/// Returns log10(1 + f) - f LOG10_E_1 + low, with a polynomial of f as in [`ln_tail`].
#[inline(always)]
fn log10_tail(f: f32, low: f32) -> f32 {
    fma(f * f, fma(f, polynomial(f, &LOG10_TAIL), -0.5 * LOG10_E_1), low)
}

/// Returns k LOG10_2_2, where k is the exponent of [`split_normal`]. LOG10_2_2 is -2^-26, so instead of a product, this is a difference of
/// numbers whose unit in the last place is 2^-26: processors can compute it at the same time as products.
#[inline(always)]
fn exponent_log10_low(x: f32, _: f32) -> f32 {
    const ZERO: f32 = 0.125;
    const UNIT: f32 = -LOG10_2_2;
    const { assert!(ZERO * f32::EPSILON == UNIT) };
    let k_biased = f32::from_bits((shifted_bits(x) >> MANTISSA_BITS) | ZERO.to_bits());
    (ZERO + UNIT * EXPONENT_BIAS as f32) - k_biased
}

/// Returns the hyperbolic tangent of |x|, with the sign of x: x + x^3 p(x^2), where p is the polynomial `TANH`, or 1 - 2 / (e^(2|x|) + 1)
/// if the result exceeds 1/2. With 2|x| = k ln(2) + 2 r, the denominator is 2^k + 1 + 2^k (2 r + (2 r)^2 q(2 r)), where q is the
/// polynomial `EXP`.
/// Largest error: 1.36 ulp (all arguments).
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let z = a * a;
    let low = fma(z * a, horner(z, &TANH, 0, 1), a);
    let limited = select(a > TANH_FLAT, TANH_FLAT, a);
    let k_biased = fma(limited, 2.0 * LOG2_E_1, ROUND_BIASED + 1.0);
    let k = k_biased - (ROUND_BIASED + 1.0);
    let r = fma(-k, 0.5 * LN2_ROUNDED_1, limited);
    let twice_power = power_of_two(k_biased);
    let n = fma(r * r, polynomial(r, &EXP_OF_TWICE), r);
    let high = 1.0 - 2.0 / fma(twice_power, n, fma(0.5, twice_power, 1.0));
    select(a > TANH_HALF, high, low).copysign(x)
}

/// Returns x to the power y: 2^(y log2|x|) in `f64`, which is faster than sums of two `f32`. The logarithm is accurate to 37
/// bits.
/// Largest error measured: 0.54 ulp.
#[inline(always)]
pub(crate) fn powf(x: f32, y: f32) -> f32 {
    let a = f64::from(x.abs());
    // The logarithms of zero and infinity are replaced by infinities. The product and the exponential then give the results of C99,
    // Annex F.
    let log2 = double::select(a == 0.0, f64::NEG_INFINITY, log2_wide(a));
    let log2 = double::select(a < f64::INFINITY, log2, a);
    // Limiting |y| prevents NaN, the product of infinity and log2(1) = 0.
    let y_limited = double::clamp(f64::from(y), -f64::from(POWER_MAX), f64::from(POWER_MAX));
    powf_special(x, y, exp2_wide(y_limited * log2))
}

/// Returns whether `x` is not a positive normal number, or `y` is infinite, NaN, or so large that x^y is 0, 1 or infinite.
#[inline(always)]
pub(crate) fn powf_is_far(x: f32, y: f32) -> bool {
    is_not_normal(x) | (y.abs() > POWER_MAX) | y.is_nan()
}

/// [`powf`] of arguments that are not [far](powf_is_far).
#[inline(always)]
pub(crate) fn powf_ordinary(x: f32, y: f32) -> f32 {
    exp2_wide(f64::from(y) * log2_wide(f64::from(x)))
}

/// Returns log2(a) for a positive normal number.
#[inline(always)]
fn log2_wide(a: f64) -> f64 {
    let (k, f) = double::split_normal(a, double::K_OFFSET);
    let s = f / (2.0 + f);
    s.mul_add(double::polynomial(s * s, &LOG2_FOR_F32), k)
}

/// Returns 2^exponent.
#[inline(always)]
fn exp2_wide(exponent: f64) -> f32 {
    // Clamping the exponent keeps the power in the range of f64.
    let exponent = double::clamp(exponent, -200.0, 200.0);
    let k_biased = exponent + double::ROUND_BIASED;
    let fraction = exponent - (k_biased - double::ROUND_BIASED);
    let power =
        fraction.mul_add(double::polynomial(fraction, &EXP2_FOR_F32), 1.0) * double::power_of_two(k_biased);
    power as f32
}

/// Returns erf x or, if `complement`, erfc x, computed in `f64`.
#[inline(always)]
pub(crate) fn erf_or_erfc(complement: bool, x: f32) -> f32 {
    double::erf_or_erfc(complement, f64::from(x)) as f32
}

/// Returns z to the power w, for two complex numbers, computed in `f64`.
#[inline(always)]
pub(crate) fn powc(z: Complex<f32>, w: Complex<f32>) -> Complex<f32> {
    narrow(double::powc(widen(z), widen(w)))
}

/// Returns whether the power is [far](double::powc_is_far) in `f64`.
#[inline(always)]
pub(crate) fn powc_is_far(z: Complex<f32>, w: Complex<f32>) -> bool {
    double::powc_is_far(widen(z), widen(w))
}

/// [`powc`] of arguments that are [far](powc_is_far).
pub(crate) fn powc_far(z: Complex<f32>, w: Complex<f32>) -> Complex<f32> {
    narrow(double::powc_far(widen(z), widen(w)))
}

#[inline(always)]
fn widen(z: Complex<f32>) -> Complex<f64> {
    Complex::new(f64::from(z.re), f64::from(z.im))
}

#[inline(always)]
fn narrow(z: Complex<f64>) -> Complex<f32> {
    Complex::new(z.re as f32, z.im as f32)
}

/// Returns 2^(i y), computed in `f64`: the cosine and the sine of y ln(2). NaN if `y` is infinite.
#[cold]
pub(crate) fn imaginary_exp2(y: f32) -> Complex<f32> {
    narrow(double::imaginary_exp2(y.into()))
}

/// Returns ln(1 + z), computed in `f64`: a modulus near 1 would need more digits than two `f32` have.
#[inline(always)]
pub(crate) fn complex_ln_1p(z: Complex<f32>) -> Complex<f32> {
    narrow(double::complex_ln_1p(widen(z)))
}

/// Returns the sine for |x| > FAR, computed in `f64`. NaN if `x` is infinite.
#[cold]
pub(crate) fn sin_far(x: f32) -> f32 {
    let x = f64::from(x);
    (if double::is_far(x) { double::sin_far(x) } else { double::sin(x) }) as f32
}

/// Returns the cosine for |x| > FAR, computed in `f64`. NaN if `x` is infinite.
#[cold]
pub(crate) fn cos_far(x: f32) -> f32 {
    let x = f64::from(x);
    (if double::is_far(x) { double::cos_far(x) } else { double::cos(x) }) as f32
}

/// Returns the tangent for |x| > FAR, computed in `f64`. NaN if `x` is infinite.
#[cold]
pub(crate) fn tan_far(x: f32) -> f32 {
    let x = f64::from(x);
    (if double::is_far(x) { double::tan_far(x) } else { double::tan(x) }) as f32
}
