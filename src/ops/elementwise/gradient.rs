//! Derivatives from values at points: `gradient`.

use super::compute::{binary, binary_into, check_out};
use crate::axis::AxisArg;
use crate::device::op::binary::{Add, Div, Mul};
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, Scalars, TernaryOp};
use crate::element::{Element, Inexact, Scalar};
use crate::engine::elementwise::spacing::{Halves, Spacing};
use crate::error::{Error, fallible};
use crate::layout::axes::Axes;
use crate::order::Order;
use crate::rank::{Broadcast, Dim, Rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use core::ops::Range;

pub(crate) const GRADIENT: &str = "compute a gradient";

/// How [`gradient`](Tensor::gradient) computes the derivatives at the first and at the last point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EdgeOrder {
    /// The slope between the two points next to the edge: the error is proportional to the distance.
    #[default]
    First,
    /// The derivative of the parabola through the three points next to the edge: the error is proportional to the square of the distance.
    Second,
}

impl EdgeOrder {
    /// Checks the axis, and that it has enough points.
    ///
    /// # Errors
    /// If the axis is out of range or has too few points.
    pub(crate) fn check(self, axes: Axes<'_>, axis: usize) -> Result<(), Error> {
        axes.check_axis(GRADIENT, axis)?;
        let (shape, least) = (axes.shape(), if self == EdgeOrder::First { 2 } else { 3 });
        if shape[axis] >= least {
            return Ok(());
        }
        let reason = format!(
            "axis {axis} of shape {shape:?} has {} points, and `EdgeOrder::{self:?}` needs {least}; give more points",
            shape[axis]
        );
        Err(Error::Argument { op: GRADIENT, reason })
    }
}

/// Half of the difference of two elements, divided by half of their distance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slope<M> {
    pub(crate) half: M,
}

impl<T: Inexact> BinaryOp<T, T> for Slope<T::Magnitude> {
    type Output = T;
    const NAME: &'static str = "compute slopes between";
    const CUDA: CudaSource = CudaSource::builtin("(a / decltype(half)(2) - b / decltype(half)(2)) / half");
    fn apply(&self, a: T, b: T) -> T {
        // Half of each value, because the difference of the values may exceed the range of numbers.
        let two = <T::Magnitude as Scalar>::from_f64(2.0);
        (a.unscale(two) - b.unscale(two)).unscale(self.half)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("half", self.half);
    }
}

/// The derivative at the first of three points, of the parabola through them. `half` and `half_next` are halves of the distances between
/// the points, which are negative if the points are in descending order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeSlope<M> {
    pub(crate) half: M,
    pub(crate) half_next: M,
}

