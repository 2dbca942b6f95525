//! Eigenvalues and eigenvectors of matrices that need not be Hermitian, and the Schur decomposition.

use super::stack::{
    NewStack, Stack, StackExtents, StackView, Vectors, dense, extents, stacked, with_operand,
};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// Returns the eigenvalues, and writes the eigenvectors to `v` unless it is `None`.
fn eigenvalues<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
    v: Option<&mut NewStack<T::Complex, Rank<3>, O, Dev>>,
) -> Result<Vectors<T::Complex, O, Dev>, Error> {
    let [_, n, _] = extents::<O>(a.shape());
    let mut w = NewStack::vectors(a, n)?;
    let v = v.map(NewStack::output);
    with_operand(a, |device, a| device.eig(w.output(), v, a))?;
    Ok(w.tensor)
}

fn eigvals<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Vectors<T::Complex, O, Dev>, Error> {
    eigenvalues(a, None)
}

/// Complex eigenvalues and eigenvectors.
type Eig<C, O, Dev> = (Vectors<C, O, Dev>, Stack<C, O, Dev>);

fn eig<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Eig<T::Complex, O, Dev>, Error> {
    let [_, n, _] = extents::<O>(a.shape());
    let mut v = NewStack::stack(a, [n, n])?;
    let w = eigenvalues(a, Some(&mut v))?;
    Ok((w, v.tensor))
}

pub(super) fn schur<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<(Stack<T, O, Dev>, Stack<T, O, Dev>), Error> {
    let [_, n, _] = extents::<O>(a.shape());
    let (mut t, mut z) = (NewStack::stack(a, [n, n])?, NewStack::stack(a, [n, n])?);
    with_operand(a, |device, a| device.schur(t.output(), z.output(), a))?;
    Ok((t.tensor, z.tensor))
}

dense! {
    /// Returns the eigenvalues and the eigenvectors, as columns, of a square matrix or of each matrix of a batch: `a · v = v · w`. Both are
    /// complex, even for a real matrix.
    ///
    /// The order of the eigenvalues is not specified, except that conjugate eigenvalues of a real matrix are next to each other.
    /// Each eigenvector has norm 1; the module [`linalg`](crate::linalg) describes its phase. For Hermitian matrices, use
    /// [`eigh`](Tensor::eigh), which is faster and whose eigenvectors are orthonormal.
    ///
    /// # Errors
    /// * If the matrix is not square, or an element is NaN or infinite.
    /// * If the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let (w, v) = tensor![[0.0, -1.0], [1.0, 0.0]].eig();
    /// assert!(w.all_close(&tensor![Complex::new(0.0, 1.0), Complex::new(0.0, -1.0)], 1e-15, 1e-15));
    /// let a = tensor![[0.0, -1.0], [1.0, 0.0]].cast::<Complex<f64>>();
    /// assert!(a.matmul(&v).all_close(&(&v * &w), 1e-15, 1e-15));
    /// ```
    eig() -> (Tensor<T::Complex, Removed<D, 1>, O, Dev>, Tensor<T::Complex, D, O, Dev>), Square eig;

    /// Returns the eigenvalues of a square matrix, or of each matrix of a batch. They are complex, even for a real matrix. Their order is
    /// not specified.
    ///
    /// # Errors
    /// For the reasons for which [`eig`](Tensor::eig) panics.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let w = tensor![[2.0, 1.0], [0.0, 2.0]].eigvals();
    /// assert_eq!(w, tensor![Complex::new(2.0, 0.0), Complex::new(2.0, 0.0)]);
    /// ```
    eigvals() -> Tensor<T::Complex, Removed<D, 1>, O, Dev>, Square eigvals;

    /// Returns the Schur decomposition `a = z · t · zᴴ` of a square matrix, or of each matrix of a batch, as `(t, z)`.
    ///
    /// `z` is unitary, and `t` is upper triangular. If the matrix is real, so are both factors, and `t` is triangular except for a block of
    /// two rows on its diagonal for each pair of conjugate complex eigenvalues. To get a triangular `t` in this case too, convert the
    /// matrix to complex elements first.
    ///
    /// # Errors
    /// For the reasons for which [`eig`](Tensor::eig) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1.0, 2.0], [3.0, 2.0]];
    /// let (t, z) = a.schur();
    /// assert_eq!(t[[1, 0]], 0.0);
    /// assert!(z.matmul(&t).matmul(z.t()).all_close(&a, 1e-14, 0.0));
    /// ```
    schur() -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Square schur;
}
