// Circular functions, their inverses, and the angle of a point. `functions.rs` includes this source.

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
    let scale =
        select(larger > POINT_MAX, POINT_SCALE_DOWN, select(smaller < POINT_MIN, POINT_SCALE_UP, 1.0));
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
