//! Decides when an element below the diagonal of a Hessenberg matrix is negligible, so that it can be set to 0.

use super::super::square::Square;
use crate::element::{Inexact, RealFloat, Scalar};
use num_traits::{Float, Zero};

/// Maximum number of sweeps for one eigenvalue, or for a pair of eigenvalues. If they are not enough, the iteration has not converged.
/// Usually, two or three are enough.
pub(super) const MAX_SWEEPS: usize = 300;

/// One in this number of sweeps for the same eigenvalue uses a shift of another kind, because the usual shifts can form a cycle.
pub(super) const EXCEPTIONAL_SWEEPS: usize = 10;

/// Returns a power of two and its inverse. Multiplying operands of magnitude `size` by the power makes them normal numbers. The power is 1
/// unless `size` is denormal or almost denormal.
pub(super) fn magnification<R: RealFloat>(size: R) -> (R, R) {
    let epsilon = R::epsilon();
    if size > R::min_positive_value() / epsilon {
        return (R::one(), R::one());
    }
    (R::one() / (epsilon * epsilon), epsilon * epsilon)
}

/// Returns the first row of the last block of the rows `..end`. Negligible elements below the diagonal separate the blocks. Sets the
/// negligible element before the block to 0. `size` returns the absolute value of an element, or another norm.
///
/// The criterion is that of Ahues and Tisseur (LAPACK Working Note 122, 1997): setting the element to 0 changes an eigenvalue by less than
/// a rounding error, even if the matrix is graded.
pub(super) fn start_of_block<T: Inexact>(
    h: &mut Square<'_, T>,
    end: usize,
    size: impl Fn(T) -> T::Magnitude,
) -> usize {
    let epsilon = <T::Magnitude as Float>::epsilon();
    let tiny =
        <T::Magnitude as Float>::min_positive_value() / epsilon * <T::Magnitude as Scalar>::from_usize(h.n());
    for k in (1..end).rev() {
        let below = size(h[(k, k - 1)]);
        let negligible = below <= tiny || {
            let (upper, lower) = (size(h[(k - 1, k - 1)]), size(h[(k, k)]));
            let mut around = upper + lower;
            if around == <T::Magnitude as Zero>::zero() {
                if k >= 2 {
                    around += size(h[(k - 1, k - 2)]);
                }
                if k + 1 < end {
                    around += size(h[(k + 1, k)]);
                }
            }
            below <= epsilon * around && {
                let above = size(h[(k - 1, k)]);
                let apart = size(h[(k - 1, k - 1)] - h[(k, k)]);
                let (most, least) = (Float::max(below, above), Float::min(below, above));
                let (far, near) = (Float::max(lower, apart), Float::min(lower, apart));
                let sum = far + most;
                least * (most / sum) <= Float::max(tiny, epsilon * (near * (far / sum)))
            }
        };
        if negligible {
            h[(k, k - 1)] = T::zero();
            return k;
        }
    }
    0
}
