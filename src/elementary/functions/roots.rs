// The cube root, and the square root of a sum of squares. `functions.rs` includes this source.

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
