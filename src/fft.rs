//! Fourier transforms (feature `fft`): the options of the methods, and the element types.
//!
//! | method | operand | result |
//! |---|---|---|
//! | [`fft`](crate::Tensor::fft), [`ifft`](crate::Tensor::ifft) | real or complex | complex, `n` elements along the axis |
//! | [`rfft`](crate::Tensor::rfft) | real | complex, `n / 2 + 1` elements: the others are conjugates of these |
//! | [`irfft`](crate::Tensor::irfft) | complex, `n / 2 + 1` elements | real, `n` elements |
//! | [`fftshift`](crate::Tensor::fftshift), [`ifftshift`](crate::Tensor::ifftshift) | any | the same elements, with frequency 0 in the middle, and back |
//! | [`fftfreq`](crate::Tensor::fftfreq), [`rfftfreq`](crate::Tensor::rfftfreq) | | the frequencies of the results of `fft` and `rfft` |
//!
//! The transforms compute `Σ xⱼ · exp(−2πi·jk/n)`, their inverses `1/n · Σ xₖ · exp(2πi·jk/n)`. `fft_axes` and its like transform
//! several axes, and `fft_with` and its like take options: lengths ([`Fft::len`]) and the normalisation ([`Norm`]).
//!
//! * **Lengths.** Every length from 1 on is fast, also prime numbers. Products of small prime numbers are fastest.
//! * **Plans.** A transform needs tables that depend on its length. They are computed at the first transform of this length and kept
//!   for later ones: up to 64 tables for the process, unless they are large. For lengths of about a million, computing the tables can
//!   take half a second.
//! * **Threads.** With the feature `rayon`, lines are split between threads. A single line is transformed on one thread. The bits of the
//!   result do not depend on the number of threads.
//! * **Memory.** If the memory for the result, the tables or the workspace cannot be allocated, the result is
//!   [`Error::OutOfMemory`](crate::Error::OutOfMemory). The tables of a plan are allocated by the crate rustfft, which aborts the process
//!   if it fails; before that, this crate tests whether memory of about their size is available.
//! * **Devices.** On other devices than the host, also on `Cuda`, the operand is copied to the host, transformed there, and copied back.
//!   cuFFT is not used yet. A device can override [`Reduce::fft`](crate::device::Reduce::fft) and its like.

pub use crate::device::fft::{FftComplex, FftElement, FftReal, Norm, ToComplex, Transform};
pub use crate::engine::fft::Fft;
