//! Eigenvalues and eigenvectors of matrices that need not be Hermitian.
//!
//! ```text
//! call faer                                                                              (engine)
//! check the result, because faer does not report that its iteration did not converge,
//!     and its vectors overflow for some defective matrices                               (check)
//! if the result is wrong: compute the Schur decomposition, and the eigenvectors
//!     of its triangular factor, with scaling; check the result again                     (schur, triangular)
//! ```

mod check;
mod engine;
mod triangular;

use super::batch::{MatrixBatch, Results, assert_extents, square_extent};
use super::parallel::Threads;
use super::scale::{Used, normalise};
use super::schur::{self, Triangularise};
use super::workspace::{check_extents, column, request, store, store_vector, take, take_loaded, with_stack};
use super::{Failure, Field, gauge};
use crate::device::cpu::Cpu;
use crate::device::family::decompose::LinalgElement;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::Scalar;
use crate::error::Error;
use faer::dyn_stack::{MemStack, StackReq};
use faer::mat::AsMatMut;
use faer::{MatMut, MatRef};
use num_traits::Zero;

/// Element types for which faer computes eigenvalues.
pub(in crate::device) trait Eigen: Triangularise + LinalgElement<Complex: Field> {
    /// Returns the size of the workspace that `eigen` needs.
    fn scratch(n: usize, vectors: bool) -> StackReq;

    /// Computes eigenvalues and, if `v` is passed, eigenvectors of any norm. The results may be wrong, so the caller checks them.
    /// For a real matrix, each eigenvalue with a positive imaginary part is directly followed by its conjugate.
    fn eigen(
        w: &mut [Self::Complex],
        v: Option<MatMut<'_, Self::Complex>>,
        a: MatRef<'_, Self>,
        stack: &mut MemStack,
    );
}

/// Computes [`Decompose::eig`](crate::device::Decompose::eig).
pub(in crate::device) fn eig<T: Eigen>(
    w: Output<'_, T::Complex, Cpu>,
    v: Option<Output<'_, T::Complex, Cpu>>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let n = square_extent(&a.operand);
    assert_extents(&w, &a.operand, &[n]);
    v.iter().for_each(|v| assert_extents(v, &a.operand, &[n, n]));
    let batch = MatrixBatch::new("eig", a.operand, Threads::One);
    let operations = n.saturating_mul(n).saturating_mul(n).saturating_mul(10);
    let w = Results::new(w, rank);
    if w.is_empty() {
        return Ok(());
    }
    match v {
        None => batch.for_each([w.strides()], operations, &|a_k, [at_w]| {
            // SAFETY: `for_each` calls this closure once for each matrix. `at_w` is the offset of that matrix's result in `w`, so
            // no other call uses this result.
            let w = unsafe { w.at(at_w) };
            one(w, None, a_k, a.conjugate)
        }),
        Some(v) => {
            let v = Results::new(v, rank);
            batch.for_each([w.strides(), v.strides()], operations, &|a_k, [at_w, at_v]| {
                // SAFETY: `for_each` calls this closure once for each matrix. `at_w` is the offset of that matrix's result in `w`,
                // so no other call uses this result.
                let w = unsafe { w.at(at_w) };
                // SAFETY: `for_each` calls this closure once for each matrix. `at_v` is the offset of that matrix's result in `v`,
                // so no other call uses this result.
                let v = unsafe { v.at(at_v) };
                one(w, Some(v), a_k, a.conjugate)
            })
        }
    }
}

/// Decomposes one matrix.
fn one<T: Eigen>(
    w: Output<'_, T::Complex, Cpu>,
    v: Option<Output<'_, T::Complex, Cpu>>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = a.shape()[0];
    check_extents::<T::Complex>([n, n])?;
    let columns = if v.is_some() { n } else { 0 };
    let by_schur = request::<T>(&[[n, n]]).and(schur::scratch::<T>(n));
    let memory = request::<T>(&[[n, n]])
        .and(request::<T::Complex>(&[[n, columns]]))
        .and(StackReq::new::<T::Complex>(n).array(3))
        .and(T::scratch(n, v.is_some()).or(by_schur));
    with_stack(memory, |stack| {
        let zero = <T::Complex as Zero>::zero();
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut v_copy, stack) = take::<T::Complex>([n, columns], stack);
        let (mut w_copy, stack) = stack.make_with(n, |_| zero);
        let (mut a_copy, mut v_copy) = (a_copy.as_mat_mut(), v_copy.as_mat_mut());
        let values = &mut *w_copy;
        let scale = normalise(a_copy.as_mut(), Used::All)?;
        T::eigen(values, v.is_some().then(|| v_copy.as_mut()), a_copy.as_ref(), stack);
        if !check::check(a_copy.as_ref(), values, v_copy.as_mut(), check::USUAL, stack) {
            let (mut again, stack) = take::<T>([n, n], stack);
            let mut again = again.as_mat_mut();
            again.copy_from(a_copy.as_ref());
            schur::decompose(again, stack, |t, z, stack| {
                triangular::eigen(values, v.is_some().then(|| v_copy.as_mut()), &t, &z, stack);
                Ok(())
            })?;
            if !check::check(a_copy.as_ref(), values, v_copy.as_mut(), check::LARGEST, stack) {
                return Err(Failure::NotConverged);
            }
        }
        if let Some(v) = v {
            for (j, &value) in values.iter().enumerate() {
                if !T::COMPLEX && j > 0 && imaginary(value) < <T::Magnitude as Zero>::zero() {
                    // This eigenvalue is the conjugate of the previous one, so its eigenvector is the conjugate of the previous
                    // one.
                    let (before, from) = v_copy.as_mut().split_at_col_mut(j);
                    let elements = column(from, 0).iter_mut().zip(column(before, j - 1));
                    elements.for_each(|(to, x)| *to = Scalar::conj(*x));
                } else {
                    gauge::fix(v_copy.as_mut(), j);
                }
            }
            store(v, v_copy.as_ref());
        }
        scale.scale_all(values);
        store_vector(w, values);
        Ok(())
    })
}

fn real<T: Field>(x: T) -> T::Magnitude {
    T::real_part_impl(&x)
}

fn imaginary<T: Field>(x: T) -> T::Magnitude {
    T::imag_part_impl(&x)
}
