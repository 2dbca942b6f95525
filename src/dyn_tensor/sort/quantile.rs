//! Dynamic tensors: medians and other quantiles.

use super::enumeration;
use crate::device::quantile::Quantile;
use crate::device::{Device, Operand, Output, Sort};
use crate::dispatch;
use crate::dyn_tensor::operand::{
    allocate_with, device_of, elements, lacking, needs, on_device, same_device,
};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, RealScalar, Scalar};
use crate::engine::reduce::reduced_last;
use crate::engine::sort::nan_quantile::nan_quantile;
use crate::engine::sort::weighted_quantile::{WEIGHTED_QUANTILE, check_weights, weighted_quantile};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::sort::quantile::{MEDIAN, NAN_MEDIAN, NAN_QUANTILE, QUANTILE, check_levels};
use crate::rank::{IndexNumber, from_start};

/// Computes quantiles along an axis. If `keeps_axis`, the result has the axis, with extent `levels`. Otherwise, the axis is removed.
/// `compute` takes an output whose last axis has extent `levels`, and the elements with the axis last.
fn quantiles_of<T: RealScalar, Dev: Device>(
    op: &'static str,
    x: DynView<'_>,
    axis: usize,
    levels: usize,
    keeps_axis: bool,
    compute: impl Fn(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
) -> Result<DynTensor, Error> {
    let row_major = x.order().is_row_major();
    let mut from = *x.layout();
    reduced_last(op, false, x.layout().axes(), &[axis], row_major, from.axes_mut())?;
    let (layout, to) = if keeps_axis {
        let mut shape = x.shape().to_vec();
        shape[axis] = levels;
        let layout = Layout::contiguous(&shape, row_major);
        (layout, layout.move_last(op, &[axis], row_major)?)
    } else {
        let layout = Layout::contiguous(&from.shape()[..x.rank() - 1], row_major);
        (layout, layout.insert_axis(layout.rank())?)
    };
    let (device, operand) = (device_of::<Dev>(&x), elements::<T, Dev>(&x).with_axes(from.axes(), 0));
    allocate_with::<<T as Scalar>::Float, Dev>(device, layout, x.order(), &mut |out| {
        compute(device, out.in_layout(&to), operand)
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn quantile(
    op: &'static str,
    x: DynView<'_>,
    axis: usize,
    levels: &[f64],
    method: Option<Quantile>,
    keeps_axis: bool,
) -> Result<DynTensor, Error> {
    on_device!(op, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => quantiles_of::<T, Dev>(op, x, axis, levels.len(), keeps_axis, |device, out, a| {
            device.quantile(out, a, levels, method)
        }),
        else => Err(lacking(op, x.dtype(), needs::ORDER))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn quantile_of_weighted(
    x: DynView<'_>,
    axis: usize,
    levels: &[f64],
    weights: DynView<'_>,
    keeps_axis: bool,
) -> Result<DynTensor, Error> {
    const OP: &str = WEIGHTED_QUANTILE;
    check_levels(levels)?;
    x.layout().axes().check_axis(OP, axis)?;
    same_device(OP, x, weights)?;
    if weights.rank() != 1 {
        let reason = format!("expected weights as a vector, found a tensor of shape {:?}", weights.shape());
        return Err(Error::UnsupportedRank { op: OP, reason });
    }
    if weights.dtype() != DType::F64 {
        let fix = "is not the element type of weights: convert them with `.to_dtype(DType::F64)`";
        return Err(lacking(OP, weights.dtype(), fix));
    }
    let weights = weights.to_vec::<f64>()?;
    check_weights(x.shape(), axis, &weights)?;
    on_device!(OP, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => quantiles_of::<T, Dev>(OP, x, axis, levels.len(), keeps_axis, |device, out, a| {
            weighted_quantile(device, out, a, levels, &weights)
        }),
        else => Err(lacking(OP, x.dtype(), needs::ORDER))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn quantile_without_nan(
    op: &'static str,
    x: DynView<'_>,
    axis: usize,
    levels: &[f64],
    method: Option<Quantile>,
    keeps_axis: bool,
) -> Result<DynTensor, Error> {
    on_device!(op, x, Dev => dispatch!(
        x.dtype(),
        T: RealFloat => quantiles_of::<T, Dev>(op, x, axis, levels.len(), keeps_axis, |device, out, a| {
            nan_quantile(device, out, a, levels, method)
        }),
        else => Err(lacking(op, x.dtype(), needs::FLOATS))
    ))
}

/// Computes a median of all elements by `compute`, which takes an output of shape `[1]` and all elements, in memory order as for typed
/// tensors.
fn median_of_all<T: RealScalar, Dev: Device>(
    x: DynView<'_>,
    compute: impl Fn(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
) -> Result<DynTensor, Error> {
    let (device, row_major) = (device_of::<Dev>(&x), x.order().is_row_major());
    let (to, from) = (Layout::contiguous(&[1], row_major), enumeration(&x));
    allocate_with::<<T as Scalar>::Float, Dev>(
        device,
        Layout::contiguous(&[], row_major),
        x.order(),
        &mut |out| compute(device, out.in_layout(&to), elements::<T, Dev>(&x).with_axes(from.axes(), 0)),
    )
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn median(x: DynView<'_>) -> Result<DynTensor, Error> {
    if x.is_empty() {
        return Err(Error::Empty { op: MEDIAN, shape: x.shape().to_vec() });
    }
    on_device!(MEDIAN, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => median_of_all::<T, Dev>(x, |device, out, a| device.quantile(out, a, &[0.5], None)),
        else => Err(lacking(MEDIAN, x.dtype(), needs::ORDER))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn median_without_nan(x: DynView<'_>) -> Result<DynTensor, Error> {
    if x.is_empty() {
        return Err(Error::Empty { op: NAN_MEDIAN, shape: x.shape().to_vec() });
    }
    on_device!(NAN_MEDIAN, x, Dev => dispatch!(
        x.dtype(),
        T: RealFloat => {
            median_of_all::<T, Dev>(x, |device, out, a| nan_quantile(device, out, a, &[0.5], None))
        },
        else => Err(lacking(NAN_MEDIAN, x.dtype(), needs::FLOATS))
    ))
}

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
        median(self.look())
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
        quantile(MEDIAN, self.look(), from_start(axis, self.rank()), &[0.5], None, false)
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
        check_levels(&[level])?;
        quantile(QUANTILE, self.look(), from_start(axis, self.rank()), &[level], Some(method), false)
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
        check_levels(levels)?;
        quantile(QUANTILE, self.look(), from_start(axis, self.rank()), levels, Some(method), true)
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
        median_without_nan(self.look())
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
        quantile_without_nan(NAN_MEDIAN, self.look(), from_start(axis, self.rank()), &[0.5], None, false)
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
        quantile_of_weighted(self.look(), from_start(axis, self.rank()), &[level], weights.into(), false)
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
        quantile_of_weighted(self.look(), from_start(axis, self.rank()), levels, weights.into(), true)
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
        check_levels(&[level])?;
        let axis = from_start(axis, self.rank());
        quantile_without_nan(NAN_QUANTILE, self.look(), axis, &[level], Some(method), false)
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
        check_levels(levels)?;
        let axis = from_start(axis, self.rank());
        quantile_without_nan(NAN_QUANTILE, self.look(), axis, levels, Some(method), true)
    }
}
