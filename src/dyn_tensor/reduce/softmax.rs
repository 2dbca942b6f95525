//! `softmax`, `log_softmax` and `logsumexp` of dynamic tensors.

use super::{DynAxes, all_or, without_axes};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::rank::IndexNumber;

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
        let axes = all_or(&axes, self.rank());
        typed!("softmax", RealFloat, (x = self.look(); axes: &[isize] = &axes) => x.try_softmax(axes))
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
        let axes = all_or(&axes, self.rank());
        typed!("log_softmax", RealFloat, (x = self.look(); axes: &[isize] = &axes) => x.try_log_softmax(axes))
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
        let axes = all_or(&axes, self.rank());
        Ok(without_axes(self.logsumexp_keepdims(&axes[..])?, &axes))
    }

    /// Variant of [`logsumexp`](DynTensor::logsumexp) that keeps the axes with extent 1.
    ///
    /// # Errors
    /// Those of [`logsumexp_axes`](DynTensor::logsumexp_axes).
    pub fn logsumexp_keepdims(&self, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        typed!("logsumexp", RealFloat, (x = self.look(); axes: &[isize] = &axes) => x.try_logsumexp_keepdims(axes))
    }
}
