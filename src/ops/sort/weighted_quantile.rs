//! Quantiles of elements with weights.

use super::quantile::{QuantileArg, check_levels, extent_of};
use crate::axis::AxisArg;
use crate::device::Device;
use crate::element::{Element, RealScalar};
use crate::engine::same_instance;
use crate::engine::sort::weighted_quantile::{WEIGHTED_QUANTILE, check_weights, weighted_quantile};
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns weighted quantiles along an axis: there is one weight for each index of the axis. For levels, see
    /// [`quantile`](Tensor::quantile).
    ///
    /// The quantile of level `q` is the smallest element such that the weights of the elements up to it have at least the share `q` of the
    /// sum of all weights: with equal weights, [`Quantile::InvertedCdf`](crate::Quantile::InvertedCdf). Elements of weight 0 are ignored. A
    /// quantile of elements that include NaN is NaN. The quantiles are computed on the host.
    ///
    /// # Errors
    /// * If the axis is out of range or has zero elements, or a level is not in the range from 0 to 1.
    /// * If the number of weights differs from the extent of the axis, a weight is negative or not finite, or all are zero.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1.0, 2.0, 4.0], [9.0, 8.0, 7.0]];
    /// assert_eq!(x.quantile_weighted(1, 0.5, tensor![1.0, 1.0, 4.0]), tensor![4.0, 7.0]);
    /// assert_eq!(x.quantile_weighted(1, [0.25, 0.5], tensor![1.0, 1.0, 1.0]), tensor![[1.0, 2.0], [7.0, 8.0]]);
    /// ```
    #[fallible]
    pub fn quantile_weighted<A, Q, W>(
        &self,
        axis: A,
        levels: Q,
        weights: W,
    ) -> Tensor<T::Float, Q::Dim, O, Dev>
    where
        T: RealScalar,
        D: RemoveAxes<1>,
        A: AxisArg<D>,
        Q: QuantileArg<D>,
        W: AsView<Element = f64, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let (axis, levels) = (axis.index(self.rank()), levels.levels());
        let extent = extent_of::<D, Q>(levels);
        let weights = self.weights_along(axis, levels, weights)?;
        self.quantiles_of(WEIGHTED_QUANTILE, axis, extent, |device, out, a| {
            weighted_quantile(device, out, a, levels, &weights)
        })
    }

    /// [`quantile_weighted`](Tensor::quantile_weighted) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * For the reasons given for [`try_quantile_weighted`](Tensor::try_quantile_weighted): `out` is unchanged, except if an allocation
    ///   fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[1.0, 2.0, 4.0], [9.0, 8.0, 7.0]].quantile_weighted_into(1, 0.5, tensor![1.0, 1.0, 4.0], &mut out);
    /// assert_eq!(out, tensor![4.0, 7.0]);
    /// ```
    #[fallible]
    pub fn quantile_weighted_into<A, Q, W, S2>(
        &self,
        axis: A,
        levels: Q,
        weights: W,
        out: &mut Tensor<T::Float, Q::Dim, O, Dev, S2>,
    ) where
        T: RealScalar,
        D: RemoveAxes<1>,
        A: AxisArg<D>,
        Q: QuantileArg<D>,
        W: AsView<Element = f64, Dim = Rank<1>, Order = O, Device = Dev>,
        S2: StorageMut<T::Float, Dev>,
    {
        let (axis, levels) = (axis.index(self.rank()), levels.levels());
        let extent = extent_of::<D, Q>(levels);
        let weights = self.weights_along(axis, levels, weights)?;
        self.quantiles_into(WEIGHTED_QUANTILE, axis, extent, out, |device, out, a| {
            weighted_quantile(device, out, a, levels, &weights)
        })
    }

    /// Checks the arguments of a weighted quantile, and returns the weights.
    fn weights_along<W>(&self, axis: usize, levels: &[f64], weights: W) -> Result<Vec<f64>, Error>
    where
        W: AsView<Element = f64, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        check_levels(levels)?;
        self.axes().check_axis(WEIGHTED_QUANTILE, axis)?;
        let weights = weights.as_view();
        same_instance(WEIGHTED_QUANTILE, self.device(), weights.device())?;
        let weights = weights.try_to_vec()?;
        check_weights(self.shape().as_ref(), axis, &weights)?;
        Ok(weights)
    }
}
