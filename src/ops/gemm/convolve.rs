//! Convolutions and correlations, computed directly from their definition.

use crate::device::{Device, Elementwise};
use crate::element::{Element, Scalar};
use crate::engine::gemm::convolve::{ConvolutionMode, Taps, Variant};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::elementwise::arithmetic::AddScaled;
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorView, TensorViewMut};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the discrete convolution with a kernel of the same rank: element `[i]` of the full result is `Σ x[i − k] · kernel[k]`. The
    /// mode selects a part of the full result: see [`ConvolutionMode`].
    ///
    /// The convolution is computed directly: the cost is one pass over the result per element of the kernel. With the feature `fft`, the
    /// method `fft_convolve` is faster for large kernels.
    ///
    /// # Errors
    /// * If an operand has zero elements, or the operands are on different instances of the device.
    /// * If an integer result overflows in a build with debug assertions, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, tensor};
    /// let x = tensor![1, 2, 3];
    /// assert_eq!(x.convolve(tensor![1, 1], ConvolutionMode::Full), tensor![1, 3, 5, 3]);
    /// assert_eq!(x.convolve(tensor![1, 1], ConvolutionMode::Valid), tensor![3, 5]);
    /// ```
    #[fallible]
    pub fn convolve<K>(&self, kernel: K, mode: ConvolutionMode) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Elementwise<T>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    {
        self.sum_of_taps(Variant::Convolution, kernel.as_view(), mode)
    }

    /// [`convolve`](Tensor::convolve) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If an operand has zero elements, `out` does not have the result's shape, or a tensor is on another instance of the device: `out`
    ///   is unchanged.
    /// * If an integer result overflows in a build with debug assertions, or an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![1, 2, 4].convolve_into(tensor![-1, 1], ConvolutionMode::Valid, &mut out);
    /// assert_eq!(out, tensor![-1, -2]);
    /// ```
    #[fallible]
    pub fn convolve_into<K, S2>(&self, kernel: K, mode: ConvolutionMode, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: Scalar,
        Dev: Elementwise<T>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        self.sum_of_taps_into(Variant::Convolution, kernel.as_view(), mode, out)
    }

    /// Returns the cross-correlation with a kernel of the same rank: the [convolution](Tensor::convolve) with the reversed, conjugated
    /// kernel. In the mode `Valid`, element `[i]` is `Σ x[i + k] · conj(kernel[k])`.
    ///
    /// # Errors
    /// * If an operand has zero elements, or the operands are on different instances of the device.
    /// * If an integer result overflows in a build with debug assertions, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, tensor};
    /// let x = tensor![1, 2, 4, 7];
    /// assert_eq!(x.correlate(tensor![-1, 1], ConvolutionMode::Valid), tensor![1, 2, 3]);
    /// ```
    #[fallible]
    pub fn correlate<K>(&self, kernel: K, mode: ConvolutionMode) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Elementwise<T>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    {
        self.sum_of_taps(Variant::Correlation, kernel.as_view(), mode)
    }

    /// [`correlate`](Tensor::correlate) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If an operand has zero elements, `out` does not have the result's shape, or a tensor is on another instance of the device: `out`
    ///   is unchanged.
    /// * If an integer result overflows in a build with debug assertions, or an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![1, 2, 4].correlate_into(tensor![-1, 1], ConvolutionMode::Valid, &mut out);
    /// assert_eq!(out, tensor![1, 2]);
    /// ```
    #[fallible]
    pub fn correlate_into<K, S2>(&self, kernel: K, mode: ConvolutionMode, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: Scalar,
        Dev: Elementwise<T>,
        K: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        self.sum_of_taps_into(Variant::Correlation, kernel.as_view(), mode, out)
    }

    pub(crate) fn sum_of_taps(
        &self,
        variant: Variant,
        kernel: TensorView<'_, T, D, O, Dev>,
        mode: ConvolutionMode,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Elementwise<T>,
    {
        same_instance(variant.name(), self.device(), kernel.device())?;
        let (x, k, mut shape) = (self.shape(), kernel.shape(), D::shape(self.rank()));
        let taps = Taps::new(variant, mode, x.as_ref(), k.as_ref(), O::ROW_MAJOR)?;
        shape.as_mut().copy_from_slice(taps.shape());
        let mut out = Tensor::try_full_in(shape, T::zero(), self.device())?;
        self.add_taps(variant, &kernel, &taps, &mut out)?;
        Ok(out)
    }

    pub(crate) fn sum_of_taps_into<S2: StorageMut<T, Dev>>(
        &self,
        variant: Variant,
        kernel: TensorView<'_, T, D, O, Dev>,
        mode: ConvolutionMode,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        Dev: Elementwise<T>,
    {
        same_instance(variant.name(), self.device(), kernel.device())?;
        let (x, k) = (self.shape(), kernel.shape());
        let taps = Taps::new(variant, mode, x.as_ref(), k.as_ref(), O::ROW_MAJOR)?;
        check_out(variant.name(), taps.shape(), self.device(), out)?;
        out.try_fill(T::zero())?;
        self.add_taps(variant, &kernel, &taps, out)
    }

    /// Adds the products of the kernel's elements and the parts of `self` to `out`, which must have the result's shape.
    fn add_taps<S2: StorageMut<T, Dev>>(
        &self,
        variant: Variant,
        kernel: &TensorView<'_, T, D, O, Dev>,
        taps: &Taps<'_>,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        Dev: Elementwise<T>,
    {
        let factors = kernel.try_to_vec()?;
        let (strides, out_strides) = (self.strides(), out.strides());
        let at = |index: &[usize], strides: &D::Strides| -> isize {
            index.iter().zip(strides.as_ref()).map(|(&k, &stride)| k as isize * stride).sum()
        };
        taps.each(|k, to, from, extents| {
            let mut shape = D::shape(self.rank());
            shape.as_mut().copy_from_slice(extents);
            let (to, from) = (at(to, &out_strides), at(from, &strides));
            let mut sums: TensorViewMut<'_, T, D, O, Dev> = out.view_mut().with_axes(shape, out_strides, to);
            let terms: TensorView<'_, T, D, O, Dev> = self.as_view().with_axes(shape, strides, from);
            let factor = factors[k];
            let factor = if variant == Variant::Correlation { Scalar::conj(factor) } else { factor };
            sums.try_apply2_inplace(AddScaled(factor), &terms)
        })
    }
}
