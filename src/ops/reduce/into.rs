//! Reductions into a preallocated tensor or mutable view.

use crate::axis::AxesToRemove;
use crate::device::{Device, Reduce, Reduction, wide};
use crate::element::Element;
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`reduce_axes`](Tensor::reduce_axes) into a preallocated tensor or mutable view: nothing is allocated.
    ///
    /// `op` can be any reduction, and `axes` can name one axis, several or all: `x.reduce_into(op::Sum, [0], &mut out)`.
    ///
    /// # Errors
    /// * If `out` does not have the result's shape or is on another instance of the device: `out` is unchanged.
    /// * If an axis is out of range or named twice: `out` is unchanged.
    /// * If a result is undefined or not representable in the output type: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, op, tensor};
    /// let x = tensor![[1.0, 5.0], [3.0, 4.0]];
    /// let (mut rows, mut all) = (tensor![0.0, 0.0], Tensor::scalar(0.0));
    /// x.reduce_into(op::Sum, [1], &mut rows);
    /// x.reduce_into(op::Max, [0, 1], &mut all);
    /// assert_eq!((rows, all.item()), (tensor![6.0, 7.0], 5.0));
    /// ```
    ///
    /// The output must have the memory order, the device and the element type of the result. Any other output does not compile:
    ///
    /// ```compile_fail
    /// use vierbein::{op, tensor};
    /// let mut where_it_is = tensor![0.0, 0.0];
    /// tensor![[1.0, 5.0], [3.0, 4.0]].reduce_into(op::ArgMax, [1], &mut where_it_is); // indices are `i64`
    /// ```
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// let error = tensor![[1, 2], [3, 4]].try_reduce_into(op::Sum, [0], &mut tensor![0, 0, 0]).unwrap_err();
    /// assert_eq!(error.to_string(), "cannot sum into shape [3]: the result has shape [2]; allocate the output with shape [2]");
    /// ```
    #[fallible]
    pub fn reduce_into<A, F, S2>(&self, op: F, axes: A, out: &mut Tensor<F::Output, A::Remaining, O, Dev, S2>)
    where
        A: AxesToRemove<D>,
        F: Reduction<T>,
        S2: StorageMut<F::Output, Dev>,
        Dev: Reduce<T>,
    {
        let axes = axes.axes(self.rank());
        let axes = axes.as_ref();
        let (shape, strides) = self.reduced_last::<F>(axes)?;
        check_out(F::NAME, &shape.as_ref()[..self.rank() - axes.len()], self.device(), out)?;
        let (output, device) = out.output();
        let operand = self.operand_with_axes(Axes::new(shape.as_ref(), strides.as_ref()), 0);
        wide::reduce::<D, _, _, _>(&op, device, output, operand)
    }

    /// Checks that a preallocated output has the shape of `self` without `axes`, and is on the same instance of the device.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the output has another shape or is on another instance.
    pub(crate) fn check_reduced_out<U: Element, R: Dim, S2: Storage<U, Dev>>(
        &self,
        op: &'static str,
        axes: &[usize],
        out: &Tensor<U, R, O, Dev, S2>,
    ) -> Result<(), Error> {
        let (mut shape, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        self.axes().move_last(op, axes, O::ROW_MAJOR, AxesMut::new(shape.as_mut(), strides.as_mut()))?;
        check_out(op, &shape.as_ref()[..self.rank() - axes.len()], self.device(), out)
    }
}
