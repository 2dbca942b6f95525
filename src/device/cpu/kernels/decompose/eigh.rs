//! Eigenvalues and eigenvectors of Hermitian matrices.

use super::batch::{Matrix, MatrixBatch, Results, SmallMethod, assert_extents, square_extent};
use super::lanes::{self, Lanes, in_lanes};
use super::parallel::Thresholds;
use super::scale::{PowerOfTwo, Used, normalise};
use super::workspace::{
    check_extents, column, load, make_diagonal_real, request, store, store_vector, take, take_loaded,
    with_stack,
};
use super::{Failure, Field, gauge, jacobi};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::Scalar;
use crate::error::Error;
use faer::diag::DiagMut;
use faer::dyn_stack::StackReq;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::mat::AsMatMut;
use faer::{MatMut, Par};

const THRESHOLDS: Thresholds = Thresholds { real: 128, complex: 128 };

/// Computes [`Decompose::eigh`](crate::device::Decompose::eigh).
pub(in crate::device) fn eigh<T: Field>(
    w: Output<'_, T::Magnitude, Cpu>,
    v: Option<Output<'_, T, Cpu>>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let n = square_extent(&a.operand);
    assert_extents(&w, &a.operand, &[n]);
    v.iter().for_each(|v| assert_extents(v, &a.operand, &[n, n]));
    let threads = THRESHOLDS.threads(T::COMPLEX, n);
    let batch = MatrixBatch::new("eigh", a.operand, threads);
    let operations = n.saturating_mul(n).saturating_mul(n);
    let (w, v) = (Results::new(w, rank), v.map(|v| Results::new(v, rank)));
    if w.is_empty() {
        return Ok(());
    }
    // If there is no output for vectors, its offset is not used.
    let strides = [w.strides(), v.as_ref().map_or(w.strides(), Results::strides)];
    let outputs = |[at_w, at_v]: [isize; 2]| {
        // SAFETY: the batch passes the offsets of each matrix's results to one call, and that call uses them once.
        let w = unsafe { w.at(at_w) };
        // SAFETY: as for `w`.
        (w, v.as_ref().map(|v| unsafe { v.at(at_v) }))
    };
    let vectors = if v.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let memory = scratch::<T>(threads.par(), n, vectors);
    let method = SmallMethod::new::<T>(LARGEST_SMALL, n, batch.count());
    batch.for_each_small(
        strides,
        operations,
        method,
        &|matrices, done| {
            in_lanes!(matrices.len() == 1, small::<T>(matrices, done, &outputs, v.is_some(), a.conjugate))
        },
        &|a_k, to| one(threads.par(), memory?, outputs(to), a_k, a.conjugate),
    )
}

/// The largest extent for which the method of Jacobi takes less time than faer. Chosen by the rows `eigh` of
/// `benches/peers/src/rows/linalg.rs`.
const LARGEST_SMALL: usize = 4;

/// The outputs for the eigenvalues and the eigenvectors of a matrix.
type Outputs<'a, T> = (Output<'a, <T as Scalar>::Magnitude, Cpu>, Option<Output<'a, T, Cpu>>);

