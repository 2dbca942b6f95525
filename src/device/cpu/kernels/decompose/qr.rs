//! The QR decomposition.

use super::batch::{MatrixBatch, Results, assert_extents};
use super::householder::{reflect_diagonal, reflect_scratch};
use super::parallel::Thresholds;
use super::scale::{Used, normalise};
use super::workspace::{check_extents, column, request, store, take, take_loaded, with_stack};
use super::{Failure, Field};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::{Inexact, Scalar};
use crate::error::Error;
use faer::Par;
use faer::dyn_stack::StackReq;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::mat::AsMatMut;

const THRESHOLDS: Thresholds = Thresholds { real: 384, complex: 256 };

/// Computes [`Decompose::qr`](crate::device::Decompose::qr).
pub(in crate::device) fn qr<T: Field>(
    q: Option<Output<'_, T, Cpu>>,
    r: Output<'_, T, Cpu>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let [m, n] = [a.operand.shape()[rank], a.operand.shape()[rank + 1]];
    // The factors of the reduced decomposition, or of the complete one.
    let k = r.shape().get(rank).filter(|&&k| k == m).copied().unwrap_or(m.min(n));
    assert_extents(&r, &a.operand, &[k, n]);
    q.iter().for_each(|q| assert_extents(q, &a.operand, &[m, k]));
    let threads = THRESHOLDS.threads(T::COMPLEX, m.min(n));
    let batch = MatrixBatch::new("qr", a.operand, threads);
    let operations = m.saturating_mul(n).saturating_mul(m.min(n));
    let r = Results::new(r, rank);
    match q {
        None if r.is_empty() => Ok(()),
        None => {
            let memory = scratch::<T>(threads.par(), [m, n], 0);
            batch.for_each([r.strides()], operations, &|a_k, [at_r]| {
                // SAFETY: `for_each` calls this closure once for each matrix of the batch. `at_r` is the offset of its result in `r`, so no
                // other call uses this result.
                let r = unsafe { r.at(at_r) };
                one(threads.par(), memory?, None, r, a_k, a.conjugate)
            })
        }
        Some(q) => {
            let columns = q.shape()[rank + 1];
            let q = Results::new(q, rank);
            if q.is_empty() && r.is_empty() {
                return Ok(());
            }
            let memory = scratch::<T>(threads.par(), [m, n], columns);
            batch.for_each([q.strides(), r.strides()], operations, &|a_k, [at_q, at_r]| {
                // SAFETY: `for_each` calls this closure once for each matrix of the batch. `at_q` is the offset of its result in `q`, so no
                // other call uses this result.
                let q = unsafe { q.at(at_q) };
                // SAFETY: `for_each` calls this closure once for each matrix of the batch. `at_r` is the offset of its result in `r`, so no
                // other call uses this result.
                let r = unsafe { r.at(at_r) };
                one(threads.par(), memory?, Some(q), r, a_k, a.conjugate)
            })
        }
    }
}

/// Returns the workspace that [`one`] needs for a matrix. `columns` is the number of columns of `q`.
fn scratch<T: Field>(par: Par, [m, n]: [usize; 2], columns: usize) -> Result<StackReq, Failure> {
    let k = m.min(n);
    check_extents::<T>([m, n.max(columns)])?;
    let block = recommended_block_size::<T>(m, n);
    Ok(request::<T>(&[[m, n], [block, k], [m, columns]])
        .and(StackReq::new::<T>(k))
        .and(StackReq::new::<(usize, T::Magnitude)>(k))
        .and(
            qr_in_place_scratch::<T>(m, n, block, par, Default::default())
                .or(reflect_scratch::<T>(m, block, columns)),
        ))
}

/// Decomposes one matrix.
///
/// faer computes `a = h · r`, where `h` is a product of reflections. To make the first non-zero element of each row of `r`
/// positive, the row is divided by the phase of this element. The column of `h` with the same index is multiplied by this phase. To
/// multiply all columns of `h`, the reflections are applied to the diagonal matrix of the phases ([`reflect_diagonal`]), and not to the
/// identity matrix.
fn one<T: Field>(
    par: Par,
    memory: StackReq,
    q: Option<Output<'_, T, Cpu>>,
    r: Output<'_, T, Cpu>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let [m, n] = [a.shape()[0], a.shape()[1]];
    let k = m.min(n);
    let rows = r.shape()[0];
    let columns = q.as_ref().map_or(0, |q| q.shape()[1]);
    let block = recommended_block_size::<T>(m, n);
    let zero_real = T::real_part_impl(&T::zero_impl());
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut factor, stack) = take::<T>([block, k], stack);
        let (mut q_copy, stack) = take::<T>([m, columns], stack);
        let (mut phases, stack) = stack.make_with(k, |_| T::one_impl());
        // For each row of `r`, the column of the first element that is not 0, and the absolute value of this element.
        let (mut first_of_row, stack) = stack.make_with(k, |_| (0, zero_real));
        let (mut a_copy, mut factor) = (a_copy.as_mat_mut(), factor.as_mat_mut());
        let mut q_copy = q_copy.as_mat_mut();
        let scale = normalise(a_copy.as_mut(), Used::All)?;
        if k > 0 {
            qr_in_place(a_copy.as_mut(), factor.as_mut(), par, stack, Default::default());
        }
        let (zero, one) = (T::zero_impl(), T::one_impl());
        for (i, phase) in phases.iter_mut().enumerate() {
            let first = (i..n).find(|&j| a_copy[(i, j)] != zero);
            let Some(j) = first else { continue };
            let (x, size) = (a_copy[(i, j)], T::abs_impl(&a_copy[(i, j)]));
            *phase = Inexact::unscale(x, size);
            first_of_row[i] = (j, size);
        }
        if let Some(q) = q {
            for j in 0..columns {
                q_copy[(j, j)] = phases.get(j).copied().unwrap_or(one);
            }
            if k > 0 {
                let basis = a_copy.as_ref().subcols(0, k);
                reflect_diagonal(basis, factor.as_ref(), q_copy.as_mut(), par, stack);
            }
            store(q, q_copy.as_ref());
        }
        // The reflections below the diagonal are no longer needed.
        let mut r_copy = a_copy.subrows_mut(0, rows);
        for j in 0..n {
            let (above, below) = column(r_copy.as_mut(), j).split_at_mut(k.min(j + 1));
            above.iter_mut().zip(&*phases).for_each(|(x, &phase)| *x *= Scalar::conj(phase));
            below.fill(zero);
        }
        // Stores the exact absolute values: the multiplications above may leave a small imaginary part.
        for (i, &(j, size)) in first_of_row.iter().enumerate() {
            if size != zero_real {
                r_copy[(i, j)] = T::from_real_impl(&size);
            }
        }
        scale.scale(r_copy.as_mut());
        store(r, r_copy.as_ref());
        Ok(())
    })
}
