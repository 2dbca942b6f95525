//! Products and contractions of dynamic tensors.

pub(crate) mod contract;
pub(crate) mod convolve;
pub(crate) mod cross;
