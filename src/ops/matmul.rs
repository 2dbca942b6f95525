//! Matrix products.

use super::compute::check_out;
use crate::device::{Device, Gemm, MatrixOperand};
use crate::einsum::ProductOperand;
use crate::element::{Element, Scalar};
use crate::engine::{matmul, same_instance};
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::{Dim, MatmulRanks};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The product of matrices, vectors and batches of matrices. The rank of the result is in its type.
    ///
    /// | shapes, row-major | shapes, column-major | result |
    /// |---|---|---|
    /// | `[k]`, `[k]` | the same | rank 0 |
    /// | `[.., m, k]`, `[k]` | `[m, k, ..]`, `[k]` | `[.., m]` or `[m, ..]` |
    /// | `[k]`, `[.., k, n]` | `[k]`, `[k, n, ..]` | `[.., n]` or `[n, ..]` |
    /// | `[.., m, k]`, `[.., k, n]` | `[m, k, ..]`, `[k, n, ..]` | `[.., m, n]` or `[m, n, ..]` |
    ///
    /// Batch axes broadcast. Transposed and sliced views go in as they are, without a copy, and so does the right operand's
    /// complex conjugate, [`conj_view`](Tensor::conj_view). Integers are accumulated in 64 or
    /// 128 bits; a result that does not fit is an error in builds with debug assertions and wraps otherwise. Of floating and
    /// complex products on the host, up to 512 are added one after the other, and such sums one after the other: the error is at
    /// most `(min(k, 512) + k / 512 + 2) · u · Σ|a·b|`, twice that for parts of complex ones, with `u = ε/2` and to first order in it.
    /// (With the feature `blas` it is the library's.)
    ///
    /// # Panics
    /// Where the summed axes differ in length, batches do not broadcast, or the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1, 2], [3, 4]];
    /// assert_eq!(a.matmul(&tensor![[5, 6], [7, 8]]), tensor![[19, 22], [43, 50]]);
    /// assert_eq!(a.matmul(&tensor![1, 1]), tensor![3, 7]);
    /// assert_eq!(a.matmul(&a.t()), tensor![[5, 11], [11, 25]]);
    /// ```
    #[track_caller]
    pub fn matmul<'b, B, R>(&self, right: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
    {
        expect(self.try_matmul(right))
    }

    /// [`matmul`](Tensor::matmul) with a `Result`.
    ///
    /// # Errors
    /// Where the summed axes differ in length, batches do not broadcast, or the device has no memory left.
    pub fn try_matmul<'b, B, R>(&self, right: B) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
    {
        self.matmul_to(right.agreeing(), B::CONJUGATE, |shape| Tensor::allocate(shape, self.device().clone()))
    }

    /// [`matmul`](Tensor::matmul) into a tensor or mutable view that is there, of exactly the result's shape; it need not have
    /// been written before. To add to what is there, or to scale it, see [`einsum_into!`](crate::einsum_into).
    ///
    /// # Panics
    /// Where [`matmul`](Tensor::matmul) would, or the output has another shape; nothing is written then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[1, 2], [3, 4]].matmul_into(&tensor![[5, 6], [7, 8]], &mut out);
    /// assert_eq!(out, tensor![[19, 22], [43, 50]]);
    /// ```
    #[track_caller]
    pub fn matmul_into<'b, B, R, S2>(&self, right: B, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
        S2: StorageMut<T, Dev>,
    {
        expect(self.try_matmul_into(right, out));
    }

    /// [`matmul_into`](Tensor::matmul_into) with a `Result`.
    ///
    /// # Errors
    /// Where [`try_matmul`](Tensor::try_matmul) would return one, or the output has another shape; nothing is written then.
    pub fn try_matmul_into<'b, B, R, S2>(
        &self,
        right: B,
        out: &mut Tensor<T, R, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
        S2: StorageMut<T, Dev>,
    {
        let right = right.agreeing();
        // Integers may have no result, and nothing is to be half done then: they try it elsewhere.
        if T::INTEGER && cfg!(debug_assertions) {
            self.matmul_to(right, B::CONJUGATE, |shape| {
                check_out("matmul", shape.as_ref(), self.device(), out)?;
                Tensor::allocate(shape, self.device().clone())
            })?;
        }
        self.matmul_to(right, B::CONJUGATE, |shape| {
            check_out("matmul", shape.as_ref(), self.device(), out)?;
            Ok(out.view_mut())
        })
        .map(|_| ())
    }

    /// The product in what `make` has for its shape.
    #[inline]
    fn matmul_to<E, R, S2>(
        &self,
        right: TensorView<'_, T, E, O, Dev>,
        conjugate: bool,
        make: impl FnOnce(R::Shape) -> Result<Tensor<T, R, O, Dev, S2>, Error>,
    ) -> Result<Tensor<T, R, O, Dev, S2>, Error>
    where
        T: Scalar,
        D: MatmulRanks<E, Product = R>,
        E: Dim,
        R: Dim,
        Dev: Gemm<T>,
        S2: StorageMut<T, Dev>,
    {
        same_instance("matmul", self.device(), right.device())?;
        let mut shape = R::Shape::default();
        matmul::shape(O::ROW_MAJOR, self.axes().shape(), right.axes().shape(), shape.as_mut())?;
        let mut out = make(shape)?;
        let (a, b) = (self.operand().into(), MatrixOperand { operand: right.operand(), conjugate });
        let (output, device) = out.output();
        matmul::write(O::ROW_MAJOR, device, a, b, output)?;
        Ok(out)
    }
}
