//! Eigenvalues and eigenvectors of Hermitian matrices.

use super::Arranged;
use super::svd::values_for;
use crate::device::Device;
use crate::device::decompose::{Decompose, LinalgElement};
use crate::element::Element;
use crate::engine::linalg::{Matrices, named};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the eigenvalues, in ascending order, and the eigenvectors, as columns, of a Hermitian matrix or of each matrix of a batch:
    /// `a = v · w · vᴴ`.
    ///
    /// Only the lower triangle and the real parts of the diagonal are used, as in NumPy: whether the matrix is Hermitian is not checked. The
    /// eigenvectors are orthonormal. The module [`linalg`](crate::linalg) describes batches and the signs of the vectors.
    ///
    /// # Panics
    /// If the matrix is not square, an element is NaN or infinite, the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (w, v) = tensor![[2.0, 1.0], [1.0, 2.0]].eigh();
    /// assert!(w.all_close(&tensor![1.0, 3.0], 1e-15, 0.0));
    /// assert!((&v * &w).matmul(&v.t()).all_close(&tensor![[2.0, 1.0], [1.0, 2.0]], 1e-15, 0.0));
    /// ```
    #[track_caller]
    pub fn eigh(&self) -> (Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Tensor<T, D, O, Dev>)
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        unwrap_or_panic(self.try_eigh())
    }

    /// Fallible variant of [`eigh`](Tensor::eigh).
    ///
    /// # Errors
    /// For the reasons for which `eigh` panics.
    pub fn try_eigh(
        &self,
    ) -> Result<(Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Tensor<T, D, O, Dev>), Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        let mut v = Tensor::<T, D, O, Dev>::allocate(self.shape(), self.device().clone())?;
        let w = self.hermitian(Some(&mut v))?;
        Ok((w, v))
    }

    /// Returns the eigenvalues of a Hermitian matrix, or of each matrix of a batch, in ascending order. Takes less than half the time of
    /// [`eigh`](Tensor::eigh).
    ///
    /// # Panics
    /// For the reasons for which `eigh` panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[2.0, 0.0], [0.0, -1.0]].eigvalsh(), tensor![-1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn eigvalsh(&self) -> Tensor<T::Magnitude, Removed<D, 1>, O, Dev>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        unwrap_or_panic(self.try_eigvalsh())
    }

    /// Fallible variant of [`eigvalsh`](Tensor::eigvalsh).
    ///
    /// # Errors
    /// For the reasons for which `eigh` panics.
    pub fn try_eigvalsh(&self) -> Result<Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        self.hermitian(None)
    }

    /// Returns the eigenvalues, and writes the eigenvectors to `v`, which has the shape of `self`.
    fn hermitian(
        &self,
        v: Option<&mut Tensor<T, D, O, Dev>>,
    ) -> Result<Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        let shape = self.shape();
        let of = Matrices::new(O::ROW_MAJOR, shape.as_ref());
        of.check_square("eigh", shape.as_ref())?;
        let mut w = values_for::<T, D, O, Dev>(shape.as_ref(), of.n, self.device())?;
        let (a, to_w) =
            (Arranged::<D>::new::<O>(self.axes(), 2), Arranged::<Removed<D, 1>>::new::<O>(w.axes(), 1));
        let to_v = v.as_ref().map(|v| Arranged::<D>::new::<O>(v.axes(), 2));
        let vectors = v.zip(to_v.as_ref()).map(|(v, to)| v.output_with_axes(to.axes(), 0).0);
        let (out, device) = w.output_with_axes(to_w.axes(), 0);
        device
            .eigh(out, vectors, self.operand_with_axes(a.axes(), 0).into())
            .map_err(|error| named(error, "eigh", shape.as_ref()))?;
        Ok(w)
    }
}
