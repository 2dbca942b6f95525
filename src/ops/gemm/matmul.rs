//! Matrix products of typed tensors.

use crate::device::wide::is_wide;
use crate::device::{Copy, Device, Gemm, IntoOutput, MatrixOperand, Output, wide};
use crate::einsum::ProductOperand;
use crate::element::{Element, Scalar};
use crate::engine::contract::Factor;
use crate::engine::gemm::matmul;
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{Dim, MatmulRanks};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;
use core::marker::PhantomData;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the product of matrices, vectors and batches of matrices. The rank of the result is in its type.
    ///
    /// | shapes, row-major | shapes, column-major | result |
    /// |---|---|---|
    /// | `[k]`, `[k]` | the same | rank 0 |
    /// | `[.., m, k]`, `[k]` | `[m, k, ..]`, `[k]` | `[.., m]` or `[m, ..]` |
    /// | `[k]`, `[.., k, n]` | `[k]`, `[k, n, ..]` | `[.., n]` or `[n, ..]` |
    /// | `[.., m, k]`, `[.., k, n]` | `[m, k, ..]`, `[k, n, ..]` | `[.., m, n]` or `[m, n, ..]` |
    ///
    /// Batch axes (`..`) broadcast. Transposed and sliced views are used without a copy. The right operand can also be a
    /// [`conj_view`](Tensor::conj_view), the complex conjugate of a tensor, which is used without a copy too. The right operand of a complex
    /// tensor may be real; large products then cost half.
    ///
    /// Integer sums are exact: a result that does not fit an element type of up to 32 bits panics in every build. Convert the operands first,
    /// e.g. with `.cast::<i64>()`. Results of 64 bits panic in builds with debug assertions, and wrap in other builds.
    ///
    /// On the host, floating-point and complex sums are formed in blocks of up to 512 terms, and terms and blocks are added
    /// sequentially. The error is at most `(min(k, 512) + k / 512 + 2) · u · Σ|a·b|`, to first order in `u = ε/2`. For each part of
    /// a complex number it is at most twice that. With the feature `blas`, the error is that of the BLAS library.
    ///
    /// # Errors
    /// * If the summed axes differ in extent, or batches do not broadcast.
    /// * If an integer result overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1, 2], [3, 4]];
    /// assert_eq!(a.matmul(&tensor![[5, 6], [7, 8]]), tensor![[19, 22], [43, 50]]);
    /// assert_eq!(a.matmul(&tensor![1, 1]), tensor![3, 7]);
    /// assert_eq!(a.matmul(&a.t()), tensor![[5, 11], [11, 25]]);
    /// ```
    #[fallible]
    pub fn matmul<B, R>(&self, right: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
    {
        let (shape, product) = self.product(&right)?;
        Tensor::computed(shape, self.device().clone(), product)
    }

    /// [`matmul`](Tensor::matmul) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// The previous elements of `out` are overwritten. To add to them, or to scale them, see [`einsum_into!`](crate::einsum_into).
    ///
    /// # Errors
    /// For the reasons given for [`try_matmul`](Tensor::try_matmul), or if `out` does not have the result's shape. Nothing is
    /// written then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[1, 2], [3, 4]].matmul_into(&tensor![[5, 6], [7, 8]], &mut out);
    /// assert_eq!(out, tensor![[19, 22], [43, 50]]);
    /// ```
    #[fallible]
    pub fn matmul_into<B, R, S2>(&self, right: B, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T> + Copy<T>,
        S2: StorageMut<T, Dev>,
    {
        if !T::SUMS_CHECKED {
            return self.product_into(right, out);
        }
        // An integer product may overflow, and `out` must not be partly written then: compute it in a temporary first.
        let (shape, product) = self.product::<B, R>(&right)?;
        check_out("matmul", shape.as_ref(), self.device(), out)?;
        let computed: Tensor<T, R, O, Dev> = Tensor::computed(shape, self.device().clone(), product)?;
        let (output, device) = out.output();
        wide::copy::<R, _, _>(device, output, computed.operand())
    }

    /// [`try_matmul_into`](Tensor::try_matmul_into) for products that cannot overflow.
    pub(crate) fn product_into<B: ProductOperand<T, O, Dev>, R: Dim, S2: StorageMut<T, Dev>>(
        &self,
        right: B,
        out: &mut Tensor<T, R, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        D: MatmulRanks<B::Dim, Product = R>,
        Dev: Gemm<T>,
    {
        let (shape, product) = self.product::<B, R>(&right)?;
        check_out("matmul", shape.as_ref(), self.device(), out)?;
        let (output, device) = out.output();
        product.write(output, device)
    }

    /// Returns the shape of the product, and a [`MatrixProduct`] that computes its elements.
    ///
    /// # Errors
    /// If the summed axes differ in extent, batches do not broadcast, or the operands are on different instances of the device.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn product<'a, B, R>(&'a self, right: &'a B) -> Result<(R::Shape, MatrixProduct<'a, T, Dev, R>), Error>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
    {
        let ((a, device), (b, of_b)) = (self.on_device(), right.agreeing());
        same_instance("matmul", device, of_b)?;
        let mut shape = R::shape(matmul::rank(a.operand.shape().len(), b.axes().rank())?);
        matmul::shape(O::ROW_MAJOR, a.operand.shape(), b.axes().shape(), shape.as_mut())?;
        Ok((shape, MatrixProduct { row_major: O::ROW_MAJOR, a, b, rank: PhantomData }))
    }
}

/// The product of two operands, a tensor of rank `R`. The method `write` computes its elements, and is always inlined.
struct MatrixProduct<'a, T: Scalar, Dev: Device, R> {
    row_major: bool,
    a: MatrixOperand<'a, T, Dev>,
    b: Factor<'a, T, Dev>,
    rank: PhantomData<R>,
}

impl<T: Scalar, Dev: Gemm<T>, R: Dim> IntoOutput<T, Dev> for MatrixProduct<'_, T, Dev, R> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write(self, out: Output<'_, T, Dev>, device: &Dev) -> Result<(), Error> {
        // The result of a vector and a batch of matrices has fewer axes than the batch.
        let ranks = [self.a.operand.shape().len(), self.b.axes().rank()];
        if is_wide!(R, ranks[0].max(ranks[1])) {
            return matmul::write_wide(self.row_major, device, self.a, self.b, out);
        }
        matmul::write(self.row_major, device, self.a, self.b, out)
    }
}
