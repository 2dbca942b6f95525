//! Singular values and singular vectors.

use super::stack::{
    NewStack, StackExtents, StackView, Stacked, Vectors, dense, extents, stacked, with_operand,
};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// A singular value decomposition, `a = u · s · vh`: the result of [`svd`](Tensor::svd) and [`svd_full`](Tensor::svd_full).
///
/// ```
/// use vierbein::linalg::Svd;
/// use vierbein::tensor;
/// let Svd { u, s, vh } = tensor![[0.0, 2.0], [3.0, 0.0]].svd();
/// assert_eq!(s, tensor![3.0, 2.0]);
/// assert_eq!((&u * &s).matmul(&vh), tensor![[0.0, 2.0], [3.0, 0.0]]);
/// ```
#[derive(Debug, Clone)]
pub struct Svd<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> {
    /// The left singular vectors, as columns.
    pub u: Tensor<T, D, O, Dev>,
    /// The singular values, in descending order.
    pub s: Tensor<T::Magnitude, Removed<D, 1>, O, Dev>,
    /// The conjugates of the right singular vectors, as rows.
    pub vh: Tensor<T, D, O, Dev>,
}

impl<T: LinalgElement, O: Order, Dev: Device> Stacked for Svd<T, Rank<3>, O, Dev> {
    type Typed<D: MatrixStack> = Svd<T, D, O, Dev>;
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Svd<T, D, O, Dev> {
        Svd { u: self.u.typed::<D>(shape), s: self.s.typed::<D>(shape), vh: self.vh.typed::<D>(shape) }
    }
}

/// Returns the singular values. If `vectors` is `Some([u, vh])`, writes the singular vectors to `u` and `vh`.
fn decomposed<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
    vectors: Option<[&mut NewStack<T, Rank<3>, O, Dev>; 2]>,
) -> Result<Vectors<T::Magnitude, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let mut s = NewStack::vectors(a, m.min(n))?;
    let vectors = vectors.map(|vectors| vectors.map(NewStack::output));
    with_operand(a, |device, a| device.svd(s.output(), vectors, a))?;
    Ok(s.tensor)
}

/// Returns the decomposition with this number of left and of right singular vectors.
fn with_vectors<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
    [left, right]: [usize; 2],
) -> Result<Svd<T, Rank<3>, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let (mut u, mut vh) = (NewStack::stack(a, [m, left])?, NewStack::stack(a, [right, n])?);
    let s = decomposed(a, Some([&mut u, &mut vh]))?;
    Ok(Svd { u: u.tensor, s, vh: vh.tensor })
}

pub(super) fn svd<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Svd<T, Rank<3>, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    with_vectors(a, [m.min(n); 2])
}

pub(super) fn svd_full<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Svd<T, Rank<3>, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    with_vectors(a, [m, n])
}

pub(super) fn singular_values<T: LinalgElement, O: Order, Dev: Decompose<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Vectors<T::Magnitude, O, Dev>, Error> {
    decomposed(a, None)
}

dense! {
    /// Returns the thin singular value decomposition of a matrix or of each matrix of a batch: `a = u · s · vh`.
    ///
    /// For a matrix of shape `[m, n]`, with `k = min(m, n)`, the shapes are `[m, k]`, `[k]` and `[k, n]`. The columns of `u` and the rows
    /// of `vh` are orthonormal. The module [`linalg`](crate::linalg) describes batches and the signs of the vectors.
    ///
    /// # Errors
    /// If an element is NaN or infinite, the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]];
    /// let svd = a.svd();
    /// assert_eq!(svd.s, tensor![4.0, 3.0]);
    /// assert_eq!(svd.u, tensor![[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]);
    /// assert_eq!(svd.vh, tensor![[0.0, 1.0], [1.0, 0.0]]);
    /// ```
    svd() -> Svd<T, D, O, Dev>, Any svd;

    /// Returns the full singular value decomposition: `u` and `vh` are square. The other properties are those of [`svd`](Tensor::svd).
    ///
    /// # Errors
    /// For the reasons for which `svd` panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let svd = tensor![[3.0], [4.0]].svd_full();
    /// assert_eq!((svd.u.shape(), svd.vh.shape()), ([2, 2], [1, 1]));
    /// ```
    svd_full() -> Svd<T, D, O, Dev>, Any svd_full;

    /// Returns the singular values of a matrix, or of each matrix of a batch, in descending order. Takes about half the time of
    /// [`svd`](Tensor::svd).
    ///
    /// # Errors
    /// For the reasons for which `svd` panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 2.0], [3.0, 0.0]].singular_values(), tensor![3.0, 2.0]);
    /// ```
    singular_values() -> Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Any singular_values;
}
