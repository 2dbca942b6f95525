//! Fixes the signs and phases of singular vectors and eigenvectors, which the decompositions do not determine.
//!
//! In each vector, the first element whose magnitude is at least 0.99 times the largest magnitude is made real and positive. If
//! the largest element were used instead, rounding errors would decide between elements of the same magnitude, as in vectors of
//! symmetric problems.

use super::Field;
use super::workspace::column;
use crate::element::{Inexact, Scalar};
use faer::MatMut;

/// The phase of a vector is fixed at the first element whose squared magnitude is at least this fraction of the largest squared
/// magnitude. The fraction is a little less than 0.99².
const FRACTION: f64 = 0.98;

/// Fixes the phase of a column, and returns the factor by which it was multiplied, of absolute value 1.
pub(super) fn fix<T: Field>(a: MatMut<'_, T>, j: usize) -> T {
    fix_slice(column(a, j))
}

/// Fixes the phase of a vector, and returns the factor by which it was multiplied, of absolute value 1.
pub(super) fn fix_slice<T: Field>(elements: &mut [T]) -> T {
    let zero = T::zero_impl();
    let largest = elements.iter().map(T::abs2_impl).fold(T::real_part_impl(&zero), num_traits::Float::max);
    let enough = largest * <T::Magnitude as Scalar>::from_f64(FRACTION);
    let Some(at) = elements.iter().position(|x| *x != zero && T::abs2_impl(x) >= enough) else {
        return T::one_impl();
    };
    let first = elements[at];
    let by = Inexact::unscale(Scalar::conj(first), T::abs_impl(&first));
    if by != T::one_impl() {
        elements.iter_mut().for_each(|x| *x *= by);
    }
    // Rounding may leave a small imaginary part.
    elements[at] = T::from_real_impl(&T::abs_impl(&elements[at]));
    by
}

/// Multiplies a column by a number.
pub(super) fn turn<T: Field>(a: MatMut<'_, T>, j: usize, by: T) {
    if by != T::one_impl() {
        column(a, j).iter_mut().for_each(|x| *x *= by);
    }
}
