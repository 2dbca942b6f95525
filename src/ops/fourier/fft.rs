//! Fourier transforms along one axis or several.

use crate::axis::{AxesArg, AxisArg};
use crate::device::family::fourier::{FftComplex, FftElement, FftReal, Transform};
use crate::device::{Device, Fourier, Operand, Output};
use crate::element::Element;
use crate::engine::fourier::fft::{Fft, Kind, Request};
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Allocates the result of a transform and calls `run`, a method of the device.
    pub(crate) fn transformed<U: Element>(
        &self,
        request: Request<'_>,
        run: impl FnOnce(&Dev, Transform, Output<'_, U, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<Tensor<U, D, O, Dev>, Error> {
        let mut shape = D::shape(self.rank());
        let (transform, order) = request.arrange(self.shape().as_ref(), shape.as_mut())?;
        let mut out = Tensor::allocate(shape, self.device().clone())?;
        self.transform_to(&mut out, &order[..self.rank()], |device, out, a| run(device, transform, out, a))?;
        Ok(out)
    }

    /// Checks the shape and the device of `out`, and calls `run`, a method of the device.
    fn transformed_into<U: Element, S2: StorageMut<U, Dev>>(
        &self,
        request: Request<'_>,
        out: &mut Tensor<U, D, O, Dev, S2>,
        run: impl FnOnce(&Dev, Transform, Output<'_, U, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (op, mut shape) = (request.op, D::shape(self.rank()));
        let (transform, order) = request.arrange(self.shape().as_ref(), shape.as_mut())?;
        check_out(op, shape.as_ref(), self.device(), out)?;
        self.transform_to(out, &order[..self.rank()], |device, out, a| run(device, transform, out, a))
    }

    /// Calls `run` with the output and the operand, whose axes are permuted to `order`.
    fn transform_to<U: Element, S2: StorageMut<U, Dev>>(
        &self,
        out: &mut Tensor<U, D, O, Dev, S2>,
        order: &[usize],
        run: impl FnOnce(&Dev, Output<'_, U, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut shape, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let (mut to_shape, mut to_strides) = (D::shape(self.rank()), D::strides(self.rank()));
        self.axes().permute(order, AxesMut::new(shape.as_mut(), strides.as_mut()))?;
        out.axes().permute(order, AxesMut::new(to_shape.as_mut(), to_strides.as_mut()))?;
        let operand = self.operand_with_axes(Axes::new(shape.as_ref(), strides.as_ref()), 0);
        let (output, device) = out.output_with_axes(Axes::new(to_shape.as_ref(), to_strides.as_ref()), 0);
        run(device, output, operand)
    }
}

macro_rules! transforms {
    ($(
        $(#[$doc:meta])*
        $name:ident, $into:ident: $T:ident -> $U:ty,
        ($operand:literal, $arguments:literal),
        ($op:literal, $kind:ident, inverse: $inverse:literal, $hook:ident),
        $axes:ident: $Axes:ident $(, $extra:ident: $Extra:ty)? => $method:ident, $options:expr;
    )*) => {
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {$(
            $(#[$doc])*
            #[fallible]
            pub fn $name<A: $Axes<D>>(
                &self,
                $axes: A
                $(, $extra: $Extra)?
            ) -> Tensor<$U, D, O, Dev>
            where
                T: $T,
                Dev: Fourier<T>,
            {
                let rank = self.rank();
                let axes = transforms!(@$method $axes, rank);
                let request = transforms!(@request axes, $options, ($op, $kind, $inverse));
                self.transformed(request, Dev::$hook)
            }

            #[doc = concat!("[`", stringify!($name), "`](Tensor::", stringify!($name), ") into a preallocated tensor or mutable")]
            /// view of exactly the shape of the result.
            ///
            /// # Errors
            #[doc = concat!("* Those of [`", stringify!($name), "`](Tensor::", stringify!($name), ").")]
            /// * If `out` does not have the result's shape, or is on another instance of the device.
            ///
            /// If an allocation fails, `out` may be partly written. After any other of these errors, `out` is unchanged.
            ///
            /// ```
            /// # use vierbein::fft::Fft;
            /// use vierbein::{Tensor, tensor};
            #[doc = concat!("let x = ", $operand, ";")]
            #[doc = concat!("let y = x.", stringify!($name), "(", $arguments, ");")]
            /// let mut out = Tensor::zeros(y.shape());
            #[doc = concat!("x.", stringify!($into), "(", $arguments, ", &mut out);")]
            /// assert_eq!(out, y);
            /// ```
            #[fallible]
            pub fn $into<A: $Axes<D>, S2>(
                &self,
                $axes: A,
                $($extra: $Extra,)?
                out: &mut Tensor<$U, D, O, Dev, S2>,
            )
            where
                T: $T,
                Dev: Fourier<T>,
                S2: StorageMut<$U, Dev>,
            {
                let rank = self.rank();
                let axes = transforms!(@$method $axes, rank);
                let request = transforms!(@request axes, $options, ($op, $kind, $inverse));
                self.transformed_into(request, out, Dev::$hook)
            }
        )*}
    };
    (@request $axes:ident, $options:expr, ($op:literal, $kind:ident, $inverse:literal)) => {
        Request { op: $op, kind: Kind::$kind, inverse: $inverse, axes: $axes.as_ref(), options: $options }
    };
    (@index $axis:ident, $rank:ident) => { [AxisArg::<D>::index($axis, $rank)] };
    (@axes $axes:ident, $rank:ident) => { AxesArg::<D>::axes($axes, $rank) };
}
transforms! {
    /// Returns the Fourier transform along an axis: `Σ xⱼ · exp(−2πi·jk/n)` at index `k`. The result is complex. Real elements are
    /// converted to complex ones; for them, [`rfft`](Tensor::rfft) takes about half the time and memory.
    ///
    /// [`fft_axes`](Tensor::fft_axes) transforms several axes. [`fft_with`](Tensor::fft_with) takes options, such as the length and
    /// the normalisation. The module [`fft`](crate::fft) describes lengths, plans, threads and devices.
    ///
    /// # Errors
    /// If the axis is out of range or has extent 0, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let (zero, four) = (Complex::from(0.0), Complex::from(4.0));
    /// let x = tensor![1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
    /// assert_eq!(x.fft(0), tensor![four, zero, zero, zero, four, zero, zero, zero]);
    /// ```
    fft, fft_into: FftElement -> T::Complex,
    ("tensor![1.0, 2.0]", "0"),
    ("fft", Complex, inverse: false, fft), axis: AxisArg => index, Fft::new();

    /// Returns the inverse Fourier transform along an axis: `1/n · Σ xₖ · exp(2πi·jk/n)` at index `j`.
    ///
    /// # Errors
    /// If the axis is out of range or has extent 0, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let x = tensor![Complex::new(1.0, 2.0), Complex::new(3.0, -4.0)];
    /// assert_eq!(x.fft(0).ifft(0), x);
    /// ```
    ifft, ifft_into: FftElement -> T::Complex,
    ("tensor![1.0, 2.0]", "0"),
    ("ifft", Complex, inverse: true, fft), axis: AxisArg => index, Fft::new();

    /// Returns the Fourier transform of real numbers along an axis, for the `n / 2 + 1` frequencies that are not negative. The transform at
    /// a negative frequency is the conjugate of that at the opposite frequency.
    ///
    /// # Errors
    /// If the axis is out of range or has extent 0, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let x = tensor![1.0, 1.0, -1.0, -1.0];
    /// assert_eq!(x.rfft(0), tensor![Complex::from(0.0), Complex::new(2.0, -2.0), Complex::from(0.0)]);
    /// ```
    rfft, rfft_into: FftReal -> T::Complex,
    ("tensor![1.0, 2.0]", "0"),
    ("rfft", FromReal, inverse: false, rfft), axis: AxisArg => index, Fft::new();

    /// Returns the inverse of [`rfft`](Tensor::rfft) along an axis: `n` real numbers, computed from the first `n / 2 + 1` complex numbers.
    /// If the axis has fewer elements, the missing elements are taken to be zero.
    ///
    /// There is no default for `n`, because `n / 2 + 1` does not tell whether `n` is even. As in NumPy, the imaginary parts at frequency 0
    /// and, if `n` is even, at the highest frequency are ignored.
    ///
    /// # Errors
    /// If the axis is out of range, `n` is 0, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1.0, 1.0, -1.0, -1.0];
    /// assert_eq!(x.rfft(0).irfft(0, 4), x);
    /// ```
    irfft, irfft_into: FftComplex -> T::Magnitude,
    ("tensor![1.0, 2.0].rfft(0)", "0, 2"),
    ("irfft", ToReal, inverse: true, irfft), axis: AxisArg, n: usize => index, Fft::new().len(n);

    /// Returns the Fourier transform along several axes: applies [`fft`](Tensor::fft) along each of them.
    ///
    /// # Errors
    /// * If no axis is named, or an axis is out of range, is named twice or has extent 0.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, Tensor, tensor};
    /// let x = Tensor::<f64, _>::ones([2, 2]);
    /// let (zero, four) = (Complex::from(0.0), Complex::from(4.0));
    /// assert_eq!(x.fft_axes([0, 1]), tensor![[four, zero], [zero, zero]]);
    /// ```
    fft_axes, fft_axes_into: FftElement -> T::Complex,
    ("tensor![[1.0, 2.0], [3.0, 4.0]]", "[0, 1]"),
    ("fft", Complex, inverse: false, fft), axes: AxesArg => axes, Fft::new();

    /// Returns the inverse Fourier transform along several axes: applies [`ifft`](Tensor::ifft) along each of them.
    ///
    /// # Errors
    /// * If no axis is named, or an axis is out of range, is named twice or has extent 0.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]].cast::<Complex<f64>>();
    /// assert_eq!(x.fft_axes([0, 1]).ifft_axes([0, 1]), x);
    /// ```
    ifft_axes, ifft_axes_into: FftElement -> T::Complex,
    ("tensor![[1.0, 2.0], [3.0, 4.0]]", "[0, 1]"),
    ("ifft", Complex, inverse: true, fft), axes: AxesArg => axes, Fft::new();

    /// Returns the Fourier transform of real numbers along several axes: [`rfft`](Tensor::rfft) along the axis that is named last,
    /// then [`fft`](Tensor::fft) along the others.
    ///
    /// # Errors
    /// * If no axis is named, or an axis is out of range, is named twice or has extent 0.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// let x = Tensor::<f64, _>::ones([4, 6]);
    /// assert_eq!(x.rfft_axes([0, 1]).shape(), [4, 4]);
    /// assert_eq!(x.rfft_axes([1, 0]).shape(), [3, 6]);
    /// ```
    rfft_axes, rfft_axes_into: FftReal -> T::Complex,
    ("tensor![[1.0, 2.0], [3.0, 4.0]]", "[0, 1]"),
    ("rfft", FromReal, inverse: false, rfft), axes: AxesArg => axes, Fft::new();

    /// Returns the inverse of [`rfft_axes`](Tensor::rfft_axes). `n` is the number of real elements along the axis that is named last.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or no axis is named.
    /// * If `n` is 0, or an axis before the last named one has extent 0.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    /// assert_eq!(x.rfft_axes([0, 1]).irfft_axes([0, 1], 2), x);
    /// ```
    irfft_axes, irfft_axes_into: FftComplex -> T::Magnitude,
    ("tensor![[1.0, 2.0], [3.0, 4.0]].rfft_axes([0, 1])", "[0, 1], 2"),
    ("irfft", ToReal, inverse: true, irfft), axes: AxesArg, n: usize => axes, Fft::new().len(n);

    /// [`fft`](Tensor::fft) along one axis or several, with options.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or no axis is named.
    /// * If a length is 0, or the number of lengths is not the number of axes.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{fft::{Fft, Norm}, tensor};
    /// let x = tensor![3.0, 4.0, 5.0];
    /// let y = x.fft_with(0, Fft::new().len(2).norm(Norm::Forward));
    /// assert_eq!(y.re(), tensor![3.5, -0.5]);
    /// ```
    fft_with, fft_with_into: FftElement -> T::Complex,
    ("tensor![1.0, 2.0, 3.0]", "0, Fft::new().len(4)"),
    ("fft", Complex, inverse: false, fft), axes: AxesArg, options: Fft => axes, options;

    /// [`ifft`](Tensor::ifft) along one axis or several, with options.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or no axis is named.
    /// * If a length is 0, or the number of lengths is not the number of axes.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{fft::{Fft, Norm}, tensor};
    /// let x = tensor![3.0, 4.0];
    /// assert_eq!(x.ifft_with(0, Fft::new().norm(Norm::Forward)).re(), tensor![7.0, -1.0]);
    /// ```
    ifft_with, ifft_with_into: FftElement -> T::Complex,
    ("tensor![1.0, 2.0, 3.0]", "0, Fft::new().len(4)"),
    ("ifft", Complex, inverse: true, fft), axes: AxesArg, options: Fft => axes, options;

    /// [`rfft`](Tensor::rfft) along one axis or several, with options.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or no axis is named.
    /// * If a length is 0, or the number of lengths is not the number of axes.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, fft::Fft};
    /// let x = Tensor::<f32, _>::ones([3]);
    /// assert_eq!(x.rfft_with(0, Fft::new().len(8)).shape(), [5]);
    /// ```
    rfft_with, rfft_with_into: FftReal -> T::Complex,
    ("tensor![1.0, 2.0, 3.0]", "0, Fft::new().len(4)"),
    ("rfft", FromReal, inverse: false, rfft), axes: AxesArg, options: Fft => axes, options;

    /// [`irfft`](Tensor::irfft) along one axis or several, with options. The options must contain the length along the axis that is named
    /// last.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or no axis is named.
    /// * If a length is 0, or the number of lengths is not the number of axes.
    /// * If the length along the axis that is named last is missing.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{fft::{Fft, Norm}, tensor};
    /// let x = tensor![3.0, 4.0, 5.0, 4.0];
    /// let y = x.rfft_with(0, Fft::new().norm(Norm::Forward));
    /// assert_eq!(y.irfft_with(0, Fft::new().len(4).norm(Norm::Forward)), x);
    /// ```
    irfft_with, irfft_with_into: FftComplex -> T::Magnitude,
    ("tensor![1.0, 2.0].rfft(0)", "0, Fft::new().len(2)"),
    ("irfft", ToReal, inverse: true, irfft), axes: AxesArg, options: Fft => axes, options;
}
