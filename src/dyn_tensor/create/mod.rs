//! New dynamic tensors: constants, grids, random numbers.

pub(crate) mod grid;
#[cfg(feature = "rand")]
pub(crate) mod random;
