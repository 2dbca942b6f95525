//! The QR decomposition on a GPU.

use super::Input;
use super::matrices::{Matrices, Outside, TriangleSide};
use super::scaling::Scaling;
use super::solver::{Infos, with_solver};
use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::Context;
use crate::error::Error;

/// Computes [`Decompose::qr`](crate::device::Decompose::qr). `q` is the output for the factor q and its number of columns. `r` is the
/// output for the factor r, and `rows` its number of rows.
///
/// # Safety
/// The caller must ensure that the operand's elements are allocated on `context`'s GPU, that the outputs have the extents of the results,
/// and that nothing else accesses the outputs' elements. cuSOLVER must be available.
pub(in crate::device::cuda::runtime) unsafe fn run(
    context: &'static Context,
    q: Option<(RawOperand<'_>, usize)>,
    (r, rows): (RawOperand<'_>, usize),
    input: &Input<'_>,
) -> Result<(), Error> {
    // SAFETY: the caller ensures that the operand's elements are allocated on `context`'s GPU.
    let a = unsafe { Matrices::load(context, input)? };
    let scaled = a.scale_down(context, Scaling::Normalise)?;
    let (count, k) = (scaled.finite, a.rows.min(a.columns));
    let factors = Matrices::new(context, a.dtype, a.batch(), [k, 1])?;
    let infos = Infos::new(context, count, 2)?;
    with_solver(context, input.op, |solver| solver.geqrf(&a, count, &factors, &infos))?;
    let q = match q {
        None => None,
        Some((out, columns)) => {
            let q = Matrices::new(context, a.dtype, a.batch(), [a.rows, columns])?;
            q.copy_columns(context, &a, k)?;
            with_solver(context, input.op, |solver| solver.orgqr(&q, count, &factors, &infos))?;
            Some((q, out))
        }
    };
    // The decomposition always exists, so no status code is positive, and `NotConverged` does not occur. `read` reports negative ones.
    input.check(&infos.read(input.op)?, a.count(), |_| Failure::NotConverged)?;
    a.keep(context, TriangleSide::Upper, Outside::Zero)?;
    // The factors of the reflections are not needed any more, so the phases overwrite them.
    let phases = factors;
    a.orient_rows(context, &phases)?;
    a.scale_parts(context, &scaled.exponents, None)?;
    if let Some((q, out)) = q {
        q.multiply_columns(context, &phases, true)?;
        // SAFETY: the caller ensures that `out` has the extents of the factor q, which are those of `q`, and that nothing else accesses
        // its elements.
        unsafe { q.store(context, [q.rows, q.columns], out)? };
    }
    // SAFETY: the caller ensures that `r` has the extents of the factor r, `rows` and `a.columns`, and that nothing else accesses its
    // elements.
    unsafe { a.store(context, [rows, a.columns], r) }
}
