//! Dynamic tensors: medians and other quantiles.

use crate::device::quantile::Quantile;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::{typed, vector};
use crate::engine::sort::weighted_quantile::WEIGHTED_QUANTILE;
use crate::error::Error;
use crate::ops::sort::quantile::{MEDIAN, NAN_MEDIAN, NAN_QUANTILE, QUANTILE};
use crate::rank::IndexNumber;

impl<S: DynData> DynTensor<S> {
    /// Returns the median of all elements, as a tensor of rank 0: `f64` for integers. It is NaN if an element is NaN.
    ///
    /// # Errors
    /// If the tensor is empty, the elements are not real numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7, 1], [3, 4]]);
    /// assert_eq!(x.median()?.item()?, 3.5.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn median(&self) -> Result<DynTensor, Error> {
        typed!(MEDIAN, RealScalar, (x = self.look()) => x.try_median())
    }

    /// Returns the medians along an axis, which is removed. They are `f64` for integers. A median is NaN if one of its elements is NaN.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, the elements are not real numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7, 1, 2], [3, 4, 0]]);
    /// assert_eq!(x.median_axis(1)?.downcast_ref()?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn median_axis(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!(MEDIAN, RealScalar, (x = self.look(); axis: isize = axis.number()) => x.try_median_axis(axis))
    }

    /// Returns the quantiles of one level, from 0 to 1, along an axis, which is removed. They are `f64` for integers. A quantile is NaN if
    /// one of its elements is NaN.
    ///
    /// # Errors
    /// * If the level is not from 0 to 1.
    /// * Those of [`median_axis`](DynTensor::median_axis).
    ///
    /// ```
    /// use vierbein::{DynTensor, Quantile, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0, 4.0, 8.0, 16.0]]);
    /// assert_eq!(x.quantile(1, 0.75, Quantile::Linear)?.downcast_ref()?, tensor![8.0]);
    /// assert_eq!(x.quantiles(1, &[0.0, 0.5], Quantile::Linear)?.downcast_ref()?, tensor![[1.0, 4.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn quantile(&self, axis: impl IndexNumber, level: f64, method: Quantile) -> Result<DynTensor, Error> {
        typed!(
            QUANTILE, RealScalar,
            (x = self.look(); axis: isize = axis.number(), level: f64 = level, method: Quantile = method) => x.try_quantile(axis, level, method)
        )
    }

    /// Returns the quantiles of several levels along an axis. In the result, index `k` of the axis contains the quantiles of `levels[k]`.
    ///
    /// # Errors
    /// Those of [`quantile`](DynTensor::quantile).
    pub fn quantiles(
        &self,
        axis: impl IndexNumber,
        levels: &[f64],
        method: Quantile,
    ) -> Result<DynTensor, Error> {
        typed!(
            QUANTILE, RealScalar,
            (x = self.look(); axis: isize = axis.number(), levels: &[f64] = levels, method: Quantile = method) => x.try_quantile(axis, levels, method)
        )
    }

    /// Returns the median of all elements that are not NaN, as a tensor of rank 0. It is NaN if all elements are NaN.
    ///
    /// # Errors
    /// If the tensor is empty, the elements are not real floating-point numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7.0, f64::NAN], [3.0, 4.0]]);
    /// assert_eq!(x.nan_median()?.item()?, 4.0.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_median(&self) -> Result<DynTensor, Error> {
        typed!(NAN_MEDIAN, RealFloat, (x = self.look()) => x.try_nan_median())
    }

    /// Returns the medians, along an axis, of the elements that are not NaN. The axis is removed. A median is NaN if all its elements are
    /// NaN.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, the elements are not real floating-point numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7.0, f64::NAN, 2.0], [3.0, 4.0, 0.0]]);
    /// assert_eq!(x.nan_median_axis(1)?.downcast_ref()?, tensor![4.5, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_median_axis(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        typed!(NAN_MEDIAN, RealFloat, (x = self.look(); axis: isize = axis.number()) => x.try_nan_median_axis(axis))
    }

    /// Returns the weighted quantiles of one level along an axis, which is removed: see
    /// [`Tensor::quantile_weighted`](crate::Tensor::quantile_weighted). The weights are a vector of `f64` on the same device.
    ///
    /// # Errors
    /// * If the weights are not a vector of `f64` with one element for each index of the axis, or are on another device.
    /// * If a weight is negative or not finite, or all are zero.
    /// * Those of [`quantile`](DynTensor::quantile).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0, 4.0], [9.0, 8.0, 7.0]]);
    /// assert_eq!(x.quantile_weighted(1, 0.5, &tensor![1.0, 1.0, 4.0])?.downcast_ref()?, tensor![4.0, 7.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn quantile_weighted<'w>(
        &self,
        axis: impl IndexNumber,
        level: f64,
        weights: impl Into<DynView<'w>>,
    ) -> Result<DynTensor, Error> {
        const OP: &str = WEIGHTED_QUANTILE;
        let weights = weights.into();
        typed!(
            OP, RealScalar,
            (x = self.look(), weights as f64 = weights; axis: isize = axis.number(), level: f64 = level) => {
                x.try_quantile_weighted(axis, level, vector(OP, "weights", weights)?)
            }
        )
    }

    /// Returns the weighted quantiles of several levels along an axis. In the result, index `k` of the axis contains the quantiles of
    /// `levels[k]`.
    ///
    /// # Errors
    /// Those of [`quantile_weighted`](DynTensor::quantile_weighted).
    pub fn quantiles_weighted<'w>(
        &self,
        axis: impl IndexNumber,
        levels: &[f64],
        weights: impl Into<DynView<'w>>,
    ) -> Result<DynTensor, Error> {
        const OP: &str = WEIGHTED_QUANTILE;
        let weights = weights.into();
        typed!(
            OP, RealScalar,
            (x = self.look(), weights as f64 = weights; axis: isize = axis.number(), levels: &[f64] = levels) => {
                x.try_quantile_weighted(axis, levels, vector(OP, "weights", weights)?)
            }
        )
    }

    /// Returns the quantiles of one level, along an axis, of the elements that are not NaN. The level is from 0 to 1. The axis is removed.
    /// A quantile is NaN if all its elements are NaN.
    ///
    /// # Errors
    /// * If the level is not from 0 to 1.
    /// * Those of [`nan_median_axis`](DynTensor::nan_median_axis).
    ///
    /// ```
    /// use vierbein::{DynTensor, Quantile, tensor};
    /// let x = DynTensor::from(tensor![[8.0, f64::NAN, 2.0], [3.0, 4.0, 0.0]]);
    /// assert_eq!(x.nan_quantile(1, 0.25, Quantile::Linear)?.downcast_ref()?, tensor![3.5, 1.5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_quantile(
        &self,
        axis: impl IndexNumber,
        level: f64,
        method: Quantile,
    ) -> Result<DynTensor, Error> {
        typed!(
            NAN_QUANTILE, RealFloat,
            (x = self.look(); axis: isize = axis.number(), level: f64 = level, method: Quantile = method) => x.try_nan_quantile(axis, level, method)
        )
    }

    /// Returns the quantiles of several levels, along an axis, of the elements that are not NaN. In the result, index `k` of the axis
    /// contains the quantiles of `levels[k]`.
    ///
    /// # Errors
    /// Those of [`nan_quantile`](DynTensor::nan_quantile).
    pub fn nan_quantiles(
        &self,
        axis: impl IndexNumber,
        levels: &[f64],
        method: Quantile,
    ) -> Result<DynTensor, Error> {
        typed!(
            NAN_QUANTILE, RealFloat,
            (x = self.look(); axis: isize = axis.number(), levels: &[f64] = levels, method: Quantile = method) => x.try_nan_quantile(axis, levels, method)
        )
    }
}
