//! The LDLᴴ decomposition of Hermitian matrices, which may be indefinite.

use super::stack::{NewStack, StackExtents, StackView, Stacked, dense, extents, stacked, with_operand};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// An LDLᴴ decomposition with exchanges of rows and columns: the result of [`ldl`](Tensor::ldl). Element `[i, j]` of `l · d · lᴴ` is
/// element `[rows[i], rows[j]]` of the matrix.
///
/// ```
/// use vierbein::linalg::Ldl;
/// use vierbein::tensor;
/// let a = tensor![[1.0, 4.0], [4.0, 8.0]];
/// let Ldl { l, d, rows } = a.ldl();
/// assert_eq!(l, tensor![[1.0, 0.0], [0.5, 1.0]]);
/// assert_eq!(d, tensor![[8.0, 0.0], [0.0, -1.0]]);
/// assert_eq!(l.matmul(&d).matmul(l.adjoint()), a.take(0, &rows).take(1, &rows));
/// ```
#[derive(Debug, Clone)]
pub struct Ldl<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> {
    /// The lower triangular factor, with ones on its diagonal.
    pub l: Tensor<T, D, O, Dev>,
    /// The Hermitian factor, with blocks of one or two rows on its diagonal.
    pub d: Tensor<T, D, O, Dev>,
    /// The permutation of the rows and columns: index `i` of `l · d · lᴴ` is index `rows[i]` of the matrix.
    pub rows: Tensor<i64, Removed<D, 1>, O, Dev>,
}

impl<T: LinalgElement, O: Order, Dev: Device> Stacked for Ldl<T, Rank<3>, O, Dev> {
    type Typed<D: MatrixStack> = Ldl<T, D, O, Dev>;
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Ldl<T, D, O, Dev> {
        Ldl { l: self.l.typed::<D>(shape), d: self.d.typed::<D>(shape), rows: self.rows.typed::<D>(shape) }
    }
}

fn ldl<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Ldl<T, Rank<3>, O, Dev>, Error> {
    let [_, n, _] = extents::<O>(a.shape());
    let (mut l, mut d, mut rows) =
        (NewStack::stack(a, [n, n])?, NewStack::stack(a, [n, n])?, NewStack::vectors(a, n)?);
    with_operand(a, |device, a| device.ldl(l.output(), d.output(), rows.output(), a))?;
    Ok(Ldl { l: l.tensor, d: d.tensor, rows: rows.tensor })
}

dense! {
    /// Returns the LDLᴴ decomposition of a Hermitian matrix, which may be indefinite or singular, or of each matrix of a batch. Element
    /// `[i, j]` of `l · d · lᴴ` is element `[rows[i], rows[j]]` of the matrix.
    ///
    /// `l` is lower triangular, with ones on its diagonal. `d` is Hermitian and has blocks on its diagonal: single elements, and blocks of
    /// two rows, each with one positive and one negative eigenvalue. By Sylvester's law of inertia, `d` has as many positive, negative and
    /// zero eigenvalues as the matrix. Rook pivoting chooses the blocks: the search begins at the largest remaining element of the
    /// diagonal. It ends at an element that is, up to a constant factor, the largest one of its row and column.
    ///
    /// Only the lower triangle and the real parts of the diagonal are used: whether the matrix is Hermitian is not checked. To solve linear
    /// systems, use [`solve_as`](Tensor::solve_as) with [`Structure::Hermitian`](crate::linalg::Structure::Hermitian).
    ///
    /// # Errors
    /// If the matrix is not square, an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// // No element of the diagonal is a pivot.
    /// let exchange = tensor![[0.0, 1.0], [1.0, 0.0]];
    /// let ldl = exchange.ldl();
    /// assert_eq!(ldl.l, tensor![[1.0, 0.0], [0.0, 1.0]]);
    /// assert_eq!(ldl.d, exchange);
    /// ```
    ldl() -> Ldl<T, D, O, Dev>, Square ldl;
}
