//! The frequencies of Fourier transforms, and rotations that move frequency 0 to the middle.

use crate::axis::AxesArg;
use crate::device::{Copy, Device, wide};
use crate::element::{Element, RealFloat};
use crate::engine::fourier::fft::{check_frequencies, frequency, shift};
use crate::error::{Error, fallible};
use crate::layout::axes::Axes;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a copy that is rotated along one axis or several by half of their extents, so that frequency 0 of a Fourier transform is in
    /// the middle: the element at index 0 moves to index `n / 2`.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let frequencies = Tensor::<f64, _>::fftfreq(5, 0.2);
    /// assert_eq!(frequencies, tensor![0.0, 1.0, 2.0, -2.0, -1.0]);
    /// assert_eq!(frequencies.fftshift(0), tensor![-2.0, -1.0, 0.0, 1.0, 2.0]);
    /// ```
    #[fallible]
    pub fn fftshift<A: AxesArg<D>>(&self, axes: A) -> Tensor<T, D, O, Dev>
    where
        Dev: Copy<T>,
    {
        self.shifted("fftshift", false, axes.axes(self.rank()).as_ref())
    }

    /// Undoes [`fftshift`](Tensor::fftshift): the element at index `n / 2` moves to index 0. The two methods differ if `n` is odd.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![-2, -1, 0, 1, 2].ifftshift(0), tensor![0, 1, 2, -2, -1]);
    /// ```
    #[fallible]
    pub fn ifftshift<A: AxesArg<D>>(&self, axes: A) -> Tensor<T, D, O, Dev>
    where
        Dev: Copy<T>,
    {
        self.shifted("ifftshift", true, axes.axes(self.rank()).as_ref())
    }

    fn shifted(&self, op: &'static str, inverse: bool, axes: &[usize]) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        Dev: Copy<T>,
    {
        let mut out = Tensor::<T, D, O, Dev>::allocate(self.shape(), self.device().clone())?;
        let (from, to) = (self.strides(), out.strides());
        shift(op, inverse, self.shape().as_ref(), axes, [to.as_ref(), from.as_ref()], |shape, [o, a]| {
            let operand = self.operand_with_axes(Axes::new(shape, from.as_ref()), a);
            let (output, device) = out.output_with_axes(Axes::new(shape, to.as_ref()), o);
            wide::copy::<D, _, _>(device, output, operand)
        })?;
        Ok(out)
    }
}

impl<T: RealFloat, O: Order, Dev: Device> Tensor<T, Rank<1>, O, Dev> {
    /// Returns the frequencies of the elements of an [`fft`](Tensor::fft) of length `n`: `0, 1, .. (n − 1) / 2, −(n / 2), .. −1`, divided
    /// by `n · spacing`. `spacing` is the distance between neighbouring samples. The frequencies are in cycles per unit of `spacing`.
    ///
    /// # Errors
    /// * If `n` is 0, or `spacing` is 0 or not finite.
    /// * If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::<f64, _>::fftfreq(4, 0.5), tensor![0.0, 0.5, -1.0, -0.5]);
    /// ```
    #[fallible]
    pub fn fftfreq(n: usize, spacing: T) -> Self
    where
        Dev: Default,
    {
        Self::try_fftfreq_in(n, spacing, &Dev::default())
    }

    /// Fallible variant of [`fftfreq`](Tensor::fftfreq) on a given device.
    ///
    /// # Errors
    /// * If `n` is 0, or `spacing` is 0 or not finite.
    /// * If the shape exceeds the address space, or the allocation fails.
    pub fn try_fftfreq_in(n: usize, spacing: T, device: &Dev) -> Result<Self, Error> {
        let unit = check_frequencies(n, spacing.in_f64())?;
        let number = |k: usize| if k <= (n - 1) / 2 { k as f64 } else { -((n - k) as f64) };
        Self::try_from_fn_in([n], |[k]| T::from_f64(frequency(number(k), unit)), device)
    }

    /// Returns the frequencies of the elements of an [`rfft`](Tensor::rfft) of length `n`: `0, 1, .. n / 2`, divided by `n · spacing`.
    ///
    /// # Errors
    /// * If `n` is 0, or `spacing` is 0 or not finite.
    /// * If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::<f64, _>::rfftfreq(4, 0.5), tensor![0.0, 0.5, 1.0]);
    /// ```
    #[fallible]
    pub fn rfftfreq(n: usize, spacing: T) -> Self
    where
        Dev: Default,
    {
        Self::try_rfftfreq_in(n, spacing, &Dev::default())
    }

    /// Fallible variant of [`rfftfreq`](Tensor::rfftfreq) on a given device.
    ///
    /// # Errors
    /// * If `n` is 0, or `spacing` is 0 or not finite.
    /// * If the shape exceeds the address space, or the allocation fails.
    pub fn try_rfftfreq_in(n: usize, spacing: T, device: &Dev) -> Result<Self, Error> {
        let unit = check_frequencies(n, spacing.in_f64())?;
        Self::try_from_fn_in([n / 2 + 1], |[k]| T::from_f64(frequency(k as f64, unit)), device)
    }
}
