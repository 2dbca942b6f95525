//! Medians and quantiles.

use crate::axis::AxisArg;
use crate::device::quantile::Quantile;
use crate::device::{Device, Operand, Output, Sort};
use crate::element::{Element, RealScalar};
use crate::engine::reduce::reduced_last;
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes, Removed, check_axis_count, shape_of};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

pub(crate) const MEDIAN: &str = "median";
pub(crate) const QUANTILE: &str = "quantile";
pub(crate) const NAN_MEDIAN: &str = "median without NaN";
pub(crate) const NAN_QUANTILE: &str = "quantile without NaN";

/// The levels of quantiles. If they are one number, the axis is removed. If they are an array or slice of numbers, the result has one
/// index along the axis for each level.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name levels of quantiles",
    label = "expected an `f64` or an array of `f64`",
    note = "write `0.5`, `[0.25, 0.75]` or `&list[..]`"
)]
pub trait QuantileArg<D: RemoveAxes<1>> {
    /// The rank of the result.
    type Dim: Dim;
    /// Returns the levels.
    fn levels(&self) -> &[f64];
    /// Whether the result has the axis, if the ranks do not tell.
    #[doc(hidden)]
    const KEEPS_AXIS: bool = true;
}

/// Returns the extent of the axis in the result, or `None` if the result does not have the axis.
pub(super) fn extent_of<D: RemoveAxes<1>, Q: QuantileArg<D>>(levels: &[f64]) -> Option<usize> {
    let kept = match (Q::Dim::NDIM, D::NDIM) {
        (Some(rank), Some(of)) => rank == of,
        _ => Q::KEEPS_AXIS,
    };
    kept.then_some(levels.len())
}

#[diagnostic::do_not_recommend]
impl<D: RemoveAxes<1>> QuantileArg<D> for f64 {
    type Dim = Removed<D, 1>;
    fn levels(&self) -> &[f64] {
        core::slice::from_ref(self)
    }
    const KEEPS_AXIS: bool = false;
}
#[diagnostic::do_not_recommend]
impl<D: RemoveAxes<1>, const N: usize> QuantileArg<D> for [f64; N] {
    type Dim = D;
    fn levels(&self) -> &[f64] {
        self
    }
}
#[diagnostic::do_not_recommend]
impl<D: RemoveAxes<1>> QuantileArg<D> for &[f64] {
    type Dim = D;
    fn levels(&self) -> &[f64] {
        self
    }
}

