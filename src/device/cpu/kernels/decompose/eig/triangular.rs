//! Eigenvalues and eigenvectors from a Schur decomposition.

use super::super::square::Square;
use super::super::workspace::column;
use super::{Eigen, imaginary, real};
use crate::element::{Inexact, Scalar};
use faer::MatMut;
use faer::dyn_stack::MemStack;
use num_traits::{Float, One, Zero};

/// Computes the eigenvalues of `z · t · zᴴ` and, if `v` is passed, its eigenvectors. `t` is quasi-triangular. Its 2 × 2 diagonal
/// blocks have the standard form (module `schur::standard`).
pub(super) fn eigen<T: Eigen>(
    w: &mut [T::Complex],
    mut v: Option<MatMut<'_, T::Complex>>,
    t: &Square<'_, T>,
    z: &Square<'_, T>,
    stack: &mut MemStack,
) {
    let n = t.n();
    let (zero, one) = (<T::Complex as Zero>::zero(), <T::Complex as One>::one());
    let none = <T::Magnitude as Zero>::zero();
    let (mut x, _) = stack.make_with(n, |_| zero);
    let mut k = 0;
    while k < n {
        let end = if is_pair(t, k) { k + 2 } else { k + 1 };
        x.fill(zero);
        if end == k + 1 {
            w[k] = t[(k, k)].to_complex();
            x[k] = one;
        } else {
            let [p, b, c] = [(k, k), (k, k + 1), (k + 1, k)].map(|at| real(t[at]));
            let q = Float::sqrt(Float::abs(b)) * Float::sqrt(Float::abs(c));
            w[k] = T::complex(p, q);
            w[k + 1] = T::complex(p, -q);
            // The rows of (block - `w[k]`) · x = 0 are -i·q·x₀ + b·x₁ = 0 and c·x₀ - i·q·x₁ = 0.
            (x[k], x[k + 1]) = if Float::abs(b) >= Float::abs(c) {
                (one, T::complex(none, q / b))
            } else {
                (T::complex(-q / c, none), T::complex(none, T::Magnitude::one()))
            };
        }
        if let Some(v) = v.as_mut() {
            substitute(t, w[k], &mut x, k, end);
            let to = column(v.as_mut(), k);
            to.fill(zero);
            for j in 0..end {
                to.iter_mut().zip(z.column(j)).for_each(|(to, &z)| *to += z.to_complex() * x[j]);
            }
            if end == k + 2 {
                for i in 0..n {
                    v[(i, k + 1)] = Scalar::conj(v[(i, k)]);
                }
            }
        }
        k = end;
    }
}

/// Returns whether the rows `k` and `k + 1` form a 2 × 2 diagonal block.
fn is_pair<T: Eigen>(t: &Square<'_, T>, k: usize) -> bool {
    k + 1 < t.n() && t[(k + 1, k)] != T::zero_impl()
}

/// Solves `(t - value) · x = 0` for the elements of `x` before `k`. The elements `k..end` are given. Scales `x` down if its
/// elements become large. If a pivot is close to 0, as with equal eigenvalues, replaces it by a number of the size of a rounding
/// error.
fn substitute<T: Eigen>(t: &Square<'_, T>, value: T::Complex, x: &mut [T::Complex], k: usize, end: usize) {
    let size = |x: T::Complex| Float::abs(real(x)) + Float::abs(imaginary(x));
    let most = (0..end).flat_map(|j| t.column(j)[..end].iter()).map(|x| size(x.to_complex()));
    let largest = most.fold(<T::Magnitude as Zero>::zero(), Float::max);
    let least = largest * <T::Magnitude as Float>::epsilon();
    let limit = Float::sqrt(<T::Magnitude as Float>::max_value());
    let pivot = |x: T::Complex, least: T::Magnitude| {
        if size(x) < least { T::complex(least, <T::Magnitude as Zero>::zero()) } else { x }
    };
    let eliminate = |x: &mut [T::Complex], j: usize, rows: usize| {
        let by = x[j];
        x[..rows].iter_mut().zip(t.column(j)).for_each(|(x, t)| *x -= t.to_complex() * by);
    };
    (k..end).for_each(|j| eliminate(x, j, k));
    let mut rows = k;
    while rows > 0 {
        let last = rows - 1;
        if last > 0 && is_pair(t, last - 1) {
            let (i, j) = (last - 1, last);
            let [a, b, c, d] = [(i, i), (i, j), (j, i), (j, j)].map(|at| t[at].to_complex());
            let (a, d) = (a - value, d - value);
            let determinant = pivot(a * d - b * c, least * least);
            (x[i], x[j]) =
                ((d * x[i] - b * x[j]).quotient(determinant), (a * x[j] - c * x[i]).quotient(determinant));
            rows -= 2;
        } else {
            x[last] = x[last].quotient(pivot(t[(last, last)].to_complex() - value, least));
            rows -= 1;
        }
        let most = x[rows..end].iter().map(|&x| size(x)).fold(<T::Magnitude as Zero>::zero(), Float::max);
        if most > limit {
            x[..end].iter_mut().for_each(|x| *x = Inexact::unscale(*x, most));
        }
        (rows..=last).for_each(|j| eliminate(x, j, rows));
    }
}
