//! Piecewise linear functions: interpolation between given points, and integrals by the trapezoidal rule.

use super::binary::{Add, Mul};
use super::compute::check_out;
use super::operands::WithRight;
use super::reduction::Sum;
use crate::axis::{AxisArg, as_given};
use crate::device::{Device, Elementwise, Reduce};
use crate::element::{Element, Inexact, RealFloat};
use crate::engine::interpolate::{INTERPOLATE, interpolate};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor};

const TRAPEZOID: &str = "trapezoid";

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

    /// [`interp`](Tensor::interp) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// Allocates a temporary list of the values on the host.
    ///
    /// # Panics
    /// * If `xp` and `fp` differ in length or are empty, or `xp` does not increase strictly or contains NaN.
    /// * If `out` has another shape, or is on another instance of the device, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![-1.0, 0.5, 2.0].interp_into(tensor![0.0, 1.0, 3.0], tensor![0.0, 10.0, 50.0], &mut out);
    /// assert_eq!(out, tensor![0.0, 5.0, 30.0]);
    /// ```
    #[track_caller]
    pub fn interp_into<X, F, S2>(&self, xp: X, fp: F, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: RealFloat,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        F: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        unwrap_or_panic(self.try_interp_into(xp, fp, out));
    }

    /// Fallible variant of [`interp_into`](Tensor::interp_into).
    ///
    /// # Errors
    /// * If `xp` and `fp` differ in length or are empty, or `xp` does not increase strictly or contains NaN: `out` is unchanged.
    /// * If `out` has another shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    pub fn try_interp_into<X, F, S2>(
        &self,
        xp: X,
        fp: F,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: RealFloat,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        F: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        check_out(INTERPOLATE, self.shape().as_ref(), self.device(), out)?;
        let mut values = self.try_to_vec()?;
        interpolate(&mut values, &xp.as_view().try_to_vec()?, &fp.as_view().try_to_vec()?)?;
        out.try_overwrite(values)
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
        let axis = axis.index();
        let mut sums = self.pair_sums(axis)?.try_sum_axis(axis)?;
        sums.try_apply_inplace(half_of(dx))?;
        Ok(sums)
    }

    /// [`trapezoid`](Tensor::trapezoid) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Panics
    /// * If the axis is out of range.
    /// * If `out` does not have the result's shape, or is on another instance of the device, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]].trapezoid_into(1, 0.5, &mut out);
    /// assert_eq!(out, tensor![1.5, 1.0]);
    /// ```
    #[track_caller]
    pub fn trapezoid_into<R: Dim, A, S2>(&self, axis: A, dx: T::Real, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S2: StorageMut<T, Dev>,
    {
        unwrap_or_panic(self.try_trapezoid_into(axis, dx, out));
    }

    /// Fallible variant of [`trapezoid_into`](Tensor::trapezoid_into).
    ///
    /// # Errors
    /// * If the axis is out of range, or `out` does not have the result's shape or is on another instance of the device: `out` is
    ///   unchanged.
    /// * If an allocation fails: `out` may be partly written.
    pub fn try_trapezoid_into<R: Dim, A, S2>(
        &self,
        axis: A,
        dx: T::Real,
        out: &mut Tensor<T, R, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S2: StorageMut<T, Dev>,
    {
        let axis = axis.index();
        self.check_reduced_out(TRAPEZOID, &[axis], out)?;
        self.pair_sums(axis)?.try_reduce_into(Sum, [axis], out)?;
        out.try_apply_inplace(half_of(dx))
    }

    /// Returns the sums of neighbouring elements along an axis.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    fn pair_sums(&self, axis: usize) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        let shape = self.shape();
        let Some(&extent) = shape.as_ref().get(axis) else {
            let shape = shape.as_ref().to_vec();
            return Err(Error::AxisOutOfRange { op: TRAPEZOID, axis: as_given(axis), shape });
        };
        let intervals = extent.saturating_sub(1);
        let (left, _) = self.try_split_at(axis, intervals)?;
        let (_, right) = self.try_split_at(axis, extent - intervals)?;
        left.try_apply2(Add, &right)
    }
}

/// The multiplication by `dx / 2`.
fn half_of<T: Inexact>(dx: T::Real) -> WithRight<Mul, T> {
    WithRight { op: Mul, right: T::from_real(dx) * T::from_f64(0.5) }
}
