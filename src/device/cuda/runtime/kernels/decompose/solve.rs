//! Solutions of linear systems on a GPU.

use super::Input;
use super::cholesky::load_lower;
use super::matrices::Matrices;
use super::scaling::Scaling;
use super::solver::{Infos, with_solver};
use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::Context;
use crate::element::DType;
use crate::error::Error;

/// Computes [`Decompose::solve`](crate::device::Decompose::solve) for positive definite matrices if `definite`, otherwise for general ones.
/// `b` has the shape `shape`. Returns `false`, and leaves `b` as it was, if the solution is not finite: it exceeds the limits of its type, or
/// the inverse of a pivot overflows.
///
/// # Safety
/// The caller must ensure that the operand's elements are allocated on `context`'s GPU, and exclusive access to the elements of `b`, which
/// has as many rows as the operand. cuSOLVER must be available.
pub(in crate::device::cuda::runtime) unsafe fn run(
    context: &'static Context,
    definite: bool,
    b: RawOperand<'_>,
    shape: &[usize],
    input: &Input<'_>,
) -> Result<bool, Error> {
    let (a, of_a) = if definite {
        // SAFETY: the caller ensures that the elements of `input` are allocated on the GPU.
        unsafe { load_lower(context, input)? }
    } else {
        // SAFETY: the caller ensures that the elements of `input` are allocated on the GPU.
        let a = unsafe { Matrices::load(context, input)? };
        let scaled = a.scale_down(context, Scaling::Moderate)?;
        (a, scaled)
    };
    let right = Input { op: input.op, shape, elements: b, conjugate: false };
    // SAFETY: the elements of `right` are those of `b`, to which the caller ensures exclusive access. The call only reads them.
    let x = unsafe { Matrices::load(context, &right)? };
    let of_b = x.scale_columns_down(context, Scaling::Moderate)?;
    let count = of_a.finite.min(of_b.finite);
    let infos = Infos::new(context, count, 2)?;
    let why = if definite {
        with_solver(context, input.op, |solver| {
            solver.potrf(&a, count, &infos)?;
            solver.potrs(&a, count, &x, &infos)
        })?;
        Failure::NotPositiveDefinite
    } else {
        let pivots = Matrices::new(context, DType::I32, a.batch(), [a.rows, 1])?;
        with_solver(context, input.op, |solver| {
            solver.getrf(&a, count, &pivots, &infos)?;
            solver.getrs(&a, count, &pivots, &x, &infos)
        })?;
        |info| Failure::Singular(info - 1)
    };
    input.check(&infos.read(input.op)?, a.count(), why)?;
    // The scaled operands are a' = a / of_a and b' = b / of_b. From a' · x' = b' follows x = of_b / of_a · x'.
    let exponents: Vec<i32> =
        of_b.exponents.iter().enumerate().map(|(k, e)| e - of_a.exponents[k / x.columns]).collect();
    x.scale_parts(context, &exponents, None)?;
    if !x.are_finite(context)? {
        return Ok(false);
    }
    // SAFETY: the caller ensures exclusive access to `b`, and `x` has the extents of `b`.
    unsafe { x.store(context, [x.rows, x.columns], b)? };
    Ok(true)
}
