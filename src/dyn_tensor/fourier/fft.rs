//! Fourier transforms of dynamic tensors.

use crate::device::family::fourier::{FftComplex, FftElement, FftReal, Transform};
use crate::device::{Copy, Device, Fourier, Operand, Output};
use crate::dispatch;
use crate::dyn_tensor::operand::{allocate_with, device_of, elements, lacking, needs, on_device};
use crate::dyn_tensor::reduce::DynAxes;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, Element, Scalar, c32, c64};
use crate::engine::fourier::fft::{FREQUENCIES, Fft, Kind, Request, shift};
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::axes::Axes;
use crate::rank::{MAX_RANK, Rank};
use crate::tensor::Tensor;

/// Allocates the result of a transform and computes it with `run`, the method of the device for this kind of transform.
fn transformed<T: Element, U: Element, Dev: Device>(
    x: DynView<'_>,
    request: Request<'_>,
    run: impl Fn(&Dev, Transform, Output<'_, U, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
) -> Result<DynTensor, Error> {
    let mut result = [0; MAX_RANK];
    let result = &mut result[..x.rank()];
    let (transform, order) = request.arrange(x.shape(), result)?;
    let order = &order[..x.rank()];
    let result = Layout::contiguous(result, x.order().is_row_major());
    let (from, to) = (x.layout().permute(order)?, result.permute(order)?);
    let operand = elements::<T, Dev>(&x).with_axes(from.axes(), 0);
    let device = device_of::<Dev>(&x);
    allocate_with(device, result, x.order(), &mut |out| run(device, transform, out.in_layout(&to), operand))
}

fn complex<T: FftElement, Dev: Fourier<T>>(x: DynView<'_>, request: Request<'_>) -> Result<DynTensor, Error> {
    transformed::<T, T::Complex, Dev>(x, request, Dev::fft)
}

fn from_real<T: FftReal, Dev: Fourier<T>>(x: DynView<'_>, request: Request<'_>) -> Result<DynTensor, Error> {
    transformed::<T, T::Complex, Dev>(x, request, Dev::rfft)
}

fn to_real<T: FftComplex, Dev: Fourier<T>>(x: DynView<'_>, request: Request<'_>) -> Result<DynTensor, Error> {
    transformed::<T, T::Magnitude, Dev>(x, request, Dev::irfft)
}

// This function instantiates kernels for several element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn transform(
    x: DynView<'_>,
    op: &'static str,
    kind: Kind,
    inverse: bool,
    axes: impl DynAxes,
    options: Fft,
) -> Result<DynTensor, Error> {
    let axes = axes.axes(x.rank()).unwrap_or_else(|| (0..x.rank()).collect());
    let request = Request { op, kind, inverse, axes: &axes, options };
    on_device!(op, x, Dev => match kind {
        Kind::Complex => dispatch!(
            x.dtype(),
            T: Inexact => complex::<T, Dev>(x, request),
            else => Err(lacking(op, x.dtype(), needs::TRANSFORM))
        ),
        Kind::FromReal => dispatch!(
            x.dtype(),
            T: RealFloat => from_real::<T, Dev>(x, request),
            else => Err(lacking(op, x.dtype(), needs::REAL_TRANSFORM))
        ),
        Kind::ToReal => dispatch!(
            x.dtype(),
            T in [c32, c64] => to_real::<T, Dev>(x, request),
            else => Err(lacking(op, x.dtype(), needs::COMPLEX_TRANSFORM))
        ),
    })
}

fn shift_of<T: Element, Dev: Copy<T>>(
    op: &'static str,
    inverse: bool,
    x: DynView<'_>,
    axes: &[usize],
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    let operand = elements::<T, Dev>(&x);
    let layout = Layout::contiguous(x.shape(), x.order().is_row_major());
    allocate_with(device, layout, x.order(), &mut |mut out: Output<'_, T, Dev>| {
        let (to, from) = (out.strides(), operand.strides());
        shift(op, inverse, x.shape(), axes, [to, from], |shape, [o, a]| {
            let part = out.reborrow().with_axes(Axes::new(shape, to), o);
            device.copy(part, operand.with_axes(Axes::new(shape, from), a))
        })
    })
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn shifted(op: &'static str, inverse: bool, x: DynView<'_>, axes: impl DynAxes) -> Result<DynTensor, Error> {
    let axes = axes.axes(x.rank()).unwrap_or_else(|| (0..x.rank()).collect());
    on_device!(op, x, Dev => dispatch!(x.dtype(), T => shift_of::<T, Dev>(op, inverse, x, &axes)))
}

/// Evaluates a constructor of frequencies with `$T` as the element type that `$dtype` stands for, which must be real floating-point.
macro_rules! frequencies {
    ($dtype:expr, $T:ident => $made:expr) => {
        dispatch!(
            $dtype,
            $T: RealFloat => $made.map(DynTensor::from),
            else => Err(lacking(FREQUENCIES, $dtype, needs::FLOATS))
        )
    };
}

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
        frequencies!(dtype, T => Tensor::<T, Rank<1>>::try_fftfreq(n, T::from_f64(spacing)))
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
        frequencies!(dtype, T => Tensor::<T, Rank<1>>::try_rfftfreq(n, T::from_f64(spacing)))
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
        transform(self.look(), "fft", Kind::Complex, false, axes, options)
    }

    /// [`ifft`](DynTensor::ifft) with options.
    ///
    /// # Errors
    /// Those of [`fft_with`](DynTensor::fft_with).
    pub fn ifft_with(&self, axes: impl DynAxes, options: Fft) -> Result<DynTensor, Error> {
        transform(self.look(), "ifft", Kind::Complex, true, axes, options)
    }

    /// [`rfft`](DynTensor::rfft) with options.
    ///
    /// # Errors
    /// Those of [`fft_with`](DynTensor::fft_with), and if the elements are not real floating-point numbers.
    pub fn rfft_with(&self, axes: impl DynAxes, options: Fft) -> Result<DynTensor, Error> {
        transform(self.look(), "rfft", Kind::FromReal, false, axes, options)
    }

    /// [`irfft`](DynTensor::irfft) with options. The options must contain the extent of the result along the axis that is named last in
    /// `axes`.
    ///
    /// # Errors
    /// Those of [`fft_with`](DynTensor::fft_with), and if the elements are not complex numbers or the options lack this extent.
    pub fn irfft_with(&self, axes: impl DynAxes, options: Fft) -> Result<DynTensor, Error> {
        transform(self.look(), "irfft", Kind::ToReal, true, axes, options)
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
        shifted("fftshift", false, self.look(), axes)
    }

    /// Moves the elements back that [`fftshift`](DynTensor::fftshift) has moved: see [`Tensor::ifftshift`](crate::Tensor::ifftshift).
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    pub fn ifftshift(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        shifted("ifftshift", true, self.look(), axes)
    }
}
