//! Elements at positions along an axis: `take`, `take_along_axis` and `compress`.

use super::mask::Mask;
use super::positions::{Positions, upload};
use crate::axis::AxisArg;
use crate::device::positions::TAKE;
use crate::device::{Device, Select};
use crate::element::Element;
use crate::engine::same_instance;
use crate::engine::select::{Along, positions_of};
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{Dim, Rank, TakeRanks, check_rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};

/// Describes the operation `op` along an axis of tensors in memory order `O`.
pub(crate) fn along<D, O: Order>(op: &'static str, axis: impl AxisArg<D>, rank: usize) -> Along {
    Along { op, axis: axis.index(rank), row_major: O::ROW_MAJOR, unsigned: false }
}

pub(crate) const TAKE_ALONG: &str = "take along an axis";
pub(crate) const COMPRESS: &str = "compress";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the elements at positions along an axis. The axes of the positions replace the axis. For positions of rank R in a tensor of
    /// rank N, the result has rank N − 1 + R.
    ///
    /// The positions are a vector (a slice, an array or a `Vec` of integers), or a tensor of `i64` of any rank. Positions may repeat, and
    /// negative positions count from the end. [`Positions`] lists the types that are used without a copy.
    ///
    /// For a single position, [`index_axis`](Tensor::index_axis) returns a view, which costs nothing. For equally spaced positions,
    /// [`slice`](Tensor::slice) returns one.
    ///
    /// # Errors
    /// If the axis or a position is out of range, the positions are on another instance of the device, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    /// assert_eq!(x.take(1, [0, -1]), tensor![[1.0, 3.0], [4.0, 6.0]]);
    /// assert_eq!(x.take(0, [1, 0, 1]), tensor![[4.0, 5.0, 6.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    ///
    /// let colours = tensor![10, 20, 30];
    /// let image = tensor![[0, 2], [1, 1]]; // `i64`
    /// assert_eq!(colours.take(0, &image), tensor![[10, 30], [20, 20]]);
    /// ```
    ///
    /// ```
    /// use vierbein::tensor;
    /// let error = tensor![[1, 2, 3], [4, 5, 6]].try_take(1, [0, 3]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot take: index 3 is out of bounds for axis 1 of shape [2, 3], whose extent is 3"
    /// );
    /// ```
    #[fallible]
    #[doc(alias = "gather")]
    #[doc(alias = "index_select")]
    pub fn take<A, P, R>(&self, axis: A, positions: P) -> Tensor<T, R, O, Dev>
    where
        A: AxisArg<D>,
        P: Positions<O, Dev>,
        R: Dim,
        D: TakeRanks<P::Dim, Taken = R>,
        Dev: Select<T>,
    {
        let (at, unsigned) = positions.bits(self.device())?;
        let along = Along { unsigned, ..along::<D, O>(TAKE, axis, self.rank()) };
        let shape = self.taken::<_, R, _>(along, &at)?;
        Tensor::allocate_with(shape, self.device().clone(), |out, device| {
            along.take(device, out, self.operand(), at.operand(), false)
        })
    }

    /// [`take`](Tensor::take) into a preallocated tensor or mutable view of exactly the result's shape. Checks all positions before it
    /// writes an element.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device.
    /// * If the axis or a position is out of range, or the allocation for a list of positions fails.
    ///
    /// `out` is unchanged then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[1, 2, 3], [4, 5, 6]].take_into(1, [2, 0], &mut out);
    /// assert_eq!(out, tensor![[3, 1], [6, 4]]);
    /// ```
    #[fallible]
    pub fn take_into<A, P, R, S2>(&self, axis: A, positions: P, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        A: AxisArg<D>,
        P: Positions<O, Dev>,
        R: Dim,
        D: TakeRanks<P::Dim, Taken = R>,
        Dev: Select<T>,
        S2: StorageMut<T, Dev>,
    {
        let (at, unsigned) = positions.bits(self.device())?;
        let along = Along { unsigned, ..along::<D, O>(TAKE, axis, self.rank()) };
        let shape = self.taken::<_, R, _>(along, &at)?;
        check_out(TAKE, shape.as_ref(), self.device(), out)?;
        let (output, device) = out.output();
        along.take(device, output, self.operand(), at.operand(), true)
    }

    /// Checks the axis and the devices, and returns the shape of the result: the axes of the positions replace the axis.
    pub(crate) fn taken<E: Dim, R: Dim, S2: Storage<i64, Dev>>(
        &self,
        along: Along,
        at: &Tensor<i64, E, O, Dev, S2>,
    ) -> Result<R::Shape, Error> {
        along.check(self.shape().as_ref())?;
        same_instance(along.op, self.device(), at.device())?;
        let rank = self.rank() - 1 + at.rank();
        check_rank::<R>(rank)?;
        let mut shape = R::shape(rank);
        along.taken(self.shape().as_ref(), at.shape().as_ref(), shape.as_mut());
        Ok(shape)
    }

    /// Returns the elements at positions along an axis, with separate positions for each index of the other axes. If the axis is 1, element
    /// `[i, j, k]` of the result is `self[[i, positions[[i, j, k]], k]]`.
    ///
    /// The positions have the rank of `self`, and its shape except for the extent of the axis. For the positions that
    /// [`argmax_keepdims`](Tensor::argmax_keepdims) returns, the result has the maxima.
    ///
    /// # Errors
    /// * If the axis or a position is out of range.
    /// * If the extents of the positions and of `self` differ along another axis.
    /// * If the positions are on another instance of the device, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[3, 9, 4], [8, 2, 1]];
    /// assert_eq!(x.take_along_axis(1, x.argmax_keepdims(1)), tensor![[9], [8]]);
    /// assert_eq!(x.take_along_axis(1, tensor![[0, 0], [2, -3]]), tensor![[3, 3], [1, 8]]);
    /// ```
    #[fallible]
    pub fn take_along_axis<A, P>(&self, axis: A, positions: P) -> Tensor<T, D, O, Dev>
    where
        A: AxisArg<D>,
        P: Positions<O, Dev, Dim = D>,
        Dev: Select<T>,
    {
        let (along, at) = (along::<D, O>(TAKE_ALONG, axis, self.rank()), positions.positions(self.device())?);
        along.check(self.shape().as_ref())?;
        same_instance(along.op, self.device(), at.device())?;
        along.check_each(self.shape().as_ref(), at.shape().as_ref())?;
        Tensor::allocate_with(at.shape(), self.device().clone(), |out, device| {
            along.take_each(device, out, self.operand(), at.operand(), false)
        })
    }

    /// [`take_along_axis`](Tensor::take_along_axis) into a preallocated tensor or mutable view of exactly the shape of the positions.
    /// Checks all positions before it writes an element.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device.
    /// * If the axis or a position is out of range.
    /// * If the extents of the positions and of `self` differ along another axis.
    ///
    /// `out` is unchanged then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (x, mut out) = (tensor![[3, 9, 4], [8, 2, 1]], Tensor::zeros([2, 1]));
    /// x.take_along_axis_into(1, x.argmax_keepdims(1), &mut out);
    /// assert_eq!(out, tensor![[9], [8]]);
    /// ```
    #[fallible]
    pub fn take_along_axis_into<A, P, S2>(&self, axis: A, positions: P, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        A: AxisArg<D>,
        P: Positions<O, Dev, Dim = D>,
        Dev: Select<T>,
        S2: StorageMut<T, Dev>,
    {
        let (along, at) = (along::<D, O>(TAKE_ALONG, axis, self.rank()), positions.positions(self.device())?);
        along.check(self.shape().as_ref())?;
        same_instance(along.op, self.device(), at.device())?;
        along.check_each(self.shape().as_ref(), at.shape().as_ref())?;
        check_out(TAKE_ALONG, at.shape().as_ref(), self.device(), out)?;
        let (output, device) = out.output();
        along.take_each(device, output, self.operand(), at.operand(), true)
    }

    /// Returns a copy that contains only those indices along an axis for which a mask is `true`. The mask is a vector with one element for
    /// each index.
    ///
    /// In contrast, [`masked`](Tensor::masked) takes a mask of the shape of the tensor, and returns a vector.
    ///
    /// # Errors
    /// If the axis is out of range, the mask does not have the extent of the axis, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.compress(1, tensor![true, false, true]), tensor![[1, 3], [4, 6]]);
    /// assert_eq!(x.compress(0, x.sum_axis(1).gt(10)), tensor![[4, 5, 6]]);
    /// ```
    #[fallible]
    pub fn compress<A, M>(&self, axis: A, mask: M) -> Tensor<T, D, O, Dev>
    where
        A: AxisArg<D>,
        M: Mask<Rank<1>, O, Dev>,
        Dev: Select<T>,
    {
        let along = along::<D, O>(COMPRESS, axis, self.rank());
        let (at, shape) = self.compressed(along, &mask.mask(COMPRESS)?)?;
        Tensor::allocate_with(shape, self.device().clone(), |out, device| {
            along.take(device, out, self.operand(), at.operand(), false)
        })
    }

    /// [`compress`](Tensor::compress) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device.
    /// * If the axis is out of range, or the mask does not have the extent of the axis.
    ///
    /// `out` is unchanged then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[1, 2, 3], [4, 5, 6]].compress_into(1, tensor![true, false, true], &mut out);
    /// assert_eq!(out, tensor![[1, 3], [4, 6]]);
    /// ```
    #[fallible]
    pub fn compress_into<A, M, S2>(&self, axis: A, mask: M, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        A: AxisArg<D>,
        M: Mask<Rank<1>, O, Dev>,
        Dev: Select<T>,
        S2: StorageMut<T, Dev>,
    {
        let along = along::<D, O>(COMPRESS, axis, self.rank());
        let (at, shape) = self.compressed(along, &mask.mask(COMPRESS)?)?;
        check_out(COMPRESS, shape.as_ref(), self.device(), out)?;
        let (output, device) = out.output();
        along.take(device, output, self.operand(), at.operand(), true)
    }

    /// Returns the positions at which a mask along an axis is `true`, and the shape of the result.
    fn compressed(
        &self,
        along: Along,
        mask: &TensorView<'_, bool, Rank<1>, O, Dev>,
    ) -> Result<(Tensor<i64, Rank<1>, O, Dev>, D::Shape), Error> {
        same_instance(along.op, self.device(), mask.device())?;
        let positions = positions_of(along, self.device(), self.shape().as_ref(), mask.operand())?;
        let at = upload([positions.len()], positions.into_iter(), self.device())?;
        let mut shape = self.shape();
        shape.as_mut()[along.axis] = at.len();
        Ok((at, shape))
    }
}
