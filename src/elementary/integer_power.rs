//! Integer powers of `f64` and `Complex<f64>`, by repeated squaring. Those of `f32` and `Complex<f32>` are computed in these types.
//!
//! Every number is a sum of two `f64`, so the errors of many products do not add up: the result is rounded once. Errors of the largest part
//! of a result are below 0.51 units in the last place. FMA gives the rounding error of a product. Exponents of two are kept apart where
//! intermediate results might leave the range.

use super::quotient::{Quotient, Wide, scale64, times_power};
use num_complex::Complex;

/// A sum of two numbers, the second of which is small.
pub(crate) type Sum = [f64; 2];

#[inline(always)]
fn product([a, a_low]: Sum, [b, b_low]: Sum) -> Sum {
    let high = a * b;
    [high, a.mul_add(b_low, a_low.mul_add(b, a.mul_add(b, -high)))]
}

/// Returns the sum of two sums.
#[inline(always)]
fn sum([a, a_low]: Sum, [b, b_low]: Sum) -> Sum {
    let high = a + b;
    let b_rounded = high - a;
    [high, ((a - (high - b_rounded)) + (b - b_rounded)) + (a_low + b_low)]
}

/// Returns `a / b`.
#[inline(always)]
fn quotient([a, a_low]: Sum, [b, b_low]: Sum) -> Sum {
    let inverse = 1.0 / b;
    let high = a * inverse;
    let rest = high.mul_add(-b_low, high.mul_add(-b, a) + a_low);
    [high, rest * inverse]
}

/// Returns the rounded sum. Keeps the sign of a zero.
#[inline(always)]
fn rounded([a, a_low]: Sum) -> f64 {
    if a_low == 0.0 { a } else { a + a_low }
}

/// A number as the real and the imaginary part of a sum.
type Parts = [Sum; 2];

#[inline(always)]
fn complex_product([a, b]: Parts, [c, d]: Parts) -> Parts {
    let [p, q] = product(b, d);
    [sum(product(a, c), [-p, -q]), sum(product(a, d), product(b, c))]
}

#[inline(always)]
fn complex_reciprocal([a, b]: Parts) -> Parts {
    let square = sum(product(a, a), product(b, b));
    [quotient(a, square), quotient([-b[0], -b[1]], square)]
}

/// Computes a power with an exponent of at most `BITS` bits, given the square of `x`. The loop has no branches, so loops over it are
/// vectorised: the products of bits that are 0 are computed, too, unless the exponent is a constant.
#[inline(always)]
fn repeated<T: Copy, const BITS: u32>(
    [one, x, square]: [T; 3],
    n: u32,
    product: impl Fn(T, T) -> T,
    select: impl Fn(bool, T, T) -> T,
) -> T {
    let bit = |k: u32| (n >> k) & 1 == 1;
    let (mut base, mut result) = (square, select(bit(0), x, one));
    for k in 1..BITS {
        result = select(bit(k), product(result, base), result);
        if k + 1 < BITS {
            base = product(base, base);
        }
    }
    result
}

#[inline(always)]
fn select(condition: bool, a: Sum, b: Sum) -> Sum {
    [if condition { a[0] } else { b[0] }, if condition { a[1] } else { b[1] }]
}

/// The largest exponent of short powers, without its sign.
pub(crate) const LONGEST: u32 = 15;

/// Returns x^n, rounded, and before it is rounded. `n` has at most `BITS` bits.
#[inline(always)]
pub(crate) fn short_power<const BITS: u32>(x: f64, n: u32) -> (f64, Sum) {
    let square = x * x;
    let power =
        repeated::<Sum, BITS>([[1.0, 0.0], [x, 0.0], [square, x.mul_add(x, -square)]], n, product, select);
    // The rounding error of an infinite product is NaN.
    let low = if power[0].abs() < f64::INFINITY { power[1] } else { 0.0 };
    (rounded([power[0], low]), power)
}

/// Returns the rounded reciprocal of a number whose reciprocal is in range.
#[inline(always)]
pub(crate) fn reciprocal(power: Sum) -> f64 {
    rounded(quotient([1.0, 0.0], power))
}

/// Returns x^n.
#[inline(always)]
pub(crate) fn real_power(x: f64, n: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        let result = if n % 2 == 0 { x.abs() } else { x };
        return if n == 0 {
            1.0
        } else if n > 0 {
            result
        } else {
            1.0 / result
        };
    }
    let number = |[high, low]: Sum, exponent: i64| {
        let wide = Wide::from(high);
        ScaledNumber {
            number: [wide.mantissa, times_power(low, -wide.exponent)],
            exponent: exponent + i64::from(wide.exponent),
        }
    };
    let multiply = |a: ScaledNumber<Sum>, b: ScaledNumber<Sum>| {
        number(product(a.number, b.number), a.exponent + b.exponent)
    };
    let result = long_power(number([x, 0.0], 0), number([1.0, 0.0], 0), n.unsigned_abs(), multiply);
    if n < 0 {
        times_long_power(rounded(quotient([1.0, 0.0], result.number)), -result.exponent)
    } else {
        times_long_power(rounded(result.number), result.exponent)
    }
}

