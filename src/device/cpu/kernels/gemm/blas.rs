//! Large products of floating and complex numbers by a system's BLAS: the feature `blas`.
//!
//! This crate declares the functions of CBLAS (by `cblas-sys`) and links none: an application chooses an implementation, by
//! the convention of the `blas-src` crates. In its `Cargo.toml`
//!
//! ```toml
//! vierbein = { version = "0.1", features = ["blas"] }
//! blas-src = { version = "0.14", features = ["openblas"] }
//! openblas-src = { version = "0.10", features = ["cblas", "system"] }
//! ```
//!
//! and in its `main.rs` the line `extern crate blas_src;`, so that it is linked. Integers of the implementation's interface
//! have 32 bits (LP64). Whether results are the same on any number of threads is then up to the implementation.
//!
//! A BLAS knows matrices with one stride of 1 and another that is not less than the matrix is long, and conjugates only what
//! it transposes. All other products are computed by our own kernels, and so are small ones, which cost less that way.

use super::product::{Matrix, MatrixProduct, Product, same};
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::layout::odometer::Odometer;
use cblas_sys::{CBLAS_LAYOUT, CBLAS_TRANSPOSE};
use core::ffi::c_int;

/// Products of fewer multiplications are computed by the kernels of this crate.
const MIN_BLAS_WORK: usize = 1 << 15;

/// By CBLAS, where it can.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blas;

impl<T: Scalar> MatrixProduct<T> for Blas {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        let call = if product.work() < MIN_BLAS_WORK { None } else { Call::of(product) };
        match call {
            // SAFETY: the caller's; it is a call for this product.
            Some(call) => unsafe { call.run() },
            // SAFETY: the caller's.
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
            // SAFETY: the caller's.
            unsafe { super::own().multiply_all(product, walk, count) }
        } else {
            // SAFETY: the caller's.
            unsafe { super::product::one_by_one(self, product, walk, count) }
        }
    }
}

/// The arguments of a call, for a result whose columns are one after the other.
struct Call<T> {
    product: Product<T>,
    size: [c_int; 3],
    transpose: [CBLAS_TRANSPOSE; 2],
    leading: [c_int; 3],
}

impl<T: Scalar> Call<T> {
    /// If there is one.
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

    /// # Safety
    /// As [`MatrixProduct::multiply`].
    unsafe fn run(self) {
        let Call { product, size: [m, n, k], transpose: [trans_a, trans_b], leading: [lda, ldb, ldc] } = self;
        let Product { a, b, c, alpha, beta, .. } = product;
        const LAYOUT: CBLAS_LAYOUT = CBLAS_LAYOUT::CblasColMajor;
        macro_rules! call {
            ($gemm:ident, $alpha:expr, $beta:expr) => {{
                let (a, b, c) = (a.ptr.get().cast(), b.ptr.get().cast(), c.ptr.get().cast());
                // SAFETY: `T` is the function's type, and the caller vouches for the matrices: sizes, strides and
                // transpositions say the same as the product's.
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
            other => unreachable!("no floating numbers: {}", other.name()),
        }
    }
}

/// How far columns are apart, if within each the rows are one after the other.
fn leading<T>(x: Matrix<T>, rows: usize, columns: usize) -> Option<c_int> {
    // The stride of an axis of one element says nothing.
    let right = if columns <= 1 { rows.max(1) as isize } else { x.right };
    let fits = (x.down == 1 || rows <= 1) && right >= rows.max(1) as isize;
    if fits { c_int::try_from(right).ok() } else { None }
}

/// How a BLAS is told of a factor.
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
