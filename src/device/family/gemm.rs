//! Sums of products.

use super::family;
use crate::element::Scalar;

family! {
    /// Sums of products: matrix products, dot products, and the pairwise products of contractions.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` cannot multiply matrices of `{T}`",
        label = "no matrix products on this device",
        note = "multiply on the host: `.to_device::<Cpu>()?`; or implement `Gemm<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Gemm<T: Scalar> {
        /// Computes the matrix products `out = alpha · a · b + beta · out` of a batch. `out`, `a` and `b` have shapes `[.., m, n]`,
        /// `[.., m, k]` and `[.., k, n]`. The leading axes, `..`, are those of the batch; they have equal extents. If `beta` is zero,
        /// `out` is not read.
        ///
        /// # Errors
        /// * [`Error::Arithmetic`](crate::Error::Arithmetic) if an integer result overflows. Results of 64 bits wrap in builds without debug assertions.
        /// * The error of the device.
        fn gemm(args: product[T]);

        /// Computes `out = alpha · Σ a · b + beta · out`: elementwise products, summed over the trailing axes of `a` and `b`. `a` and
        /// `b` have the same shape. Their leading axes have the extents of `out`; an operand that does not depend on an axis has stride 0
        /// along it. If `beta` is zero, `out` is not read.
        ///
        /// Dot products, matrix-vector products, and accumulated elementwise products have this form.
        ///
        /// # Errors
        /// The errors of [`gemm`](Gemm::gemm).
        fn sum_products(args: product[T]);
    }
    on the host {}
    trait items {
        /// The number of elements that the device copies in the time in which it starts a matrix product. If the matrices of a contraction are
        /// not contiguous, several smaller products can accumulate the result, or an operand is copied first. A contraction chooses the
        /// products only if starting them takes less time than the copy.
        const START_COST: usize = 0;
    }
    cuda items {
        /// A call of cuBLAS takes about 14 µs. In this time, an H200 copies 3.7 million `f64`.
        const START_COST: usize = 1 << 21;
    }
}
