//! Scaling by powers of two, which rounds no element. Diagonal similarity transformations that make the largest elements of a matrix
//! smaller, by the method of E. Osborne, J. ACM 7, 338 (1960), with maximum norms.

use crate::element::{CastTo, Inexact, RealFloat, exponent_of};
use num_traits::{Float, ToPrimitive, Zero};

/// Number of passes. More passes do not change the exponents of small matrices, and hardly improve those of others.
const PASSES: usize = 60;

/// Returns exponents `d` that make the off-diagonal elements `a[i, j] · 2^(d[j] − d[i])` small: if possible, at most 1 or the largest
/// modulus on the diagonal, whichever is larger. `magnitudes` returns the moduli of the elements of the matrix.
pub(super) fn exponents(n: usize, magnitudes: impl Fn(usize, usize) -> f64) -> Vec<i32> {
    // A modulus can overflow although both parts of the number are finite.
    let exponent = |i, j| magnitudes(i, j).log2().min(1025.0);
    let enough = (0..n).map(|i| exponent(i, i)).fold(0.0, f64::max);
    let mut d = vec![0.0; n];
    for _ in 0..PASSES {
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let row = others().map(|j| exponent(i, j) + d[j] - d[i]).fold(enough, f64::max);
            let column = others().map(|j| exponent(j, i) + d[i] - d[j]).fold(enough, f64::max);
            d[i] += (row - column) / 2.0;
        }
    }
    d.iter().map(|d| d.round() as i32).collect()
}

/// Returns `x · 2^exponent`. The result is infinite or 0 only if the exact product exceeds the limits of the type.
pub(crate) fn scaled<T: Inexact>(x: T, exponent: i32) -> T {
    // Both `2^largest` and its inverse are in the range of the type.
    let largest = <T::Magnitude as Float>::max_value().to_f64().expect("a float converts to `f64`");
    let largest = largest.log2() as i32 / 2;
    let mut rest = exponent.clamp(-8 * largest, 8 * largest);
    let mut x = x;
    while rest != 0 {
        let step = rest.clamp(-largest, largest);
        // Divides by the inverse, because the product of an infinite complex number and a real number has a NaN part.
        x = x.unscale(<T::Magnitude as crate::element::Scalar>::from_f64(2f64.powi(-step)));
        rest -= step;
    }
    x
}

/// Returns the exponent of the larger one of the real and the imaginary part, or 0 if the number is 0, infinite or NaN.
pub(crate) fn exponent<T: Inexact>(x: T) -> i32 {
    let [re, im] = [x.re(), x.im()].map(|part| Float::abs(CastTo::<T::Magnitude>::cast_to(part)));
    let largest = if re > im { re } else { im };
    if largest.is_zero() || !x.all_finite() { 0 } else { exponent_of(largest) }
}

/// Returns the exponent of a number whose fourth power is out of range. For other numbers, returns 0.
pub(crate) fn extreme_exponent<R: RealFloat>(x: R) -> i32 {
    let (exponent, limit) = (exponent(x), exponent_of(<R as Float>::max_value()));
    if exponent.abs() > limit / 4 { exponent } else { 0 }
}

/// A number times a power of two, whose exponent can exceed the limits of the type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scaled<T> {
    /// The number. The larger one of its parts is at least 1 and less than 2, or the number is 0, infinite or NaN.
    pub(crate) mantissa: T,
    pub(crate) exponent: i32,
}

impl<T: Inexact> Scaled<T> {
    /// Returns `x · 2^exponent`.
    pub(crate) fn new(x: T, exponent: i32) -> Self {
        let own = self::exponent(x);
        Scaled { mantissa: scaled(x, -own), exponent: exponent.saturating_add(own) }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Scaled::new(self.mantissa * other.mantissa, self.exponent.saturating_add(other.exponent))
    }

    /// Returns the number, which is infinite or 0 if it exceeds the limits of its type.
    pub(crate) fn value(self) -> T {
        scaled(self.mantissa, self.exponent)
    }
}
