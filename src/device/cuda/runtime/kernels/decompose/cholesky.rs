//! The Cholesky decomposition on a GPU.

use super::Input;
use super::matrices::{Matrices, Outside, TriangleSide};
use super::scaling::{Scaled, Scaling};
use super::solver::{Infos, with_solver};
use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::Context;
use crate::error::Error;

/// Computes [`Decompose::cholesky`](crate::device::Decompose::cholesky).
///
/// # Safety
/// The caller must ensure that the operand's elements are allocated on `context`'s GPU, that the output has matrices of the same extents,
/// and that nothing else accesses the output's elements. cuSOLVER must be available.
pub(in crate::device::cuda::runtime) unsafe fn run(
    context: &'static Context,
    l: RawOperand<'_>,
    input: &Input<'_>,
) -> Result<(), Error> {
    // SAFETY: the caller ensures that the operand's elements are allocated on `context`'s GPU. The called function requires nothing else.
    let (a, scaled) = unsafe { load_lower(context, input)? };
    let infos = Infos::new(context, scaled.finite, 1)?;
    with_solver(context, input.op, |solver| solver.potrf(&a, scaled.finite, &infos))?;
    input.check(&infos.read(input.op)?, a.count(), Failure::NotPositiveDefinite)?;
    a.keep(context, TriangleSide::Lower, Outside::Zero)?;
    // Rounding may leave small imaginary parts on the diagonal.
    a.make_diagonal_real(context)?;
    let exponents: Vec<i32> = scaled.exponents.iter().map(|e| e / 2).collect();
    a.scale_parts(context, &exponents, None)?;
    // SAFETY: the caller ensures that the matrices of the output `l` have the extents of `a`, and that nothing else accesses its elements.
    unsafe { a.store(context, [a.rows, a.columns], l) }
}

/// Copies the lower triangles of Hermitian matrices, and scales them if elements are near the limits of their type.
///
/// # Safety
/// The caller must ensure that the operand's elements are allocated on `context`'s GPU.
pub(super) unsafe fn load_lower(
    context: &'static Context,
    input: &Input<'_>,
) -> Result<(Matrices, Scaled), Error> {
    // SAFETY: the caller ensures that the operand's elements are allocated on `context`'s GPU. The called function requires nothing else.
    let a = unsafe { Matrices::load(context, input)? };
    a.keep(context, TriangleSide::Lower, Outside::ZeroIfFinite)?;
    a.make_diagonal_real(context)?;
    let scaled = a.scale_down(context, Scaling::Moderate)?;
    Ok((a, scaled))
}