/// Decomposes at most `L` small matrices by the method of Jacobi. Sets the `bool` of each matrix whose results are written. They are not if
/// the matrix has an element that is not finite, or if the iteration did not converge.
fn small<'a, T: Field, const P: usize, const L: usize>(
    matrices: &[Matrix<'_, T, 2>],
    done: &mut [bool],
    outputs: &impl Fn([isize; 2]) -> Outputs<'a, T>,
    vectors: bool,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = matrices[0].0.shape()[0];
    let of_lanes = StackReq::new::<Lanes<T::Magnitude, P, L>>(n * n);
    let memory = request::<T>(&[[n, n]]).and(of_lanes).and(of_lanes).and(StackReq::new::<T::Magnitude>(n));
    with_stack(memory, |stack| {
        let (mut copy, stack) = take::<T>([n, n], stack);
        let (mut a, stack) = stack.make_with(n * n, |_| Lanes::<_, P, L>::zero());
        let (mut v, stack) = stack.make_with(if vectors { n * n } else { 0 }, |_| Lanes::zero());
        let (mut w, _) = stack.make_with(n, |_| T::real_part_impl(&T::zero_impl()));
        let mut copy = copy.as_mat_mut();
        let mut scales = [None; L];
        for (k, (matrix, _)) in matrices.iter().enumerate() {
            load(copy.as_mut(), *matrix, conjugated);
            make_diagonal_real(copy.as_mut());
            scales[k] = normalise(copy.as_mut(), Used::Lower).ok();
            // The lane of a matrix with an element that is not finite is 0.
            for j in (0..n).filter(|_| scales[k].is_some()) {
                for i in j..n {
                    a[i * n + j].set(k, Scalar::conj(copy[(i, j)]));
                }
            }
        }
        let converged = jacobi::eigh::<_, P, L>(n, &mut a, &mut v);
        for (k, &(_, to)) in matrices.iter().enumerate() {
            let Some(scale) = scales[k].filter(|_| converged[k]) else { continue };
            for j in 0..n {
                w[j] = a[j * n + j].real_parts()[k];
            }
            if vectors {
                lanes::gather(copy.as_mut(), k, &v);
            }
            jacobi::sort(&mut w, [copy.as_mut()], |x, y| x < y);
            write(outputs(to), scale, &mut w, copy.as_mut());
            done[k] = true;
        }
        Ok(())
    })
}

/// Writes the eigenvalues of a matrix that was divided by `scale`, and its eigenvectors.
fn write<T: Field>(
    (w, v): Outputs<'_, T>,
    scale: PowerOfTwo,
    eigenvalues: &mut [T::Magnitude],
    mut eigenvectors: MatMut<'_, T>,
) {
    scale.scale_real(eigenvalues);
    store_vector(w, eigenvalues);
    if let Some(v) = v {
        (0..eigenvalues.len()).for_each(|j| _ = gauge::fix(eigenvectors.as_mut(), j));
        store(v, eigenvectors.as_ref());
    }
}

/// Returns the size of the scratch memory for the decomposition of one matrix by faer.
fn scratch<T: Field>(par: Par, n: usize, vectors: ComputeEigenvectors) -> Result<StackReq, Failure> {
    check_extents::<T>([n, n])?;
    let of_vectors = if matches!(vectors, ComputeEigenvectors::Yes) { n } else { 0 };
    Ok(request::<T>(&[[n, n], [n, 1], [n, of_vectors]])
        .and(StackReq::new::<T::Magnitude>(n))
        .and(self_adjoint_evd_scratch::<T>(n, vectors, par, Default::default())))
}

/// Decomposes one matrix by faer.
fn one<T: Field>(
    par: Par,
    memory: StackReq,
    (w, v): Outputs<'_, T>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = a.shape()[0];
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut values, stack) = take::<T>([n, 1], stack);
        let (mut v_copy, stack) = take::<T>([n, if v.is_some() { n } else { 0 }], stack);
        let (mut w_copy, stack) = stack.make_with(n, |_| T::real_part_impl(&T::zero_impl()));
        let (mut a_copy, mut values) = (a_copy.as_mat_mut(), values.as_mat_mut());
        let mut v_copy = v_copy.as_mat_mut();
        make_diagonal_real(a_copy.as_mut());
        let scale = normalise(a_copy.as_mut(), Used::Lower)?;
        let diagonal = DiagMut::from_slice_mut(column(values.as_mut(), 0)).as_dyn_stride_mut();
        let to_v = v.is_some().then(|| v_copy.as_mut());
        self_adjoint_evd(a_copy.as_ref(), diagonal, to_v, par, stack, Default::default())
            .map_err(|_| Failure::NotConverged)?;
        for (to, value) in w_copy.iter_mut().zip(column(values.as_mut(), 0)) {
            *to = T::real_part_impl(value);
        }
        write((w, v), scale, &mut w_copy, v_copy);
        Ok(())
    })
}
