//! Fourier transforms: the family, its arguments, and the element types that it supports. Without the feature `fft`, the family has no
//! methods, so that devices of other crates can implement it in every build.

#[cfg(feature = "fft")]
mod elements;
#[cfg(feature = "fft")]
mod transform;

#[cfg(feature = "fft")]
pub use elements::{FftComplex, FftElement, FftReal, ToComplex};
#[cfg(feature = "fft")]
pub use transform::{Norm, Transform};

use super::family;
use crate::element::Element;

#[cfg(feature = "fft")]
family! {
    /// Fourier transforms (feature `fft`).
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` has no Fourier transforms of tensors of `{T}`",
        label = "unsupported on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Fourier<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Fourier<T: Element> {
        /// Writes the Fourier transform over the last `transform.axes` axes. Along them, `a` is cut or padded with zeros to the extents
        /// of `out`; the other axes have equal extents.
        ///
        /// # Errors
        /// The error of the device, such as [`Error::OutOfMemory`](crate::Error::OutOfMemory). `out` then has unspecified elements.
        fn fft(transform: value[Transform], out: write[T::Complex], a: read[T]) where T: FftElement;

        /// Writes the Fourier transform of real numbers. Along the last axis, it consists of the first `transform.len / 2 + 1` elements of the
        /// transform of `transform.len` elements. Along the `transform.axes - 1` axes before it, the transform is that of [`fft`](Fourier::fft).
        ///
        /// # Errors
        /// Those of [`fft`](Fourier::fft).
        fn rfft(transform: value[Transform], out: write[T::Complex], a: read[T]) where T: FftReal;

        /// Writes the inverse of [`rfft`](Fourier::rfft). Computes complex transforms along the `transform.axes - 1` axes before the last one.
        /// Then transforms the first `transform.len / 2 + 1` complex numbers along the last axis to `transform.len` real numbers. Missing
        /// complex numbers count as zeros.
        ///
        /// # Errors
        /// Those of [`fft`](Fourier::fft).
        fn irfft(transform: value[Transform], out: write[T::Magnitude], a: read[T]) where T: FftComplex;
    }
    on the host {}
    trait items {}
    cuda items {}
}

#[cfg(not(feature = "fft"))]
family! {
    /// Fourier transforms. The methods need the feature `fft`.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` has no Fourier transforms of tensors of `{T}`",
        label = "unsupported on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Fourier<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Fourier<T: Element> {}
    on the host {}
    trait items {}
    cuda items {}
}

#[cfg(not(feature = "fft"))]
#[diagnostic::do_not_recommend]
impl<T: Element> Fourier<T> for crate::device::Cpu {}
