//! The host side of the kernels: plans and launches elementwise operations, strided copies, reductions, scans, products, sorting, and
//! copies of elements that positions or a mask select.

mod blas;
pub(super) mod elementwise;
#[cfg(feature = "fft")]
pub(super) mod fft;
pub(super) mod gemm;
#[cfg(feature = "linalg")]
pub(super) mod linalg;
mod loops;
pub(super) mod mask;
pub(super) mod permute;
pub(super) mod positions;
pub(super) mod products;
pub(super) mod reduce;
pub(super) mod scan;
mod shares;
pub(super) mod sort;
pub(super) mod tile;
