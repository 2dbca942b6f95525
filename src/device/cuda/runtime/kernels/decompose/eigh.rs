//! Eigenvalues and eigenvectors of Hermitian matrices on a GPU.

use super::Input;
use super::matrices::{Matrices, Outside, TriangleSide, real};
use super::scaling::Scaling;
use super::solver::{Infos, with_solver};
use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::Context;
use crate::error::Error;

/// Computes [`Decompose::eigh`](crate::device::Decompose::eigh). Returns `false` without a result if an iteration did not converge, or
/// gave NaN.
///
/// # Safety
/// The caller must ensure that the operand's elements are allocated on `context`'s GPU, that the outputs have the extents of the results,
/// and exclusive access to their elements. cuSOLVER must be available.
pub(in crate::device::cuda::runtime) unsafe fn run(
    context: &'static Context,
    w: RawOperand<'_>,
    v: Option<RawOperand<'_>>,
    input: &Input<'_>,
) -> Result<bool, Error> {
    // SAFETY: the caller ensures that the operand's elements are allocated on `context`'s GPU.
    let a = unsafe { Matrices::load(context, input)? };
    a.keep(context, TriangleSide::Lower, Outside::ZeroIfFinite)?;
    a.make_diagonal_real(context)?;
    let scaled = a.scale_down(context, Scaling::Normalise)?;
    let (count, n) = (scaled.finite, a.rows);
    let values = Matrices::new(context, real(a.dtype), a.batch(), [n, 1])?;
    let infos = Infos::new(context, count, 1)?;
    with_solver(context, input.op, |solver| solver.eigh(&a, count, &values, v.is_some(), &infos))?;
    let infos = infos.read(input.op)?;
    if infos.iter().any(|&info| info > 0) {
        return Ok(false);
    }
    input.check(&infos, a.count(), |_| Failure::NotConverged)?;
    if !values.are_finite(context)? || (v.is_some() && !a.are_finite(context)?) {
        return Ok(false);
    }
    values.scale_parts(context, &scaled.exponents, None)?;
    if let Some(v) = v {
        a.orthonormalise(context)?;
        let phases = Matrices::new(context, a.dtype, a.batch(), [n, 1])?;
        a.orient_columns(context, &phases)?;
        // SAFETY: the caller ensures that `v` has the extents of the result, and that nothing else accesses its elements.
        unsafe { a.store(context, [n, n], v)? };
    }
    // SAFETY: the caller ensures that `w` has the extents of the result, and that nothing else accesses its elements.
    unsafe { values.store_vectors(context, w)? };
    Ok(true)
}
