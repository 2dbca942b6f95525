// Elementary functions of complex numbers, without branches. They call the functions of real numbers, in the module `real`.
// `double.rs` and `single.rs` include this source.
//
// Branch cuts and the signs of zeros are those of C99, Annex G, and W. Kahan, "Branch cuts for complex elementary functions"
// (1987). A predicate `.._is_far` selects the arguments for which a formula is invalid, such as infinities, NaN, and angles above
// `FAR`. It also selects arguments for which an intermediate result would overflow or underflow, but not the result. For all these
// arguments, there is a second function `.._far`, with branches.

use super as real;
use super::{
    EXP_SAFE, Float, K_OFFSET, ROOT_SCALE_DOWN, ROOT_SCALE_UP, SQUARE_MAX, SQUARE_SCALE_DOWN, SQUARE_SCALE_UP, SumOfSquares,
    fma, ln_tail, select, split_normal, sum_of_squares, times_sign,
};
use num_complex::Complex;

type Pair = Complex<Float>;

const INFINITY: Float = Float::INFINITY;

#[inline(always)]
pub(crate) fn is_finite(z: Pair) -> bool {
    (z.re.abs() < INFINITY) & (z.im.abs() < INFINITY)
}

/// Returns i z, or z if `turned` is false.
#[inline(always)]
pub(crate) fn times_i_if(turned: bool, z: Pair) -> Pair {
    select_pair(turned, Pair::new(-z.im, z.re), z)
}

/// Returns -i z, or z if `turned` is false.
#[inline(always)]
pub(crate) fn over_i_if(turned: bool, z: Pair) -> Pair {
    select_pair(turned, Pair::new(z.im, -z.re), z)
}

/// Returns `yes` if `condition`, otherwise `no`.
#[inline(always)]
pub(crate) fn select_pair(condition: bool, yes: Pair, no: Pair) -> Pair {
    Pair::new(select(condition, yes.re, no.re), select(condition, yes.im, no.im))
}

/// Returns the cosine and the sine of `x` as the parts of cos x + i sin x, for |x| <= FAR.
#[inline(always)]
pub(crate) fn cos_sin(x: Float) -> Pair {
    Pair::new(real::cos(x), real::sin(x))
}

/// [`cos_sin`] for any `x`.
pub(crate) fn cos_sin_any(x: Float) -> Pair {
    if real::is_far(x) { Pair::new(real::cos_far(x), real::sin_far(x)) } else { cos_sin(x) }
}

/// Returns the cosine and the sine of x + low for small `low`, given `unit`, the cosine and the sine of x.
#[inline(always)]
pub(crate) fn turn(unit: Pair, low: Float) -> Pair {
    Pair::new(fma(-low, unit.im, unit.re), fma(low, unit.re, unit.im))
}

/// Returns x (y + y_low) as a sum of two numbers: the rounded product of x and y, and a remainder.
#[inline(always)]
fn product_with_rest(x: Float, y: Float, y_low: Float) -> (Float, Float) {
    let product = x * y;
    (product, fma(x, y_low, fma(x, y, -product)))
}

/// Returns `size` times `z`. A part that is zero stays zero, even if `size` is infinite.
pub(crate) fn scaled(size: Float, z: Pair) -> Pair {
    let part = |x: Float| if x == 0.0 { x } else { size * x };
    Pair::new(part(z.re), part(z.im))
}

// Exponentials.

/// Returns true if e^x may overflow, if the circular functions of `y` need [`cos_sin_any`], or if `x` or `y` is NaN.
#[inline(always)]
fn is_far_exponential(x: Float, y: Float) -> bool {
    !((x <= EXP_SAFE) & (y.abs() <= real::FAR))
}

/// Returns e^z = e^x (cos y + i sin y).
#[inline(always)]
pub(crate) fn exp(z: Pair) -> Pair {
    cos_sin(z.im).scale(real::exp(z.re))
}

#[inline(always)]
pub(crate) fn exp_is_far(z: Pair) -> bool {
    is_far_exponential(z.re, z.im)
}

pub(crate) fn exp_far(z: Pair) -> Pair {
    exponential(z, [real::exp(0.5 * z.re); 2], cos_sin_any(z.im))
}

