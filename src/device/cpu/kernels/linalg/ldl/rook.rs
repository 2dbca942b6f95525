//! The same decomposition with divisions instead of products with reciprocals, so that factors cannot overflow unless the matrix is near the
//! limits of its type. The loops are plain: only the few matrices for which faer has no result get here.

use super::super::Field;
use super::super::workspace::{column, make_diagonal_real};
use crate::element::{Inexact, Scalar};
use faer::MatMut;
use num_traits::Zero;

/// Factors a matrix of which the lower triangle is used. The results are those of [`super::factor`].
pub(super) fn factor<T: Field>(mut a: MatMut<'_, T>, below: &mut [T], rows: &mut [usize]) {
    let n = a.nrows();
    below.fill(T::zero_impl());
    rows.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    for j in 0..n {
        for i in j + 1..n {
            a[(j, i)] = Scalar::conj(a[(i, j)]);
        }
    }
    let mut k = 0;
    while k < n {
        let pivot = search(a.as_mut(), k);
        let mut exchange = |i: usize, j: usize| {
            rows.swap(i, j);
            for column_of in 0..n {
                column(a.as_mut(), column_of).swap(i, j);
            }
            for row in 0..n {
                (a[(row, i)], a[(row, j)]) = (a[(row, j)], a[(row, i)]);
            }
        };
        match pivot {
            Pivot::One(i) => {
                exchange(k, i);
                eliminate_one(a.as_mut(), k);
                k += 1;
            }
            Pivot::Two(i, j) => {
                exchange(k, i.min(j));
                exchange(k + 1, i.max(j));
                below[k] = eliminate_two(a.as_mut(), k);
                k += 2;
            }
        }
    }
}

enum Pivot {
    /// The element of the diagonal in this row.
    One(usize),
    /// The block of these two rows.
    Two(usize, usize),
}

/// Returns the next pivot, of which all rows are at least `k`.
fn search<T: Field>(mut a: MatMut<'_, T>, k: usize) -> Pivot {
    let n = a.nrows();
    // The bound of Bunch and Kaufman, for which elements grow least.
    let alpha = <T::Magnitude as Scalar>::from_f64((1.0 + 17f64.sqrt()) / 8.0);
    let size_of_diagonal = |a: &MatMut<'_, T>, i: usize| T::abs_impl(&a[(i, i)]);
    // The row of the largest element of a column that is not on the diagonal, and its absolute value.
    let largest_of = |a: &mut MatMut<'_, T>, j: usize| {
        let mut largest = (k, T::Magnitude::zero());
        for (i, x) in column(a.as_mut(), j).iter().enumerate().skip(k) {
            let size = T::abs_impl(x);
            if i != j && size > largest.1 {
                largest = (i, size);
            }
        }
        largest
    };
    let mut i = k;
    for j in k + 1..n {
        if size_of_diagonal(&a, j) > size_of_diagonal(&a, i) {
            i = j;
        }
    }
    let (mut j, mut largest) = largest_of(&mut a, i);
    // Each turn but the last one finds a larger element, so this ends.
    loop {
        if size_of_diagonal(&a, i) >= alpha * largest {
            return Pivot::One(i);
        }
        let (next, of_next) = largest_of(&mut a, j);
        if of_next <= largest && size_of_diagonal(&a, j) < alpha * of_next {
            return Pivot::Two(i, j);
        }
        (i, j, largest) = (j, next, of_next);
    }
}

/// Eliminates a column. If the pivot is 0, so is the column.
fn eliminate_one<T: Field>(mut a: MatMut<'_, T>, k: usize) {
    let pivot = T::real_part_impl(&a[(k, k)]);
    if pivot == T::Magnitude::zero() {
        return;
    }
    let (left, right) = a.as_mut().split_at_col_mut(k + 1);
    let factors = &mut column(left, k)[k + 1..];
    factors.iter_mut().for_each(|x| *x = Inexact::unscale(*x, pivot));
    subtract(right, k, [factors]);
    mirror(a, k + 1);
}

/// Eliminates two columns, and returns the element of the block below the diagonal.
fn eliminate_two<T: Field>(mut a: MatMut<'_, T>, k: usize) -> T {
    let below = a[(k + 1, k)];
    a[(k + 1, k)] = T::zero_impl();
    // Divided by the absolute value of `below`, the block is [[p, conj(u)], [u, q]] with |p|, |q| < 0.65 and |u| = 1.
    let size = T::abs_impl(&below);
    let [p, q, u] = [a[(k, k)], a[(k + 1, k + 1)], below].map(|x| Inexact::unscale(x, size));
    let determinant = T::real_part_impl(&(p * q)) - T::real_part_impl(&T::one_impl());
    let (left, right) = a.as_mut().split_at_col_mut(k + 2);
    let (first, second) = left.split_at_col_mut(k + 1);
    let (first, second) = (&mut column(first, k)[k + 2..], &mut column(second, 0)[k + 2..]);
    for (x, y) in first.iter_mut().zip(second.iter_mut()) {
        let [of_x, of_y] = [*x, *y].map(|x| Inexact::unscale(x, size));
        *x = Inexact::unscale(of_x * q - of_y * u, determinant);
        *y = Inexact::unscale(of_y * p - of_x * Scalar::conj(u), determinant);
    }
    subtract(right, k, [first, second]);
    mirror(a, k + 2);
    below
}

/// Subtracts the products of the `factors` and of the rows from `k` on from the lower triangle of the rows after these.
fn subtract<T: Field, const K: usize>(mut right: MatMut<'_, T>, k: usize, factors: [&mut [T]; K]) {
    for j in 0..right.ncols() {
        let (above, to) = column(right.as_mut(), j).split_at_mut(k + K);
        for (factors, &by) in factors.iter().zip(&above[k..]) {
            to[j..].iter_mut().zip(&factors[j..]).for_each(|(to, &factor)| *to -= factor * by);
        }
    }
}

/// Copies the lower triangle of the rows from `k` on to the upper one.
fn mirror<T: Field>(mut a: MatMut<'_, T>, k: usize) {
    let n = a.nrows();
    make_diagonal_real(a.as_mut().submatrix_mut(k, k, n - k, n - k));
    for j in k..n {
        for i in j + 1..n {
            a[(j, i)] = Scalar::conj(a[(i, j)]);
        }
    }
}
