//! Fourier transforms of dynamic tensors, and convolutions by transforms.

pub(crate) mod fft;
pub(crate) mod fft_convolve;
