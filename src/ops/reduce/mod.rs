//! Reductions: over all elements, over one axis, over several axes, or with the reduced axes kept with extent 1.

pub(crate) mod bins;
mod builtin;
pub(crate) mod histogram;
pub(crate) mod into;
mod masks;
pub(crate) mod scan;
pub(crate) mod scan_extremes;
pub(crate) mod softmax;
pub(crate) mod statistics;
pub(crate) mod trace;
pub(crate) mod weighted;
pub(crate) mod widened;

use crate::axis::{AxesArg, AxesToRemove, AxisArg};
use crate::device::into_output::Reduced;
use crate::device::{Device, Reduce, Reduction, wide};
use crate::element::Element;
use crate::engine::reduce::reduced_last;
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes, shape_of};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Reduce<T>, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the operand's shape and strides, permuted so that the axes to reduce are last and in memory order.
    #[inline]
    pub(crate) fn reduced_last<R: Reduction<T>>(
        &self,
        axes: &[usize],
    ) -> Result<(D::Shape, D::Strides), Error> {
        let (mut shape, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let to = AxesMut::new(shape.as_mut(), strides.as_mut());
        reduced_last(R::NAME, R::DEFINED_ON_EMPTY, self.axes(), axes, O::ROW_MAJOR, to)?;
        Ok((shape, strides))
    }

    #[inline]
    pub(crate) fn reduced<R: Reduction<T>, E: Dim>(
        &self,
        op: R,
        axes: &[usize],
    ) -> Result<Tensor<R::Output, E, O, Dev>, Error> {
        let (from, strides) = self.reduced_last::<R>(axes)?;
        let shape = shape_of::<E>(&from.as_ref()[..self.rank() - axes.len()]);
        let operand = self.operand_with_axes(Axes::new(from.as_ref(), strides.as_ref()), 0);
        Tensor::computed(shape, self.device().clone(), Reduced::<_, _, _, D>::new(op, operand))
    }

    // Always inlined, like its callers. The compiler can then remove the allocation of a result that is read and dropped at once,
    // as in `x.sum().item()`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn reduced_whole<R: Reduction<T>>(
        &self,
        op: R,
    ) -> Result<Tensor<R::Output, Rank<0>, O, Dev>, Error> {
        if !R::DEFINED_ON_EMPTY && self.is_empty() {
            return Err(Error::Empty { op: R::NAME, shape: self.shape().as_ref().to_vec() });
        }
        // All axes are reduced, so the iteration order is arbitrary, except for reductions that use the flat index in memory order.
        if O::ROW_MAJOR || !R::USES_INDEX || self.rank() < 2 {
            let operand = self.operand();
            return Tensor::computed([], self.device().clone(), Reduced::<_, _, _, D>::new(op, operand));
        }
        self.reduced_whole_in_order(op)
    }

    #[inline(never)]
    fn reduced_whole_in_order<R: Reduction<T>>(
        &self,
        op: R,
    ) -> Result<Tensor<R::Output, Rank<0>, O, Dev>, Error> {
        self.in_memory_order(|operand| {
            Tensor::computed([], self.device().clone(), Reduced::<_, _, _, Rank<1>>::new(op, operand))
        })
    }

    pub(crate) fn reduced_keeping<R: Reduction<T>>(
        &self,
        op: R,
        axes: &[usize],
    ) -> Result<Tensor<R::Output, D, O, Dev>, Error> {
        let (from, strides) = self.reduced_last::<R>(axes)?;
        let mut shape = self.shape();
        for &axis in axes {
            shape.as_mut()[axis] = 1;
        }
        let mut out = Tensor::allocate(shape, self.device().clone())?;
        let (mut kept, mut steps) = (D::shape(self.rank()), D::strides(self.rank()));
        out.axes().move_last(R::NAME, axes, O::ROW_MAJOR, AxesMut::new(kept.as_mut(), steps.as_mut()))?;
        let rank = self.rank() - axes.len();
        let (output, device) =
            out.output_with_axes(Axes::new(&kept.as_ref()[..rank], &steps.as_ref()[..rank]), 0);
        let operand = self.operand_with_axes(Axes::new(from.as_ref(), strides.as_ref()), 0);
        wide::reduce::<D, _, _, _>(&op, device, output, operand)?;
        Ok(out)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Applies a built-in or user-defined reduction to all elements, on any device.
    ///
    /// # Errors
    /// * If the result is undefined, such as the maximum of zero elements.
    /// * If the result is not representable in the output type.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::{device::Reduction, tensor};
    /// /// Counts the positive elements.
    /// #[derive(Clone, Copy)]
    /// struct Positive;
    /// impl Reduction<f64> for Positive {
    ///     type Acc = i64;
    ///     type Output = i64;
    ///     const NAME: &'static str = "number of positive elements";
    ///     fn identity(&self) -> i64 { 0 }
    ///     fn fold(&self, acc: i64, x: f64, _: usize) -> i64 { acc + i64::from(x > 0.0) }
    ///     fn combine(&self, a: i64, b: i64) -> i64 { a + b }
    ///     fn finish(&self, acc: i64, _: usize) -> Option<i64> { Some(acc) }
    /// }
    /// let x = tensor![[1.0, -2.0], [3.0, 0.5]];
    /// assert_eq!(x.reduce(Positive).item(), 3);
    /// assert_eq!(x.reduce_axis(0, Positive), tensor![2, 1]);
    /// ```
    #[fallible]
    pub fn reduce<F: Reduction<T>>(&self, op: F) -> Tensor<F::Output, Rank<0>, O, Dev>
    where
        Dev: Reduce<T>,
    {
        self.reduced_whole(op)
    }

    /// Applies a reduction along one axis, and removes this axis. See [`reduce`](Tensor::reduce).
    ///
    /// # Errors
    /// If the axis is out of range, or for the reasons given for [`reduce`](Tensor::reduce).
    #[fallible]
    pub fn reduce_axis<F, R, A>(&self, axis: A, op: F) -> Tensor<F::Output, R, O, Dev>
    where
        F: Reduction<T>,
        R: Dim,
        Dev: Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.reduced(op, &[axis.index(self.rank())])
    }

    /// [`reduce`](Tensor::reduce) over several axes, which are removed.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or for the reasons given for [`reduce`](Tensor::reduce).
    #[fallible]
    pub fn reduce_axes<A: AxesToRemove<D>, F: Reduction<T>>(
        &self,
        axes: A,
        op: F,
    ) -> Tensor<F::Output, A::Remaining, O, Dev>
    where
        Dev: Reduce<T>,
    {
        self.reduced(op, axes.axes(self.rank()).as_ref())
    }

    /// [`reduce`](Tensor::reduce) over one axis or several, which are kept with extent 1.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or for the reasons given for [`reduce`](Tensor::reduce).
    #[fallible]
    pub fn reduce_keepdims<A: AxesArg<D>, F: Reduction<T>>(
        &self,
        axes: A,
        op: F,
    ) -> Tensor<F::Output, D, O, Dev>
    where
        Dev: Reduce<T>,
    {
        self.reduced_keeping(op, axes.axes(self.rank()).as_ref())
    }
}
