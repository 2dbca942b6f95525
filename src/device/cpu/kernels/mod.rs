//! The kernels of the CPU. The modules `copy`, `elementwise`, `gemm` and `reduce` each implement a trait of
//! [`device`](crate::device). `elementwise` calls module `masks` for comparisons, and `gemm` calls module `products` for sums of products.
//! `copy` and `reduce` call module `gather` for elements that positions or masks select. `reduce` calls module `sort` to sort, select and
//! search, and module `fourier` for Fourier transforms.

pub(super) mod copy;
#[cfg(feature = "linalg")]
pub(crate) mod decompose;
mod elementwise;
#[cfg(feature = "fft")]
pub(crate) mod fourier;
mod gemm;
mod reduce;
mod select;
pub(super) mod sort;