/// Returns `unit` times two factors, for z = x + i y. For e^z, the product of the factors is e^x, and `unit` has the parts cos y and sin y.
/// For 2^z, it is 2^x, and `unit` has cos(y ln 2) and sin(y ln 2). Multiplies by one factor after the other, so that the product overflows
/// only if the result does.
pub(crate) fn exponential(z: Pair, [first, second]: [Float; 2], unit: Pair) -> Pair {
    if z.im == 0.0 {
        Pair::new(first * second, z.im)
    } else if z.re.abs() == INFINITY && !z.im.is_finite() {
        if z.re > 0.0 { Pair::new(INFINITY, Float::NAN) } else { Pair::new(0.0, 0.0) }
    } else {
        scaled(second, scaled(first, unit))
    }
}

/// Returns 2^z = 2^x (cos(y ln 2) + i sin(y ln 2)), with y ln 2 as a sum of two numbers.
#[inline(always)]
pub(crate) fn exp2(z: Pair) -> Pair {
    let (product, low) = product_with_rest(z.im, real::LN2_ROUNDED_1, real::LN2_ROUNDED_2);
    turn(cos_sin(product), low).scale(real::exp2(z.re))
}

pub(crate) fn exp2_far(z: Pair) -> Pair {
    // The second factor is a power of two, so the product with it is exact, unless it is subnormal.
    let whole = (0.5 * z.re).trunc();
    let first = if whole.is_finite() { z.re - whole } else { whole };
    exponential(z, [first, whole].map(real::exp2), real::imaginary_exp2(z.im))
}

/// Returns e^z - 1 = (e^x - 1) cos y - 2 sin^2(y/2) + i e^x sin y.
#[inline(always)]
pub(crate) fn exp_m1(z: Pair) -> Pair {
    exp_m1_of(z, cos_sin(z.im), real::sin(0.5 * z.im))
}

/// Returns e^z - 1, given cos y + i sin y and sin(y/2).
#[inline(always)]
fn exp_m1_of(z: Pair, unit: Pair, half_sin: Float) -> Pair {
    let re = fma(real::exp_m1(z.re), unit.re, -2.0 * half_sin * half_sin);
    Pair::new(re, real::exp(z.re) * unit.im)
}

pub(crate) fn exp_m1_far(z: Pair) -> Pair {
    if z.im == 0.0 {
        Pair::new(real::exp_m1(z.re), z.im)
    } else if z.re <= EXP_SAFE && z.im.is_finite() {
        exp_m1_of(z, cos_sin_any(z.im), cos_sin_any(0.5 * z.im).im)
    } else {
        let power = exp_far(z);
        Pair::new(power.re - 1.0, power.im)
    }
}

// Hyperbolic functions. The circular functions are sin z = -i sinh(i z), cos z = cosh(i z) and tan z = -i tanh(i z).

/// Returns sinh z = sinh x cos y + i cosh x sin y or, if `even`, cosh z = cosh x cos y + i sinh x sin y.
#[inline(always)]
pub(crate) fn sinh_or_cosh(even: bool, z: Pair) -> Pair {
    let unit = cos_sin(z.im);
    let (sinh, cosh) = (real::sinh(z.re), real::cosh(z.re));
    Pair::new(select(even, cosh, sinh) * unit.re, select(even, sinh, cosh) * unit.im)
}

#[inline(always)]
pub(crate) fn hyperbolic_is_far(z: Pair) -> bool {
    is_far_exponential(z.re.abs(), z.im)
}

/// Returns e^|x|/2 times `unit`, for |x| so large that sinh |x| and cosh |x| round to e^|x|/2. Multiplies by two factors in
/// turn, as [`exponential`] does.
fn large_hyperbolic(x: Float, unit: Pair) -> Pair {
    let half = real::exp(0.5 * x.abs());
    scaled(half, scaled(0.5 * half, unit))
}

pub(crate) fn sinh_or_cosh_far(even: bool, z: Pair) -> Pair {
    if even { cosh_far(z) } else { sinh_far(z) }
}

