//! The host side of the kernels: plans and launches elementwise operations, strided copies, reductions, scans, products, sorting, and
//! copies of elements that positions or a mask select.

pub(super) mod copy;
#[cfg(feature = "linalg")]
pub(super) mod decompose;
pub(super) mod elementwise;
#[cfg(feature = "fft")]
pub(super) mod fourier;
pub(super) mod gemm;
mod loops;
pub(super) mod reduce;
pub(super) mod select;
mod shares;
pub(super) mod sort;
pub(super) mod tile;
