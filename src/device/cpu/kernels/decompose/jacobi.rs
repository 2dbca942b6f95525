//! Jacobi methods for small matrices. `svd` rotates pairs of columns until all columns are orthogonal. `eigh` rotates pairs of columns and
//! rows until the matrix is diagonal. For matrices of a few columns, these methods take less time than faer, and small singular values of
//! graded matrices are accurate.
//!
//! The functions decompose `L` matrices at once, one in each lane of a register. All lanes have the same steps. A lane whose columns are
//! already orthogonal is rotated by the angle 0. So its results do not depend on the other lanes. The matrices of a batch take a
//! fraction of the time that they would take one by one, for two reasons: the registers are full, and square roots and divisions, on
//! which each rotation waits, are computed for all matrices together.

use super::Field;
use super::lanes::{Lanes, any_less, map, where_less};
use super::workspace::column;
use crate::element::RealFloat;
use crate::simd::kernel;
use faer::MatMut;
use num_traits::Float;

/// Maximum number of sweeps over all pairs of columns. If this is not enough, the iteration has not converged. Usually, seven sweeps are
/// enough.
const MAX_SWEEPS: usize = 30;

/// Computes the thin singular value decompositions of `L` matrices by the one-sided Jacobi method (Hestenes). On entry, `u` contains the
/// matrices, scaled by [`normalise`](super::scale::normalise), in column-major order. They have `s.len()` columns, and at least as many
/// rows. On return, `u` contains the left singular vectors, `v` the right singular vectors unless it is empty, and `s` the singular
/// values.
///
/// Returns for each lane whether it has results. It has none in these cases:
/// * The rank is less than the number of columns, so not all left singular vectors are determined.
/// * Squares underflow.
/// * The iteration does not converge.
pub(super) fn svd<R: RealFloat, const P: usize, const L: usize>(
    u: &mut [Lanes<R, P, L>],
    v: &mut [Lanes<R, P, L>],
    s: &mut [[R; L]],
) -> [bool; L] {
    // SAFETY: `orthogonalise` has no conditions.
    unsafe { orthogonalise::<R, P, L>(u, v, s) }
}

kernel! {
    /// Implements [`svd`].
    ///
    /// # Safety
    /// There are no conditions.
    wide if (L > 1) unsafe fn orthogonalise[R: RealFloat, const P: usize, const L: usize][R, P, L](
        u: &mut [Lanes<R, P, L>],
        v: &mut [Lanes<R, P, L>],
        s: &mut [[R; L]],
    ) -> [bool; L] {
        let n = s.len();
        let m = u.len() / n;
        set_identity(v, n);
        let tolerance = R::epsilon() * Float::sqrt(R::from_usize(m));
        // A squared norm below this bound has lost digits by underflow.
        let least = R::min_positive_value() / R::epsilon();
        // 0 in the lanes without results.
        let mut valid = [R::one(); L];
        // Not 0 in the lanes that the last sweep rotated.
        let mut rotated = [R::zero(); L];
        for _ in 0..MAX_SWEEPS {
            rotated = [R::zero(); L];
            for p in 0..n {
                for q in p + 1..n {
                    let (x, y) = two_columns(u, m, p, q);
                    let Products { mut xx, mut yy, mut xy } = Products::of(x, y);
                    if any_less(xx, yy) {
                        // Put the larger column first. The singular values are then in descending order, and the iteration converges
                        // faster.
                        exchange(x, y, xx, yy);
                        if !v.is_empty() {
                            let (x, y) = two_columns(v, n, p, q);
                            exchange(x, y, xx, yy);
                        }
                        xy = xy.replaced(xx, yy, xy.conj());
                        (xx, yy) = (where_less(xx, yy, yy, xx), where_less(xx, yy, xx, yy));
                    }
                    if any_less(yy, [least; L]) {
                        valid = where_less(yy, [least; L], [R::zero(); L], valid);
                        if !any_less([R::zero(); L], valid) {
                            return [false; L];
                        }
                    }
                    let sizes = xy.sizes();
                    let limits = map(xx, yy, |xx, yy| tolerance * Float::sqrt(xx * yy));
                    // Lanes without results are not rotated.
                    let limits = where_less([R::zero(); L], valid, limits, [R::infinity(); L]);
                    if !any_less(limits, sizes) {
                        continue;
                    }
                    rotated = where_less(limits, sizes, [R::one(); L], rotated);
                    let rotation = Rotation::that_diagonalises(xx, yy, xy, sizes, limits);
                    let (x, y) = two_columns(u, m, p, q);
                    rotation.apply(x, y);
                    if !v.is_empty() {
                        let (x, y) = two_columns(v, n, p, q);
                        rotation.apply(x, y);
                    }
                }
            }
            if !any_less([R::zero(); L], rotated) {
                break;
            }
        }
        valid = where_less([R::zero(); L], rotated, [R::zero(); L], valid);
        for (column, s) in u.chunks_exact_mut(m).zip(s) {
            let squares = square_of_norm(column);
            valid = where_less(squares, [least; L], [R::zero(); L], valid);
            *s = squares.map(Float::sqrt);
            let by = s.map(Float::recip);
            column.iter_mut().for_each(|x| *x = x.times(by));
        }
        valid.map(|valid| valid > R::zero())
    }
}

