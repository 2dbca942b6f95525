//! Singular values and singular vectors.

use super::Arranged;
use crate::device::Device;
use crate::device::decompose::{Decompose, LinalgElement};
use crate::element::Element;
use crate::engine::linalg::{Matrices, named, result_shape};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Removed};
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

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the thin singular value decomposition of a matrix or of each matrix of a batch: `a = u · s · vh`.
    ///
    /// For a matrix of shape `[m, n]`, with `k = min(m, n)`, the shapes are `[m, k]`, `[k]` and `[k, n]`. The columns of `u` and the rows of
    /// `vh` are orthonormal. The module [`linalg`](crate::linalg) describes batches and the signs of the vectors.
    ///
    /// # Panics
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
    #[track_caller]
    pub fn svd(&self) -> Svd<T, D, O, Dev>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        unwrap_or_panic(self.try_svd())
    }

    /// Fallible variant of [`svd`](Tensor::svd).
    ///
    /// # Errors
    /// For the reasons for which `svd` panics.
    pub fn try_svd(&self) -> Result<Svd<T, D, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        let of = Matrices::new(O::ROW_MAJOR, self.shape().as_ref());
        self.decomposed([of.k(), of.k()])
    }

    /// Returns the full singular value decomposition: `u` and `vh` are square. Otherwise as [`svd`](Tensor::svd).
    ///
    /// # Panics
    /// For the reasons for which `svd` panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let svd = tensor![[3.0], [4.0]].svd_full();
    /// assert_eq!((svd.u.shape(), svd.vh.shape()), ([2, 2], [1, 1]));
    /// ```
    #[track_caller]
    pub fn svd_full(&self) -> Svd<T, D, O, Dev>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        unwrap_or_panic(self.try_svd_full())
    }

    /// Fallible variant of [`svd_full`](Tensor::svd_full).
    ///
    /// # Errors
    /// For the reasons for which `svd` panics.
    pub fn try_svd_full(&self) -> Result<Svd<T, D, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        let of = Matrices::new(O::ROW_MAJOR, self.shape().as_ref());
        self.decomposed([of.m, of.n])
    }

    /// Returns the singular values of a matrix, or of each matrix of a batch, in descending order. Takes about half the time of
    /// [`svd`](Tensor::svd).
    ///
    /// # Panics
    /// For the reasons for which `svd` panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 2.0], [3.0, 0.0]].singular_values(), tensor![3.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn singular_values(&self) -> Tensor<T::Magnitude, Removed<D, 1>, O, Dev>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        unwrap_or_panic(self.try_singular_values())
    }

    /// Fallible variant of [`singular_values`](Tensor::singular_values).
    ///
    /// # Errors
    /// For the reasons for which `svd` panics.
    pub fn try_singular_values(&self) -> Result<Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        let shape = self.shape();
        let of = Matrices::new(O::ROW_MAJOR, shape.as_ref());
        let mut s = values_for::<T, D, O, Dev>(shape.as_ref(), of.k(), self.device())?;
        let (a, to_s) =
            (Arranged::<D>::new::<O>(self.axes(), 2), Arranged::<Removed<D, 1>>::new::<O>(s.axes(), 1));
        let (out, device) = s.output_with_axes(to_s.axes(), 0);
        device
            .svd(out, None, self.operand_with_axes(a.axes(), 0).into())
            .map_err(|error| named(error, "svd", shape.as_ref()))?;
        Ok(s)
    }

    /// Returns the decomposition with this number of left and of right singular vectors.
    fn decomposed(&self, [p, q]: [usize; 2]) -> Result<Svd<T, D, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        let shape = self.shape();
        let of = Matrices::new(O::ROW_MAJOR, shape.as_ref());
        let mut s = values_for::<T, D, O, Dev>(shape.as_ref(), of.k(), self.device())?;
        let matrices = |extents: [usize; 2]| {
            let mut to = D::Shape::default();
            result_shape(O::ROW_MAJOR, shape.as_ref(), &extents, to.as_mut());
            Tensor::<T, D, O, Dev>::allocate(to, self.device().clone())
        };
        let (mut u, mut vh) = (matrices([of.m, p])?, matrices([q, of.n])?);
        let a = Arranged::<D>::new::<O>(self.axes(), 2);
        let to_s = Arranged::<Removed<D, 1>>::new::<O>(s.axes(), 1);
        let [to_u, to_vh] = [&u, &vh].map(|x| Arranged::<D>::new::<O>(x.axes(), 2));
        let vectors = [u.output_with_axes(to_u.axes(), 0).0, vh.output_with_axes(to_vh.axes(), 0).0];
        let (out, device) = s.output_with_axes(to_s.axes(), 0);
        device
            .svd(out, Some(vectors), self.operand_with_axes(a.axes(), 0).into())
            .map_err(|error| named(error, "svd", shape.as_ref()))?;
        Ok(Svd { u, s, vh })
    }
}

/// Allocates `k` values for each matrix of a tensor of this shape.
pub(super) fn values_for<T, D, O, Dev>(
    shape: &[usize],
    k: usize,
    device: &Dev,
) -> Result<Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Error>
where
    T: LinalgElement,
    D: MatrixStack,
    O: Order,
    Dev: Device,
{
    let mut to = <Removed<D, 1> as Dim>::Shape::default();
    result_shape(O::ROW_MAJOR, shape, &[k], to.as_mut());
    Tensor::allocate(to, device.clone())
}
