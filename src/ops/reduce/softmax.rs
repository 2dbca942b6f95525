//! `softmax`, `log_softmax` and `logsumexp`. The largest element is subtracted from all elements before exponentials are computed, so no
//! exponential of finite elements overflows.
//!
//! ```text
//! peak = x.max_keepdims(axes)
//! e = exp(x - peak)
//! softmax = e / sum(e),  log_softmax = x - peak - ln(sum(e)),  logsumexp = peak + ln(sum(e))
//! ```

use crate::axis::{AxesArg, AxesToRemove, AxisArg};
use crate::device::op::binary::{Add, Div, Sub};
use crate::device::op::reduction::{Max, Sum};
use crate::device::op::unary::{Exp, Ln};
use crate::device::{Device, Elementwise, Reduce};
use crate::element::{Element, RealFloat};
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{Dim, MAX_ANY_RANK, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

const LOGSUMEXP: &str = "logsumexp";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the softmax along one axis or several: the exponentials of the elements, divided by their sum along the axes.
    ///
    /// The largest element along the axes is subtracted from all elements first, so that exponentials do not overflow. If the largest
    /// element is infinite or NaN, the results along the axes are NaN.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[0.0, 0.0], [1000.0, 0.0]];
    /// assert_eq!(x.softmax(1), tensor![[0.5, 0.5], [1.0, 0.0]]);
    /// ```
    #[fallible]
    pub fn softmax<A: AxesArg<D>>(&self, axes: A) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
    {
        let axes = axes.axes(self.rank());
        self.axes().check_distinct_axes("softmax", axes.as_ref())?;
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        self.write_softmax(axes.as_ref(), &mut out)?;
        Ok(out)
    }

    /// [`softmax`](Tensor::softmax) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or `out` has another shape or is on another instance of the device: `out` is
    ///   unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([1, 2]);
    /// tensor![[7.0, 7.0]].softmax_into(1, &mut out);
    /// assert_eq!(out, tensor![[0.5, 0.5]]);
    /// ```
    #[fallible]
    pub fn softmax_into<A: AxesArg<D>, S2>(&self, axes: A, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
        S2: StorageMut<T, Dev>,
    {
        let axes = axes.axes(self.rank());
        self.axes().check_distinct_axes("softmax", axes.as_ref())?;
        check_out("softmax", self.shape().as_ref(), self.device(), out)?;
        self.write_softmax(axes.as_ref(), out)
    }

    /// Returns the logarithm of the [`softmax`](Tensor::softmax). The logarithm is accurate even if the softmax underflows to 0.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 1000.0]].log_softmax(1), tensor![[-1000.0, 0.0]]);
    /// ```
    #[fallible]
    pub fn log_softmax<A: AxesArg<D>>(&self, axes: A) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
    {
        let axes = axes.axes(self.rank());
        self.axes().check_distinct_axes("log_softmax", axes.as_ref())?;
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        self.write_log_softmax(axes.as_ref(), &mut out)?;
        Ok(out)
    }

    /// [`log_softmax`](Tensor::log_softmax) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or `out` has another shape or is on another instance of the device: `out` is
    ///   unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([1, 2]);
    /// tensor![[0.0, 1000.0]].log_softmax_into(1, &mut out);
    /// assert_eq!(out, tensor![[-1000.0, 0.0]]);
    /// ```
    #[fallible]
    pub fn log_softmax_into<A: AxesArg<D>, S2>(&self, axes: A, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
        S2: StorageMut<T, Dev>,
    {
        let axes = axes.axes(self.rank());
        self.axes().check_distinct_axes("log_softmax", axes.as_ref())?;
        check_out("log_softmax", self.shape().as_ref(), self.device(), out)?;
        self.write_log_softmax(axes.as_ref(), out)
    }

    /// Returns the logarithm of the sum of the exponentials of all elements; negative infinity if the tensor is empty.
    ///
    /// The largest element is subtracted from all elements first, so that exponentials do not overflow.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1000.0, 1000.0].logsumexp().item(), 1000.0 + 2f64.ln());
    /// ```
    #[fallible]
    pub fn logsumexp(&self) -> Tensor<T, Rank<0>, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
    {
        let all: [usize; MAX_ANY_RANK] = core::array::from_fn(|axis| axis);
        self.log_sum(&all[..self.rank()], |x| x.reduced_whole(Sum))
    }

    /// [`logsumexp`](Tensor::logsumexp) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 1e3], [0.0, 0.0]].logsumexp_axis(0), tensor![2f64.ln(), 1e3]);
    /// ```
    #[fallible]
    pub fn logsumexp_axis<R: Dim, A>(&self, axis: A) -> Tensor<T, R, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        let axes = [axis.index(self.rank())];
        self.log_sum(&axes, |x| x.reduced(Sum, &axes))
    }

    /// [`logsumexp`](Tensor::logsumexp) over several axes, which are removed.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[0.0, 1e3], [0.0, 0.0]];
    /// assert_eq!(x.logsumexp_axes([0, 1]).item(), 1e3);
    /// ```
    #[fallible]
    pub fn logsumexp_axes<A: AxesToRemove<D>>(&self, axes: A) -> Tensor<T, A::Remaining, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
    {
        let axes = axes.axes(self.rank());
        self.log_sum(axes.as_ref(), |x| x.reduced(Sum, axes.as_ref()))
    }

    /// [`logsumexp_axes`](Tensor::logsumexp_axes) into a preallocated tensor or mutable view of exactly the result's shape. `axes` can name
    /// one axis, several or all.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or `out` does not have the result's shape or is on another instance of the device:
    ///   `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[0.0, 1e3], [0.0, 0.0]].logsumexp_into([0], &mut out);
    /// assert_eq!(out, tensor![2f64.ln(), 1e3]);
    /// ```
    #[fallible]
    pub fn logsumexp_into<A, S2>(&self, axes: A, out: &mut Tensor<T, A::Remaining, O, Dev, S2>)
    where
        A: AxesToRemove<D>,
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
        S2: StorageMut<T, Dev>,
    {
        let removed = axes.axes(self.rank());
        let removed = removed.as_ref();
        self.check_reduced_out(LOGSUMEXP, removed, out)?;
        let (powers, peak) = self.powers(removed)?;
        powers.try_reduce_into(Sum, axes, out)?;
        log_and_add(out, &peak.reduced(Sum, removed)?)
    }

    /// [`logsumexp`](Tensor::logsumexp) over one axis or several, which are kept with extent 1, so that the result broadcasts with `self`.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 1e3], [0.0, 0.0]].logsumexp_keepdims(1), tensor![[1e3], [2f64.ln()]]);
    /// ```
    #[fallible]
    pub fn logsumexp_keepdims<A: AxesArg<D>>(&self, axes: A) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
    {
        let axes = axes.axes(self.rank());
        self.log_sum(axes.as_ref(), |x| x.reduced_keeping(Sum, axes.as_ref()))
    }

    /// Writes the softmax along `axes`, which must be distinct and in range, to `out`, which must have the shape of `self`.
    fn write_softmax<S2>(&self, axes: &[usize], out: &mut Tensor<T, D, O, Dev, S2>) -> Result<(), Error>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
        S2: StorageMut<T, Dev>,
    {
        self.try_apply2_into(Sub, &self.peak(axes)?, out)?;
        out.try_apply_inplace(Exp)?;
        let sum = out.reduced_keeping(Sum, axes)?;
        out.try_apply2_inplace(Div, &sum)
    }

    /// [`write_softmax`](Tensor::write_softmax) for the logarithm of the softmax.
    fn write_log_softmax<S2>(&self, axes: &[usize], out: &mut Tensor<T, D, O, Dev, S2>) -> Result<(), Error>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
        S2: StorageMut<T, Dev>,
    {
        self.try_apply2_into(Sub, &self.peak(axes)?, out)?;
        let mut sum = out.try_apply(Exp)?.reduced_keeping(Sum, axes)?;
        sum.try_apply_inplace(Ln)?;
        out.try_apply2_inplace(Sub, &sum)
    }

    /// Returns the largest element along the axes, which must be distinct and in range, and are kept with extent 1. Returns zeros if the
    /// tensor is empty.
    fn peak(&self, axes: &[usize]) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: RealFloat,
        Dev: Reduce<T>,
    {
        if self.is_empty() { self.reduced_keeping(Sum, axes) } else { self.reduced_keeping(Max, axes) }
    }

    /// Returns the logarithm of the sum of exponentials along `axes`. `sum` returns the sums of a tensor's elements along `axes`.
    fn log_sum<R: Dim>(
        &self,
        axes: &[usize],
        sum: impl Fn(&Tensor<T, D, O, Dev>) -> Result<Tensor<T, R, O, Dev>, Error>,
    ) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
    {
        let (powers, peak) = self.powers(axes)?;
        let mut result = sum(&powers)?;
        // The peak has extent 1 along the axes, so `sum(&peak)` has the elements of the peak, and the shape of the result.
        log_and_add(&mut result, &sum(&peak)?)?;
        Ok(result)
    }

    /// Returns the exponentials of the differences between the elements and the peak, and the peak.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or an allocation fails.
    fn powers(&self, axes: &[usize]) -> Result<(Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Error>
    where
        T: RealFloat,
        Dev: Elementwise<T> + Reduce<T>,
    {
        self.axes().check_distinct_axes(LOGSUMEXP, axes)?;
        // Infinity minus infinity would be NaN, so an infinite peak is replaced by the closest finite number. The result is then infinite,
        // with the sign of the peak.
        let peak = self.peak(axes)?.try_clamp(-T::max_value(), T::max_value())?;
        let mut powers = self.try_apply2(Sub, &peak)?;
        powers.try_apply_inplace(Exp)?;
        Ok((powers, peak))
    }
}

/// Replaces sums of exponentials by their logarithms, and adds the peaks.
fn log_and_add<T: RealFloat, D: Dim, O: Order, Dev: Elementwise<T>, S: StorageMut<T, Dev>>(
    sums: &mut Tensor<T, D, O, Dev, S>,
    peaks: &Tensor<T, D, O, Dev>,
) -> Result<(), Error> {
    sums.try_apply_inplace(Ln)?;
    sums.try_apply2_inplace(Add, peaks)
}
