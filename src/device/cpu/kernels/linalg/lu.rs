//! The LU decomposition with partial pivoting.

use super::batch::{Batch, Results};
use super::parallel::Thresholds;
use super::scale::normalise;
use super::workspace::{check_extents, load, request, store, store_vector, take, with_stack};
use super::{Failure, Field};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::error::Error;
use faer::Par;
use faer::dyn_stack::StackReq;
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::mat::AsMatMut;

pub(super) const THRESHOLDS: Thresholds = Thresholds { real: 768, complex: 384 };

/// Computes [`Decompose::lu`](crate::device::Decompose::lu).
pub(in crate::device) fn lu<T: Field>(
    lu: Output<'_, T, Cpu>,
    rows: Output<'_, i64, Cpu>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let [m, n] = [a.operand.shape()[rank], a.operand.shape()[rank + 1]];
    let threads = THRESHOLDS.threads(T::COMPLEX, m.min(n));
    let batch = Batch::new("lu", a.operand, threads);
    let operations = m.saturating_mul(n).saturating_mul(m.min(n));
    let (lu, rows) = (Results::new(lu, rank), Results::new(rows, rank));
    batch.for_each([lu.strides(), rows.strides()], operations, &|a_k, [at_lu, at_rows]| {
        // SAFETY: `for_each` calls this function once for each matrix, with the offset of its results.
        let lu = unsafe { lu.at(at_lu) };
        // SAFETY: as for `lu`.
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
    check_extents::<T>([m, n])?;
    let memory = request::<T>(&[[m, n]])
        .and(StackReq::new::<usize>(m).array(2))
        .and(StackReq::new::<i64>(m))
        .and(lu_in_place_scratch::<usize, T>(m, n, par, Default::default()));
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take::<T>([m, n], stack);
        let (mut permutation, stack) = stack.make_with(m, |_| 0usize);
        let (mut inverse, stack) = stack.make_with(m, |_| 0usize);
        let (mut numbers, stack) = stack.make_with(m, |_| 0i64);
        let mut a_copy = a_copy.as_mat_mut();
        load(a_copy.as_mut(), a, conjugated);
        let scale = normalise(a_copy.as_mut(), false)?;
        lu_in_place(a_copy.as_mut(), &mut permutation, &mut inverse, par, stack, Default::default());
        numbers.iter_mut().zip(permutation.iter()).for_each(|(to, &row)| *to = row as i64);
        store_vector(rows, &numbers);
        // Only `u` is scaled: `l` consists of quotients.
        for j in 0..n {
            scale.scale(a_copy.as_mut().submatrix_mut(0, j, m.min(j + 1), 1));
        }
        store(lu, a_copy.as_ref());
        Ok(())
    })
}
