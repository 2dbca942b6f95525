//! Linear systems of dynamic tensors.

use super::{check, check_square};
use crate::device::Copy;
use crate::device::family::decompose::{Decompose, LinalgElement, Structure};
use crate::dispatch;
use crate::dyn_tensor::operand::{agree, allocate_with, device_of, elements, lacking, needs, on_device};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::engine::decompose::{solution_rank, solution_shape, solve as solve_systems};
use crate::engine::same_instance;
use crate::error::Error;
use crate::layout::Layout;
use crate::rank::MAX_RANK;

/// Checks the operands of a linear system, and returns the layout of the solution.
pub(super) fn system(op: &'static str, a: DynView<'_>, b: DynView<'_>) -> Result<Layout, Error> {
    check(op, a)?;
    let row_major = agree(op, a, b)?.is_row_major();
    let (mut shape, rank) = ([0; MAX_RANK], solution_rank(op, a.rank(), b.rank())?);
    solution_shape(op, row_major, a.shape(), b.shape(), &mut shape[..rank])?;
    Ok(Layout::contiguous(&shape[..rank], row_major))
}

fn solved<T: LinalgElement, Dev: Decompose<T> + Copy<T>>(
    structure: Structure,
    a: DynView<'_>,
    b: DynView<'_>,
    solution: Layout,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&a);
    same_instance("solve", device, device_of(&b))?;
    allocate_with(device, solution, a.order(), &mut |x| {
        let row_major = a.order().is_row_major();
        solve_systems("solve", row_major, device, structure, elements::<T, Dev>(&a).into(), elements(&b), x)
    })
}

// This function instantiates kernels for several element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn solve(structure: Structure, a: DynView<'_>, b: DynView<'_>) -> Result<DynTensor, Error> {
    check_square("solve", a)?;
    let solution = system("solve", a, b)?;
    on_device!("solve", a, Dev => dispatch!(
        a.dtype(),
        T: Inexact => solved::<T, Dev>(structure, a, b, solution),
        else => Err(lacking("solve", a.dtype(), needs::FACTORISATIONS))
    ))
}

impl<S: DynData> DynTensor<S> {
    /// Solves the linear system `a · x = b`: see [`Tensor::solve`](crate::Tensor::solve).
    ///
    /// # Errors
    /// * If the rank is less than 2, the elements are not floating-point or complex numbers, or the operands differ in element type, order
    ///   or device.
    /// * If the matrices are not square or are singular, `b` does not have as many rows as the matrices, or the batches do not broadcast.
    /// * If an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let a = DynTensor::from(tensor![[2.0, 0.0], [1.0, 4.0]]);
    /// assert_eq!(a.solve(&tensor![2.0, 9.0])?.downcast_ref()?, tensor![1.0, 2.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn solve<'b>(&self, b: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        solve(Structure::General, self.look(), b.into())
    }

    /// Solves a linear system with a positive definite, Hermitian or triangular matrix: see [`Tensor::solve_as`](crate::Tensor::solve_as).
    ///
    /// # Errors
    /// Those of [`solve`](DynTensor::solve), and if `structure` is [`Structure::PositiveDefinite`] but a matrix is not positive definite.
    pub fn solve_as<'b>(&self, structure: Structure, b: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        solve(structure, self.look(), b.into())
    }
}
