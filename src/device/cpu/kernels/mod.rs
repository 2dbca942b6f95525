//! The kernels of the CPU, by the family of [`device`](crate::device) that they implement.

pub(super) mod copy;
mod elementwise;
mod gemm;
mod products;
mod reduce;
