//! Benchmark rows of everyday operations: joined and rearranged copies, elements at positions and under masks, sorting and selection,
//! Fourier transforms.

pub(super) mod choose;
pub(super) mod fft;
pub(super) mod join;
pub(super) mod order;
