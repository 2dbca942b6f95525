//! Checks computed eigenvalues and eigenvectors against their matrix.

use super::super::Field;
use super::super::workspace::column;
use super::{Eigen, imaginary, real};
use crate::element::{Inexact, Scalar};
use faer::dyn_stack::MemStack;
use faer::{MatMut, MatRef};
use num_traits::{Float, Zero};

/// Maximum residual at which faer's results are accepted. Its unit is the product of the machine epsilon, the extent and the norm of the
/// matrix. Residuals are usually less than 1. If a residual is larger than this maximum, the results are computed again, from the Schur
/// decomposition.
pub(super) const USUAL: f64 = 10.0;

/// Maximum residual of results that are returned, in the same unit. If it is exceeded, the operation returns an error.
pub(super) const LARGEST: f64 = 1000.0;

/// Scales the columns of `v` to norm 1, and returns whether the results are right. Checks the sum of the eigenvalues, the sum of their
/// squares, and the residual of one linear combination of the eigenvectors. If `v` has no columns, checks the eigenvalues only. `most` is
/// the maximum residual, in the unit of [`USUAL`].
pub(super) fn check<T: Eigen>(
    a: MatRef<'_, T>,
    w: &[T::Complex],
    mut v: MatMut<'_, T::Complex>,
    most: f64,
    stack: &mut MemStack,
) -> bool {
    let n = w.len();
    let norm = norm_of(a);
    let bound = <T::Magnitude as Scalar>::from_f64(most)
        * <T::Magnitude as Scalar>::from_usize(n)
        * <T::Magnitude as Float>::epsilon()
        * norm;
    if !have_sums_of(a, w, bound, norm) {
        return false;
    }
    if !(0..v.ncols()).all(|j| has_norm(column(v.as_mut(), j))) {
        return false;
    }
    v.ncols() == 0 || residual(a, w, v.as_ref(), stack) <= bound
}

/// Returns the Frobenius norm.
fn norm_of<T: Field>(a: MatRef<'_, T>) -> T::Magnitude {
    let mut sum = <T::Magnitude as Zero>::zero();
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            sum += T::abs2_impl(&a[(i, j)]);
        }
    }
    Float::sqrt(sum)
}

/// Returns whether the eigenvalues have the sum and the sum of squares that the matrix determines: the traces of `a` and of `a · a`.
fn have_sums_of<T: Eigen>(
    a: MatRef<'_, T>,
    w: &[T::Complex],
    bound: T::Magnitude,
    norm: T::Magnitude,
) -> bool {
    let zero = <T::Complex as Zero>::zero();
    let (mut first, mut second) = (zero, zero);
    for (j, &value) in w.iter().enumerate() {
        first += value - a[(j, j)].to_complex();
        second += value * value;
        for i in 0..w.len() {
            second -= (a[(i, j)] * a[(j, i)]).to_complex();
        }
    }
    let size = |x: T::Complex| Float::max(Float::abs(real(x)), Float::abs(imaginary(x)));
    size(first) <= bound && size(second) <= bound * norm
}

/// Returns the square of the absolute value.
fn square<T: Field>(x: T) -> T::Magnitude {
    T::abs2_impl(&x)
}

/// Scales a vector to norm 1. Returns `false` if it has no direction: it is 0, or has an element that is not finite.
fn has_norm<T: Field>(x: &mut [T]) -> bool {
    let zero = <T::Magnitude as Zero>::zero();
    let (mut largest, mut zero_or_nan) = (zero, zero);
    for x in x.iter() {
        let (re, im) = (Float::abs(real(*x)), Float::abs(imaginary(*x)));
        largest = Float::max(largest, Float::max(re, im));
        // This sum stays 0 if all elements are finite, and otherwise becomes NaN. It is needed because `Float::max` ignores NaN.
        zero_or_nan += (re + im) * zero;
    }
    if !Float::is_finite(zero_or_nan) || largest == zero {
        return false;
    }
    // Without this division, squares could overflow.
    x.iter_mut().for_each(|x| *x = Inexact::unscale(*x, largest));
    let norm = Float::sqrt(x.iter().fold(zero, |sum, x| sum + T::abs2_impl(x)));
    x.iter_mut().for_each(|x| *x = Inexact::unscale(*x, norm));
    true
}

/// Returns the norm of `a · v · c - v · (w · c)`. `c` is a vector of pseudo-random numbers 1 and −1, and `w · c` an elementwise product.
/// A coefficient near 0 could hide an eigenvector whose residual is larger than all others.
fn residual<T: Eigen>(
    a: MatRef<'_, T>,
    w: &[T::Complex],
    v: MatRef<'_, T::Complex>,
    stack: &mut MemStack,
) -> T::Magnitude {
    let n = w.len();
    let zero = <T::Complex as Zero>::zero();
    let (mut x, stack) = stack.make_with(n, |_| zero);
    let (mut y, _) = stack.make_with(n, |_| zero);
    let mut state = 1u64;
    for j in 0..n {
        // Knuth's linear congruential generator.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let c = <T::Complex as Scalar>::from_f64(if state >> 63 == 0 { 1.0 } else { -1.0 });
        for i in 0..n {
            let product = v[(i, j)] * c;
            x[i] += product;
            y[i] -= product * w[j];
        }
    }
    for j in 0..n {
        for i in 0..n {
            y[i] += a[(i, j)].to_complex() * x[j];
        }
    }
    Float::sqrt(y.iter().fold(<T::Magnitude as Zero>::zero(), |sum, y| sum + square(*y)))
}
