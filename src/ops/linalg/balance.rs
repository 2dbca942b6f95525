//! Diagonal similarity transformations that make the largest elements of a matrix smaller: the method of E. Osborne, J. ACM 7, 338 (1960),
//! with maximum norms. The factors are powers of two, so no element is rounded.

use crate::element::Inexact;
use num_traits::{Float, ToPrimitive};

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
pub(super) fn scaled<T: Inexact>(x: T, exponent: i32) -> T {
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
