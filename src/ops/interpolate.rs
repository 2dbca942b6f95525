//! Piecewise linear functions: interpolation between given points, and integrals by the trapezoidal rule.

use super::binary::{Add, Mul};
use crate::axis::{AxisArg, as_given};
use crate::device::{Device, Elementwise, Reduce};
use crate::element::{Element, Inexact, RealFloat};
use crate::engine::interpolate::interpolate;
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::{AsView, Tensor};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns, for each element, the value of the piecewise linear function through the points `(xp[k], fp[k])`.
    ///
    /// Elements below `xp[0]` get the value of the first point, and elements above the last `xp[k]` get the value of the last point. NaN
    /// stays NaN. The values are computed on the host, with a binary search for each element.
    ///
    /// # Panics
    /// If `xp` and `fp` differ in length or are empty, `xp` does not increase strictly or contains NaN, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (xp, fp) = (tensor![0.0, 1.0, 3.0], tensor![0.0, 10.0, 50.0]);
    /// assert_eq!(tensor![-1.0, 0.5, 1.0, 2.0, 9.0].interp(&xp, &fp), tensor![0.0, 5.0, 10.0, 30.0, 50.0]);
    /// ```
    #[track_caller]
    pub fn interp<X, F>(&self, xp: X, fp: F) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        F: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        unwrap_or_panic(self.try_interp(xp, fp))
    }

    /// Fallible variant of [`interp`](Tensor::interp).
    ///
    /// # Errors
    /// If `xp` and `fp` differ in length or are empty, `xp` does not increase strictly or contains NaN, or the allocation fails.
    pub fn try_interp<X, F>(&self, xp: X, fp: F) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: RealFloat,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        F: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let mut values = self.try_to_vec()?;
        interpolate(&mut values, &xp.as_view().try_to_vec()?, &fp.as_view().try_to_vec()?)?;
        Tensor::try_from_vec_in(self.shape(), values, self.device())
    }

    /// Returns the integrals along an axis by the trapezoidal rule, for points that are `dx` apart: the sum of
    /// `dx · (y[k] + y[k + 1]) / 2`.
    ///
    /// The result is zero if the axis has fewer than two elements.
    ///
    /// # Panics
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let y = tensor![[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]];
    /// assert_eq!(y.trapezoid(1, 0.5), tensor![1.5, 1.0]);
    /// ```
    #[track_caller]
    pub fn trapezoid<R: Dim, A>(&self, axis: A, dx: T::Real) -> Tensor<T, R, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        unwrap_or_panic(self.try_trapezoid(axis, dx))
    }

    /// Fallible variant of [`trapezoid`](Tensor::trapezoid).
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    pub fn try_trapezoid<R: Dim, A>(&self, axis: A, dx: T::Real) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        let (axis, shape) = (axis.index(), self.shape());
        let Some(&extent) = shape.as_ref().get(axis) else {
            let shape = shape.as_ref().to_vec();
            return Err(Error::AxisOutOfRange { op: "trapezoid", axis: as_given(axis), shape });
        };
        let intervals = extent.saturating_sub(1);
        let (left, _) = self.try_split_at(axis, intervals)?;
        let (_, right) = self.try_split_at(axis, extent - intervals)?;
        let sums = left.try_apply2(Add, &right)?.try_sum_axis(axis)?;
        sums.try_apply2(Mul, T::from_real(dx) * T::from_f64(0.5))
    }
}
