//! Computes large products of floating-point and complex numbers with CBLAS, if the feature `blas` is on.
//!
//! This crate declares the functions of CBLAS (through `cblas-sys`) but does not link an implementation. The application chooses
//! an implementation in its `Cargo.toml`, by the convention of the `blas-src` crates:
//!
//! ```toml
//! vierbein = { version = "0.1", features = ["blas"] }
//! blas-src = { version = "0.14", features = ["openblas"] }
//! openblas-src = { version = "0.10", features = ["cblas", "system"] }
//! ```
//!
//! The application's `main.rs` must have the line `extern crate blas_src;`, so that the implementation is linked. The
//! implementation must use 32-bit integers (LP64). Whether a result has the same bits on any number of threads depends on the
//! implementation.
//!
//! In CBLAS, one axis of each matrix must have unit stride. The stride of the other axis must be at least the extent of the axis
//! with unit stride. An operand can be conjugated only if it is also transposed. This crate's own kernels compute products that
//! do not meet these conditions. They also compute small products, for which they are faster.

use super::product::{Matrix, MatrixProduct, Product, same};
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::layout::odometer::Odometer;
use cblas_sys::{CBLAS_LAYOUT, CBLAS_TRANSPOSE};
use core::ffi::c_int;

/// Minimum number of multiplications of a product that CBLAS computes. For smaller products, this crate's own kernels are faster.
const MIN_BLAS_WORK: usize = 1 << 15;

/// The implementation that calls CBLAS. It calls this crate's own kernels for small products and for strides that CBLAS does not
/// support.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blas;

impl<T: Scalar> MatrixProduct<T> for Blas {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        let call = if product.work() < MIN_BLAS_WORK { None } else { Call::of(product) };
        match call {
            // SAFETY: `run` requires the conditions of `multiply` for `call.product`, which is `product` or its transpose. The caller
            // ensures them for `product`, and its transpose has the same elements.
            Some(call) => unsafe { call.run() },
            // SAFETY: `MatrixProduct::multiply` has the same contract in every implementation. The caller ensures it for `product`.
            None => return unsafe { super::own().multiply(product) },
        }
        Ok(())
    }

    unsafe fn multiply_all(
        &self,
        product: &Product<T>,
        walk: &mut Odometer<3>,
        count: usize,
    ) -> Result<(), Error> {
        if product.work() < MIN_BLAS_WORK {
            // SAFETY: `MatrixProduct::multiply_all` has the same contract in every implementation. The caller ensures it for these
            // arguments.
            unsafe { super::own().multiply_all(product, walk, count) }
        } else {
            // SAFETY: `one_by_one` has the contract of `MatrixProduct::multiply_all`. The caller ensures it for these arguments.
            unsafe { super::product::one_by_one(self, product, walk, count) }
        }
    }
}

/// The arguments of a CBLAS call, which describe column-major matrices. The columns of `product.c` are contiguous.
struct Call<T> {
    product: Product<T>,
    size: [c_int; 3],
    transpose: [CBLAS_TRANSPOSE; 2],
    leading: [c_int; 3],
}

impl<T: Scalar> Call<T> {
    /// Returns the arguments for `product` or for its transpose. Returns `None` if CBLAS can compute neither, because of strides, of a
    /// conjugated operand, or of extents that exceed `c_int`.
    fn of(product: &Product<T>) -> Option<Self> {
        Call::as_is(product).or_else(|| Call::as_is(&product.transposed()))
    }

    fn as_is(product: &Product<T>) -> Option<Self> {
        let Product { m, k, n, a, b, c, conjugate, .. } = *product;
        let leading_c = leading(c, m, n)?;
        let (transpose_a, leading_a) = factor(a, m, k, T::COMPLEX && conjugate[0])?;
        let (transpose_b, leading_b) = factor(b, k, n, T::COMPLEX && conjugate[1])?;
        let int = |x: usize| c_int::try_from(x).ok();
        Some(Call {
            product: *product,
            size: [int(m)?, int(n)?, int(k)?],
            transpose: [transpose_a, transpose_b],
            leading: [leading_a, leading_b, leading_c],
        })
    }

    /// Calls CBLAS.
    ///
    /// # Safety
    /// The caller must ensure, for `self.product`, the conditions of [`MatrixProduct::multiply`].
    unsafe fn run(self) {
        let Call { product, size: [m, n, k], transpose: [trans_a, trans_b], leading: [lda, ldb, ldc] } = self;
        let Product { a, b, c, alpha, beta, .. } = product;
        const LAYOUT: CBLAS_LAYOUT = CBLAS_LAYOUT::CblasColMajor;
        macro_rules! call {
            ($gemm:ident, $alpha:expr, $beta:expr) => {{
                let (a, b, c) = (a.ptr.get().cast(), b.ptr.get().cast(), c.ptr.get().cast());
                // SAFETY: the match below selects the function for `T`. Sizes, leading dimensions and transpositions describe `product`.
                // The caller ensures that its `a` and `b` are readable, and exclusive access to its `c`.
                unsafe {
                    cblas_sys::$gemm(LAYOUT, trans_a, trans_b, m, n, k, $alpha, a, lda, b, ldb, $beta, c, ldc)
                }
            }};
        }
        match T::DTYPE {
            DType::F32 => call!(cblas_sgemm, same::<T, f32>(alpha), same::<T, f32>(beta)),
            DType::F64 => call!(cblas_dgemm, same::<T, f64>(alpha), same::<T, f64>(beta)),
            DType::C32 => call!(cblas_cgemm, &same::<T, [f32; 2]>(alpha), &same::<T, [f32; 2]>(beta)),
            DType::C64 => call!(cblas_zgemm, &same::<T, [f64; 2]>(alpha), &same::<T, [f64; 2]>(beta)),
            other => unreachable!("not a floating-point type: {}", other.name()),
        }
    }
}

/// Returns the leading dimension of a matrix, taken as column-major. Returns `None` if the columns are not contiguous, or if
/// CBLAS does not support the stride between columns.
fn leading<T>(x: Matrix<T>, rows: usize, columns: usize) -> Option<c_int> {
    // The stride of an axis of extent 1 is irrelevant.
    let right = if columns <= 1 { rows.max(1) as isize } else { x.right };
    let fits = (x.down == 1 || rows <= 1) && right >= rows.max(1) as isize;
    if fits { c_int::try_from(right).ok() } else { None }
}

/// Returns the transposition and the leading dimension that describe an operand to CBLAS. Returns `None` if CBLAS does not
/// support the operand's strides.
fn factor<T>(x: Matrix<T>, rows: usize, columns: usize, conjugate: bool) -> Option<(CBLAS_TRANSPOSE, c_int)> {
    let transposed = || leading(x.transposed(), columns, rows);
    if conjugate {
        return Some((CBLAS_TRANSPOSE::CblasConjTrans, transposed()?));
    }
    match leading(x, rows, columns) {
        Some(apart) => Some((CBLAS_TRANSPOSE::CblasNoTrans, apart)),
        None => Some((CBLAS_TRANSPOSE::CblasTrans, transposed()?)),
    }
}
