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
/// takes one or two products more. Most functions are faster with two or four polynomials than with Estrin's scheme.
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

/// Limits `x` to `low..=high`. NaN stays NaN.
#[inline(always)]
pub(crate) fn clamp(x: Float, low: Float, high: Float) -> Float {
    let x = select(x > high, high, x);
    select(x < low, low, x)
}

/// Returns `x`, or `-x` if the sign bit of `negative` is set.
#[inline(always)]
fn times_sign(x: Float, negative: Float) -> Float {
    Float::from_bits(x.to_bits() ^ (negative.to_bits() & (-0.0 as Float).to_bits()))
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

include!("functions/exponentials.rs");
include!("functions/logarithms.rs");
include!("functions/roots.rs");
include!("functions/angles.rs");
