//! The trace: a sum over a diagonal, which is a view.

use super::reduction::Sum;
use crate::axis::{AxisArg, OtherAxis};
use crate::device::{Device, Reduce};
use crate::element::{Element, Scalar};
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::{Dim, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The sum over equal indices of two axes: a tensor with two axes fewer. Rank 2 gives rank 0, the trace of a matrix.
    ///
    /// Nothing is copied and nothing contracted: a diagonal is a view whose stride is the sum of two strides, and the trace is
    /// [summed](Tensor::sum) over it, pairwise. Axes are `usize`, or `Axis::<K>` to have them checked at compile time.
    ///
    /// # Panics
    /// If an axis is out of range, the two are the same or differ in length, an integer sum does not fit (debug
    /// assertions), or the device has no memory left.
    ///
    /// ```
    /// use vierbein::{Axis, Tensor, tensor};
    /// assert_eq!(tensor![[1, 2], [3, 4]].trace(0, 1).item(), 5);
    /// let x = Tensor::arange(0..36).reshape([3, 4, 3]);
    /// assert_eq!(x.trace(Axis::<0>, Axis::<2>), tensor![39, 48, 57, 66]);
    /// ```
    #[track_caller]
    pub fn trace<R: Dim, A, B>(&self, a: A, b: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        D: RemoveAxes<2, Removed = R>,
        Dev: Reduce<T>,
        A: AxisArg<D> + OtherAxis<B>,
        B: AxisArg<D>,
    {
        expect(self.try_trace(a, b))
    }

    /// [`trace`](Tensor::trace) with a `Result`.
    ///
    /// # Errors
    /// If an axis is out of range, the two are the same or differ in length, an integer sum does not fit (debug
    /// assertions), or the device has no memory left.
    pub fn try_trace<R: Dim, A, B>(&self, a: A, b: B) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        D: RemoveAxes<2, Removed = R>,
        Dev: Reduce<T>,
        A: AxisArg<D> + OtherAxis<B>,
        B: AxisArg<D>,
    {
        let diagonal = self.layout().diagonal("trace", a.index(), b.index())?;
        let mut shape = R::Shape::default();
        shape.as_mut().copy_from_slice(&diagonal.shape()[..R::NDIM]);
        let mut out = Tensor::allocate(shape, self.device().clone())?;
        let (output, device) = out.output();
        device.reduce(&Sum, output, self.operand_in(&diagonal))?;
        Ok(out)
    }
}
