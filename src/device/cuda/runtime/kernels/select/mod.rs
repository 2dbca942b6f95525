//! Copies of the elements that positions or a mask select.

pub(in crate::device::cuda::runtime) mod mask;
pub(in crate::device::cuda::runtime) mod positions;
