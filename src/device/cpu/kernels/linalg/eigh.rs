//! Eigenvalues and eigenvectors of Hermitian matrices.

use super::batch::{Batch, Results};
use super::parallel::Thresholds;
use super::scale::normalise;
use super::workspace::{check_extents, column, load, request, store, store_vector, take, with_stack};
use super::{Failure, Field, gauge};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::error::Error;
use faer::diag::DiagMut;
use faer::dyn_stack::StackReq;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::mat::AsMatMut;

const THRESHOLDS: Thresholds = Thresholds { real: 256, complex: 256 };

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
    match v {
        None => batch.for_each([w.strides()], operations, &|a_k, [at_w]| {
            // SAFETY: `for_each` calls this function once for each matrix, with the offset of its results.
            let w = unsafe { w.at(at_w) };
            one(threads.par(), w, None, a_k, a.conjugate)
        }),
        Some(v) => {
            let v = Results::new(v, rank);
            batch.for_each([w.strides(), v.strides()], operations, &|a_k, [at_w, at_v]| {
                // SAFETY: `for_each` calls this function once for each matrix, with the offset of its results.
                let w = unsafe { w.at(at_w) };
                // SAFETY: as for `w`.
                let v = unsafe { v.at(at_v) };
                one(threads.par(), w, Some(v), a_k, a.conjugate)
            })
        }
    }
}

/// Decomposes one matrix.
fn one<T: Field>(
    par: faer::Par,
    w: Output<'_, T::Magnitude, Cpu>,
    v: Option<Output<'_, T, Cpu>>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = a.shape()[0];
    check_extents::<T>([n, n])?;
    if n == 0 {
        return Ok(());
    }
    let (which, columns) =
        if v.is_some() { (ComputeEigenvectors::Yes, n) } else { (ComputeEigenvectors::No, 0) };
    let memory = request::<T>(&[[n, n], [n, 1], [n, columns]])
        .and(StackReq::new::<T::Magnitude>(n))
        .and(self_adjoint_evd_scratch::<T>(n, which, par, Default::default()));
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take::<T>([n, n], stack);
        let (mut values, stack) = take::<T>([n, 1], stack);
        let (mut v_copy, stack) = take::<T>([n, columns], stack);
        let (mut w_copy, stack) = stack.make_with(n, |_| T::real_part_impl(&T::zero_impl()));
        let (mut a_copy, mut values) = (a_copy.as_mat_mut(), values.as_mat_mut());
        let mut v_copy = v_copy.as_mat_mut();
        load(a_copy.as_mut(), a, conjugated);
        let scale = normalise(a_copy.as_mut(), false)?;
        let diagonal = DiagMut::from_slice_mut(column(values.as_mut(), 0)).as_dyn_stride_mut();
        let to_v = v.is_some().then(|| v_copy.as_mut());
        self_adjoint_evd(a_copy.as_ref(), diagonal, to_v, par, stack, Default::default())
            .map_err(|_| Failure::NotConverged)?;
        let to = &mut *w_copy;
        for (to, value) in to.iter_mut().zip(column(values.as_mut(), 0)) {
            *to = scale.times(T::real_part_impl(value));
        }
        store_vector(w, to);
        if let Some(v) = v {
            (0..n).for_each(|j| _ = gauge::fix(v_copy.as_mut(), j));
            store(v, v_copy.as_ref());
        }
        Ok(())
    })
}
