//! The kernels of the CPU. Each module implements a trait of [`device`](crate::device). `elementwise` calls its module `masks` for comparisons.
//! `gemm::products` computes sums of products by the loops of `reduce`.

pub(super) mod copy;
#[cfg(feature = "linalg")]
pub(crate) mod decompose;
mod elementwise;
#[cfg(feature = "fft")]
pub(crate) mod fourier;
mod gemm;
pub(in crate::device::cpu) mod reduce;
mod select;
pub(super) mod sort;
