//! Factorisation in panels of columns, so that most of the work is one matrix product for each panel. Elements are divided by pivots, and
//! not multiplied by reciprocals of pivots. So factors cannot overflow unless elements of the matrix are near the limits of their type.
//!
//! ```text
//! for each panel
//!     for each pivot of the panel
//!         search for it; each column that the search looks at is first updated by the panel's earlier pivots
//!         exchange rows and columns, and eliminate: the new columns of l, and w = l · d
//!         update the diagonal of the remaining rows
//!     subtract l · wᴴ of the panel from the remaining rows below the diagonal
//!     exchange the same rows of l in the earlier panels
//! ```
//!
//! The diagonal is always up to date, because the search for each pivot begins at its largest element. LAPACK's `sytrf_rook` uses
//! the same panels. The pivoting is described in N. Higham, Accuracy and Stability of Numerical Algorithms, section 11.1.

use super::super::Field;
use super::super::workspace::{column, request, take};
use crate::element::{Inexact, Scalar};
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::triangular::BlockStructure;
use faer::linalg::matmul::{self, triangular};
use faer::mat::AsMatMut;
use faer::{Accum, Conj, MatMut, MatRef, Par};
use num_traits::Zero;

/// Maximum number of columns of a panel. With wider panels there are fewer products, but updating single columns takes longer.
const WIDTH: usize = 32;

/// Maximum number of remaining rows for which plain loops update a column. Up to this number, calling a matrix product takes longer.
const PLAIN_ROWS: usize = 16;

/// Returns the size of the workspace that [`factor`] needs in addition to its arguments.
pub(super) fn scratch<T: Field>(n: usize) -> StackReq {
    request::<T>(&[[n, WIDTH.min(n)], [n, 2]])
        .and(StackReq::new::<T::Magnitude>(n))
        .and(StackReq::new::<usize>(n))
}

/// Replaces the lower triangle of the Hermitian matrix `a` by its factors: `d` on the diagonal, and `l` below it. The elements above the
/// diagonal are then unspecified. The largest element must not be near the limits of its type, and the diagonal must be real.
///
/// On return, `below` has the elements of `d` directly below the diagonal. Where an element of `below` is not 0, the element of `l`
/// at the same place is 0. `rows[i]` is the original index of row `i`.
pub(in super::super) fn factor<T: Field>(
    a: MatMut<'_, T>,
    below: &mut [T],
    rows: &mut [usize],
    stack: &mut MemStack,
) {
    let n = a.nrows();
    below.fill(T::zero_impl());
    rows.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    let (mut w, stack) = take::<T>([n, WIDTH.min(n)], stack);
    let (mut looked_at, stack) = take::<T>([n, 2], stack);
    let (mut diagonal, stack) = stack.make_with(n, |i| T::real_part_impl(&a[(i, i)]));
    let (mut exchanged, _) = stack.make_with(n, |i| i);
    let (x, y) = looked_at.as_mat_mut().split_at_col_mut(1);
    let mut remaining = Remaining {
        a,
        w: w.as_mat_mut(),
        diagonal: &mut diagonal,
        rows,
        exchanged: &mut exchanged,
        first: 0,
        k: 0,
    };
    let mut columns = [column(x, 0), column(y, 0)];
    while remaining.k < n {
        remaining.first = remaining.k;
        while remaining.k < n && remaining.width() + 2 <= WIDTH {
            match remaining.search(&mut columns) {
                Pivot::One(i) => {
                    remaining.exchange(remaining.k, i, &mut columns);
                    remaining.eliminate_one(columns[0]);
                }
                Pivot::Two(i, j) => {
                    let k = remaining.k;
                    remaining.exchange(k, i.min(j), &mut columns);
                    remaining.exchange(k + 1, i.max(j), &mut columns);
                    if i > j {
                        columns.swap(0, 1);
                    }
                    below[k] = remaining.eliminate_two(&mut columns);
                }
            }
        }
        remaining.finish_panel();
    }
    let Remaining { mut a, diagonal, .. } = remaining;
    for (k, &pivot) in diagonal.iter().enumerate() {
        a[(k, k)] = T::from_real_impl(&pivot);
    }
}

enum Pivot {
    /// A diagonal element, given by its row. `search` has written its column to `columns[0]`.
    One(usize),
    /// A 2 × 2 diagonal block, given by its rows. `search` has written their columns to `columns`, in this order.
    Two(usize, usize),
}