impl<T: Inexact> TernaryOp<T, T, T> for EdgeSlope<T::Magnitude> {
    type Output = T;
    const NAME: &'static str = "compute slopes between";
    const CUDA: CudaSource = CudaSource::builtin(
        "[&] {
            auto two = decltype(half)(2);
            auto slope = (b / two - a / two) / half, next = (c / two - b / two) / half_next;
            return slope + (slope - next) / ((half + half_next) / half);
        }()",
    );
    fn apply(&self, a: T, b: T, c: T) -> T {
        let slope = Slope { half: self.half }.apply(b, a);
        let next = Slope { half: self.half_next }.apply(c, b);
        slope + (slope - next).unscale((self.half + self.half_next) / self.half)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("half", self.half);
        bind.scalar("half_next", self.half_next);
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the derivatives along an axis of a function whose values at some points are the elements.
    ///
    /// `spacing` is the distance between neighbouring points, or the coordinates of the points ([`Spacing`]). At inner points, the result is
    /// the derivative of the parabola through the point and its neighbours; if the distances are equal, this is
    /// `(x[k + 1] − x[k − 1]) / (2 · distance)`. See [`EdgeOrder`] for the first and the last point. These are the formulas of NumPy.
    ///
    /// # Errors
    /// * If the axis is out of range, or has fewer than two points; with [`EdgeOrder::Second`], fewer than three.
    /// * If the number of coordinates differs from the extent of the axis, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{EdgeOrder, tensor};
    /// let squares = tensor![[0.0, 1.0, 4.0, 9.0]];
    /// assert_eq!(squares.gradient(1, 1.0, EdgeOrder::First), tensor![[1.0, 2.0, 4.0, 5.0]]);
    /// assert_eq!(squares.gradient(1, 1.0, EdgeOrder::Second), tensor![[0.0, 2.0, 4.0, 6.0]]);
    /// let y = tensor![0.0, 1.0, 9.0];
    /// assert_eq!(y.gradient(0, &[0.0, 1.0, 3.0], EdgeOrder::Second), tensor![0.0, 2.0, 6.0]);
    /// ```
    #[fallible]
    pub fn gradient<'x, A: AxisArg<D>>(
        &self,
        axis: A,
        spacing: impl Into<Spacing<'x, T::Magnitude>>,
        edges: EdgeOrder,
    ) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T>,
    {
        let axis = axis.index(self.rank());
        let halves = spacing.into().halves(GRADIENT, self.axes(), axis)?;
        self.gradient_of(axis, &halves, edges)
    }

    /// Returns the gradient along an axis, for halves of the distances that have been checked.
    pub(crate) fn gradient_of(
        &self,
        axis: usize,
        halves: &Halves<T::Magnitude>,
        edges: EdgeOrder,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T>,
    {
        edges.check(self.axes(), axis)?;
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        self.write_gradient(axis, halves, edges, &mut out)?;
        Ok(out)
    }

    /// [`gradient`](Tensor::gradient) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device: `out` is unchanged.
    /// * For the reasons given for [`try_gradient`](Tensor::try_gradient): `out` is unchanged, except if an allocation fails.
    ///
    /// ```
    /// use vierbein::{EdgeOrder, Tensor, tensor};
    /// let mut out = Tensor::zeros([4]);
    /// tensor![0.0, 1.0, 4.0, 9.0].gradient_into(0, 0.5, EdgeOrder::First, &mut out);
    /// assert_eq!(out, tensor![2.0, 4.0, 8.0, 10.0]);
    /// ```
    #[fallible]
    pub fn gradient_into<'x, A: AxisArg<D>, S2>(
        &self,
        axis: A,
        spacing: impl Into<Spacing<'x, T::Magnitude>>,
        edges: EdgeOrder,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) where
        T: Inexact,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T>,
        S2: StorageMut<T, Dev>,
    {
        let halves = spacing.into().halves(GRADIENT, self.axes(), axis.index(self.rank()))?;
        edges.check(self.axes(), axis.index(self.rank()))?;
        check_out(GRADIENT, self.shape().as_ref(), self.device(), out)?;
        self.write_gradient(axis.index(self.rank()), &halves, edges, out)
    }

    /// Writes the gradient to `out`. The arguments must have been checked.
    fn write_gradient<S2: StorageMut<T, Dev>>(
        &self,
        axis: usize,
        halves: &Halves<T::Magnitude>,
        edges: EdgeOrder,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Inexact,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T>,
    {
        let n = self.shape().as_ref()[axis];
        let at = |k: usize| self.range(axis, k..k + 1);
        if n > 2 {
            let (before, after) = (self.range(axis, 0..n - 2), self.range(axis, 2..n));
            let mut inner = out.range_mut(axis, 1..n - 1)?;
            match halves {
                Halves::Uniform(half) => {
                    // The distance is twice as large, and so is its half.
                    binary_into(Slope { half: *half + *half }, &after, &before, &mut inner)?;
                }
                Halves::Each(halves) => self.write_inner(axis, halves, &mut inner)?,
            }
        }
        let half_at = |k: usize| match halves {
            Halves::Uniform(half) => *half,
            Halves::Each(halves) => halves[k],
        };
        let (first, last) = (half_at(0), half_at(n - 2));
        match edges {
            EdgeOrder::First => {
                binary_into(Slope { half: first }, &at(1), &at(0), &mut out.range_mut(axis, 0..1)?)?;
                binary_into(Slope { half: last }, &at(n - 1), &at(n - 2), &mut out.range_mut(axis, n - 1..n)?)
            }
            EdgeOrder::Second => {
                let op = EdgeSlope { half: first, half_next: half_at(1) };
                at(0).try_apply3_into(op, &at(1), &at(2), &mut out.range_mut(axis, 0..1)?)?;
                let op = EdgeSlope { half: -last, half_next: -half_at(n - 3) };
                at(n - 1).try_apply3_into(op, &at(n - 2), &at(n - 3), &mut out.range_mut(axis, n - 1..n)?)
            }
        }
    }

    /// Writes the derivatives at the inner points: the means of the slopes on both sides, weighted with the distance on the other side.
    fn write_inner<S2: StorageMut<T, Dev>>(
        &self,
        axis: usize,
        halves: &[T::Magnitude],
        inner: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Inexact,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T>,
    {
        let n = self.shape().as_ref()[axis];
        let one = T::Magnitude::from_f64(1.0);
        let (before, after) = (self.range(axis, 0..n - 1), self.range(axis, 1..n));
        let mut slopes = binary(Slope { half: one }, &after, &before)?;
        let vector = |values: Vec<T>| {
            Tensor::<T, Rank<1>, O, Dev>::try_from_vec_in([values.len()], values, self.device())
        };
        let widths = vector(halves.iter().map(|&half| T::from_magnitude(half)).collect())?;
        slopes.try_apply2_inplace(Div, &repeated::<T, D, O, Dev>(&widths, axis, slopes.shape()))?;
        let weights = |share: fn(T::Magnitude, T::Magnitude) -> T::Magnitude| {
            vector(halves.windows(2).map(|pair| T::from_magnitude(share(pair[0], pair[1]))).collect())
        };
        let (left, right) = (weights(|a, b| b / (a + b))?, weights(|a, b| a / (a + b))?);
        let shape = inner.shape();
        let left = repeated::<T, D, O, Dev>(&left, axis, shape);
        let right = repeated::<T, D, O, Dev>(&right, axis, shape);
        binary_into(Mul, &slopes.range(axis, 0..n - 2), &left, inner)?;
        let others = binary(Mul, &slopes.range(axis, 1..n - 1), &right)?;
        inner.try_apply2_inplace(Add, &others)
    }

    /// Returns the mutable view of a range of indices along an axis. The axis and the indices must be in range.
    fn range_mut(
        &mut self,
        axis: usize,
        indices: Range<usize>,
    ) -> Result<TensorViewMut<'_, T, D, O, Dev>, Error>
    where
        S: StorageMut<T, Dev>,
    {
        self.cut_mut(self.rank(), |from, to| Ok(from.range(axis, indices, to)))
    }
}

/// Returns a vector along an axis as a view of a shape, repeated along the other axes.
pub(crate) fn repeated<'a, T: Element, D: Dim, O: Order, Dev: Device>(
    vector: &'a Tensor<T, Rank<1>, O, Dev>,
    axis: usize,
    shape: D::Shape,
) -> TensorView<'a, T, D, O, Dev> {
    let mut strides = D::strides(shape.as_ref().len());
    [strides.as_mut()[axis]] = vector.strides();
    vector.view().with_axes::<D, O>(shape, strides, 0)
}
