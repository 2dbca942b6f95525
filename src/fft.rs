//! Fourier transforms (feature `fft`): the options of the methods, and the element types.
//!
//! | method | operand | result |
//! |---|---|---|
//! | [`fft`](crate::Tensor::fft), [`ifft`](crate::Tensor::ifft) | real or complex | complex, `n` elements along the axis |
//! | [`rfft`](crate::Tensor::rfft) | real | complex, `n / 2 + 1` elements: the others are their conjugates |
//! | [`irfft`](crate::Tensor::irfft) | complex, `n / 2 + 1` elements | real, `n` elements |
//! | [`fftshift`](crate::Tensor::fftshift), [`ifftshift`](crate::Tensor::ifftshift) | any | the same elements: frequency 0 moves to the middle, or back |
//! | [`fftfreq`](crate::Tensor::fftfreq), [`rfftfreq`](crate::Tensor::rfftfreq) | | the frequencies of the results of `fft` and `rfft` |
//!
//! The transforms compute `Σ xⱼ · exp(−2πi·jk/n)`, their inverses `1/n · Σ xₖ · exp(2πi·jk/n)`. Methods such as `fft_axes` transform
//! several axes. Methods such as `fft_with` take options: lengths ([`Fft::len`]) and the normalisation ([`Norm`]). Methods such as
//! `fft_into` and `fft_with_into` write to a given tensor.
//!
//! * **Lengths.** Every length `n`, even a prime number, takes time proportional to `n log n`. Products of small prime numbers are fastest.
//! * **Plans.** A transform needs a plan, which has tables that depend on the length. Plans are made at the first transform of a length and
//!   kept for later ones: up to 64 plans for the process, and fewer if they are large. For lengths of about a million, making a plan can
//!   take half a second.
//! * **Threads.** With the feature `rayon`, lines are split between threads. A single line is transformed on one thread. The bits of the
//!   result do not depend on the number of threads.
//! * **Memory.** If the memory for the result, the tables or the workspace cannot be allocated, the error is
//!   [`Error::OutOfMemory`](crate::Error::OutOfMemory). The crate rustfft allocates the tables of a plan, and aborts the process if the
//!   allocation fails. To avoid an abort, vierbein first tests whether memory of about the size of the tables is available.
//! * **Devices.** On `Cuda`, the library cuFFT computes the transform if the loader finds cuFFT. On other devices, and without cuFFT, the
//!   operand is copied to the host and transformed there, and the result is copied back. A device can override
//!   [`Fourier::fft`](crate::device::Fourier::fft), [`Fourier::rfft`](crate::device::Fourier::rfft) and
//!   [`Fourier::irfft`](crate::device::Fourier::irfft).

pub use crate::device::family::fourier::{FftComplex, FftElement, FftReal, Norm, ToComplex, Transform};
pub use crate::engine::fourier::fft::Fft;
