//! Matrix products of two row-major matrices, of two column-major matrices, and of one of each.

use crate::implementation::{Columns, Library, Row};
use crate::{Contracted, Problem, par};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Ix2};
use vierbein::{RowMajor, Tensor, einsum, einsum_into};

/// Computes `a * b` as the operator of faer does, but on the threads of the current pool.
pub(in crate::rows) fn faer_product<T: Contracted>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(&mut out, Accum::Replace, a, b, T::sample(1.0, 0.0), par());
    out
}

fn extents(n: usize, inner: usize) -> [(char, usize); 3] {
    [('i', n), ('j', inner), ('k', n)]
}

/// Returns the benchmark of a product of row-major matrices: `n × inner` times `inner × n`.
pub(super) fn row_row<T: Contracted>(n: usize, inner: usize) -> Row<T> {
    let problem = Problem::new("ij,jk->ik", &extents(n, inner));
    let (a, b) = (problem.tensor::<2>(0), problem.tensor::<2>(1));
    let (x, y) = (problem.array::<Ix2>(0), problem.array::<Ix2>(1));
    let (p, q) = (problem.inputs[0].data.clone(), problem.inputs[1].data.clone());
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ij,jk->ik", &a, &b))
        .fresh(Library::Ndarray, move || x.dot(&y))
        .strided()
        .fresh(Library::Faer, move || {
            faer_product(
                MatRef::from_row_major_slice(&p, n, inner),
                MatRef::from_row_major_slice(&q, inner, n),
            )
        })
}

/// Returns the benchmark of [`row_row`] with a preallocated output.
pub(super) fn row_row_into<T: Contracted>(n: usize, inner: usize) -> Row<T> {
    let (zero, one) = (T::sample(0.0, 0.0), T::sample(1.0, 0.0));
    let problem = Problem::new("ij,jk->ik", &extents(n, inner));
    let (a, b) = (problem.tensor::<2>(0), problem.tensor::<2>(1));
    let (x, y) = (problem.array::<Ix2>(0), problem.array::<Ix2>(1));
    let (p, q) = (problem.inputs[0].data.clone(), problem.inputs[1].data.clone());
    Row::new(problem)
        .over(Library::Vierbein, Tensor::zeros([n, n]), move |out| {
            einsum_into!(out, one, zero; "ij,jk->ik", &a, &b);
        })
        .over(Library::Ndarray, Array2::zeros((n, n)), move |out| general_mat_mul(one, &x, &y, zero, out))
        .strided_into()
        .over(Library::Faer, vec![zero; n * n], move |out| {
            matmul(
                MatMut::from_row_major_slice_mut(out, n, n),
                Accum::Replace,
                MatRef::from_row_major_slice(&p, n, inner),
                MatRef::from_row_major_slice(&q, inner, n),
                one,
                par(),
            );
        })
}

/// Returns the benchmark of a product of column-major matrices. The labels of a [`Problem`] are in memory order, so the labels of
/// matrix `ij` are `ji`.
pub(super) fn col_col<T: Contracted>(n: usize) -> Row<T> {
    let problem = Problem::new("ji,kj->ki", &extents(n, n));
    let (a, b) = (problem.col_major::<2>(0), problem.col_major::<2>(1));
    let (x, y) = (problem.array::<Ix2>(0).reversed_axes(), problem.array::<Ix2>(1).reversed_axes());
    let (p, q) = (problem.inputs[0].data.clone(), problem.inputs[1].data.clone());
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ij,jk->ik", &a, &b))
        .fresh(Library::Ndarray, move || x.dot(&y).reversed_axes())
        .strided()
        .fresh(Library::Faer, move || {
            Columns(faer_product(
                MatRef::from_column_major_slice(&p, n, n),
                MatRef::from_column_major_slice(&q, n, n),
            ))
        })
}

/// Returns the benchmark of a row-major matrix times a column-major matrix.
pub(super) fn row_col<T: Contracted>(n: usize) -> Row<T> {
    let problem = Problem::new("ij,kj->ik", &extents(n, n));
    let (a, b) = (problem.tensor::<2>(0), problem.col_major::<2>(1));
    let (x, y) = (problem.array::<Ix2>(0), problem.array::<Ix2>(1).reversed_axes());
    let (p, q) = (problem.inputs[0].data.clone(), problem.inputs[1].data.clone());
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ij,jk->ik", &a, &b.as_order::<RowMajor>()))
        .fresh(Library::Ndarray, move || x.dot(&y))
        .strided()
        .fresh(Library::Faer, move || {
            faer_product(MatRef::from_row_major_slice(&p, n, n), MatRef::from_column_major_slice(&q, n, n))
        })
}
