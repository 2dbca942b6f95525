//! The singular value decomposition on a GPU.

use super::Input;
use super::matrices::{Matrices, real};
use super::scaling::Scaling;
use super::solver::{Infos, svd_columns, with_solver};
use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::Context;
use crate::error::Error;

/// Computes [`Decompose::svd`](crate::device::Decompose::svd). `vectors` are the outputs for `u` and `vᴴ`, with the number of
/// columns of `u` and the number of rows of `vᴴ`. Returns `false` without a result if an iteration did not converge, or gave NaN.
///
/// # Safety
/// The caller must ensure:
/// * the operand's elements are allocated on `context`'s GPU;
/// * the outputs have the extents of the results, and nothing else accesses their elements;
/// * cuSOLVER is available.
pub(in crate::device::cuda::runtime) unsafe fn run(
    context: &'static Context,
    s: RawOperand<'_>,
    vectors: Option<[(RawOperand<'_>, usize); 2]>,
    input: &Input<'_>,
) -> Result<bool, Error> {
    // SAFETY: the caller ensures that the operand's elements are allocated on `context`'s GPU.
    let a = unsafe { Matrices::load(context, input)? };
    let scaled = a.scale_down(context, Scaling::Normalise)?;
    let (count, k) = (scaled.finite, a.rows.min(a.columns));
    let full = vectors.is_some_and(|[(_, p), (_, q)]| p.max(q) > k);
    let [p, q] = svd_columns([a.rows, a.columns], a.count(), full);
    let values = Matrices::new(context, real(a.dtype), a.batch(), [k, 1])?;
    let u = Matrices::new(context, a.dtype, a.batch(), [a.rows, p])?;
    let v = Matrices::new(context, a.dtype, a.batch(), [a.columns, q])?;
    let infos = Infos::new(context, count, 1)?;
    with_solver(context, input.op, |solver| {
        solver.svd(&a, count, &values, [&u, &v], vectors.is_some(), &infos)
    })?;
    let infos = infos.read(input.op)?;
    if infos.iter().any(|&info| info > 0) {
        return Ok(false);
    }
    input.check(&infos, a.count(), |_| Failure::NotConverged)?;
    let results: &[&Matrices] = if vectors.is_some() { &[&values, &u, &v] } else { &[&values] };
    for result in results {
        if !result.are_finite(context)? {
            return Ok(false);
        }
    }
    values.scale_parts(context, &scaled.exponents, None)?;
    if let Some([(to_u, p), (to_vh, q)]) = vectors {
        u.orthonormalise(context)?;
        v.orthonormalise(context)?;
        // If column `j` of `u` and column `j` of `v` are multiplied by the same factor of magnitude 1, `u · s · vᴴ` does not change.
        let phases = Matrices::new(context, a.dtype, a.batch(), [k, 1])?;
        u.orient_columns(context, &phases)?;
        v.multiply_columns(context, &phases, false)?;
        if full {
            u.orient_free_columns(context, &values)?;
        }
        v.orient_free_columns(context, &values)?;
        // SAFETY: `store` needs an output with matrices of `u.rows` rows and `p` columns. The caller ensures that `to_u` has these
        // extents, and that nothing else accesses it.
        unsafe { u.store(context, [u.rows, p], to_u)? };
        // SAFETY: `store_adjoint` needs an output with the extents of the first `q` columns of `v`, transposed. The caller ensures that
        // `to_vh` has these extents, and that nothing else accesses it.
        unsafe { v.store_adjoint(context, q, to_vh)? };
    }
    // SAFETY: `store_vectors` needs an output with `k` elements for each matrix. The caller ensures that `s` has these extents, and
    // that nothing else accesses it.
    unsafe { values.store_vectors(context, s)? };
    Ok(true)
}
