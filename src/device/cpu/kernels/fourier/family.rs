//! Implements [`Fourier`] for [`Cpu`].

use crate::device::family::fourier::{FftComplex, FftElement, FftReal, Transform};
use crate::device::{Cpu, Fourier, Operand, Output};
use crate::element::Element;
use crate::error::Error;

#[diagnostic::do_not_recommend]
impl<T: Element> Fourier<T> for Cpu {
    fn fft(
        &self,
        transform: Transform,
        out: Output<'_, T::Complex, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error>
    where
        T: FftElement,
    {
        T::fft_on_host(transform, out, a)
    }

    fn rfft(
        &self,
        transform: Transform,
        out: Output<'_, T::Complex, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error>
    where
        T: FftReal,
    {
        T::rfft_on_host(transform, out, a)
    }

    fn irfft(
        &self,
        transform: Transform,
        out: Output<'_, T::Magnitude, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error>
    where
        T: FftComplex,
    {
        T::irfft_on_host(transform, out, a)
    }
}
