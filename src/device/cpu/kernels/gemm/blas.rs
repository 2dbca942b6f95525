//! Computes large products of floating-point and complex numbers with CBLAS, if the feature `blas` is on.
//!
//! This crate declares the functions of CBLAS (through `cblas-sys`) and links no implementation. An application chooses one, by
//! the convention of the `blas-src` crates, in its `Cargo.toml`:
//!
//! ```toml
//! vierbein = { version = "0.1", features = ["blas"] }
//! blas-src = { version = "0.14", features = ["openblas"] }
//! openblas-src = { version = "0.10", features = ["cblas", "system"] }
//! ```
//!
//! The application's `main.rs` must have the line `extern crate blas_src;`, so that the implementation is linked. The integers of the
//! implementation's interface must have 32 bits (LP64). Whether results are the same on any number of threads depends on the
//! implementation.
//!
//! CBLAS requires that one axis of a matrix has unit stride, and that the other axis has a stride of at least the first axis's
//! extent. It can conjugate an operand only if it also transposes the operand. This crate's own kernels compute all other products,
//! and small products, for which they are faster.

use super::product::{Matrix, MatrixProduct, Product, same};
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::layout::odometer::Odometer;
use cblas_sys::{CBLAS_LAYOUT, CBLAS_TRANSPOSE};
use core::ffi::c_int;

/// Multiplications below which this crate's own kernels are faster.
const MIN_BLAS_WORK: usize = 1 << 15;

/// The implementation by CBLAS. Uses this crate's own kernels for small products and for strides that CBLAS does not support.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blas;

impl<T: Scalar> MatrixProduct<T> for Blas {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        let call = if product.work() < MIN_BLAS_WORK { None } else { Call::of(product) };
        match call {
            // SAFETY: `run` has this function's contract for `call.product`, which is `product` or its transpose: the same elements.
            Some(call) => unsafe { call.run() },
            // SAFETY: `multiply` of every implementation has the same contract.
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
            // SAFETY: `multiply_all` of every implementation has the same contract.
            unsafe { super::own().multiply_all(product, walk, count) }
        } else {
            // SAFETY: `one_by_one` has this function's contract.
            unsafe { super::product::one_by_one(self, product, walk, count) }
        }
    }
}

/// The arguments of a CBLAS call. The columns of `product.c` are contiguous.
struct Call<T> {
    product: Product<T>,
    size: [c_int; 3],
    transpose: [CBLAS_TRANSPOSE; 2],
    leading: [c_int; 3],
}

impl<T: Scalar> Call<T> {
    /// Returns the call for a product or its transpose, or `None` if CBLAS supports neither.
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
    /// As [`MatrixProduct::multiply`] for `self.product`.
    unsafe fn run(self) {
        let Call { product, size: [m, n, k], transpose: [trans_a, trans_b], leading: [lda, ldb, ldc] } = self;
        let Product { a, b, c, alpha, beta, .. } = product;
        const LAYOUT: CBLAS_LAYOUT = CBLAS_LAYOUT::CblasColMajor;
        macro_rules! call {
            ($gemm:ident, $alpha:expr, $beta:expr) => {{
                let (a, b, c) = (a.ptr.get().cast(), b.ptr.get().cast(), c.ptr.get().cast());
                // SAFETY: the match selects the function for `T`. Sizes, leading dimensions and transpositions describe `product`,
                // whose `a` and `b` are readable and whose `c` is exclusive by the contract.
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

/// Returns the leading dimension of a matrix in column-major order, or `None` if a column is not contiguous or CBLAS does not
/// support the stride between columns.
fn leading<T>(x: Matrix<T>, rows: usize, columns: usize) -> Option<c_int> {
    // The stride of an axis with one element is irrelevant.
    let right = if columns <= 1 { rows.max(1) as isize } else { x.right };
    let fits = (x.down == 1 || rows <= 1) && right >= rows.max(1) as isize;
    if fits { c_int::try_from(right).ok() } else { None }
}

/// Returns the transposition and the leading dimension that describe an operand to CBLAS, or `None` if it does not support the
/// strides.
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
