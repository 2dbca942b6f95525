//! The QR decomposition.

use super::Arranged;
use crate::device::Device;
use crate::device::decompose::{Decompose, LinalgElement};
use crate::element::Element;
use crate::engine::linalg::{Matrices, named, result_shape};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the reduced QR decomposition of a matrix, or of each matrix of a batch: `a = q · r`.
    ///
    /// For a matrix of shape `[m, n]`, with `k = min(m, n)`, the shapes are `[m, k]` and `[k, n]`. The columns of `q` are orthonormal, and `r`
    /// is upper triangular. The first element of each row of `r` that is not 0 is real and positive; if the matrix has full rank, it is that
    /// on the diagonal. The module [`linalg`](crate::linalg) describes batches.
    ///
    /// # Panics
    /// If an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (q, r) = tensor![[0.0, -2.0], [3.0, 1.0]].qr();
    /// assert_eq!(q, tensor![[0.0, -1.0], [1.0, 0.0]]);
    /// assert_eq!(r, tensor![[3.0, 1.0], [0.0, 2.0]]);
    /// ```
    #[track_caller]
    pub fn qr(&self) -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>)
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        unwrap_or_panic(self.try_qr())
    }

    /// Fallible variant of [`qr`](Tensor::qr).
    ///
    /// # Errors
    /// For the reasons for which `qr` panics.
    pub fn try_qr(&self) -> Result<(Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Error>
    where
        T: LinalgElement,
        D: MatrixStack,
        Dev: Decompose<T>,
    {
        let shape = self.shape();
        let of = Matrices::new(O::ROW_MAJOR, shape.as_ref());
        let matrices = |extents: [usize; 2]| {
            let mut to = D::Shape::default();
            result_shape(O::ROW_MAJOR, shape.as_ref(), &extents, to.as_mut());
            Tensor::<T, D, O, Dev>::allocate(to, self.device().clone())
        };
        let (mut q, mut r) = (matrices([of.m, of.k()])?, matrices([of.k(), of.n])?);
        let [a, to_q, to_r] = [self.axes(), q.axes(), r.axes()].map(|axes| Arranged::<D>::new::<O>(axes, 2));
        let to_q = q.output_with_axes(to_q.axes(), 0).0;
        let (out, device) = r.output_with_axes(to_r.axes(), 0);
        device
            .qr(Some(to_q), out, self.operand_with_axes(a.axes(), 0).into())
            .map_err(|error| named(error, "qr", shape.as_ref()))?;
        Ok((q, r))
    }
}
