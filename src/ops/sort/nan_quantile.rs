//! Medians and other quantiles of the elements that are not NaN.

use super::quantile::{NAN_MEDIAN, NAN_QUANTILE, QuantileArg, check_levels, extent_of};
use crate::axis::AxisArg;
use crate::device::Device;
use crate::device::quantile::Quantile;
use crate::element::{Element, RealFloat};
use crate::engine::sort::nan_quantile::nan_quantile;
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the median of all elements that are not NaN. The median is NaN if all elements are NaN.
    ///
    /// # Errors
    /// If the tensor is empty, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[7.0, f64::NAN], [3.0, 4.0]].nan_median().item(), 4.0);
    /// ```
    #[fallible]
    #[doc(alias = "nanmedian")]
    pub fn nan_median(&self) -> Tensor<T::Float, Rank<0>, O, Dev>
    where
        T: RealFloat,
    {
        self.median_of_all(NAN_MEDIAN, |device, out, a| nan_quantile(device, out, a, &[0.5], None))
    }

    /// [`nan_median`](Tensor::nan_median) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[7.0, f64::NAN, 2.0], [3.0, 4.0, 0.0]].nan_median_axis(1), tensor![4.5, 3.0]);
    /// ```
    #[fallible]
    pub fn nan_median_axis<R: Dim, A>(&self, axis: A) -> Tensor<T::Float, R, O, Dev>
    where
        T: RealFloat,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.quantiles_of(NAN_MEDIAN, axis.index(self.rank()), None, |device, out, a| {
            nan_quantile(device, out, a, &[0.5], None)
        })
    }

    /// [`nan_median_axis`](Tensor::nan_median_axis) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the axis is out of range or has zero elements, `out` does not have the result's shape, or `out` is on another instance of the
    ///   device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[7.0, f64::NAN, 2.0], [3.0, 4.0, 0.0]].nan_median_into(1, &mut out);
    /// assert_eq!(out, tensor![4.5, 3.0]);
    /// ```
    #[fallible]
    pub fn nan_median_into<R: Dim, A, S2>(&self, axis: A, out: &mut Tensor<T::Float, R, O, Dev, S2>)
    where
        T: RealFloat,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S2: StorageMut<T::Float, Dev>,
    {
        self.quantiles_into(NAN_MEDIAN, axis.index(self.rank()), None, out, |device, out, a| {
            nan_quantile(device, out, a, &[0.5], None)
        })
    }

    /// [`quantile`](Tensor::quantile) of the elements that are not NaN. If all elements along the axis are NaN, the quantiles are NaN.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, if a level is not in the range from 0 to 1, or if the allocation fails.
    ///
    /// ```
    /// use vierbein::{Quantile, tensor};
    /// let x = tensor![[8.0, f64::NAN, 2.0], [3.0, 4.0, 0.0]];
    /// assert_eq!(x.nan_quantile(1, 0.25, Quantile::Linear), tensor![3.5, 1.5]);
    /// assert_eq!(x.nan_quantile(1, [0.0, 1.0], Quantile::Linear), tensor![[2.0, 8.0], [0.0, 4.0]]);
    /// ```
    #[fallible]
    #[doc(alias = "nanquantile")]
    #[doc(alias = "nanpercentile")]
    pub fn nan_quantile<A, Q>(&self, axis: A, levels: Q, method: Quantile) -> Tensor<T::Float, Q::Dim, O, Dev>
    where
        T: RealFloat,
        D: RemoveAxes<1>,
        A: AxisArg<D>,
        Q: QuantileArg<D>,
    {
        let levels = levels.levels();
        let extent = extent_of::<D, Q>(levels);
        check_levels(levels)?;
        self.quantiles_of(NAN_QUANTILE, axis.index(self.rank()), extent, |device, out, a| {
            nan_quantile(device, out, a, levels, Some(method))
        })
    }

    /// [`nan_quantile`](Tensor::nan_quantile) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the axis is out of range or has zero elements, or a level is not in the range from 0 to 1: `out` is unchanged.
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Quantile, Tensor, tensor};
    /// let mut out = Tensor::zeros([1, 2]);
    /// tensor![[8.0, f64::NAN, 2.0]].nan_quantile_into(1, [0.25, 0.5], Quantile::Linear, &mut out);
    /// assert_eq!(out, tensor![[3.5, 5.0]]);
    /// ```
    #[fallible]
    pub fn nan_quantile_into<A, Q, S2>(
        &self,
        axis: A,
        levels: Q,
        method: Quantile,
        out: &mut Tensor<T::Float, Q::Dim, O, Dev, S2>,
    ) where
        T: RealFloat,
        D: RemoveAxes<1>,
        A: AxisArg<D>,
        Q: QuantileArg<D>,
        S2: StorageMut<T::Float, Dev>,
    {
        let levels = levels.levels();
        let extent = extent_of::<D, Q>(levels);
        check_levels(levels)?;
        self.quantiles_into(NAN_QUANTILE, axis.index(self.rank()), extent, out, |device, out, a| {
            nan_quantile(device, out, a, levels, Some(method))
        })
    }
}