/// Checks that each level is from 0 to 1.
///
/// # Errors
/// If a level is less than 0, greater than 1, or NaN.
pub(crate) fn check_levels(levels: &[f64]) -> Result<(), Error> {
    match levels.iter().find(|level| !(0.0..=1.0).contains(*level)) {
        None => Ok(()),
        Some(level) => Err(Error::Argument {
            op: "compute a quantile",
            reason: format!("the level {level} is not from 0 to 1; divide percentages by 100"),
        }),
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the median of all elements: the middle one of the sorted elements, or the mean of the two middle ones. The median is NaN if
    /// an element is NaN.
    ///
    /// # Errors
    /// If the tensor is empty, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[7, 1], [3, 4]].median().item(), 3.5);
    /// ```
    #[fallible]
    pub fn median(&self) -> Tensor<T::Float, Rank<0>, O, Dev>
    where
        T: RealScalar,
        Dev: Sort<T>,
    {
        self.median_of_all(MEDIAN, |device, out, a| device.quantile(out, a, &[0.5], None))
    }

    /// [`median`](Tensor::median) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[7, 1, 2], [3, 4, 0]].median_axis(1), tensor![2.0, 3.0]);
    /// ```
    #[fallible]
    pub fn median_axis<R: Dim, A>(&self, axis: A) -> Tensor<T::Float, R, O, Dev>
    where
        T: RealScalar,
        Dev: Sort<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.quantiles_of(MEDIAN, axis.index(self.rank()), None, |device, out, a| {
            device.quantile(out, a, &[0.5], None)
        })
    }

    /// [`median_axis`](Tensor::median_axis) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the axis is out of range or has zero elements, `out` does not have the result's shape, or `out` is on another instance of the
    ///   device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[7, 1, 2], [4, 4, 0]].median_into(1, &mut out);
    /// assert_eq!(out, tensor![2.0, 4.0]);
    /// ```
    #[fallible]
    pub fn median_into<R: Dim, A, S2>(&self, axis: A, out: &mut Tensor<T::Float, R, O, Dev, S2>)
    where
        T: RealScalar,
        Dev: Sort<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S2: StorageMut<T::Float, Dev>,
    {
        self.quantiles_into(MEDIAN, axis.index(self.rank()), None, out, |device, out, a| {
            device.quantile(out, a, &[0.5], None)
        })
    }

    /// Returns quantiles along an axis, for levels from 0 to 1. For one level, the axis is removed. For an array of levels, the result
    /// has one index along the axis for each level. A quantile of elements that include NaN is NaN.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, if a level is not in the range from 0 to 1, or if the allocation fails.
    ///
    /// ```
    /// use vierbein::{Quantile, tensor};
    /// let x = tensor![[1.0, 2.0, 4.0, 8.0, 16.0]];
    /// assert_eq!(x.quantile(1, 0.5, Quantile::Linear), tensor![4.0]);
    /// assert_eq!(x.quantile(1, [0.25, 0.5, 0.75], Quantile::Linear), tensor![[2.0, 4.0, 8.0]]);
    /// assert_eq!(x.quantile(1, 0.3, Quantile::Hazen), tensor![2.0]);
    /// ```
    #[fallible]
    #[doc(alias = "percentile")]
    pub fn quantile<A, Q>(&self, axis: A, levels: Q, method: Quantile) -> Tensor<T::Float, Q::Dim, O, Dev>
    where
        T: RealScalar,
        Dev: Sort<T>,
        D: RemoveAxes<1>,
        A: AxisArg<D>,
        Q: QuantileArg<D>,
    {
        let levels = levels.levels();
        let extent = extent_of::<D, Q>(levels);
        check_levels(levels)?;
        self.quantiles_of(QUANTILE, axis.index(self.rank()), extent, |device, out, a| {
            device.quantile(out, a, levels, Some(method))
        })
    }

    /// [`quantile`](Tensor::quantile) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the axis is out of range or has zero elements, or a level is not in the range from 0 to 1: `out` is unchanged.
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Quantile, Tensor, tensor};
    /// let mut out = Tensor::zeros([1, 2]);
    /// tensor![[1.0, 2.0, 4.0, 8.0, 16.0]].quantile_into(1, [0.25, 0.5], Quantile::Linear, &mut out);
    /// assert_eq!(out, tensor![[2.0, 4.0]]);
    /// ```
    #[fallible]
    pub fn quantile_into<A, Q, S2>(
        &self,
        axis: A,
        levels: Q,
        method: Quantile,
        out: &mut Tensor<T::Float, Q::Dim, O, Dev, S2>,
    ) where
        T: RealScalar,
        Dev: Sort<T>,
        D: RemoveAxes<1>,
        A: AxisArg<D>,
        Q: QuantileArg<D>,
        S2: StorageMut<T::Float, Dev>,
    {
        let levels = levels.levels();
        let extent = extent_of::<D, Q>(levels);
        check_levels(levels)?;
        self.quantiles_into(QUANTILE, axis.index(self.rank()), extent, out, |device, out, a| {
            device.quantile(out, a, levels, Some(method))
        })
    }

    /// Computes a median of all elements by `compute`, which takes an output of shape `[1]` and all elements.
    pub(super) fn median_of_all(
        &self,
        op: &'static str,
        compute: impl FnOnce(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<Tensor<T::Float, Rank<0>, O, Dev>, Error>
    where
        T: RealScalar,
    {
        if self.is_empty() {
            return Err(Error::Empty { op, shape: self.shape().as_ref().to_vec() });
        }
        let mut out = Tensor::allocate([], self.device().clone())?;
        let (output, device) = out.output_with_axes(Axes::new(&[1], &[1]), 0);
        // In memory order: if zeros of both signs are in the middle, the sign of the median depends on the order of the elements.
        self.in_memory_order(|all| compute(device, output, all))?;
        Ok(out)
    }

    /// Computes quantiles along an axis. In the result, the axis has this extent, or is removed if the extent is `None`. See [`write_quantiles`](Tensor::write_quantiles).
    pub(super) fn quantiles_of<R: Dim>(
        &self,
        op: &'static str,
        axis: usize,
        extent: Option<usize>,
        compute: impl FnOnce(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<Tensor<T::Float, R, O, Dev>, Error>
    where
        T: RealScalar,
    {
        let lines = self.lines_along(op, axis)?;
        let mut out = Tensor::allocate(lines.result::<R>(extent), self.device().clone())?;
        self.write_quantiles(&lines, &mut out, compute)?;
        Ok(out)
    }

    /// Checks the shape of `out` and writes quantiles along an axis to it. See [`quantiles_of`](Tensor::quantiles_of) for the arguments.
    pub(super) fn quantiles_into<R: Dim, S2: StorageMut<T::Float, Dev>>(
        &self,
        op: &'static str,
        axis: usize,
        extent: Option<usize>,
        out: &mut Tensor<T::Float, R, O, Dev, S2>,
        compute: impl FnOnce(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        T: RealScalar,
    {
        let lines = self.lines_along(op, axis)?;
        check_out(op, lines.result::<R>(extent).as_ref(), self.device(), out)?;
        self.write_quantiles(&lines, out, compute)
    }

    /// Returns the axes of `self`, permuted so that `axis` is last.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements.
    fn lines_along(&self, op: &'static str, axis: usize) -> Result<QuantileLines<D>, Error> {
        check_axis_count(op, self.axes().shape())?;
        let (mut shape, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let to = AxesMut::new(shape.as_mut(), strides.as_mut());
        reduced_last(op, false, self.axes(), &[axis], O::ROW_MAJOR, to)?;
        Ok(QuantileLines { op, axis, shape, strides })
    }

    /// Writes quantiles along an axis to `out`, which must have the shape of the result. `compute` takes an output whose last axis has an
    /// index for each level, and the elements of `self`, permuted so that the axis is last.
    fn write_quantiles<R: Dim, S2: StorageMut<T::Float, Dev>>(
        &self,
        lines: &QuantileLines<D>,
        out: &mut Tensor<T::Float, R, O, Dev, S2>,
        compute: impl FnOnce(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        T: RealScalar,
    {
        let QuantileLines { op, axis, shape: from_shape, strides: from } = lines;
        let (mut to_shape, mut to) = (D::shape(self.rank()), D::strides(self.rank()));
        if out.rank() == self.rank() {
            out.axes().move_last(op, &[*axis], O::ROW_MAJOR, AxesMut::new(to_shape.as_mut(), to.as_mut()))?;
        } else {
            let leading = out.rank();
            to_shape.as_mut()[..leading].copy_from_slice(out.shape().as_ref());
            to.as_mut()[..leading].copy_from_slice(out.strides().as_ref());
            (to_shape.as_mut()[leading], to.as_mut()[leading]) = (1, 1);
        }
        let (output, device) = out.output_with_axes(Axes::new(to_shape.as_ref(), to.as_ref()), 0);
        let operand = self.operand_with_axes(Axes::new(from_shape.as_ref(), from.as_ref()), 0);
        compute(device, output, operand)
    }
}

/// The axes of an operand, permuted so that the axis along which quantiles are computed is last.
struct QuantileLines<D: Dim> {
    op: &'static str,
    axis: usize,
    shape: D::Shape,
    strides: D::Strides,
}

impl<D: Dim> QuantileLines<D> {
    /// Returns the shape of the quantiles. The axis has this extent, or is removed if the extent is `None`.
    fn result<R: Dim>(&self, extent: Option<usize>) -> R::Shape {
        let rank = self.shape.as_ref().len();
        let (leading, _) = self.shape.as_ref().split_at(rank - 1);
        let Some(extent) = extent else { return shape_of::<R>(leading) };
        let (before, after) = leading.split_at(self.axis);
        let mut shape = R::shape(rank);
        let to = shape.as_mut();
        to[..self.axis].copy_from_slice(before);
        to[self.axis] = extent;
        to[self.axis + 1..].copy_from_slice(after);
        shape
    }
}
