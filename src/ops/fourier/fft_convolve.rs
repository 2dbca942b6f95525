//! Convolutions and correlations that are computed by Fourier transforms.

use crate::device::family::fourier::FftElement;
use crate::device::op::binary::Mul;
use crate::device::op::unary::Conj;
use crate::device::{Copy, Device, Elementwise, Fourier};
use crate::element::{Element, Scalar};
use crate::engine::fourier::fft_convolve::Transforms;
use crate::engine::gemm::convolve::{ConvolutionMode, Taps, Variant};
use crate::engine::{elementwise, same_instance};
use crate::error::{Error, fallible};
use crate::layout::broadcast::{binary_shape, same};
use crate::ops::elementwise::compute::{binary_assign, check_out};
use crate::order::Order;
use crate::rank::{Dim, shape_of};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorView};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the [convolution](Tensor::convolve) with a kernel of the same rank, computed by Fourier transforms.
    ///
    /// Both operands are padded with zeros to the same extents: along each axis, at most the sum of both extents, rounded up to a product
    /// of the prime numbers 2, 3 and 5. The cost is that of three transforms of this size, so for large kernels this method is faster than
    /// [`convolve`](Tensor::convolve). If an operand has extent 1 along an axis, there is no transform along this axis.
    ///
    /// Rounding errors are relative to the largest elements of the result, not to each element. If an element is NaN or infinite, the whole
    /// transform of its operand is NaN. The whole result is then NaN if no operand has extent 1 along an axis.
    ///
    /// # Errors
    /// If an operand has zero elements, the operands are on different instances of the device, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, tensor};
    /// let x = tensor![1.0, 2.0, 3.0];
    /// let sums = x.fft_convolve(tensor![1.0, 1.0], ConvolutionMode::Full);
    /// assert!(sums.all_close(&tensor![1.0, 3.0, 5.0, 3.0], 0.0, 1e-14));
    /// ```
    #[fallible]
    #[doc(alias = "fftconvolve")]
    pub fn fft_convolve<K>(&self, kernel: K, mode: ConvolutionMode) -> Tensor<T, D, O, Dev>
    where
        T: FftElement,
        Dev: Elementwise<T> + Copy<T> + Fourier<T> + Elementwise<T::Complex> + Fourier<T::Complex>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    {
        self.product_of_spectra(Variant::Convolution, kernel.as_view(), mode)
    }

    /// [`fft_convolve`](Tensor::fft_convolve) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If an operand has zero elements, `out` does not have the result's shape, or a tensor is on another instance of the device: `out`
    ///   is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, Tensor, tensor};
    /// let mut out = Tensor::zeros([4]);
    /// tensor![1.0, 2.0, 3.0].fft_convolve_into(tensor![1.0, 1.0], ConvolutionMode::Full, &mut out);
    /// assert!(out.all_close(&tensor![1.0, 3.0, 5.0, 3.0], 0.0, 1e-14));
    /// ```
    #[fallible]
    pub fn fft_convolve_into<K, S2>(
        &self,
        kernel: K,
        mode: ConvolutionMode,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) where
        T: FftElement,
        Dev: Elementwise<T> + Copy<T> + Fourier<T> + Elementwise<T::Complex> + Fourier<T::Complex>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        self.product_of_spectra_into(Variant::Convolution, kernel.as_view(), mode, out)
    }

    /// Returns the [cross-correlation](Tensor::correlate) with a kernel of the same rank, computed by Fourier transforms. Cost and
    /// rounding errors are those of [`fft_convolve`](Tensor::fft_convolve).
    ///
    /// # Errors
    /// If an operand has zero elements, the operands are on different instances of the device, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, tensor};
    /// let x = tensor![1.0, 2.0, 4.0, 7.0];
    /// let differences = x.fft_correlate(tensor![-1.0, 1.0], ConvolutionMode::Valid);
    /// assert!(differences.all_close(&tensor![1.0, 2.0, 3.0], 0.0, 1e-14));
    /// ```
    #[fallible]
    pub fn fft_correlate<K>(&self, kernel: K, mode: ConvolutionMode) -> Tensor<T, D, O, Dev>
    where
        T: FftElement,
        Dev: Elementwise<T> + Copy<T> + Fourier<T> + Elementwise<T::Complex> + Fourier<T::Complex>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    {
        self.product_of_spectra(Variant::Correlation, kernel.as_view(), mode)
    }

    /// [`fft_correlate`](Tensor::fft_correlate) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If an operand has zero elements, `out` does not have the result's shape, or a tensor is on another instance of the device: `out`
    ///   is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![1.0, 2.0, 4.0, 7.0].fft_correlate_into(tensor![-1.0, 1.0], ConvolutionMode::Valid, &mut out);
    /// assert!(out.all_close(&tensor![1.0, 2.0, 3.0], 0.0, 1e-14));
    /// ```
    #[fallible]
    pub fn fft_correlate_into<K, S2>(
        &self,
        kernel: K,
        mode: ConvolutionMode,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) where
        T: FftElement,
        Dev: Elementwise<T> + Copy<T> + Fourier<T> + Elementwise<T::Complex> + Fourier<T::Complex>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        self.product_of_spectra_into(Variant::Correlation, kernel.as_view(), mode, out)
    }

    fn product_of_spectra(
        &self,
        variant: Variant,
        kernel: TensorView<'_, T, D, O, Dev>,
        mode: ConvolutionMode,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: FftElement,
        Dev: Elementwise<T> + Copy<T> + Fourier<T> + Elementwise<T::Complex> + Fourier<T::Complex>,
    {
        let op = variant.name();
        same_instance(op, self.device(), kernel.device())?;
        let (x, k) = (self.shape(), kernel.shape());
        let taps = Taps::new(variant, mode, x.as_ref(), k.as_ref(), O::ROW_MAJOR)?;
        let transforms = Transforms::new(op, &taps, x.as_ref(), k.as_ref(), O::ROW_MAJOR, T::IS_REAL);
        let Some(transforms) = transforms else { return self.sum_of_taps(variant, kernel, mode) };
        let whole = self.transformed_product(variant, kernel, &transforms)?;
        if same(whole.shape().as_ref(), taps.shape()) {
            Ok(whole)
        } else {
            part(&whole, &taps).try_to_owned()
        }
    }

    fn product_of_spectra_into<S2: StorageMut<T, Dev>>(
        &self,
        variant: Variant,
        kernel: TensorView<'_, T, D, O, Dev>,
        mode: ConvolutionMode,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: FftElement,
        Dev: Elementwise<T> + Copy<T> + Fourier<T> + Elementwise<T::Complex> + Fourier<T::Complex>,
    {
        let op = variant.name();
        same_instance(op, self.device(), kernel.device())?;
        let (x, k) = (self.shape(), kernel.shape());
        let taps = Taps::new(variant, mode, x.as_ref(), k.as_ref(), O::ROW_MAJOR)?;
        check_out(op, taps.shape(), self.device(), out)?;
        let transforms = Transforms::new(op, &taps, x.as_ref(), k.as_ref(), O::ROW_MAJOR, T::IS_REAL);
        match transforms {
            None => self.sum_of_taps_into(variant, kernel, mode, out),
            Some(transforms) => {
                let whole = self.transformed_product(variant, kernel, &transforms)?;
                out.try_assign(part(&whole, &taps))
            }
        }
    }

    /// Returns the inverse transform of the product of both spectra. It contains the result of the convolution.
    fn transformed_product(
        &self,
        variant: Variant,
        kernel: TensorView<'_, T, D, O, Dev>,
        transforms: &Transforms,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: FftElement,
        Dev: Elementwise<T> + Copy<T> + Fourier<T> + Elementwise<T::Complex> + Fourier<T::Complex>,
    {
        let forward = transforms.request(false);
        let spectrum = self.transformed::<T::Complex>(forward, T::spectrum)?;
        let factors = match variant {
            Variant::Convolution => kernel.transformed::<T::Complex>(forward, T::spectrum)?,
            Variant::Correlation => {
                let (mut axes, mut reversed) = (D::shape(self.rank()), kernel.copy_view());
                axes.as_mut().iter_mut().enumerate().for_each(|(k, axis)| *axis = k);
                reversed = reversed.derive(self.rank(), |from, to| from.flip(axes.as_ref(), to))?;
                if T::IS_REAL {
                    reversed.transformed::<T::Complex>(forward, T::spectrum)?
                } else {
                    let mut conjugate = reversed.try_to_owned()?;
                    conjugate.try_apply_inplace(Conj)?;
                    conjugate.transformed::<T::Complex>(forward, T::spectrum)?
                }
            }
        };
        product(spectrum, factors)?.transformed::<T>(transforms.request(true), T::of_spectrum)
    }
}

/// Returns the part of `whole`, an inverse transform, that is the result of the convolution.
fn part<'a, T: Element, D: Dim, O: Order, Dev: Device>(
    whole: &'a Tensor<T, D, O, Dev>,
    taps: &Taps<'_>,
) -> TensorView<'a, T, D, O, Dev> {
    let shape = shape_of::<D>(taps.shape());
    let strides = whole.strides();
    let offset = taps.start().iter().zip(strides.as_ref()).map(|(&k, &step)| k as isize * step).sum();
    TensorView::from(whole).with_axes::<D, O>(shape, strides, offset)
}

/// Multiplies two tensors elementwise, with broadcasting. Reuses the buffer of `a` if it has the result's shape.
fn product<T: Scalar, D: Dim, O: Order, Dev: Elementwise<T>>(
    mut a: Tensor<T, D, O, Dev>,
    b: Tensor<T, D, O, Dev>,
) -> Result<Tensor<T, D, O, Dev>, Error> {
    let mut shape = D::shape(a.rank().max(b.rank()));
    binary_shape("multiply", a.shape().as_ref(), b.shape().as_ref(), O::ROW_MAJOR, shape.as_mut())?;
    if same(a.shape().as_ref(), shape.as_ref()) {
        binary_assign(Mul, &mut a, &b)?;
        return Ok(a);
    }
    Tensor::allocate_with(shape, a.device().clone(), |out, device| {
        elementwise::map::<D, (T, T), _, _>(&Mul, O::ROW_MAJOR, device, out, (a.operand(), b.operand()))
    })
}
