//! The LU decomposition with partial pivoting.

use super::batch::{MatrixBatch, Results, assert_extents};
use super::parallel::Thresholds;
use super::scale::{PowerOfTwo, moderate_columns, moderate_extreme_columns};
use super::workspace::{check_extents, column, load, request, store, store_vector, take_loaded, with_stack};
use super::{Failure, Field};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::error::Error;
use faer::dyn_stack::StackReq;
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::mat::AsMatMut;
use faer::{MatMut, Par};
use num_traits::Float;

pub(super) const THRESHOLDS: Thresholds = Thresholds { real: 512, complex: 256 };

/// Computes [`Decompose::lu`](crate::device::Decompose::lu).
pub(in crate::device) fn lu<T: Field>(
    lu: Output<'_, T, Cpu>,
    rows: Output<'_, i64, Cpu>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let [m, n] = [a.operand.shape()[rank], a.operand.shape()[rank + 1]];
    assert_extents(&lu, &a.operand, &[m, n]);
    assert_extents(&rows, &a.operand, &[m]);
    let threads = THRESHOLDS.threads(T::COMPLEX, m.min(n));
    let batch = MatrixBatch::new("lu", a.operand, threads);
    let operations = m.saturating_mul(n).saturating_mul(m.min(n));
    let (lu, rows) = (Results::new(lu, rank), Results::new(rows, rank));
    if rows.is_empty() {
        return Ok(());
    }
    batch.for_each([lu.strides(), rows.strides()], operations, &|a_k, [at_lu, at_rows]| {
        // SAFETY: `for_each` calls this closure once for each matrix. `at_lu` is the offset of the result of this matrix in `lu`. So no
        // other reference to this result exists.
        let lu = unsafe { lu.at(at_lu) };
        // SAFETY: `for_each` calls this closure once for each matrix. `at_rows` is the offset of the result of this matrix in `rows`.
        // So no other reference to this result exists.
        let rows = unsafe { rows.at(at_rows) };
        one(threads.par(), lu, rows, a_k, a.conjugate)
    })
}

/// Decomposes one matrix.
fn one<T: Field>(
    par: Par,
    lu: Output<'_, T, Cpu>,
    rows: Output<'_, i64, Cpu>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let [m, n] = [a.shape()[0], a.shape()[1]];
    let k = m.min(n);
    check_extents::<T>([m, n])?;
    let memory = request::<T>(&[[m, n]])
        .and(StackReq::new::<usize>(m).array(2))
        .and(StackReq::new::<PowerOfTwo>(n))
        .and(StackReq::new::<i64>(m))
        .and(lu_in_place_scratch::<usize, T>(m, n, par, Default::default()));
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut permutation, stack) = stack.make_with(m, |_| 0usize);
        let (mut inverse, stack) = stack.make_with(m, |_| 0usize);
        let (mut numbers, stack) = stack.make_with(m, |_| 0i64);
        let (mut scales, stack) = stack.make_with(n, |_| PowerOfTwo::ONE);
        let mut a_copy = a_copy.as_mat_mut();
        // Scaling a column does not change the pivots and `l`.
        moderate_extreme_columns(a_copy.as_mut(), &mut scales)?;
        lu_in_place(a_copy.as_mut(), &mut permutation, &mut inverse, par, stack, Default::default());
        if (0..k).any(|j| !is_invertible(a_copy[(j, j)])) {
            load(a_copy.as_mut(), a, conjugated);
            moderate_columns(a_copy.as_mut(), &mut scales)?;
            factor_by_division(a_copy.as_mut(), &mut permutation);
        }
        numbers.iter_mut().zip(permutation.iter()).for_each(|(to, &row)| *to = row as i64);
        store_vector(rows, &numbers);
        // Only `u` is scaled back. The elements of `l` are quotients, which do not depend on the scaling.
        for (j, scale) in scales.iter().enumerate() {
            scale.scale(a_copy.as_mut().submatrix_mut(0, j, m.min(j + 1), 1));
        }
        store(lu, a_copy.as_ref());
        Ok(())
    })
}

/// Returns whether the inverse of a pivot is finite. faer multiplies by the inverse of each pivot except the last one, so its result is wrong
/// if this is not so.
pub(super) fn is_invertible<T: Field>(pivot: T) -> bool {
    let size = T::abs1_impl(&pivot);
    Float::is_finite(size) && size >= <T::Magnitude as Float>::min_positive_value()
}

/// Factors a matrix that may be singular, as LAPACK does. If all possible pivots of a column are 0, the column is not eliminated. Divides by
/// pivots, which can be denormal numbers. On return, `permutation[i]` is the original index of row `i`.
pub(super) fn factor_by_division<T: Field>(mut a: MatMut<'_, T>, permutation: &mut [usize]) {
    let [m, n] = [a.nrows(), a.ncols()];
    permutation.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    for k in 0..m.min(n) {
        let elements = column(a.as_mut(), k);
        let (mut pivot, mut largest) = (k, T::abs_impl(&elements[k]));
        for (i, x) in elements.iter().enumerate().skip(k + 1) {
            let size = T::abs_impl(x);
            if size > largest {
                (pivot, largest) = (i, size);
            }
        }
        if elements[pivot] == T::zero_impl() {
            continue;
        }
        permutation.swap(k, pivot);
        for j in 0..n {
            column(a.as_mut(), j).swap(k, pivot);
        }
        let (left, mut right) = a.as_mut().split_at_col_mut(k + 1);
        let factors = column(left, k);
        let by = factors[k];
        factors[k + 1..].iter_mut().for_each(|x| *x /= by);
        for j in 0..right.ncols() {
            let to = column(right.as_mut(), j);
            let by = to[k];
            to[k + 1..].iter_mut().zip(&factors[k + 1..]).for_each(|(to, &factor)| *to -= factor * by);
        }
    }
}
