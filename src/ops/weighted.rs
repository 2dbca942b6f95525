//! Weighted means: `average`.

use super::binary::{Div, Mul};
use super::operands::WithRight;
use crate::axis::{AxisArg, as_given};
use crate::device::{Device, Elementwise, Reduce};
use crate::element::{Element, Inexact};
use crate::engine::weights::check_weights;
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::{AsView, Tensor, TensorView};

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
        let (axis, shape, weights) = (axis.index(), self.shape(), weights.as_view());
        if axis >= D::NDIM {
            let shape = shape.as_ref().to_vec();
            return Err(Error::AxisOutOfRange { op: "average", axis: as_given(axis), shape });
        }
        let ([count], [step]) = (weights.shape(), weights.strides());
        let total = weights.try_sum()?.try_item()?;
        check_weights(shape.as_ref(), axis, count, total.is_zero())?;
        let mut strides = D::Strides::default();
        strides.as_mut()[axis] = step;
        let repeated: TensorView<'_, T, D, O, Dev> = weights.with_axes(shape, strides, 0);
        let mut sums = self.try_apply2(Mul, &repeated)?.try_sum_axis(axis)?;
        sums.try_apply_inplace(WithRight { op: Div, right: total })?;
        Ok(sums)
    }
}
