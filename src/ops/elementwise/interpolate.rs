//! Piecewise linear functions: interpolation between given points, and integrals by the trapezoidal rule.

use super::compute::check_out;
use super::gradient::repeated;
use super::in_range::keep_in_range;
use crate::axis::AxisArg;
use crate::device::op::binary::{Add, Mul};
use crate::device::op::reduction::Sum;
use crate::device::op::scalar::WithRight;
use crate::device::{Device, Elementwise, Reduce};
use crate::element::{Element, Inexact, RealFloat};
use crate::engine::elementwise::interpolate::{INTERPOLATE, Interpolation, interpolate};
use crate::engine::elementwise::spacing::{Halves, Spacing};
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor};

pub(crate) const TRAPEZOID: &str = "integrate by trapezoids";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns, for each element, the value of the piecewise linear function through the points `(xp[k], fp[k])`.
    ///
    /// Elements below `xp[0]` get the value of the first point, and elements above the last `xp[k]` get the value of the last point. NaN
    /// stays NaN. The values are computed on the host, with a binary search for each element.
    ///
    /// # Errors
    /// If `xp` and `fp` differ in length or are empty, `xp` does not increase strictly or contains NaN, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (xp, fp) = (tensor![0.0, 1.0, 3.0], tensor![0.0, 10.0, 50.0]);
    /// assert_eq!(tensor![-1.0, 0.5, 1.0, 2.0, 9.0].interp(&xp, &fp), tensor![0.0, 5.0, 10.0, 30.0, 50.0]);
    /// ```
    #[fallible]
    pub fn interp<X, F>(&self, xp: X, fp: F) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        F: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        self.try_interp_with(xp, fp, Interpolation::default())
    }

    /// [`interp`](Tensor::interp) with options: the values outside of the positions, or a period. See [`Interpolation`].
    ///
    /// # Errors
    /// * If `xp` and `fp` differ in length or are empty, or the allocation fails.
    /// * If `xp` contains NaN or, without a period, does not increase strictly.
    /// * If the period is zero or not finite, or two positions are equal modulo the period.
    ///
    /// ```
    /// use vierbein::{Interpolation, tensor};
    /// let (xp, fp) = (tensor![0.0, 1.0], tensor![5.0, 7.0]);
    /// let x = tensor![-1.0, 0.5, 2.0];
    /// assert_eq!(x.interp_with(&xp, &fp, Interpolation::new().left(0.0).right(0.0)), tensor![0.0, 6.0, 0.0]);
    /// ```
    #[fallible]
    pub fn interp_with<X, F>(&self, xp: X, fp: F, options: Interpolation<T>) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        F: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let mut values = self.try_to_vec()?;
        interpolate(&mut values, &xp.as_view().try_to_vec()?, &fp.as_view().try_to_vec()?, options)?;
        Tensor::try_from_vec_in(self.shape(), values, self.device())
    }

    /// [`interp`](Tensor::interp) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// Allocates a temporary list of the values on the host.
    ///
    /// # Errors
    /// * If `xp` and `fp` differ in length or are empty, or `xp` does not increase strictly or contains NaN: `out` is unchanged.
    /// * If `out` has another shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![-1.0, 0.5, 2.0].interp_into(tensor![0.0, 1.0, 3.0], tensor![0.0, 10.0, 50.0], &mut out);
    /// assert_eq!(out, tensor![0.0, 5.0, 30.0]);
    /// ```
    #[fallible]
    pub fn interp_into<X, F, S2>(&self, xp: X, fp: F, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: RealFloat,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        F: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        check_out(INTERPOLATE, self.shape().as_ref(), self.device(), out)?;
        let mut values = self.try_to_vec()?;
        interpolate(
            &mut values,
            &xp.as_view().try_to_vec()?,
            &fp.as_view().try_to_vec()?,
            Interpolation::default(),
        )?;
        out.try_overwrite(values)
    }

    /// Returns the integrals along an axis by the trapezoidal rule: the sum of `dx[k] · (y[k] + y[k + 1]) / 2`.
    ///
    /// `spacing` is the distance between neighbouring points, or the coordinates of the points, from whose differences the distances are
    /// computed: see [`Spacing`]. The result is zero if the axis has fewer than two elements.
    ///
    /// # Errors
    /// If the axis is out of range, the number of coordinates differs from its extent, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let y = tensor![[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]];
    /// assert_eq!(y.trapezoid(1, 0.5), tensor![1.5, 1.0]);
    /// assert_eq!(y.trapezoid(1, &[0.0, 1.0, 3.0]), tensor![5.5, 3.0]);
    /// ```
    #[fallible]
    pub fn trapezoid<'x, R: Dim, A>(
        &self,
        axis: A,
        spacing: impl Into<Spacing<'x, T::Magnitude>>,
    ) -> Tensor<T, R, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        let axis = axis.index(self.rank());
        let halves = spacing.into().halves(TRAPEZOID, self.axes(), axis)?;
        self.trapezoid_of(axis, &halves)
    }

    /// Returns the integrals along an axis, for halves of the distances that have been checked.
    pub(crate) fn trapezoid_of<R: Dim>(
        &self,
        axis: usize,
        halves: &Halves<T::Magnitude>,
    ) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
    {
        let mut integrals = self.integrals(axis, halves)?;
        keep_in_range(&mut integrals, |scale| self.scaled_by(scale)?.integrals(axis, halves))?;
        Ok(integrals)
    }

    /// [`trapezoid`](Tensor::trapezoid) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the axis is out of range, or the number of coordinates differs from its extent: `out` is unchanged.
    /// * If `out` does not have the result's shape or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]].trapezoid_into(1, 0.5, &mut out);
    /// assert_eq!(out, tensor![1.5, 1.0]);
    /// ```
    #[fallible]
    pub fn trapezoid_into<'x, R: Dim, A, S2>(
        &self,
        axis: A,
        spacing: impl Into<Spacing<'x, T::Magnitude>>,
        out: &mut Tensor<T, R, O, Dev, S2>,
    ) where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S2: StorageMut<T, Dev>,
    {
        let axis = axis.index(self.rank());
        let halves = spacing.into().halves(TRAPEZOID, self.axes(), axis)?;
        self.check_reduced_out(TRAPEZOID, &[axis], out)?;
        let areas = self.areas(axis, &halves)?;
        areas.try_reduce_into(Sum, [axis], out)?;
        finish_integrals(&halves, out)?;
        keep_in_range(out, |scale| self.scaled_by(scale)?.integrals(axis, &halves))
    }

    /// Returns the integrals along an axis, without a check of their range.
    fn integrals<R: Dim>(
        &self,
        axis: usize,
        halves: &Halves<T::Magnitude>,
    ) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T> + Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
    {
        let mut sums = self.areas(axis, halves)?.reduced(Sum, &[axis])?;
        finish_integrals(halves, &mut sums)?;
        Ok(sums)
    }

    /// Returns the sums of neighbouring elements along an axis, which must be in range. If the distances differ, multiplies each sum by
    /// half of its distance.
    fn areas(&self, axis: usize, halves: &Halves<T::Magnitude>) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        let extent = self.shape().as_ref()[axis];
        let intervals = extent.saturating_sub(1);
        let (left, _) = self.try_split_at(axis, intervals)?;
        let (_, right) = self.try_split_at(axis, extent - intervals)?;
        let mut sums = left.try_apply2(Add, &right)?;
        if let Halves::Each(halves) = halves {
            let widths = halves.iter().map(|&half| T::from_magnitude(half)).collect();
            let widths = Tensor::try_from_vec_in([intervals], widths, self.device())?;
            let shape = sums.shape();
            sums.try_apply2_inplace(Mul, &repeated::<T, D, O, Dev>(&widths, axis, shape))?;
        }
        Ok(sums)
    }

    /// Returns the elements multiplied by `scale`.
    fn scaled_by(&self, scale: T) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        self.try_apply(WithRight { op: Mul, right: scale })
    }
}

/// Multiplies sums of neighbouring elements by half of their distance, if all distances are equal.
fn finish_integrals<T: Inexact, R: Dim, O: Order, Dev: Elementwise<T>, S: StorageMut<T, Dev>>(
    halves: &Halves<T::Magnitude>,
    sums: &mut Tensor<T, R, O, Dev, S>,
) -> Result<(), Error> {
    match halves {
        Halves::Uniform(half) => {
            sums.try_apply_inplace(WithRight { op: Mul, right: T::from_magnitude(*half) })
        }
        Halves::Each(_) => Ok(()),
    }
}
