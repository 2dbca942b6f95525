//! New tensors: constants, ranges, grids, random numbers.

pub(crate) mod construct;
pub(crate) mod grid;
mod literal;
pub(crate) mod one_hot;
#[cfg(feature = "rand")]
pub(crate) mod random;
pub(crate) mod ranges;
