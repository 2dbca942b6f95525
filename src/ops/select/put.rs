//! Writing to positions along an axis: `put_along_axis` and `scatter_add`.

use super::positions::Positions;
use super::take::along;
use crate::axis::AxisArg;
use crate::device::op::binary::Add;
use crate::device::{Device, Select};
use crate::element::{Element, Scalar};
use crate::engine::same_instance;
use crate::engine::select::Along;
use crate::error::fallible;
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{BroadcastTo, Dim, TakeRanks, check_rank};
use crate::storage::StorageMut;
use crate::tensor::Tensor;

pub(crate) const PUT: &str = "put along an axis";
pub(crate) const SCATTER_ADD: &str = "scatter-add";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: StorageMut<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Overwrites the elements at positions along an axis, with separate positions for each index of the other axes. If the axis is 1,
    /// `self[[i, positions[[i, j, k]], k]]` becomes `values[[i, j, k]]`.
    ///
    /// The positions have the rank of `self`, and its shape except for the extent of the axis. `values` broadcasts to the shape of the
    /// positions. If several values belong to the same element, the last one in memory order is kept.
    ///
    /// # Errors
    /// * If the axis or a position is out of range.
    /// * If the extents of the positions and of `self` differ along another axis.
    /// * If `values` does not broadcast to the shape of the positions.
    /// * If the operands are on different instances of the device.
    /// * If the allocation for a list of positions fails.
    ///
    /// `self` is unchanged then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut x = tensor![[3, 9, 4], [8, 2, 1]];
    /// x.put_along_axis(1, x.argmax_keepdims(1), Tensor::scalar(0));
    /// assert_eq!(x, tensor![[3, 0, 4], [0, 2, 1]]);
    /// ```
    #[fallible]
    pub fn put_along_axis<A, P, B>(&mut self, axis: A, positions: P, values: B)
    where
        A: AxisArg<D>,
        P: Positions<O, Dev, Dim = D>,
        B: MatchingOperand<T, O, Dev, Dim: BroadcastTo<D>>,
        Dev: Select<T>,
    {
        let (along, at) = (along::<D, O>(PUT, axis, self.rank()), positions.positions(self.device())?);
        let values = values.agreed();
        along.check(self.shape().as_ref())?;
        same_instance(along.op, self.device(), at.device())?;
        same_instance(along.op, self.device(), values.device())?;
        along.check_each(self.shape().as_ref(), at.shape().as_ref())?;
        let (output, device) = self.output();
        along.put_each(device, output, at.operand(), values.operand())
    }

    /// Adds `values` to the elements at positions along an axis. `values` broadcasts to the shape that [`take`](Tensor::take) returns for
    /// the same positions: that of `self`, with the axis replaced by the axes of the positions.
    ///
    /// If a position occurs several times, each of its values is added. NumPy's `x[positions] += values` adds only one of them. The values
    /// of one element are added in memory order of the positions, so the bits of the result do not depend on the number of threads.
    ///
    /// # Errors
    /// * If the axis or a position is out of range, or `values` does not broadcast to the shape that [`take`](Tensor::take) returns: `self`
    ///   is unchanged.
    /// * If the operands are on different instances of the device, or the allocation for a list of positions fails: `self` is unchanged.
    /// * If an integer sum overflows in a build with debug assertions: some values may have been added.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut sums = tensor![0.0, 0.0, 0.0];
    /// sums.scatter_add(0, [2, 0, 2], tensor![1.0, 5.0, 3.0]);
    /// assert_eq!(sums, tensor![5.0, 0.0, 4.0]);
    ///
    /// let mut counts = Tensor::<i32, _>::zeros([3]);
    /// counts.scatter_add(0, [2, 0, 2], Tensor::scalar(1));
    /// assert_eq!(counts, tensor![1, 0, 2]);
    /// ```
    #[fallible]
    #[doc(alias = "index_add")]
    pub fn scatter_add<A, P, B, R>(&mut self, axis: A, positions: P, values: B)
    where
        T: Scalar,
        A: AxisArg<D>,
        P: Positions<O, Dev>,
        R: Dim,
        D: TakeRanks<P::Dim, Taken = R>,
        B: MatchingOperand<T, O, Dev, Dim: BroadcastTo<R>>,
        Dev: Select<T> + Select<T>,
    {
        let (at, unsigned) = positions.bits(self.device())?;
        let along = Along { unsigned, ..along::<D, O>(SCATTER_ADD, axis, self.rank()) };
        let values = values.agreed();
        along.check(self.shape().as_ref())?;
        same_instance(along.op, self.device(), at.device())?;
        same_instance(along.op, self.device(), values.device())?;
        check_rank::<R>(self.rank() - 1 + at.rank())?;
        let (output, device) = self.output();
        along.scatter(&Add, device, output, at.operand(), values.operand())
    }
}
