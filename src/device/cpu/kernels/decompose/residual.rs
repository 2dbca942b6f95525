//! The check of a singular value decomposition by its product with one vector.

use super::Field;
use super::workspace::{column, request, take};
use crate::element::Scalar;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::matmul;
use faer::mat::AsMatMut;
use faer::{Accum, MatRef, Par};
use num_traits::{Float, Zero};

/// The largest error of a decomposition, relative to `max(m, n)` times the machine epsilon and the norm of the matrix. The
/// errors of correct decompositions are less than 1.
const LARGEST_ERROR: usize = 2;

/// Returns the size of the workspace for [`is_svd`].
pub(super) fn scratch<T: Field>([m, n]: [usize; 2]) -> StackReq {
    request::<T>(&[[n, 1], [m.min(n), 1], [m, 1]])
}

/// Returns whether `a · x` equals `u · s · vᴴ · x` except for rounding errors. The elements of `x` are 1 or −1 at random, so the mean
/// square of the difference is the squared Frobenius norm of `a − u · s · vᴴ`. The columns of `u` and `v` after the singular vectors do
/// not matter.
///
/// A result with NaN is not a decomposition.
pub(super) fn is_svd<T: Field>(
    a: MatRef<'_, T>,
    [u, v]: [MatRef<'_, T>; 2],
    s: &[T::Magnitude],
    stack: &mut MemStack,
) -> bool {
    let (m, n, k) = (a.nrows(), a.ncols(), s.len());
    let (mut x, stack) = take::<T>([n, 1], stack);
    let (mut by_v, stack) = take::<T>([k, 1], stack);
    let (mut error, _) = take::<T>([m, 1], stack);
    let (mut x, mut by_v, mut error) = (x.as_mat_mut(), by_v.as_mat_mut(), error.as_mat_mut());
    signs(column(x.as_mut(), 0));
    let one = T::one_impl();
    let (u, v) = (u.subcols(0, k), v.subcols(0, k));
    matmul(by_v.as_mut(), Accum::Replace, v.adjoint(), x.as_ref(), one, Par::Seq);
    for (y, s) in column(by_v.as_mut(), 0).iter_mut().zip(s) {
        *y = T::mul_real_impl(y, s);
    }
    matmul(error.as_mut(), Accum::Replace, u, by_v.as_ref(), one, Par::Seq);
    matmul(error.as_mut(), Accum::Add, a, x.as_ref(), -one, Par::Seq);
    let epsilon = <T::Magnitude as Float>::epsilon();
    let bound = epsilon * <T::Magnitude as Scalar>::from_usize(LARGEST_ERROR * m.max(n));
    let norm = Float::sqrt(s.iter().fold(T::Magnitude::zero(), |sum, &s| sum + s * s));
    error.norm_l2() <= bound * norm
}

/// Sets each element to 1 or −1, by the bits of Marsaglia's xorshift generator (Journal of Statistical Software 8(14), 2003).
fn signs<T: Field>(elements: &mut [T]) {
    let mut state = 88_172_645_463_325_252_u64;
    for x in elements {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *x = if state >> 63 == 0 { T::one_impl() } else { -T::one_impl() };
    }
}