/// The product of a number and 2^exponent.
#[derive(Clone, Copy)]
struct ScaledNumber<T> {
    number: T,
    exponent: i64,
}

/// Computes a power by repeated squaring.
#[inline(always)]
fn long_power<T: Copy>(mut base: T, one: T, mut n: u32, multiply: impl Fn(T, T) -> T) -> T {
    let mut result = one;
    while n > 0 {
        if n & 1 == 1 {
            result = multiply(result, base);
        }
        n >>= 1;
        if n > 0 {
            base = multiply(base, base);
        }
    }
    result
}

/// [`times_power`] for any exponent.
fn times_long_power(x: f64, k: i64) -> f64 {
    times_power(x, k.clamp(-5000, 5000) as i32)
}

/// 1.5 · 2^52: adding it rounds a number to an integer. The lowest bits of the sum are the integer.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// The bits of 2^52. If its lowest bits are replaced by an integer k, the result is the bits of 2^52 + k.
const INTEGER_BITS: u64 = 0x4330_0000_0000_0000;

/// Returns z^n or, if `inverse`, z^-n, for `n` up to [`LONGEST`]. The result is meaningless if `z` is infinite or NaN.
#[inline(always)]
pub(crate) fn short_complex_power(z: Complex<f64>, n: u32, inverse: bool) -> Complex<f64> {
    // The larger part is brought near 1. No intermediate result can leave the range then, and the result is multiplied by 2^(n k).
    let (scale, _) = scale64(z);
    let k = (4_503_599_627_370_496.0 + 1023.0) - f64::from_bits((scale.to_bits() >> 52) | INTEGER_BITS);
    let parts = [[z.re * scale, 0.0], [z.im * scale, 0.0]];
    let one = [[1.0, 0.0], [0.0, 0.0]];
    let choose = |condition, [a, b]: Parts, [c, d]: Parts| [select(condition, a, c), select(condition, b, d)];
    let power = repeated::<Parts, 4>([one, parts, complex_product(parts, parts)], n, complex_product, choose);
    let [re, im] = if inverse { complex_reciprocal(power) } else { power };
    let total = k * f64::from(n) * if inverse { -1.0 } else { 1.0 };
    let total = if total > 3000.0 { 3000.0 } else { total };
    let total = if total < -3000.0 { -3000.0 } else { total };
    let third = (total * (1.0 / 3.0) + ROUND) - ROUND;
    let factor = |k: f64| f64::from_bits((k + (ROUND + 1023.0)).to_bits() << 52);
    let (first, last) = (factor(third), factor(total - 2.0 * third));
    Complex::new(rounded(re) * first * first * last, rounded(im) * first * first * last)
}

/// Returns z^n.
#[inline(always)]
pub(crate) fn complex_power(z: Complex<f64>, n: i32) -> Complex<f64> {
    if !z.re.is_finite() || !z.im.is_finite() {
        let one = Complex::new(1.0, 0.0);
        let result = long_power(z, one, n.unsigned_abs(), |a, b| a * b);
        return if n < 0 { f64::quotient(one, result) } else { result };
    }
    let number = |[[re, re_low], [im, im_low]]: Parts, exponent: i64| {
        let wide = Wide::from(if re.abs() > im.abs() { re } else { im });
        // Zero has no exponent.
        let k = if wide.mantissa == 0.0 { 0 } else { wide.exponent };
        let part = |high, low| [times_power(high, -k), times_power(low, -k)];
        ScaledNumber { number: [part(re, re_low), part(im, im_low)], exponent: exponent + i64::from(k) }
    };
    let multiply = |a: ScaledNumber<Parts>, b: ScaledNumber<Parts>| {
        number(complex_product(a.number, b.number), a.exponent + b.exponent)
    };
    let base = number([[z.re, 0.0], [z.im, 0.0]], 0);
    let one = number([[1.0, 0.0], [0.0, 0.0]], 0);
    let result = long_power(base, one, n.unsigned_abs(), multiply);
    let (parts, exponent) = match n < 0 {
        true => (complex_reciprocal(result.number), -result.exponent),
        false => (result.number, result.exponent),
    };
    Complex::new(times_long_power(rounded(parts[0]), exponent), times_long_power(rounded(parts[1]), exponent))
}
