//! `softmax`, `log_softmax` and `logsumexp` of dynamic tensors, by the formulas in `ops/reduce/softmax.rs`.

use super::{DynAxes, DynReduction};
use crate::dyn_tensor::elementwise::binary::Binary;
use crate::dyn_tensor::operand::{lacking, needs};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::DType;
use crate::error::Error;
use crate::rank::IndexNumber;

/// Returns the maxima along the axes, which are kept with extent 1. If the tensor is empty, returns zeros, because there is no maximum.
// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn peak(op: &'static str, x: DynView<'_>, axes: &[usize]) -> Result<DynTensor, Error> {
    if !matches!(x.dtype(), DType::F32 | DType::F64) {
        return Err(lacking(op, x.dtype(), needs::FLOATS));
    }
    x.layout().axes().check_distinct_axes(op, axes)?;
    x.reduce_keepdims(if x.is_empty() { DynReduction::Sum } else { DynReduction::Max }, axes)
}

impl<S: DynData> DynTensor<S> {
    /// Returns the softmax along axes: the exponentials, divided by their sums along the axes. See
    /// [`Tensor::softmax`](crate::Tensor::softmax).
    ///
    /// # Errors
    /// If the elements are not real floating-point numbers, an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 0.0], [1000.0, 0.0]]);
    /// assert_eq!(x.softmax(1)?.downcast_ref()?, tensor![[0.5, 0.5], [1.0, 0.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn softmax(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = self.all_or(&axes);
        let powers = self.binary(Binary::Sub, &peak("softmax", self.look(), &axes)?)?.exp()?;
        powers.binary(Binary::Div, &powers.reduce_keepdims(DynReduction::Sum, &axes[..])?)
    }

    /// Returns the logarithm of the [`softmax`](DynTensor::softmax). It is accurate even if the softmax underflows to zero.
    ///
    /// # Errors
    /// If the elements are not real floating-point numbers, an axis is out of range or named twice, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![0.0, 1000.0]);
    /// assert_eq!(x.log_softmax(0)?.downcast_ref()?, tensor![-1000.0, 0.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn log_softmax(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = self.all_or(&axes);
        let shifted = self.binary(Binary::Sub, &peak("log_softmax", self.look(), &axes)?)?;
        let sum = shifted.exp()?.reduce_keepdims(DynReduction::Sum, &axes[..])?;
        shifted.binary(Binary::Sub, &sum.ln()?)
    }

    /// Returns the logarithm of the sum of the exponentials of all elements. See [`Tensor::logsumexp`](crate::Tensor::logsumexp).
    ///
    /// # Errors
    /// If the elements are not real floating-point numbers, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1000.0, 1000.0]);
    /// assert_eq!(x.logsumexp()?.item()?, (1000.0 + 2f64.ln()).into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn logsumexp(&self) -> Result<DynTensor, Error> {
        self.logsumexp_axes(..)
    }

    /// [`logsumexp`](DynTensor::logsumexp) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range, or one of the errors of [`logsumexp`](DynTensor::logsumexp).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 1e3], [0.0, 0.0]]);
    /// assert_eq!(x.logsumexp_axis(0)?.downcast_ref()?, tensor![2f64.ln(), 1e3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn logsumexp_axis(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        self.logsumexp_axes(axis)
    }

    /// [`logsumexp`](DynTensor::logsumexp) over a list of axes, which are removed.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or one of the errors of [`logsumexp`](DynTensor::logsumexp).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 1e3], [0.0, 0.0]]);
    /// assert_eq!(x.logsumexp_axes([0, 1])?.item()?, 1e3.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn logsumexp_axes(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = self.all_or(&axes);
        self.log_sum(&axes, |x| x.reduce(DynReduction::Sum, &axes[..]))
    }

    /// Variant of [`logsumexp`](DynTensor::logsumexp) that keeps the axes with extent 1.
    ///
    /// # Errors
    /// Those of [`logsumexp_axes`](DynTensor::logsumexp_axes).
    pub fn logsumexp_keepdims(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = self.all_or(&axes);
        self.log_sum(&axes, |x| x.reduce_keepdims(DynReduction::Sum, &axes[..]))
    }

    /// Returns the logarithm of the sum of the exponentials along `axes`. `sum` is the reduction along these axes, which removes them or
    /// keeps them.
    fn log_sum(
        &self,
        axes: &[usize],
        sum: impl Fn(&DynTensor) -> Result<DynTensor, Error>,
    ) -> Result<DynTensor, Error> {
        let peak = peak("logsumexp", self.look(), axes)?;
        let zero: DynScalar = if self.dtype() == DType::F32 { 0f32.into() } else { 0f64.into() };
        // A maximum that is not finite is replaced by zero: infinity minus infinity would be NaN.
        let peak = peak.is_finite()?.select(&peak, zero)?;
        sum(&self.binary(Binary::Sub, &peak)?.exp()?)?.ln()?.binary(Binary::Add, &sum(&peak)?)
    }

    /// Returns the axes of the argument, or all axes for `..`.
    fn all_or(&self, axes: &impl DynAxes) -> Vec<usize> {
        axes.axes(self.rank()).unwrap_or_else(|| (0..self.rank()).collect())
    }
}
