//! Linear systems of dynamic tensors.

use crate::device::family::decompose::Structure;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::error::Error;

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
        typed!("solve", LinalgElement, (x = self.look(), b = b.into()) => x.try_solve(b))
    }

    /// Solves a linear system with a positive definite, Hermitian or triangular matrix: see [`Tensor::solve_as`](crate::Tensor::solve_as).
    ///
    /// # Errors
    /// Those of [`solve`](DynTensor::solve), and if `structure` is [`Structure::PositiveDefinite`] but a matrix is not positive definite.
    pub fn solve_as<'b>(&self, structure: Structure, b: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        typed!("solve", LinalgElement, (x = self.look(), b = b.into(); structure: Structure = structure) => {
            x.try_solve_as(structure, b)
        })
    }
}
