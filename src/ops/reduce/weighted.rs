//! Weighted means: `average`.

use crate::axis::AxisArg;
use crate::device::op::binary::{Div, Mul};
use crate::device::op::reduction::Sum;
use crate::device::op::scalar::WithRight;
use crate::device::{Device, Elementwise, Reduce};
use crate::element::{Element, Inexact};
use crate::engine::reduce::weights::{check_weights, is_moderate, scale_of};
use crate::error::{Error, fallible};
use crate::ops::elementwise::in_range::keep_in_range;
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes, as_given};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorView};

const AVERAGE: &str = "average";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the weighted means along an axis: `Σ w[k] · x[k] / Σ w[k]`. There is one weight for each index of the axis.
    ///
    /// Allocates a temporary tensor of the shape of `self` for the products. Convert integers first, e.g. with `.cast::<f64>()`.
    ///
    /// # Errors
    /// * If the axis is out of range, or the number of weights differs from the extent of the axis.
    /// * If the sum of the weights is zero.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1.0, 5.0], [3.0, 3.0]];
    /// assert_eq!(x.average(1, tensor![3.0, 1.0]), tensor![2.0, 3.0]);
    /// ```
    #[fallible]
    pub fn average<R: Dim, A, W>(&self, axis: A, weights: W) -> Tensor<T, R, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        W: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let (axis, weights) = (axis.index(self.rank()), weights.as_view());
        let (total, scaled) = self.total_weight(axis, &weights)?;
        let weights = scaled.as_ref().map_or(weights, Tensor::view);
        self.means(axis, &weights, total)
    }

    /// [`average`](Tensor::average) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the axis is out of range, or the number of weights differs from the extent of the axis: `out` is unchanged.
    /// * If the sum of the weights is zero: `out` is unchanged.
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[1.0, 5.0], [3.0, 3.0]].average_into(1, tensor![3.0, 1.0], &mut out);
    /// assert_eq!(out, tensor![2.0, 3.0]);
    /// ```
    #[fallible]
    pub fn average_into<R: Dim, A, W, S2>(&self, axis: A, weights: W, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        W: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        let (axis, weights) = (axis.index(self.rank()), weights.as_view());
        let (total, scaled) = self.total_weight(axis, &weights)?;
        let weights = scaled.as_ref().map_or(weights, Tensor::view);
        self.check_reduced_out(AVERAGE, &[axis], out)?;
        self.weighted(axis, &weights)?.try_reduce_into(Sum, [axis], out)?;
        out.try_apply_inplace(WithRight { op: Div, right: total })?;
        keep_in_range(out, |scale| self.scaled_means(axis, &weights, total, scale))
    }

    /// Returns the weighted means, given the weights and their sum.
    fn means<R: Dim>(
        &self,
        axis: usize,
        weights: &TensorView<'_, T, Rank<1>, O, Dev>,
        total: T,
    ) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
    {
        let mut means = self.weighted(axis, weights)?.reduced(Sum, &[axis])?;
        means.try_apply_inplace(WithRight { op: Div, right: total })?;
        keep_in_range(&mut means, |scale| self.scaled_means(axis, weights, total, scale))?;
        Ok(means)
    }

    /// Returns the weighted means of the elements multiplied by `scale`.
    fn scaled_means<R: Dim>(
        &self,
        axis: usize,
        weights: &TensorView<'_, T, Rank<1>, O, Dev>,
        total: T,
        scale: T,
    ) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
    {
        let scaled = weights.try_apply(WithRight { op: Mul, right: scale })?;
        let mut means = self.weighted(axis, &scaled.view())?.reduced(Sum, &[axis])?;
        means.try_apply_inplace(WithRight { op: Div, right: total })?;
        Ok(means)
    }

    /// Returns the sum of the weights of the indices along an axis. If the products of the weights and the elements might leave the range
    /// of numbers, because the sum is very large or small, also returns weights that are scaled by a power of two; the sum is then theirs.
    ///
    /// # Errors
    /// If the axis is out of range, the number of weights differs from its extent, or their sum is zero.
    #[allow(clippy::type_complexity)]
    fn total_weight(
        &self,
        axis: usize,
        weights: &TensorView<'_, T, Rank<1>, O, Dev>,
    ) -> Result<(T, Option<Tensor<T, Rank<1>, O, Dev>>), Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
    {
        let shape = self.shape();
        if axis >= self.rank() {
            let shape = shape.as_ref().to_vec();
            return Err(Error::AxisOutOfRange { op: AVERAGE, axis: as_given(axis), shape });
        }
        let total = weights.try_sum()?.try_item()?;
        check_weights(shape.as_ref(), axis, weights.len(), total.is_zero())?;
        if is_moderate(total) {
            return Ok((total, None));
        }
        let Some(by) = scale_of(&weights.try_to_vec()?) else { return Ok((total, None)) };
        let scaled = weights.try_apply(WithRight { op: Div, right: T::from_f64(by) })?;
        let total = scaled.try_sum()?.try_item()?;
        check_weights(shape.as_ref(), axis, weights.len(), total.is_zero())?;
        Ok((total, Some(scaled)))
    }

    /// Returns the products of the elements and the weights of their indices along an axis. [`total_weight`](Tensor::total_weight) must
    /// have checked the axis and the number of weights.
    fn weighted(
        &self,
        axis: usize,
        weights: &TensorView<'_, T, Rank<1>, O, Dev>,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        let mut strides = D::strides(self.rank());
        [strides.as_mut()[axis]] = weights.strides();
        self.try_apply2(Mul, &weights.view().with_axes::<D, O>(self.shape(), strides, 0))
    }
}
