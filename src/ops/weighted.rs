//! Weighted means: `average`.

use super::binary::{Div, Mul};
use super::operands::WithRight;
use super::reduction::Sum;
use crate::axis::{AxisArg, as_given};
use crate::device::{Device, Elementwise, Reduce};
use crate::element::{Element, Inexact};
use crate::engine::weights::check_weights;
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorView};

const AVERAGE: &str = "average";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the weighted means along an axis: `Σ w[k] · x[k] / Σ w[k]`. There is one weight for each index of the axis.
    ///
    /// Allocates a temporary tensor of the shape of `self` for the products. Convert integers first, e.g. with `.cast::<f64>()`.
    ///
    /// # Panics
    /// * If the axis is out of range, or the number of weights differs from the extent of the axis.
    /// * If the sum of the weights is zero.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1.0, 5.0], [3.0, 3.0]];
    /// assert_eq!(x.average(1, tensor![3.0, 1.0]), tensor![2.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn average<R: Dim, A, W>(&self, axis: A, weights: W) -> Tensor<T, R, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        W: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        unwrap_or_panic(self.try_average(axis, weights))
    }

    /// Fallible variant of [`average`](Tensor::average).
    ///
    /// # Errors
    /// * If the axis is out of range, or the number of weights differs from the extent of the axis.
    /// * If the sum of the weights is zero.
    /// * If the allocation fails.
    pub fn try_average<R: Dim, A, W>(&self, axis: A, weights: W) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        W: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let (axis, weights) = (axis.index(), weights.as_view());
        let total = self.total_weight(axis, &weights)?;
        let mut sums = self.weighted(axis, weights)?.try_sum_axis(axis)?;
        sums.try_apply_inplace(WithRight { op: Div, right: total })?;
        Ok(sums)
    }

    /// [`average`](Tensor::average) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Panics
    /// * If the axis is out of range, or the number of weights differs from the extent of the axis.
    /// * If the sum of the weights is zero.
    /// * If `out` does not have the result's shape, or is on another instance of the device, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[1.0, 5.0], [3.0, 3.0]].average_into(1, tensor![3.0, 1.0], &mut out);
    /// assert_eq!(out, tensor![2.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn average_into<R: Dim, A, W, S2>(&self, axis: A, weights: W, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        W: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        unwrap_or_panic(self.try_average_into(axis, weights, out));
    }

    /// Fallible variant of [`average_into`](Tensor::average_into).
    ///
    /// # Errors
    /// * If the axis is out of range, or the number of weights differs from the extent of the axis: `out` is unchanged.
    /// * If the sum of the weights is zero: `out` is unchanged.
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    pub fn try_average_into<R: Dim, A, W, S2>(
        &self,
        axis: A,
        weights: W,
        out: &mut Tensor<T, R, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        W: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        let (axis, weights) = (axis.index(), weights.as_view());
        let total = self.total_weight(axis, &weights)?;
        self.check_reduced_out(AVERAGE, &[axis], out)?;
        self.weighted(axis, weights)?.try_reduce_into(Sum, [axis], out)?;
        out.try_apply_inplace(WithRight { op: Div, right: total })
    }

    /// Returns the sum of the weights of the indices along an axis.
    ///
    /// # Errors
    /// If the axis is out of range, the number of weights differs from its extent, or their sum is zero.
    fn total_weight(&self, axis: usize, weights: &TensorView<'_, T, Rank<1>, O, Dev>) -> Result<T, Error>
    where
        T: Inexact,
        Dev: Reduce<T>,
    {
        let shape = self.shape();
        if axis >= D::NDIM {
            let shape = shape.as_ref().to_vec();
            return Err(Error::AxisOutOfRange { op: AVERAGE, axis: as_given(axis), shape });
        }
        let total = weights.try_sum()?.try_item()?;
        check_weights(shape.as_ref(), axis, weights.len(), total.is_zero())?;
        Ok(total)
    }

    /// Returns the products of the elements and the weights of their indices along an axis. [`total_weight`](Tensor::total_weight) must
    /// have checked the axis and the number of weights.
    fn weighted(
        &self,
        axis: usize,
        weights: TensorView<'_, T, Rank<1>, O, Dev>,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        let mut strides = D::Strides::default();
        [strides.as_mut()[axis]] = weights.strides();
        self.try_apply2(Mul, &weights.with_axes::<D, O>(self.shape(), strides, 0))
    }
}