/// Computes the eigenvalues and eigenvectors of `L` Hermitian matrices of `n` columns by the two-sided Jacobi method. `a` contains the
/// matrices, scaled by [`normalise`](super::scale::normalise), in column-major order. Only the elements on and above the diagonal are used.
/// They are overwritten. On return, the eigenvalues are on the diagonal of `a`. `v` contains the eigenvectors, unless it is empty.
///
/// Returns for each lane whether the iteration converged. If not, its results are unspecified.
pub(super) fn eigh<R: RealFloat, const P: usize, const L: usize>(
    n: usize,
    a: &mut [Lanes<R, P, L>],
    v: &mut [Lanes<R, P, L>],
) -> [bool; L] {
    // SAFETY: `diagonalise` has no conditions.
    unsafe { diagonalise::<R, P, L>(n, a, v) }
}

kernel! {
    /// Implements [`eigh`].
    ///
    /// # Safety
    /// There are no conditions.
    wide if (L > 1) unsafe fn diagonalise[R: RealFloat, const P: usize, const L: usize][R, P, L](
        n: usize,
        a: &mut [Lanes<R, P, L>],
        v: &mut [Lanes<R, P, L>],
    ) -> [bool; L] {
        set_identity(v, n);
        let epsilon = R::epsilon() * R::from_f64(0.5);
        let tiny = R::min_positive_value() / epsilon;
        // Not 0 in the lanes that the last sweep rotated.
        let mut rotated = [R::zero(); L];
        for _ in 0..MAX_SWEEPS {
            rotated = [R::zero(); L];
            for p in 0..n {
                for q in p + 1..n {
                    let (pp, qq, pq) = (a[p * n + p].real_parts(), a[q * n + q].real_parts(), a[q * n + p]);
                    let sizes = pq.sizes();
                    let limits = map(pp, qq, |pp, qq| {
                        let around = Float::sqrt(Float::abs(pp)) * Float::sqrt(Float::abs(qq));
                        if epsilon * around > tiny { epsilon * around } else { tiny }
                    });
                    if !any_less(limits, sizes) {
                        continue;
                    }
                    rotated = where_less(limits, sizes, [R::one(); L], rotated);
                    let rotation = Rotation::that_diagonalises(pp, qq, pq, sizes, limits);
                    rotation.apply_to_both_sides(a, n, p, q);
                    let shift = map(rotation.tangent, sizes, |tangent, size| tangent * size);
                    a[p * n + p] = Lanes::real(map(pp, shift, |pp, shift| pp - shift));
                    a[q * n + q] = Lanes::real(map(qq, shift, |qq, shift| qq + shift));
                    a[q * n + p] = pq.replaced(limits, sizes, Lanes::zero());
                    if !v.is_empty() {
                        let (x, y) = two_columns(v, n, p, q);
                        rotation.apply(x, y);
                    }
                }
            }
            if !any_less([R::zero(); L], rotated) {
                break;
            }
        }
        rotated.map(|rotated| rotated == R::zero())
    }
}

/// Called in loops over rows, so that the compiler does not vectorise these loops. It would fill registers with the numbers of a lane in
/// several rows, which takes many shuffles, instead of with the lanes of a row.
#[inline(always)]
fn row_by_row<const L: usize>() {
    if const { L > 1 } {
        core::hint::black_box(());
    }
}

/// Makes a square matrix of `n` columns the identity.
#[inline(always)]
fn set_identity<R: RealFloat, const P: usize, const L: usize>(v: &mut [Lanes<R, P, L>], n: usize) {
    v.fill(Lanes::zero());
    v.iter_mut().step_by(n + 1).for_each(|x| *x = Lanes::real([R::one(); L]));
}

/// Returns columns `p` and `q`, where `p < q`, of a matrix of `m` rows.
#[inline(always)]
fn two_columns<T>(a: &mut [T], m: usize, p: usize, q: usize) -> (&mut [T], &mut [T]) {
    let (left, right) = a.split_at_mut(q * m);
    (&mut left[p * m..(p + 1) * m], &mut right[..m])
}

/// Exchanges two columns in the lanes where `xx < yy`.
#[inline(always)]
fn exchange<R: RealFloat, const P: usize, const L: usize>(
    x: &mut [Lanes<R, P, L>],
    y: &mut [Lanes<R, P, L>],
    xx: [R; L],
    yy: [R; L],
) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (x.replaced(xx, yy, *y), y.replaced(xx, yy, *x));
        row_by_row::<L>();
    }
}

/// The squares of the norms of two columns, and the product `xᴴ · y`.
struct Products<R, const P: usize, const L: usize> {
    xx: [R; L],
    yy: [R; L],
    xy: Lanes<R, P, L>,
}

impl<R: RealFloat, const P: usize, const L: usize> Products<R, P, L> {
    #[inline(always)]
    fn of(x: &[Lanes<R, P, L>], y: &[Lanes<R, P, L>]) -> Self {
        Products {
            xx: square_of_norm(x),
            yy: square_of_norm(y),
            xy: x.iter().zip(y).fold(Lanes::zero(), |sum, (x, y)| {
                row_by_row::<L>();
                sum.plus(x.conj_times(*y))
            }),
        }
    }
}