fn sinh_far(z: Pair) -> Pair {
    let Pair { re: x, im: y } = z;
    if y == 0.0 {
        return Pair::new(real::sinh(x), y);
    }
    if !y.is_finite() {
        return Pair::new(if x == 0.0 || x.is_infinite() { x } else { Float::NAN }, Float::NAN);
    }
    let unit = cos_sin_any(y);
    if x.abs() <= EXP_SAFE {
        return Pair::new(real::sinh(x) * unit.re, real::cosh(x) * unit.im);
    }
    let w = large_hyperbolic(x, unit);
    Pair::new(times_sign(w.re, x), w.im)
}

fn cosh_far(z: Pair) -> Pair {
    let Pair { re: x, im: y } = z;
    if y == 0.0 {
        return Pair::new(real::cosh(x), times_sign(y, x));
    }
    if !y.is_finite() {
        let re = if x.is_infinite() { INFINITY } else { Float::NAN };
        return Pair::new(re, if x == 0.0 { x } else { Float::NAN });
    }
    let unit = cos_sin_any(y);
    if x.abs() <= EXP_SAFE {
        return Pair::new(real::cosh(x) * unit.re, real::sinh(x) * unit.im);
    }
    let w = large_hyperbolic(x, unit);
    Pair::new(w.re, times_sign(w.im, x))
}

/// Returns tanh z = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). For large |x|, the real part is 1 with the sign of x, and the
/// imaginary part is sin y cos y / cosh^2 x.
#[inline(always)]
pub(crate) fn tanh(z: Pair) -> Pair {
    tanh_of(z.re, cos_sin(z.im))
}

#[inline(always)]
fn tanh_of(x: Float, unit: Pair) -> Pair {
    let (sinh, cosh) = (real::sinh(x), real::cosh(x));
    let flat = x.abs() > real::TANH_FLAT;
    let product = unit.re * unit.im;
    let inverse = 1.0 / fma(sinh, sinh, unit.re * unit.re);
    let re = select(flat, (1.0 as Float).copysign(x), sinh * cosh * inverse);
    Pair::new(re, select(flat, product / cosh / cosh, product * inverse))
}

#[inline(always)]
pub(crate) fn tanh_is_far(z: Pair) -> bool {
    !((z.re.abs() <= INFINITY) & (z.im.abs() <= real::FAR))
}

pub(crate) fn tanh_far(z: Pair) -> Pair {
    let Pair { re: x, im: y } = z;
    if y == 0.0 {
        Pair::new(real::tanh(x), y)
    } else if y.is_finite() {
        tanh_of(x, cos_sin_any(y))
    } else if x.is_infinite() {
        Pair::new((1.0 as Float).copysign(x), (0.0 as Float).copysign(y))
    } else {
        Pair::new(if x == 0.0 { x } else { Float::NAN }, Float::NAN)
    }
}

// Logarithms.

/// Returns the real part of a logarithm: -infinity if `z` is zero, infinity if a part of `z` is infinite, and otherwise `log`.
#[inline(always)]
fn log_special(z: Pair, sum: SumOfSquares, log: Float) -> Float {
    let log = select(sum.high == 0.0, -INFINITY, log);
    select((z.re.abs() == INFINITY) | (z.im.abs() == INFINITY), INFINITY, log)
}

/// The base of a logarithm, given by the logarithms of e and of 2. Both are sums of two numbers.
#[derive(Clone, Copy)]
pub(crate) struct Base {
    of_e: Float,
    of_e_low: Float,
    of_2: Float,
    of_2_low: Float,
}

pub(crate) const BASE_E: Base = Base { of_e: 1.0, of_e_low: 0.0, of_2: real::LN2_1, of_2_low: real::LN2_2 };
pub(crate) const BASE_2: Base = Base { of_e: real::LOG2_E_1, of_e_low: real::LOG2_E_2, of_2: 1.0, of_2_low: 0.0 };
pub(crate) const BASE_10: Base =
    Base { of_e: real::LOG10_E_1, of_e_low: real::LOG10_E_2, of_2: real::LOG10_2_1, of_2_low: real::LOG10_2_2 };

/// Returns the logarithm of z: ln|z| + i arg z, multiplied by the logarithm of e. The base is an argument, because each loop takes time to
/// compile. [`sum_of_squares`] returns |z|^2 4^exponent as
/// high + low, so ln|z| is ln(high + low)/2 - exponent ln 2. ln(high + low) is computed as ln(high) + low / high. Near |z| = 1, ln(high) is
/// near 0, so the digits of |z|^2 in `low` matter.
#[inline(always)]
pub(crate) fn log(base: Base, z: Pair) -> Pair {
    log_of_square(base, z, sum_of_squares(z.re, z.im))
}

