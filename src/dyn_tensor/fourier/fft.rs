//! Fourier transforms of dynamic tensors.

use crate::dyn_tensor::operand::for_elements;
use crate::dyn_tensor::reduce::{DynAxes, all_or};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::typed;
use crate::element::{DType, Scalar};
use crate::engine::fourier::fft::{FREQUENCIES, Fft};
use crate::error::Error;
use crate::rank::Rank;
use crate::tensor::Tensor;

impl DynTensor {
    /// Creates a vector on the host with the frequencies of the elements of an [`fft`](DynTensor::fft) of length `n`: see
    /// [`Tensor::fftfreq`](crate::Tensor::fftfreq).
    ///
    /// # Errors
    /// * If `n` is 0, or `spacing` as a number of type `dtype` is 0 or not finite.
    /// * If `dtype` is not `f32` or `f64`.
    /// * If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::fftfreq(4, 0.5, DType::F64)?;
    /// assert_eq!(x.downcast_ref()?, tensor![0.0, 0.5, -1.0, -0.5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn fftfreq(n: usize, spacing: f64, dtype: DType) -> Result<DynTensor, Error> {
        for_elements!([RealFloat], FREQUENCIES, dtype, T => {
            Tensor::<T, Rank<1>>::try_fftfreq(n, T::from_f64(spacing)).map(DynTensor::from)
        })
    }

    /// Creates a vector on the host with the frequencies of the elements of an [`rfft`](DynTensor::rfft) of length `n`: see
    /// [`Tensor::rfftfreq`](crate::Tensor::rfftfreq).
    ///
    /// # Errors
    /// Those of [`fftfreq`](DynTensor::fftfreq).
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::rfftfreq(4, 0.5, DType::F32)?;
    /// assert_eq!(x.downcast_ref()?, tensor![0.0f32, 0.5, 1.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn rfftfreq(n: usize, spacing: f64, dtype: DType) -> Result<DynTensor, Error> {
        for_elements!([RealFloat], FREQUENCIES, dtype, T => {
            Tensor::<T, Rank<1>>::try_rfftfreq(n, T::from_f64(spacing)).map(DynTensor::from)
        })
    }
}

impl<S: DynData> DynTensor<S> {
    /// Returns the Fourier transform along one axis, several axes, or all axes (`..`), with complex elements: see
    /// [`Tensor::fft`](crate::Tensor::fft).
    ///
    /// # Errors
    /// * If the elements are not floating-point or complex numbers.
    /// * If an axis is out of range, is named twice or has extent 0.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.0, 3.0]);
    /// assert_eq!(x.fft(0)?.downcast_ref()?, tensor![Complex::from(4.0), Complex::from(-2.0)]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn fft(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        self.fft_with(axes, Fft::new())
    }

    /// Returns the inverse Fourier transform: see [`Tensor::ifft`](crate::Tensor::ifft).
    ///
    /// # Errors
    /// Those of [`fft`](DynTensor::fft).
    ///
    /// ```
    /// use vierbein::{Complex, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![Complex::from(1.0), Complex::from(3.0)]);
    /// assert_eq!(x.fft(0)?.ifft(0)?, x);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn ifft(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        self.ifft_with(axes, Fft::new())
    }

    /// Returns the Fourier transform of real numbers: see [`Tensor::rfft_axes`](crate::Tensor::rfft_axes).
    ///
    /// # Errors
    /// Those of [`fft`](DynTensor::fft), and if the elements are not real floating-point numbers.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.rfft([0, 1])?.irfft([0, 1], 2)?, x);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn rfft(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        self.rfft_with(axes, Fft::new())
    }

    /// Returns the inverse of [`rfft`](DynTensor::rfft). `n` is the extent of the result along the axis that is named last in `axes`: see
    /// [`Tensor::irfft`](crate::Tensor::irfft).
    ///
    /// # Errors
    /// Those of [`fft`](DynTensor::fft), and if the elements are not complex numbers or `n` is 0.
    pub fn irfft(&self, axes: impl DynAxes, n: usize) -> Result<DynTensor, Error> {
        self.irfft_with(axes, Fft::new().len(n))
    }

    /// [`fft`](DynTensor::fft) with options.
    ///
    /// # Errors
    /// Those of [`fft`](DynTensor::fft), and if a length is 0 or the number of lengths differs from the number of axes.
    ///
    /// ```
    /// use vierbein::{Complex, DynTensor, fft::{Fft, Norm}, tensor};
    /// let x = DynTensor::from(tensor![3.0, 4.0, 5.0]).fft_with(0, Fft::new().len(2).norm(Norm::Forward))?;
    /// assert_eq!(x.downcast_ref()?, tensor![Complex::from(3.5), Complex::from(-0.5)]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn fft_with(&self, axes: impl DynAxes, options: Fft) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        typed!("fft", FftElement, (x = self.look(); axes: &[isize] = &axes, options: Fft = options) => x.try_fft_with(axes, options))
    }

    /// [`ifft`](DynTensor::ifft) with options.
    ///
    /// # Errors
    /// Those of [`fft_with`](DynTensor::fft_with).
    pub fn ifft_with(&self, axes: impl DynAxes, options: Fft) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        typed!("ifft", FftElement, (x = self.look(); axes: &[isize] = &axes, options: Fft = options) => x.try_ifft_with(axes, options))
    }

    /// [`rfft`](DynTensor::rfft) with options.
    ///
    /// # Errors
    /// Those of [`fft_with`](DynTensor::fft_with), and if the elements are not real floating-point numbers.
    pub fn rfft_with(&self, axes: impl DynAxes, options: Fft) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        typed!("rfft", FftReal, (x = self.look(); axes: &[isize] = &axes, options: Fft = options) => x.try_rfft_with(axes, options))
    }

    /// [`irfft`](DynTensor::irfft) with options. The options must contain the extent of the result along the axis that is named last in
    /// `axes`.
    ///
    /// # Errors
    /// Those of [`fft_with`](DynTensor::fft_with), and if the elements are not complex numbers or the options lack this extent.
    pub fn irfft_with(&self, axes: impl DynAxes, options: Fft) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        typed!("irfft", FftComplex, (x = self.look(); axes: &[isize] = &axes, options: Fft = options) => x.try_irfft_with(axes, options))
    }

    /// Rotates the elements by half of each named axis, so that frequency 0 of a Fourier transform is in the middle: see
    /// [`Tensor::fftshift`](crate::Tensor::fftshift).
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![0, 1, 2, -2, -1]);
    /// assert_eq!(x.fftshift(..)?.downcast_ref()?, tensor![-2, -1, 0, 1, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn fftshift(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        typed!("fftshift", Element, (x = self.look(); axes: &[isize] = &axes) => x.try_fftshift(axes))
    }

    /// Moves the elements back that [`fftshift`](DynTensor::fftshift) has moved: see [`Tensor::ifftshift`](crate::Tensor::ifftshift).
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    pub fn ifftshift(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        typed!("ifftshift", Element, (x = self.look(); axes: &[isize] = &axes) => x.try_ifftshift(axes))
    }
}
