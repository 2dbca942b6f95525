//! The LU decomposition on a GPU.

use super::Input;
use super::matrices::{Matrices, TriangleSide};
use super::scaling::Scaling;
use super::solver::{Infos, with_solver};
use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::{read, write};
use crate::element::DType;
use crate::error::Error;

/// Computes [`Decompose::lu`](crate::device::Decompose::lu). Returns `false` without a result if a matrix is singular, or if
/// cuSOLVER's result is not finite, because the inverse of a pivot overflows.
///
/// # Safety
/// The caller must ensure that the operand's elements are allocated on `context`'s GPU, that the outputs have the extents of the results,
/// and that nothing else accesses the outputs' elements. cuSOLVER must be available.
pub(in crate::device::cuda::runtime) unsafe fn run(
    context: &'static Context,
    lu: RawOperand<'_>,
    rows: RawOperand<'_>,
    input: &Input<'_>,
) -> Result<bool, Error> {
    // SAFETY: the caller ensures that the operand's elements are allocated on `context`'s GPU.
    let a = unsafe { Matrices::load(context, input)? };
    let scaled = a.scale_down(context, Scaling::Moderate)?;
    let pivots = Matrices::new(context, DType::I32, a.batch(), [a.rows.min(a.columns), 1])?;
    let infos = Infos::new(context, scaled.finite, 1)?;
    with_solver(context, input.op, |solver| solver.getrf(&a, scaled.finite, &pivots, &infos))?;
    let infos = infos.read(input.op)?;
    if infos.iter().any(|&info| info > 0) {
        return Ok(false);
    }
    input.check(&infos, a.count(), Failure::Singular)?;
    if !a.are_finite(context)? {
        return Ok(false);
    }
    let sequence = sequences(context, &pivots, a.rows)?;
    // `l` consists of quotients, which do not depend on the scale of the matrix. So only `u` is scaled back.
    a.scale_parts(context, &scaled.exponents, Some(TriangleSide::Upper))?;
    // SAFETY: the caller ensures that `lu` has the extents of the result, and that nothing else accesses its elements.
    unsafe { a.store(context, [a.rows, a.columns], lu)? };
    // SAFETY: the caller ensures that `rows` has the extents of the result, and that nothing else accesses its elements.
    unsafe { sequence.store_vectors(context, rows)? };
    Ok(true)
}

/// Returns, for each matrix, the order of its rows after the exchanges of rows in `pivots`.
fn sequences(context: &'static Context, pivots: &Matrices, rows: usize) -> Result<Matrices, Error> {
    let mut exchanged = vec![0i32; pivots.count() * pivots.rows];
    // SAFETY: `pivots` has `exchanged.len()` numbers of type `i32`, from address `pivots.at(0)` on. cuSOLVER's calls that write to
    // them are queued before this copy.
    unsafe { read(context, pivots.at(0), &mut exchanged)? };
    let mut all = Vec::with_capacity(pivots.count() * rows);
    for exchanged in exchanged.chunks(pivots.rows) {
        let first = all.len();
        all.extend(0..rows as i64);
        for (i, &with) in exchanged.iter().enumerate() {
            // cuSOLVER counts rows from 1.
            all.swap(first + i, first + with as usize - 1);
        }
    }
    let sequences = Matrices::new(context, DType::I64, pivots.batch(), [rows, 1])?;
    // SAFETY: `sequences` is new. Its memory has room for `all.len()` numbers, and nothing else has its address.
    unsafe { write(context, &all, sequences.at(0))? };
    Ok(sequences)
}
