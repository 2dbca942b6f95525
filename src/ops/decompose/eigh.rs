//! Eigenvalues and eigenvectors of Hermitian matrices.

use super::stack::{
    NewStack, Stack, StackExtents, StackView, Vectors, dense, extents, stacked, with_operand,
};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::{Element, Scalar};
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// Returns the eigenvalues, and writes the eigenvectors to `v` unless it is `None`.
fn eigenvalues<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
    v: Option<&mut NewStack<T, Rank<3>, O, Dev>>,
) -> Result<Vectors<T::Magnitude, O, Dev>, Error> {
    let [_, n, _] = extents::<O>(a.shape());
    let mut w = NewStack::vectors(a, n)?;
    let v = v.map(NewStack::output);
    with_operand(a, |device, a| device.eigh(w.output(), v, a))?;
    Ok(w.tensor)
}

/// Eigenvalues and eigenvectors.
pub(crate) type Eigh<T, O, Dev> = (Vectors<<T as Scalar>::Magnitude, O, Dev>, Stack<T, O, Dev>);

pub(super) fn eigh<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Eigh<T, O, Dev>, Error> {
    let [_, n, _] = extents::<O>(a.shape());
    let mut v = NewStack::stack(a, [n, n])?;
    let w = eigenvalues(a, Some(&mut v))?;
    Ok((w, v.tensor))
}

fn eigvalsh<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Vectors<T::Magnitude, O, Dev>, Error> {
    eigenvalues(a, None)
}

dense! {
    /// Returns the eigenvalues, in ascending order, and the eigenvectors, as columns, of a Hermitian matrix or of each matrix of a batch:
    /// `a = v · w · vᴴ`.
    ///
    /// Only the lower triangle and the real parts of the diagonal are used, as in NumPy: whether the matrix is Hermitian is not checked.
    /// The eigenvectors are orthonormal. The module [`linalg`](crate::linalg) describes batches and the signs of the vectors.
    ///
    /// # Errors
    /// * If the matrix is not square, or an element is NaN or infinite.
    /// * If the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (w, v) = tensor![[2.0, 1.0], [1.0, 2.0]].eigh();
    /// assert!(w.all_close(&tensor![1.0, 3.0], 1e-15, 0.0));
    /// assert!((&v * &w).matmul(&v.t()).all_close(&tensor![[2.0, 1.0], [1.0, 2.0]], 1e-15, 0.0));
    /// ```
    eigh() -> (Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Tensor<T, D, O, Dev>), Square eigh;

    /// Returns the eigenvalues of a Hermitian matrix, or of each matrix of a batch, in ascending order. Takes less than half the time of
    /// [`eigh`](Tensor::eigh).
    ///
    /// # Errors
    /// For the reasons for which `eigh` panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[2.0, 0.0], [0.0, -1.0]].eigvalsh(), tensor![-1.0, 2.0]);
    /// ```
    eigvalsh() -> Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Square eigvalsh;
}
