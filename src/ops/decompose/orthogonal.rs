//! Decompositions with a matrix whose columns or rows are orthonormal: QR, LQ, RQ and polar.

use super::stack::{
    Stack, StackExtents, StackView, adjoint, arranged, dense, extents, scale_columns, stack_shape, stacked,
};
use super::svd::svd;
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::layout::Layout;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// Two factors.
type Factors<T, O, Dev> = (Stack<T, O, Dev>, Stack<T, O, Dev>);

/// Computes a QR, LQ or RQ decomposition as a QR decomposition of rearranged layouts. Returns the orthogonal factor, whose matrices have
/// the extents `of_q`, and the triangular factor, whose matrices have the extents `of_r`.
///
/// `rearranged` gets the layouts of `a`, of the orthogonal factor and of the triangular factor, with the batch as first axis. In the
/// layouts that it returns, `a` must be the product of the orthogonal factor and the triangular factor, in this order.
fn by_qr<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
    [of_q, of_r]: [[usize; 2]; 2],
    rearranged: impl Fn([Layout; 3]) -> Result<[Layout; 3], Error>,
) -> Result<Factors<T, O, Dev>, Error> {
    let [batch, ..] = extents::<O>(a.shape());
    let allocate = |[m, n]: [usize; 2]| {
        Stack::<T, O, Dev>::allocate(stack_shape::<O>([batch, m, n]), a.device().clone())
    };
    let (mut q, mut r) = (allocate(of_q)?, allocate(of_r)?);
    let [from, to_q, to_r] =
        rearranged([a.layout(), q.layout(), r.layout()].map(|layout| arranged::<O>(layout, 2)))?;
    let q_out = q.output_in(&to_q).0;
    let (r_out, device) = r.output_in(&to_r);
    device.qr(Some(q_out), r_out, a.operand_in(&from).into())?;
    Ok((q, r))
}

fn qr<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Factors<T, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let k = m.min(n);
    by_qr(a, [[m, k], [k, n]], Ok)
}

fn qr_complete<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Factors<T, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    by_qr(a, [[m, m], [m, n]], Ok)
}

/// Returns the factors of `a = l · q`. They are the transposed factors of a QR decomposition: if `aᵀ = x · r`, then `a = rᵀ · xᵀ`.
fn lq<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Factors<T, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let k = m.min(n);
    let (q, l) = by_qr(a, [[k, n], [m, k]], |[a, q, l]| {
        Ok([a.swap_axes(1, 2)?, q.swap_axes(1, 2)?, l.swap_axes(1, 2)?])
    })?;
    Ok((l, q))
}

/// Returns the factors of `a = r · q`. Reversing the rows of `a` and of `q`, and the rows and columns of `r`, makes this an LQ
/// decomposition.
fn rq<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Factors<T, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let k = m.min(n);
    let (q, r) = by_qr(a, [[k, n], [m, k]], |[a, q, r]| {
        let reversed = |layout: Layout, axes: &[usize]| layout.flip(axes)?.swap_axes(1, 2);
        Ok([reversed(a, &[1])?, reversed(q, &[1])?, reversed(r, &[1, 2])?])
    })?;
    Ok((r, q))
}

fn polar<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Factors<T, O, Dev>, Error> {
    let svd = svd(a)?;
    let v = adjoint(&svd.vh.view())?;
    let scaled = scale_columns(&v.view(), &svd.s.try_cast()?)?;
    Ok((svd.u.try_matmul(&svd.vh)?, scaled.try_matmul(&svd.vh)?))
}

dense! {
    /// Returns the reduced QR decomposition of a matrix, or of each matrix of a batch: `a = q · r`.
    ///
    /// For a matrix of shape `[m, n]`, with `k = min(m, n)`, the shapes are `[m, k]` and `[k, n]`. The columns of `q` are orthonormal, and
    /// `r` is upper triangular. In each row of `r`, the first element that is not 0 is real and positive; if the matrix has full rank, this
    /// is the element on the diagonal. The module [`linalg`](crate::linalg) describes batches.
    ///
    /// # Errors
    /// If an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (q, r) = tensor![[0.0, -2.0], [3.0, 1.0]].qr();
    /// assert_eq!(q, tensor![[0.0, -1.0], [1.0, 0.0]]);
    /// assert_eq!(r, tensor![[3.0, 1.0], [0.0, 2.0]]);
    /// ```
    qr() -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Any qr;

    /// Returns the complete QR decomposition of a matrix, or of each matrix of a batch: `a = q · r` with a square `q`.
    ///
    /// For a matrix of shape `[m, n]`, the shapes are `[m, m]` and `[m, n]`. The other properties are those of [`qr`](Tensor::qr).
    ///
    /// # Errors
    /// If an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (q, r) = tensor![[0.0], [-2.0]].qr_complete();
    /// assert_eq!((q.shape(), r.shape()), ([2, 2], [2, 1]));
    /// assert_eq!(r, tensor![[2.0], [0.0]]);
    /// ```
    qr_complete() -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Any qr_complete;

    /// Returns the LQ decomposition `a = l · q` of a matrix, or of each matrix of a batch.
    ///
    /// For a matrix of shape `[m, n]`, with `k = min(m, n)`, the shapes are `[m, k]` and `[k, n]`. `l` is lower triangular, and the rows of
    /// `q` are orthonormal. In each column of `l`, the first element that is not 0 is real and positive.
    ///
    /// # Errors
    /// If an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (l, q) = tensor![[0.0, 3.0], [-2.0, 1.0]].lq();
    /// assert_eq!(l, tensor![[3.0, 0.0], [1.0, 2.0]]);
    /// assert_eq!(q, tensor![[0.0, 1.0], [-1.0, 0.0]]);
    /// ```
    lq() -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Any lq;

    /// Returns the RQ decomposition `a = r · q` of a matrix, or of each matrix of a batch.
    ///
    /// For a matrix of shape `[m, n]`, with `k = min(m, n)`, the shapes are `[m, k]` and `[k, n]`. The last `k` rows of `r` are upper
    /// triangular, and the rows of `q` are orthonormal. In each column of `r`, the last element that is not 0 is real and positive.
    ///
    /// # Errors
    /// If an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (r, q) = tensor![[1.0, -2.0], [3.0, 0.0]].rq();
    /// assert_eq!(r, tensor![[2.0, 1.0], [0.0, 3.0]]);
    /// assert_eq!(q, tensor![[0.0, -1.0], [1.0, 0.0]]);
    /// ```
    rq() -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Any rq;

    /// Returns the polar decomposition `a = u · p` of a matrix, or of each matrix of a batch.
    ///
    /// For a matrix of shape `[m, n]`, the shapes are `[m, n]` and `[n, n]`. `p` is Hermitian and has no negative eigenvalues. The columns
    /// of `u` are orthonormal if `m ≥ n`, its rows if `m ≤ n`. The decomposition is computed from the singular values.
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (u, p) = tensor![[0.0, -2.0], [3.0, 0.0]].polar();
    /// assert!(u.all_close(&tensor![[0.0, -1.0], [1.0, 0.0]], 1e-15, 0.0));
    /// assert!(p.all_close(&tensor![[3.0, 0.0], [0.0, 2.0]], 1e-15, 0.0));
    /// ```
    polar() -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Any polar;
}
