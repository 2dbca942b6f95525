//! The kernels of the CPU, one module for each trait of [`device`](crate::device) that they implement.

pub(super) mod copy;
mod elementwise;
mod gemm;
mod products;
mod reduce;
