//! Invariant subspaces of small matrices, by a Schur decomposition with the eigenvalues in a chosen order.
//!
//! Z. Bai and J. Demmel, Linear Algebra Appl. 186, 73 (1993). A rotation exchanges adjacent diagonal elements of the triangular matrix.

use super::projected::Small;
use super::vector::modulus;
use crate::device::family::decompose::LinalgElement;
use crate::element::Scalar;
use crate::error::Error;
use num_traits::{Float, Zero};

/// Returns an orthonormal basis `q` of the invariant subspace of `h` for the eigenvalues `values`, and `qᴴ·h·q`. Returns `None` if the
/// computed space is not invariant up to rounding errors. If `h` is real, `values` must contain both eigenvalues of a conjugate pair, or
/// neither.
#[allow(clippy::type_complexity, reason = "two matrices")]
pub(super) fn leading<T: LinalgElement>(
    h: &Small<T>,
    values: &[T::Complex],
) -> Result<Option<(Small<T>, Small<T>)>, Error> {
    let (n, k) = (h.shape()[0], values.len());
    let complex = Small::<T::Complex>::try_from_fn([n, n], |at| h[at].to_complex())?;
    let (mut t, mut z) = complex.try_schur()?;
    for (to, &value) in values.iter().enumerate() {
        let distance = |j: usize| modulus(t[[j, j]] - value);
        let nearest = (to + 1..n).fold(to, |best, j| if distance(j) < distance(best) { j } else { best });
        (to..nearest).rev().for_each(|p| exchange(&mut t, &mut z, p));
    }
    // The orthogonal projection on the space. Its eigenvalues are 0 and 1; the eigenvectors for 1 span the space. For a real `h` the
    // projection is real, although the columns of `z` are complex.
    let projection = Small::<T>::try_from_fn([n, n], |[i, j]| {
        T::from_complex((0..k).fold(T::Complex::zero(), |sum, l| sum + z[[i, l]] * z[[j, l]].conj()))
    })?;
    let (_, vectors) = projection.try_eigh()?;
    let q = vectors.try_slice(crate::s![.., n - k..])?.try_to_owned()?;
    let image = h.try_matmul(&q)?;
    let kept = q.try_adjoint()?.try_matmul(&image)?;
    let rest = (&image - q.try_matmul(&kept)?).try_norm()?.try_item()?;
    let rounding = T::Magnitude::epsilon() * T::Magnitude::from_f64(100.0 * n as f64);
    let invariant = rest <= rounding * h.try_norm()?.try_item()?;
    Ok(invariant.then_some((q, kept)))
}

/// In a Schur decomposition `z·t·zᴴ`, exchanges the elements `p` and `p + 1` of the diagonal of `t`.
fn exchange<C: LinalgElement>(t: &mut Small<C>, z: &mut Small<C>, p: usize) {
    let n = t.shape()[0];
    // An eigenvector of the block [[a, b], [0, d]] for the eigenvalue `d`.
    let (b, difference) = (t[[p, p + 1]], t[[p + 1, p + 1]] - t[[p, p]]);
    let size = Float::hypot(modulus(b), modulus(difference));
    if size.is_zero() {
        return;
    }
    let (c, s) = (b.unscale(size), difference.unscale(size));
    let (last, next) = (t[[p, p]], t[[p + 1, p + 1]]);
    for (matrix, rows) in [(&mut *t, p + 2), (z, n)] {
        for i in 0..rows {
            let [x, y] = [matrix[[i, p]], matrix[[i, p + 1]]];
            matrix[[i, p]] = x * c + y * s;
            matrix[[i, p + 1]] = y * c.conj() - x * s.conj();
        }
    }
    for j in p..n {
        let [x, y] = [t[[p, j]], t[[p + 1, j]]];
        t[[p, j]] = x * c.conj() + y * s.conj();
        t[[p + 1, j]] = y * c - x * s;
    }
    (t[[p, p]], t[[p + 1, p + 1]], t[[p + 1, p]]) = (next, last, C::zero());
}
