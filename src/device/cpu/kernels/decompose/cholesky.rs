//! The Cholesky decomposition.

use super::batch::{MatrixBatch, Results, assert_extents, square_extent};
use super::parallel::Thresholds;
use super::scale::{Used, moderate};
use super::workspace::{check_extents, column, make_diagonal_real, request, store, take_loaded, with_stack};
use super::{Failure, Field};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::error::Error;
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{
    LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::mat::AsMatMut;
use faer::{MatMut, Par};

const THRESHOLDS: Thresholds = super::lu::THRESHOLDS;

/// Computes [`Decompose::cholesky`](crate::device::Decompose::cholesky).
pub(in crate::device) fn cholesky<T: Field>(
    l: Output<'_, T, Cpu>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let n = square_extent(&a.operand);
    assert_extents(&l, &a.operand, &[n, n]);
    let threads = THRESHOLDS.threads(T::COMPLEX, n);
    let batch = MatrixBatch::new("cholesky", a.operand, threads);
    let operations = n.saturating_mul(n).saturating_mul(n) / 3;
    let l = Results::new(l, rank);
    if l.is_empty() {
        return Ok(());
    }
    batch.for_each([l.strides()], operations, &|a_k, [at_l]| {
        // SAFETY: `for_each` calls this closure once for each matrix of the batch, and `at_l` is the offset of the result in `l`. So no
        // other call uses this result.
        let l = unsafe { l.at(at_l) };
        one(threads.par(), l, a_k, a.conjugate)
    })
}

/// Decomposes one matrix.
fn one<T: Field>(
    par: Par,
    l: Output<'_, T, Cpu>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = a.shape()[0];
    check_extents::<T>([n, n])?;
    let memory = request::<T>(&[[n, n]]).and(cholesky_in_place_scratch::<T>(n, par, Default::default()));
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let mut a_copy = a_copy.as_mat_mut();
        let scale = moderate(a_copy.as_mut(), Used::Lower)?;
        factor(par, a_copy.as_mut(), stack)?;
        for j in 0..n {
            column(a_copy.as_mut(), j)[..j].fill(T::zero_impl());
        }
        scale.square_root().scale(a_copy.as_mut());
        store(l, a_copy.as_ref());
        Ok(())
    })
}

/// Replaces the lower triangle of a matrix of the workspace by its Cholesky factor. The magnitude of the largest element must not
/// be near the limits of its type.
pub(super) fn factor<T: Field>(par: Par, mut a: MatMut<'_, T>, stack: &mut MemStack) -> Result<(), Failure> {
    make_diagonal_real(a.as_mut());
    let zero = T::real_part_impl(&T::zero_impl());
    let as_it_is =
        LltRegularization { dynamic_regularization_delta: zero, dynamic_regularization_epsilon: zero };
    match cholesky_in_place(a.as_mut(), as_it_is, par, stack, Default::default()) {
        Ok(_) => {
            // Rounding leaves small imaginary parts.
            make_diagonal_real(a);
            Ok(())
        }
        Err(LltError::NonPositivePivot { index }) => Err(Failure::NotPositiveDefinite(index + 1)),
    }
}