/// Returns the squares of the norms of columns.
#[inline(always)]
fn square_of_norm<R: RealFloat, const P: usize, const L: usize>(x: &[Lanes<R, P, L>]) -> [R; L] {
    x.iter().fold([R::zero(); L], |sum, x| {
        row_by_row::<L>();
        map(sum, x.squares(), |sum, square| sum + square)
    })
}

/// The unitary matrices `[[c, s], [-s̅, c]]`, which multiply two columns from the right.
struct Rotation<R, const P: usize, const L: usize> {
    cosine: [R; L],
    sine: Lanes<R, P, L>,
    tangent: [R; L],
}

impl<R: RealFloat, const P: usize, const L: usize> Rotation<R, P, L> {
    /// Returns the rotations that make the matrices `[[pp, pq], [p̅q̅, qq]]` diagonal. `sizes` are the absolute values of `pq`. In the
    /// lanes where they do not exceed `limits`, the angle is 0.
    #[inline(always)]
    fn that_diagonalises(pp: [R; L], qq: [R; L], pq: Lanes<R, P, L>, sizes: [R; L], limits: [R; L]) -> Self {
        let (zero, one) = (R::zero(), R::one());
        let (mut cosine, mut tangent, mut product) = ([zero; L], [zero; L], [zero; L]);
        for lane in 0..L {
            // The tangent is the root of t² + 2·z·t - 1 = 0 with the smaller magnitude. The sum with 0 replaces a negative zero, whose sign
            // could depend on the other lanes.
            let z = (qq[lane] - pp[lane]) / (sizes[lane] + sizes[lane]) + zero;
            let magnitude = Float::abs(z);
            // This is hypot(1, z). `hypot` of the C library is slower, because it also avoids overflow, which cannot occur here.
            let root = Float::sqrt(one + z * z);
            let root = if magnitude > Float::recip(R::epsilon()) { magnitude } else { root };
            let t = Float::copysign(one / (magnitude + root), z);
            let t = if limits[lane] < sizes[lane] { t } else { zero };
            tangent[lane] = t;
            cosine[lane] = Float::recip(Float::sqrt(one + t * t));
            product[lane] = cosine[lane] * t;
        }
        let sine = Lanes::zero().replaced(limits, sizes, pq.over(sizes).times(product));
        Rotation { cosine, sine, tangent }
    }

    /// Rotates two columns.
    #[inline(always)]
    fn apply(&self, x: &mut [Lanes<R, P, L>], y: &mut [Lanes<R, P, L>]) {
        for (x, y) in x.iter_mut().zip(y) {
            (*x, *y) = self.rotated(*x, *y);
            row_by_row::<L>();
        }
    }

    /// Rotates columns and rows `p` and `q`, where `p < q`, of the Hermitian matrices of `n` columns whose elements above the diagonal are in
    /// `a`. The elements in both of these rows and columns are not changed.
    #[inline(always)]
    fn apply_to_both_sides(&self, a: &mut [Lanes<R, P, L>], n: usize, p: usize, q: usize) {
        for i in 0..p {
            (a[p * n + i], a[q * n + i]) = self.rotated(a[p * n + i], a[q * n + i]);
            row_by_row::<L>();
        }
        // The elements below the diagonal are the complex conjugates of those above.
        for i in p + 1..q {
            let (x, y) = self.rotated(a[i * n + p].conj(), a[q * n + i]);
            (a[i * n + p], a[q * n + i]) = (x.conj(), y);
            row_by_row::<L>();
        }
        for i in q + 1..n {
            let (x, y) = self.rotated(a[i * n + p].conj(), a[i * n + q].conj());
            (a[i * n + p], a[i * n + q]) = (x.conj(), y.conj());
            row_by_row::<L>();
        }
    }

    #[inline(always)]
    fn rotated(&self, x: Lanes<R, P, L>, y: Lanes<R, P, L>) -> (Lanes<R, P, L>, Lanes<R, P, L>) {
        (
            x.times(self.cosine).minus(self.sine.conj_times(y)),
            y.times(self.cosine).plus(self.sine.conj().conj_times(x)),
        )
    }
}

/// Sorts singular values or eigenvalues, and the columns of the matrices of vectors with them. `before` returns whether a number belongs
/// before another. The numbers of `svd` are almost always sorted already.
pub(super) fn sort<T: Field, const K: usize>(
    numbers: &mut [T::Magnitude],
    mut vectors: [MatMut<'_, T>; K],
    before: impl Fn(&T::Magnitude, &T::Magnitude) -> bool,
) {
    for j in 1..numbers.len() {
        for k in (0..j).rev() {
            if !before(&numbers[k + 1], &numbers[k]) {
                break;
            }
            numbers.swap(k, k + 1);
            for a in &mut vectors {
                let (left, right) = a.as_mut().split_at_col_mut(k + 1);
                column(left, k).swap_with_slice(column(right, 0));
            }
        }
    }
}
