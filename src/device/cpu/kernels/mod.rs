//! The kernels of the CPU. Modules `copy`, `elementwise`, `gemm` and `reduce` each implement a trait of [`device`](crate::device).
//! `gemm` calls module `products` for sums of products.

pub(super) mod copy;
mod elementwise;
#[cfg(feature = "fft")]
pub(crate) mod fft;
mod gemm;
mod products;
mod reduce;
