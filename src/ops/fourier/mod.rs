//! Fourier transforms, their frequencies, and convolutions by transforms.

pub(crate) mod fft;
pub(crate) mod fft_convolve;
pub(crate) mod frequencies;
