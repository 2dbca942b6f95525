//! The kernels of the CPU. Modules `copy`, `elementwise`, `gemm` and `reduce` each implement a trait of [`device`](crate::device).
//! `gemm` calls module `products` for sums of products, and `reduce` module `sort` for everything that orders elements.

pub(super) mod copy;
mod elementwise;
mod gemm;
mod products;
mod reduce;
mod sort;