/// The state of the factorisation: the rows that are not eliminated, and the current panel.
struct Remaining<'a, T: Field> {
    /// The columns before `k` contain `l`. The other columns contain the matrix without the updates by the pivots of the current
    /// panel. The diagonal is not used.
    a: MatMut<'a, T>,
    /// `l · d`, for the columns of the panel.
    w: MatMut<'a, T>,
    diagonal: &'a mut [T::Magnitude],
    rows: &'a mut [usize],
    /// For each eliminated row, the row with which it was exchanged.
    exchanged: &'a mut [usize],
    /// The first column of the panel.
    first: usize,
    /// The first row that is not eliminated.
    k: usize,
}

impl<T: Field> Remaining<'_, T> {
    /// Returns the number of columns that the panel has so far.
    fn width(&self) -> usize {
        self.k - self.first
    }

    /// Returns the next pivot, and writes its columns to `columns`.
    fn search(&self, columns: &mut [&mut [T]; 2]) -> Pivot {
        let n = self.diagonal.len();
        // The constant of Bunch and Kaufman, which minimises the growth of elements.
        let alpha = <T::Magnitude as Scalar>::from_f64((1.0 + 17f64.sqrt()) / 8.0);
        let size_of_diagonal = |i: usize| num_traits::Float::abs(self.diagonal[i]);
        let mut i = self.k;
        for j in self.k + 1..n {
            if size_of_diagonal(j) > size_of_diagonal(i) {
                i = j;
            }
        }
        self.update(i, columns[0]);
        let (mut j, mut largest) = self.largest(i, columns[0]);
        // Each iteration except the last finds a larger element, so no column is visited twice.
        for _ in self.k..n {
            if size_of_diagonal(i) >= alpha * largest {
                return Pivot::One(i);
            }
            self.update(j, columns[1]);
            // Both columns contain this element, as conjugates of each other, but with different rounding errors. So the value from
            // the first column is used for both.
            columns[1][i] = Scalar::conj(columns[0][j]);
            let (next, of_next) = self.largest(j, columns[1]);
            if of_next <= largest && size_of_diagonal(j) < alpha * of_next {
                return Pivot::Two(i, j);
            }
            columns.swap(0, 1);
            (i, j, largest) = (j, next, of_next);
        }
        Pivot::One(i)
    }

    /// Returns the row of the largest off-diagonal element of column `j`, and the absolute value of this element.
    fn largest(&self, j: usize, column: &[T]) -> (usize, T::Magnitude) {
        let mut largest = (self.k, T::Magnitude::zero());
        for (i, x) in column.iter().enumerate().skip(self.k) {
            let size = T::abs_impl(x);
            if i != j && size > largest.1 {
                largest = (i, size);
            }
        }
        largest
    }

    /// Writes the remaining rows of column `j` to `to`, updated by the pivots of the panel.
    fn update(&self, j: usize, to: &mut [T]) {
        let (k, n, width) = (self.k, self.diagonal.len(), self.width());
        for (i, x) in to.iter_mut().enumerate().take(j).skip(k) {
            *x = Scalar::conj(self.a[(j, i)]);
        }
        let of_a = self.a.as_ref().col(j).try_as_col_major().expect("the matrix is column-major").as_slice();
        to[j..].copy_from_slice(&of_a[j..]);
        if width > 0 {
            let mut of_w = [T::zero_impl(); WIDTH];
            for (p, x) in of_w.iter_mut().enumerate().take(width) {
                *x = -Scalar::conj(self.w[(j, p)]);
            }
            let left = self.a.as_ref().submatrix(k, self.first, n - k, width);
            if n - k <= PLAIN_ROWS {
                for (p, &factor) in of_w[..width].iter().enumerate() {
                    let column = left.col(p).try_as_col_major().expect("the matrix is column-major");
                    to[k..].iter_mut().zip(column.as_slice()).for_each(|(to, &l)| *to += l * factor);
                }
            } else {
                matmul::matmul(
                    MatMut::from_column_major_slice_mut(&mut to[k..], n - k, 1),
                    Accum::Add,
                    left,
                    MatRef::from_column_major_slice(&of_w[..width], width, 1),
                    T::one_impl(),
                    Par::Seq,
                );
            }
        }
        to[j] = T::from_real_impl(&self.diagonal[j]);
    }

    /// Exchanges row and column `k` with row and column `i`. Does not write the exchanged column to column `k` of `a`, because the
    /// elimination overwrites that column.
    fn exchange(&mut self, k: usize, i: usize, columns: &mut [&mut [T]; 2]) {
        self.exchanged[k] = i;
        if i == k {
            return;
        }
        for r in k + 1..i {
            self.a[(i, r)] = Scalar::conj(self.a[(r, k)]);
        }
        let (left, right) = self.a.as_mut().split_at_col_mut(i);
        column(right, 0)[i + 1..].copy_from_slice(&column(left, k)[i + 1..]);
        for p in 0..self.width() {
            column(self.a.as_mut(), self.first + p).swap(k, i);
            column(self.w.as_mut(), p).swap(k, i);
        }
        columns.iter_mut().for_each(|column| column.swap(k, i));
        self.diagonal.swap(k, i);
        self.rows.swap(k, i);
    }

    /// Eliminates row `k`. `x` is column `k`. If the pivot is 0, the other elements of the column are 0, too.
    fn eliminate_one(&mut self, x: &[T]) {
        let (k, p, pivot) = (self.k, self.width(), self.diagonal[self.k]);
        let l = &mut column(self.a.as_mut(), k)[k + 1..];
        let w = &mut column(self.w.as_mut(), p)[k + 1..];
        let of_diagonal = &mut self.diagonal[k + 1..];
        let zero = pivot == T::Magnitude::zero();
        for (((l, w), of_diagonal), &x) in l.iter_mut().zip(w).zip(of_diagonal).zip(&x[k + 1..]) {
            *l = if zero { T::zero_impl() } else { Inexact::unscale(x, pivot) };
            *w = x;
            *of_diagonal -= T::real_part_impl(&(*l * Scalar::conj(x)));
        }
        self.k += 1;
    }

    /// Eliminates rows `k` and `k + 1`. `x` and `y` are the columns `k` and `k + 1`. Returns the element below the diagonal of the
    /// 2 × 2 block.
    fn eliminate_two(&mut self, [x, y]: &mut [&mut [T]; 2]) -> T {
        let (k, p) = (self.k, self.width());
        let below = x[k + 1];
        // Divided by the absolute value of `below`, the block is [[a, conj(u)], [u, b]] with |a|, |b| < 0.65 and |u| = 1.
        let size = T::abs_impl(&below);
        let [a, b] = [self.diagonal[k], self.diagonal[k + 1]].map(|x| x / size);
        let u = Inexact::unscale(below, size);
        let determinant = a * b - T::real_part_impl(&T::one_impl());
        let (left, right) = self.a.as_mut().split_at_col_mut(k + 1);
        let (l_x, l_y) = (column(left, k), column(right, 0));
        let (left, right) = self.w.as_mut().split_at_col_mut(p + 1);
        let (w_x, w_y) = (column(left, p), column(right, 0));
        l_x[k + 1] = T::zero_impl();
        for i in k + 2..l_x.len() {
            let [of_x, of_y] = [x[i], y[i]].map(|x| Inexact::unscale(x, size));
            l_x[i] = Inexact::unscale(T::mul_real_impl(&of_x, &b) - of_y * u, determinant);
            l_y[i] = Inexact::unscale(T::mul_real_impl(&of_y, &a) - of_x * Scalar::conj(u), determinant);
            (w_x[i], w_y[i]) = (x[i], y[i]);
            let square = l_x[i] * Scalar::conj(x[i]) + l_y[i] * Scalar::conj(y[i]);
            self.diagonal[i] -= T::real_part_impl(&square);
        }
        self.k += 2;
        below
    }

    /// Updates the remaining rows with the pivots of this panel, and applies the row exchanges of this panel to the earlier panels.
    fn finish_panel(&mut self) {
        let (k, n, first, width) = (self.k, self.diagonal.len(), self.first, self.width());
        if k == n && first == 0 {
            return;
        }
        let (left, right) = self.a.as_mut().split_at_col_mut(k);
        triangular::matmul_with_conj(
            right.submatrix_mut(k, 0, n - k, n - k),
            BlockStructure::TriangularLower,
            Accum::Add,
            left.as_ref().submatrix(k, first, n - k, width),
            BlockStructure::Rectangular,
            Conj::No,
            self.w.as_ref().submatrix(k, 0, n - k, width).transpose(),
            BlockStructure::Rectangular,
            Conj::Yes,
            -T::one_impl(),
            Par::Seq,
        );
        for j in 0..first {
            let column = column(self.a.as_mut(), j);
            for pivot in first..k {
                column.swap(pivot, self.exchanged[pivot]);
            }
        }
    }
}
