//! The element types that support Fourier transforms.

use super::Transform;
use crate::device::cpu::fourier;
use crate::device::{Cpu, Fourier, Operand, Output};
use crate::element::{Inexact, RealFloat, Scalar, c32, c64};
use crate::error::Error;

/// Scalar types with a corresponding complex type, the element type of their Fourier transforms. Sealed.
///
/// All scalar types implement this trait. So if integers are transformed, the compiler reports that [`FftElement`] is missing, not this
/// trait. Its message for [`FftElement`] says what to do.
pub trait ToComplex: Scalar {
    /// `Complex<f32>` for `f32` and `Complex<f32>`, `Complex<f64>` for all other types.
    type Complex: FftComplex<Real = Self::Magnitude, Magnitude = Self::Magnitude>;
}

macro_rules! to_complex {
    ($($C:ident: $($T:ident)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl ToComplex for $T {
            type Complex = $C;
        }
    )*)*};
}
to_complex! {
    c32: f32 c32;
    c64: f64 c64 i8 i16 i32 i64 u8 u16 u32 u64;
}

/// Element types with Fourier transforms: `f32`, `f64`, `Complex<f32>` and `Complex<f64>`. Sealed.
///
/// ```
/// use vierbein::fft::FftElement;
/// use vierbein::prelude::*;
/// /// The power at each frequency.
/// fn spectrum<T: FftElement, O: Order>(x: TensorView<'_, T, Rank<1>, O>) -> Tensor<T::Magnitude, Rank<1>, O> {
///     x.fft(0).map(|z| (z * z.conj()).re())
/// }
/// assert_eq!(spectrum(tensor![1.0, -1.0].view()), tensor![0.0, 4.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no Fourier transform",
    label = "expected `f32`, `f64`, `Complex<f32>` or `Complex<f64>`",
    note = "convert integers first, e.g. with `.cast::<f64>()`; in generic code, bound the element type: `T: FftElement`"
)]
pub trait FftElement: Inexact + ToComplex {
    /// Whether the element type is real. Spectra then have only the frequencies that are not negative.
    #[doc(hidden)]
    const IS_REAL: bool;
    /// Transforms real numbers by `rfft`, complex ones by `fft`.
    #[doc(hidden)]
    fn spectrum<Dev: Fourier<Self>>(
        device: &Dev,
        transform: Transform,
        out: Output<'_, Self::Complex, Dev>,
        a: Operand<'_, Self, Dev>,
    ) -> Result<(), Error>;
    /// Transforms a spectrum back: to real numbers by `irfft`, to complex ones by `fft`. `transform` is the inverse transform.
    #[doc(hidden)]
    fn of_spectrum<Dev: Fourier<Self::Complex>>(
        device: &Dev,
        transform: Transform,
        out: Output<'_, Self, Dev>,
        a: Operand<'_, Self::Complex, Dev>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn fft_on_host(
        transform: Transform,
        out: Output<'_, Self::Complex, Cpu>,
        a: Operand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
}

/// Real element types with Fourier transforms: `f32` and `f64`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no Fourier transform of real numbers",
    label = "expected `f32` or `f64`",
    note = "transform complex numbers with `.fft(axis)`, and convert integers first, e.g. with `.cast::<f64>()`"
)]
pub trait FftReal: RealFloat + FftElement {
    #[doc(hidden)]
    fn rfft_on_host(
        transform: Transform,
        out: Output<'_, Self::Complex, Cpu>,
        a: Operand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
}

/// Complex element types with Fourier transforms: `Complex<f32>` and `Complex<f64>`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no inverse Fourier transform to real numbers",
    label = "expected `Complex<f32>` or `Complex<f64>`",
    note = "`irfft` takes the result of `rfft`; convert real numbers first, e.g. with `.cast::<Complex<f64>>()`"
)]
pub trait FftComplex: FftElement + ToComplex<Complex = Self> {
    #[doc(hidden)]
    fn irfft_on_host(
        transform: Transform,
        out: Output<'_, Self::Magnitude, Cpu>,
        a: Operand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
}

/// Implements [`FftElement`], [`FftReal`] and [`FftComplex`]. The `*_on_host` functions are not generic, so they are compiled in this
/// crate, once for each type.
macro_rules! transforms {
    ($($R:ident $C:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl FftElement for $R {
            transforms!(@spectra $R $C, true, rfft irfft);
            fn fft_on_host(by: Transform, out: Output<'_, $C, Cpu>, a: Operand<'_, $R, Cpu>) -> Result<(), Error> {
                fourier::complex(by, out, fourier::Source::Real(a))
            }
        }
        #[diagnostic::do_not_recommend]
        impl FftElement for $C {
            transforms!(@spectra $C $C, false, fft fft);
            fn fft_on_host(by: Transform, out: Output<'_, $C, Cpu>, a: Operand<'_, $C, Cpu>) -> Result<(), Error> {
                fourier::complex(by, out, fourier::Source::Complex(a))
            }
        }
        #[diagnostic::do_not_recommend]
        impl FftReal for $R {
            fn rfft_on_host(by: Transform, out: Output<'_, $C, Cpu>, a: Operand<'_, $R, Cpu>) -> Result<(), Error> {
                fourier::real_to_complex(by, out, a)
            }
        }
        #[diagnostic::do_not_recommend]
        impl FftComplex for $C {
            fn irfft_on_host(by: Transform, out: Output<'_, $R, Cpu>, a: Operand<'_, $C, Cpu>) -> Result<(), Error> {
                fourier::complex_to_real(by, out, a)
            }
        }
    )*};
    (@spectra $T:ident $C:ident, $real:literal, $forward:ident $inverse:ident) => {
        const IS_REAL: bool = $real;
        fn spectrum<Dev: Fourier<$T>>(
            device: &Dev,
            by: Transform,
            out: Output<'_, $C, Dev>,
            a: Operand<'_, $T, Dev>,
        ) -> Result<(), Error> {
            device.$forward(by, out, a)
        }
        fn of_spectrum<Dev: Fourier<$C>>(
            device: &Dev,
            by: Transform,
            out: Output<'_, $T, Dev>,
            a: Operand<'_, $C, Dev>,
        ) -> Result<(), Error> {
            device.$inverse(by, out, a)
        }
    };
}
transforms!(f32 c32 f64 c64);
