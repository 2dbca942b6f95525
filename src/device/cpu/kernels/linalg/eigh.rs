//! Eigenvalues and eigenvectors of Hermitian matrices.

use super::batch::{Batch, Results};
use super::parallel::Thresholds;
use super::scale::{Used, normalise};
use super::workspace::{
    check_extents, column, make_diagonal_real, request, store, store_vector, take, take_loaded, with_stack,
};
use super::{Failure, Field, gauge, jacobi};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::Scalar;
use crate::error::Error;
use faer::Par;
use faer::diag::DiagMut;
use faer::dyn_stack::StackReq;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::mat::AsMatMut;

const THRESHOLDS: Thresholds = Thresholds { real: 128, complex: 128 };

/// Computes [`Decompose::eigh`](crate::device::Decompose::eigh).
pub(in crate::device) fn eigh<T: Field>(
    w: Output<'_, T::Magnitude, Cpu>,
    v: Option<Output<'_, T, Cpu>>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let n = a.operand.shape()[rank];
    let threads = THRESHOLDS.threads(T::COMPLEX, n);
    let batch = Batch::new("eigh", a.operand, threads);
    let operations = n.saturating_mul(n).saturating_mul(n);
    let w = Results::new(w, rank);
    if w.is_empty() {
        return Ok(());
    }
    match v {
        None => {
            let memory = scratch::<T>(threads.par(), n, ComputeEigenvectors::No);
            batch.for_each([w.strides()], operations, &|a_k, [at_w]| {
                // SAFETY: `for_each` calls this closure once for each matrix. `at_w` is the offset of this matrix's results, which no other
                // call uses.
                let w = unsafe { w.at(at_w) };
                one(threads.par(), memory?, w, None, a_k, a.conjugate)
            })
        }
        Some(v) => {
            let v = Results::new(v, rank);
            let memory = scratch::<T>(threads.par(), n, ComputeEigenvectors::Yes);
            batch.for_each([w.strides(), v.strides()], operations, &|a_k, [at_w, at_v]| {
                // SAFETY: `for_each` calls this closure once for each matrix. `at_w` is the offset of this matrix's results, which no other
                // call uses.
                let w = unsafe { w.at(at_w) };
                // SAFETY: `for_each` calls this closure once for each matrix. `at_v` is the offset of this matrix's results, which no other
                // call uses.
                let v = unsafe { v.at(at_v) };
                one(threads.par(), memory?, w, Some(v), a_k, a.conjugate)
            })
        }
    }
}

/// The largest extent for which the method of Jacobi takes less time than faer (measured).
const LARGEST_SMALL: usize = 4;

/// Returns the numbers of columns of two matrices with `n` rows: the matrix of eigenvectors, and the copy of the operand that the method of
/// Jacobi overwrites. If a matrix is not needed, the number is 0. The method of Jacobi always computes eigenvectors.
fn columns(n: usize, vectors: bool) -> [usize; 2] {
    if n <= LARGEST_SMALL { [n, n] } else { [if vectors { n } else { 0 }, 0] }
}

/// Returns the size of the scratch memory for the decomposition of one matrix.
fn scratch<T: Field>(par: Par, n: usize, vectors: ComputeEigenvectors) -> Result<StackReq, Failure> {
    check_extents::<T>([n, n])?;
    let [of_vectors, of_work] = columns(n, matches!(vectors, ComputeEigenvectors::Yes));
    Ok(request::<T>(&[[n, n], [n, 1], [n, of_vectors], [n, of_work]])
        .and(StackReq::new::<T::Magnitude>(n))
        .and(self_adjoint_evd_scratch::<T>(n, vectors, par, Default::default())))
}

/// Decomposes one matrix.
fn one<T: Field>(
    par: Par,
    memory: StackReq,
    w: Output<'_, T::Magnitude, Cpu>,
    v: Option<Output<'_, T, Cpu>>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = a.shape()[0];
    let [of_vectors, of_work] = columns(n, v.is_some());
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut values, stack) = take::<T>([n, 1], stack);
        let (mut v_copy, stack) = take::<T>([n, of_vectors], stack);
        let (mut work, stack) = take::<T>([n, of_work], stack);
        let (mut w_copy, stack) = stack.make_with(n, |_| T::real_part_impl(&T::zero_impl()));
        let (mut a_copy, mut values) = (a_copy.as_mat_mut(), values.as_mat_mut());
        let mut v_copy = v_copy.as_mat_mut();
        make_diagonal_real(a_copy.as_mut());
        let scale = normalise(a_copy.as_mut(), Used::Lower)?;
        if n <= LARGEST_SMALL {
            let mut work = work.as_mat_mut();
            for j in 0..n {
                for i in j..n {
                    work[(i, j)] = a_copy[(i, j)];
                    work[(j, i)] = Scalar::conj(a_copy[(i, j)]);
                }
            }
            if jacobi::eigh(work, v_copy.as_mut(), &mut w_copy) {
                scale.scale_real(&mut w_copy);
                store_vector(w, &w_copy);
                if let Some(v) = v {
                    (0..n).for_each(|j| _ = gauge::fix(v_copy.as_mut(), j));
                    store(v, v_copy.as_ref());
                }
                return Ok(());
            }
        }
        let diagonal = DiagMut::from_slice_mut(column(values.as_mut(), 0)).as_dyn_stride_mut();
        let to_v = v.is_some().then(|| v_copy.as_mut());
        self_adjoint_evd(a_copy.as_ref(), diagonal, to_v, par, stack, Default::default())
            .map_err(|_| Failure::NotConverged)?;
        let to = &mut *w_copy;
        for (to, value) in to.iter_mut().zip(column(values.as_mut(), 0)) {
            *to = T::real_part_impl(value);
        }
        scale.scale_real(to);
        store_vector(w, to);
        if let Some(v) = v {
            (0..n).for_each(|j| _ = gauge::fix(v_copy.as_mut(), j));
            store(v, v_copy.as_ref());
        }
        Ok(())
    })
}