/// Returns ln(1 + z), for `f64`. The rounding error of 1 + x is part of the square of the modulus, so the logarithm of a modulus near 1 keeps its digits.
#[inline(always)]
#[allow(dead_code, reason = "for `f32`, it is computed in `f64`")]
pub(crate) fn ln_1p(z: Pair) -> Pair {
    let (x, x_low) = real::one_plus(z.re);
    let sum = sum_of_squares(x, z.im);
    // If the squares are scaled, the rounding error is 0 or negligible.
    let low = sum.low + select(sum.exponent == 0.0, 2.0 * x * x_low, 0.0);
    log_of_square(BASE_E, Pair::new(x, z.im), SumOfSquares { low, ..sum })
}

/// [`log`], given |z|^2.
#[inline(always)]
fn log_of_square(base: Base, z: Pair, sum: SumOfSquares) -> Pair {
    let (k, f) = split_normal(sum.high, K_OFFSET);
    let k = fma(-2.0, sum.exponent, k);
    let tail = ln_tail(f, sum.low / sum.high);
    let rest = fma(tail, base.of_e, fma(f, base.of_e_low, k * base.of_2_low));
    let log = 0.5 * fma(k, base.of_2, fma(f, base.of_e, rest));
    Pair::new(log_special(z, sum, log), arg(z) * base.of_e)
}

/// Returns the argument, from -pi to pi.
#[inline(always)]
pub(crate) fn arg(z: Pair) -> Float {
    real::atan2(z.im, z.re)
}

// Roots.

/// Returns the square root of z = x + i y with a non-negative real part. With t = sqrt((|x| + |z|)/2), the root is t + i y/(2t) if x is not
/// negative. If x is negative, the real part is |y|/(2t), and the imaginary part is t with the sign of y.
#[inline(always)]
pub(crate) fn sqrt(z: Pair) -> Pair {
    let sum = sum_of_squares(z.re, z.im);
    let scale = sum.factor(SQUARE_SCALE_UP, SQUARE_SCALE_DOWN);
    let scaled = fma(z.re.abs(), scale, sum.high.sqrt());
    let t = (0.5 * scaled).sqrt() * sum.factor(ROOT_SCALE_DOWN, ROOT_SCALE_UP);
    let other = z.im.abs() / select(t == 0.0, 1.0, t + t);
    let right = z.re >= 0.0;
    Pair::new(select(right, t, other), select(right, other, t).copysign(z.im))
}

#[inline(always)]
pub(crate) fn sqrt_is_far(z: Pair) -> bool {
    !is_finite(z)
}

pub(crate) fn sqrt_far(z: Pair) -> Pair {
    let Pair { re: x, im: y } = z;
    if y.abs() == INFINITY {
        Pair::new(INFINITY, y)
    } else if x == INFINITY {
        Pair::new(x, if y.is_nan() { y } else { (0.0 as Float).copysign(y) })
    } else if x == -INFINITY {
        Pair::new(if y.is_nan() { y } else { 0.0 }, INFINITY.copysign(y))
    } else {
        Pair::new(Float::NAN, Float::NAN)
    }
}

// Inverse functions: asin and acos are computed from the square roots of 1 - z and 1 + z (Kahan). asinh and atan are computed by
// asinh z = -i asin(i z) and atan z = -i atanh(i z).

/// Returns true if intermediate results of the inverse functions may overflow, or if a part of `z` is NaN.
#[inline(always)]
pub(crate) fn is_large(z: Pair) -> bool {
    !((z.re.abs() <= SQUARE_MAX) & (z.im.abs() <= SQUARE_MAX))
}

/// Returns sqrt(1 - z) and sqrt(1 + z).
#[inline(always)]
fn roots(z: Pair) -> (Pair, Pair) {
    (sqrt(Pair::new(1.0 - z.re, -z.im)), sqrt(Pair::new(1.0 + z.re, z.im)))
}

