//! The LU decomposition and the Cholesky decomposition.

use super::stack::{
    NewStack, Stack, StackExtents, StackView, Stacked, Vectors, dense, extents, matrix_axes, stacked,
    with_operand,
};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::ops::create::construct::Constant;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// An LU decomposition with row exchanges: the result of [`lu`](Tensor::lu). Row `rows[i]` of the matrix is row `i` of `l · u`.
///
/// ```
/// use vierbein::linalg::Lu;
/// use vierbein::tensor;
/// let a = tensor![[1.0, 2.0], [4.0, 4.0]];
/// let Lu { l, u, rows } = a.lu();
/// assert_eq!(l, tensor![[1.0, 0.0], [0.25, 1.0]]);
/// assert_eq!(u, tensor![[4.0, 4.0], [0.0, 1.0]]);
/// assert_eq!(l.matmul(&u), a.take(0, &rows));
/// ```
#[derive(Debug, Clone)]
pub struct Lu<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> {
    /// The lower triangular factor, with ones on its diagonal.
    pub l: Tensor<T, D, O, Dev>,
    /// The upper triangular factor.
    pub u: Tensor<T, D, O, Dev>,
    /// The permutation of the rows: row `i` of `l · u` is row `rows[i]` of the matrix.
    pub rows: Tensor<i64, Removed<D, 1>, O, Dev>,
}

impl<T: LinalgElement, O: Order, Dev: Device> Stacked for Lu<T, Rank<3>, O, Dev> {
    type Typed<D: MatrixStack> = Lu<T, D, O, Dev>;
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Lu<T, D, O, Dev> {
        Lu { l: self.l.typed::<D>(shape), u: self.u.typed::<D>(shape), rows: self.rows.typed::<D>(shape) }
    }
}

/// Returns both factors in one matrix, without the diagonal of `l`, which consists of ones. Also returns the indices of [`Lu::rows`].
pub(super) fn packed_lu<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<(Stack<T, O, Dev>, Vectors<i64, O, Dev>), Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let (mut lu, mut rows) = (NewStack::stack(a, [m, n])?, NewStack::vectors(a, m)?);
    with_operand(a, |device, a| device.lu(lu.output(), rows.output(), a))?;
    Ok((lu.tensor, rows.tensor))
}

pub(super) fn lu<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Lu<T, Rank<3>, O, Dev>, Error> {
    let (packed, rows) = packed_lu(a)?;
    let [_, m, n] = extents::<O>(a.shape());
    let [of_rows, of_columns] = matrix_axes::<O>();
    let k = m.min(n);
    let mut l = packed.range(of_columns, 0..k).try_tril(-1)?;
    let diagonal = l.layout().range(of_rows, 0..k).diagonal("lu", of_rows, of_columns)?;
    let (to_diagonal, device) = l.output_in(&diagonal);
    device.generate(&Constant(T::one()), to_diagonal)?;
    let u = packed.range(of_rows, 0..k).try_triu(0)?;
    Ok(Lu { l, u, rows })
}

pub(super) fn cholesky<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Stack<T, O, Dev>, Error> {
    let [_, n, _] = extents::<O>(a.shape());
    let mut l = NewStack::stack(a, [n, n])?;
    with_operand(a, |device, a| device.cholesky(l.output(), a))?;
    Ok(l.tensor)
}

dense! {
    /// Returns the LU decomposition with partial pivoting of a matrix, or of each matrix of a batch: row `rows[i]` of the matrix is row
    /// `i` of `l · u`.
    ///
    /// For a matrix of shape `[m, n]`, with `k = min(m, n)`, `l` has shape `[m, k]`, `u` has shape `[k, n]` and `rows` has shape `[m]`. A
    /// singular matrix is not an error: `u` then has a 0 on its diagonal. To solve linear systems, use [`solve`](Tensor::solve).
    ///
    /// # Errors
    /// If an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let lu = tensor![[0.0, 2.0], [3.0, 6.0]].lu();
    /// assert_eq!(lu.u, tensor![[3.0, 6.0], [0.0, 2.0]]);
    /// assert_eq!(lu.rows, tensor![1, 0]);
    /// ```
    lu() -> Lu<T, D, O, Dev>, Any lu;

    /// Returns the Cholesky decomposition `a = l · lᴴ` of a Hermitian, positive definite matrix, or of each matrix of a batch. `l` is lower
    /// triangular, and the elements of its diagonal are real and positive.
    ///
    /// Only the lower triangle and the real parts of the diagonal are used, as in NumPy: whether the matrix is Hermitian is not checked.
    ///
    /// # Errors
    /// If the matrix is not square or not positive definite, an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[4.0, 2.0], [2.0, 10.0]].cholesky(), tensor![[2.0, 0.0], [1.0, 3.0]]);
    /// ```
    cholesky() -> Tensor<T, D, O, Dev>, Square cholesky;
}
