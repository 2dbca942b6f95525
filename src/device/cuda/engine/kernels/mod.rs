//! The host side of the kernels: plans and launches elementwise operations, strided copies, reductions, scans
//! and products.

mod blas;
pub(super) mod elementwise;
pub(super) mod gemm;
mod loops;
pub(super) mod permute;
pub(super) mod products;
pub(super) mod reduce;
pub(super) mod scan;
mod shares;
pub(super) mod tile;
