//! The LDLᴴ decomposition of Hermitian matrices, which may be indefinite, with rook pivoting.
//!
//! A pivot is a diagonal element or a 2 × 2 diagonal block. Up to a constant factor, no other element of its rows and columns is larger.
//! The search for each pivot begins at the largest remaining diagonal element. So a positive semidefinite matrix has no 2 × 2 pivots.
//!
//! faer has algorithms for this decomposition, but they have these problems:
//! * With partial pivoting, the test for a 1 × 1 pivot is wrong. Errors are large if one element is much larger than the others.
//! * In the variant for blocks of columns, `l` is wrong if all elements of a column except the diagonal element cancel exactly.
//! * Reciprocals of pivots overflow if the magnitudes of the elements extend over almost the whole range of their type.
//! * For large matrices, these algorithms are slower than [`panels`].

mod panels;

pub(super) use panels::factor;

use super::batch::{MatrixBatch, Results, assert_extents, square_extent};
use super::parallel::Threads;
use super::scale::{Used, moderate};
use super::workspace::{
    check_extents, column, make_diagonal_real, request, store, store_vector, take_loaded, with_stack,
};
use super::{Failure, Field};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::Scalar;
use crate::error::Error;
use faer::dyn_stack::StackReq;
use faer::mat::AsMatMut;

/// Computes [`Decompose::ldl`](crate::device::Decompose::ldl).
pub(in crate::device) fn ldl<T: Field>(
    l: Output<'_, T, Cpu>,
    d: Output<'_, T, Cpu>,
    rows: Output<'_, i64, Cpu>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let n = square_extent(&a.operand);
    assert_extents(&l, &a.operand, &[n, n]);
    assert_extents(&d, &a.operand, &[n, n]);
    assert_extents(&rows, &a.operand, &[n]);
    let batch = MatrixBatch::new("ldl", a.operand, Threads::One);
    let operations = n.saturating_mul(n).saturating_mul(n) / 3;
    let (l, d, rows) = (Results::new(l, rank), Results::new(d, rank), Results::new(rows, rank));
    if rows.is_empty() {
        return Ok(());
    }
    let memory = check_extents::<T>([n, n]).map(|()| {
        request::<T>(&[[n, n]]).and(StackReq::new::<T>(n)).and(StackReq::new::<i64>(n)).and(scratch::<T>(n))
    });
    let outputs = [l.strides(), d.strides(), rows.strides()];
    batch.for_each(outputs, operations, &|a_k, [at_l, at_d, at_rows]| {
        // SAFETY: `for_each` calls this closure once for each matrix, with the offsets of its results. So only this call uses `at_l`.
        let l = unsafe { l.at(at_l) };
        // SAFETY: `for_each` passes the offset of this matrix's result, and only this call uses `at_d`.
        let d = unsafe { d.at(at_d) };
        // SAFETY: `for_each` passes the offset of this matrix's result, and only this call uses `at_rows`.
        let rows = unsafe { rows.at(at_rows) };
        one(memory?, [l, d], rows, a_k, a.conjugate)
    })
}

/// Decomposes one matrix.
fn one<T: Field>(
    memory: StackReq,
    [l, d]: [Output<'_, T, Cpu>; 2],
    rows: Output<'_, i64, Cpu>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = a.shape()[0];
    with_stack(memory, |stack| {
        let (zero, one) = (T::zero_impl(), T::one_impl());
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut diagonal, stack) = stack.make_with(n, |_| zero);
        let (mut below, stack) = stack.make_with(n, |_| zero);
        let (mut permutation, stack) = stack.make_with(n, |_| 0usize);
        let (mut numbers, stack) = stack.make_with(n, |_| 0i64);
        let mut a_copy = a_copy.as_mat_mut();
        make_diagonal_real(a_copy.as_mut());
        let scale = moderate(a_copy.as_mut(), Used::Lower)?;
        factor(a_copy.as_mut(), &mut below, &mut permutation, stack);
        numbers.iter_mut().zip(permutation.iter()).for_each(|(to, &row)| *to = row as i64);
        store_vector(rows, &numbers);
        for j in 0..n {
            let elements = column(a_copy.as_mut(), j);
            diagonal[j] = elements[j];
            elements[..j].fill(zero);
            elements[j] = one;
        }
        store(l, a_copy.as_ref());
        for j in 0..n {
            let elements = column(a_copy.as_mut(), j);
            elements.fill(zero);
            elements[j] = diagonal[j];
            if j + 1 < n {
                elements[j + 1] = below[j];
            }
            if j > 0 {
                elements[j - 1] = Scalar::conj(below[j - 1]);
            }
        }
        scale.scale(a_copy.as_mut());
        store(d, a_copy.as_ref());
        Ok(())
    })
}

/// Returns the size of the memory for a call of [`factor`]: for its arguments except the matrix, and for its workspace.
pub(super) fn scratch<T: Field>(n: usize) -> StackReq {
    StackReq::new::<T>(n).and(StackReq::new::<usize>(n)).and(panels::scratch::<T>(n))
}
