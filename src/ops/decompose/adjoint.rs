//! The conjugate transpose.

use crate::device::{Device, Elementwise};
use crate::element::{Element, Scalar};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, check_matrices};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the conjugate transpose `aᴴ` of a matrix, or of each matrix of a batch, as a new tensor.
    ///
    /// A product of matrices needs no such copy: use `a.t()` if `a` is real, and `a.t().conj_view()` if `a` is a complex right operand. See
    /// [`conj_view`](Tensor::conj_view).
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let a = tensor![[Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)]];
    /// assert_eq!(a.adjoint(), tensor![[Complex::new(1.0, -2.0)], [Complex::new(3.0, -4.0)]]);
    /// ```
    #[fallible]
    pub fn adjoint(&self) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        D: MatrixStack,
        Dev: Elementwise<T>,
    {
        check_matrices("adjoint", self.rank())?;
        let first = if O::ROW_MAJOR { self.rank() - 2 } else { 0 };
        self.cut::<D>(self.rank(), |from, to| from.swap_axes(first, first + 1, to))?.try_conj()
    }
}
