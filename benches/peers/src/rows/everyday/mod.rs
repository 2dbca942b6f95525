//! Benchmark rows of everyday operations: joined and rearranged copies, elements chosen by positions or masks, sorting, partial sorting,
//! Fourier transforms.

pub(super) mod choose;
pub(super) mod fft;
pub(super) mod join;
pub(super) mod order;