/// Returns asin z or, if `acos`, acos z.
///
/// The real part of asin z is the angle of the point (Re(sqrt(1 - z) sqrt(1 + z)), Re z), and the imaginary part is
/// asinh(Im(conj(sqrt(1 - z)) sqrt(1 + z))). The real part of acos z is twice the angle of the point (Re sqrt(1 + z), Re sqrt(1 - z)), and
/// the imaginary part is asinh(Im(conj(sqrt(1 + z)) sqrt(1 - z))). In each product of two complex numbers, the terms
/// do not cancel.
#[inline(always)]
pub(crate) fn asin_or_acos(acos: bool, z: Pair) -> Pair {
    let (minus, plus) = roots(z);
    let x = select(acos, plus.re, fma(minus.re, plus.re, -(minus.im * plus.im)));
    let re = select(acos, 2.0, 1.0) * real::atan2(select(acos, minus.re, z.re), x);
    let (first, second) = (select_pair(acos, plus, minus), select_pair(acos, minus, plus));
    Pair::new(re, real::asinh(fma(first.re, second.im, -(first.im * second.re))))
}

pub(crate) fn asin_or_acos_far(acos: bool, z: Pair) -> Pair {
    if acos { acos_far(z) } else { asin_far(z) }
}

fn asin_far(z: Pair) -> Pair {
    let Pair { re: x, im: y } = z;
    // Real part: the angle of the point (|y|, x). Imaginary part: ln|2z|.
    let ln = log(BASE_E, z).re + real::LN2_ROUNDED_1;
    let re = if x == 0.0 { x } else { real::atan2(x, y.abs()) };
    Pair::new(re, ln.copysign(y))
}

fn acos_far(z: Pair) -> Pair {
    let Pair { re: x, im: y } = z;
    let ln = log(BASE_E, z).re + real::LN2_ROUNDED_1;
    let re = if x == 0.0 && y.is_nan() { real::HALF_PI_ROUNDED_1 } else { real::atan2(y.abs(), x) };
    Pair::new(re, ln.copysign(if y.is_sign_negative() { 1.0 } else { -1.0 }))
}

/// Returns acosh z, given acos z. acosh z is i acos z or -i acos z, whichever has a real part that is not negative. Its imaginary part has
/// the sign of that of z.
#[inline(always)]
pub(crate) fn acosh(z: Pair, acos: Pair) -> Pair {
    Pair::new(acos.im.abs(), acos.re.copysign(z.im))
}

/// Returns atanh z. The real part is ln(1 + 4|x| / ((1 - |x|)^2 + y^2)) / 4 with the sign of x. The imaginary part is half of the angle
/// of the point ((1 - x)(1 + x) - y^2, 2y).
#[inline(always)]
pub(crate) fn atanh(z: Pair) -> Pair {
    let x = z.re.abs();
    let (minus, square) = (1.0 - x, z.im * z.im);
    let re = 0.25 * real::ln_1p(4.0 * x / fma(minus, minus, square));
    let im = 0.5 * real::atan2(2.0 * z.im, fma(minus, 1.0 + x, -square));
    Pair::new(re.copysign(z.re), im)
}

#[inline(always)]
pub(crate) fn atanh_is_far(z: Pair) -> bool {
    is_large(z) | ((z.re.abs() == 1.0) & (z.im.abs() < ROOT_SCALE_DOWN))
}

pub(crate) fn atanh_far(z: Pair) -> Pair {
    let Pair { re: x, im: y } = z;
    if x.abs() == 1.0 && y.abs() < 1.0 {
        // Near the poles 1 and -1, y^2 would underflow. The real part is ln(2/|y|)/2 with the sign of x.
        let re = 0.5 * (real::LN2_ROUNDED_1 - real::ln(y.abs()));
        return Pair::new(re.copysign(x), if y == 0.0 { y } else { 0.5 * real::HALF_PI_ROUNDED_1.copysign(y) });
    }
    if y.is_nan() && x == 0.0 {
        return z;
    }
    let im = if y.is_nan() { y } else { real::HALF_PI_ROUNDED_1.copysign(y) };
    if x.is_infinite() || y.is_infinite() {
        return Pair::new((0.0 as Float).copysign(x), im);
    }
    // atanh z is about 1/z plus or minus i pi/2. The real part of 1/z is x/|z|^2.
    let size = real::hypot(x, y);
    Pair::new(x / size / size, if x.is_nan() { x } else { im })
}
