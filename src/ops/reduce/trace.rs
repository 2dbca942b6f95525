//! The trace: a sum over a diagonal view.

use crate::axis::{AxisArg, DistinctAxis};
use crate::device::into_output::Reduced;
use crate::device::op::reduction::Sum;
use crate::device::{Device, Operand, Reduce, Reduction, wide};
use crate::element::{Element, Scalar};
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{Dim, RemoveAxes, shape_of};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Sums the elements whose indices along axes `a` and `b` are equal. The result does not have these axes: the trace of a matrix has
    /// rank 0.
    ///
    /// Nothing is copied: the diagonal is a view, whose stride is the sum of two strides. Its elements are [summed](Tensor::sum)
    /// pairwise. An axis is a `usize`, checked at run time, or an `Axis::<K>`, checked at compile time.
    ///
    /// # Errors
    /// * If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    /// * If an integer sum overflows (of 64 bits: only in builds with debug assertions).
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::{Axis, Tensor, tensor};
    /// assert_eq!(tensor![[1, 2], [3, 4]].trace(0, 1).item(), 5);
    /// let x = Tensor::arange(0..36).reshape([3, 4, 3]);
    /// assert_eq!(x.trace(Axis::<0>, Axis::<2>), tensor![39, 48, 57, 66]);
    /// ```
    #[fallible]
    // Always inlined, like the other reductions of a whole tensor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn trace<R: Dim, A, B>(&self, a: A, b: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        D: RemoveAxes<2, Removed = R>,
        Dev: Reduce<T>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        let (mut extents, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let from = self.operand().diagonal(
            "trace",
            a.index(self.rank()),
            b.index(self.rank()),
            merged(&mut extents, &mut strides),
        )?;
        self.reduced_diagonal(Sum, from)
    }

    /// Sums diagonal `k` of axes `a` and `b`, which may differ in extent: see [`diagonal_offset`](Tensor::diagonal_offset). The sum of an
    /// empty diagonal is zero.
    ///
    /// # Errors
    /// * If an axis is out of range, or `a` and `b` are the same axis.
    /// * If an integer sum overflows (of 64 bits: only in builds with debug assertions).
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.trace_offset(0, 1, 0).item(), 6);
    /// assert_eq!(x.trace_offset(0, 1, 1).item(), 8);
    /// ```
    #[fallible]
    pub fn trace_offset<R: Dim, A, B>(&self, a: A, b: B, k: isize) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        D: RemoveAxes<2, Removed = R>,
        Dev: Reduce<T>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        let (mut extents, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let to = merged(&mut extents, &mut strides);
        let offset =
            self.axes().diagonal_offset("trace", [a.index(self.rank()), b.index(self.rank())], k, to)?;
        let rank = self.rank() - 1;
        let axes = Axes::new(&extents.as_ref()[..rank], &strides.as_ref()[..rank]);
        self.reduced_diagonal(Sum, self.operand_with_axes(axes, offset))
    }

    /// Reduces the last axis of an operand, a diagonal of `self`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn reduced_diagonal<Op: Reduction<T>, R: Dim>(
        &self,
        op: Op,
        from: Operand<'_, T, Dev>,
    ) -> Result<Tensor<Op::Output, R, O, Dev>, Error>
    where
        Dev: Reduce<T>,
    {
        let (_, kept) = from.shape().split_last().expect("a diagonal has an axis");
        let shape = shape_of::<R>(kept);
        Tensor::computed(shape, self.device().clone(), Reduced::<_, _, _, D>::new(op, from))
    }

    /// [`trace`](Tensor::trace) into a preallocated tensor or mutable view: nothing is allocated.
    ///
    /// # Errors
    /// If `out` does not have the result's shape, or is on another instance of the device than `self`, or for the reasons given for
    /// [`try_trace`](Tensor::try_trace).
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = tensor![0, 0, 0, 0];
    /// Tensor::arange(0..36).reshape([3, 4, 3]).trace_into(0, 2, &mut out);
    /// assert_eq!(out, tensor![39, 48, 57, 66]);
    /// ```
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let x: Tensor<f32, _> = Tensor::zeros([2, 3, 2]);
    /// let error = x.try_trace_into(0, 2, &mut tensor![0.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "cannot trace into shape [1]: the result has shape [3]; allocate the output with shape [3]");
    /// ```
    #[fallible]
    pub fn trace_into<R: Dim, A, B, S2>(&self, a: A, b: B, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Scalar,
        D: RemoveAxes<2, Removed = R>,
        Dev: Reduce<T>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
        S2: StorageMut<T, Dev>,
    {
        let (mut extents, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let from = self.operand().diagonal(
            "trace",
            a.index(self.rank()),
            b.index(self.rank()),
            merged(&mut extents, &mut strides),
        )?;
        check_out("trace", &from.shape()[..from.shape().len() - 1], self.device(), out)?;
        let (output, device) = out.output();
        wide::reduce::<D, _, _, _>(&Sum, device, output, from)
    }
}

/// Returns `shape` and `strides` without their last entries. Each array has one entry for each axis of a tensor. A diagonal of the tensor
/// has one axis fewer.
#[inline]
pub(crate) fn merged<'a>(
    shape: &'a mut impl AsMut<[usize]>,
    strides: &'a mut impl AsMut<[isize]>,
) -> AxesMut<'a> {
    let rank = shape.as_mut().len().saturating_sub(1);
    AxesMut::new(&mut shape.as_mut()[..rank], &mut strides.as_mut()[..rank])
}
