//! Dynamic tensors: selection by positions along an axis and by indices, and writes at positions.

use super::operand;
use crate::device::positions::TAKE;
use crate::dyn_tensor::operand::DynOperand;
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::ops::select::{AT, PUT, SCATTER_ADD, TAKE_ALONG};
use crate::rank::IndexNumber;

impl<S: DynData> DynTensor<S> {
    /// Returns the elements at positions along an axis: see [`Tensor::take`](crate::Tensor::take). The positions are a tensor of `i64`.
    ///
    /// # Errors
    /// * If the positions are not `i64`, or differ in memory order or device from `self`.
    /// * If the axis or a position is out of range.
    /// * If the result would have more than 16 axes, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.take(1, &tensor![0_i64, -1])?.downcast_ref()?, tensor![[1.0, 3.0], [4.0, 6.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn take<'b>(
        &self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'b>>,
    ) -> Result<DynTensor, Error> {
        let (x, mut kept) = (self.look(), None);
        let at = operand(TAKE, x, positions.into(), &mut kept)?;
        typed!(TAKE, Element, (x = x, at as i64 = at; axis: isize = axis.number()) => x.try_take(axis, at))
    }

    /// Returns the elements at positions along an axis, with separate positions for each index of the other axes: see
    /// [`Tensor::take_along_axis`](crate::Tensor::take_along_axis). The positions are a tensor of `i64`.
    ///
    /// # Errors
    /// * If the positions are not `i64`, or differ in memory order or device from `self`.
    /// * If the axis or a position is out of range, or the extents of the positions and of `self` differ along another axis.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, dyn_tensor::DynReduction, tensor};
    /// let x = DynTensor::from(tensor![[3, 9, 4], [8, 2, 1]]);
    /// let greatest = x.reduce_keepdims(DynReduction::ArgMax, 1)?;
    /// assert_eq!(x.take_along_axis(1, &greatest)?.downcast_ref()?, tensor![[9], [8]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn take_along_axis<'b>(
        &self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'b>>,
    ) -> Result<DynTensor, Error> {
        let (x, mut kept) = (self.look(), None);
        let at = operand(TAKE_ALONG, x, positions.into(), &mut kept)?;
        typed!(TAKE_ALONG, Element, (x = x, at as i64 = at; axis: isize = axis.number()) => x.try_take_along_axis(axis, at))
    }

    /// Returns the elements at the given indices, as a vector: see [`Tensor::at`](crate::Tensor::at). Each row of `indices`, a matrix of
    /// `i64`, is the index of one element.
    ///
    /// # Errors
    /// * If `indices` is not a matrix of `i64` with one column per axis, or differs in memory order or device from `self`.
    /// * If an index is out of bounds, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.at(&tensor![[0_i64, 0], [1, -1]])?.downcast_ref()?, tensor![1, 6]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn at<'b>(&self, indices: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
        let (x, mut kept) = (self.look(), None);
        let indices = operand(AT, x, indices.into(), &mut kept)?;
        typed!(AT, Element, (x = x, indices as i64 = indices) => x.try_at(indices))
    }
}

impl<S: DynDataMut> DynTensor<S> {
    /// Overwrites the elements at positions along an axis, with separate positions for each index of the other axes: see
    /// [`Tensor::put_along_axis`](crate::Tensor::put_along_axis). The positions are a tensor of `i64`; `values` is a tensor or a scalar.
    ///
    /// # Errors
    /// In each of these cases, `self` is unchanged:
    ///
    /// * The positions are not `i64`, or the operands differ in element type, memory order or device.
    /// * The axis or a position is out of range, or the extents of the positions and of `self` differ along another axis.
    /// * `values` does not broadcast to the shape of the positions.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![[3, 9, 4], [8, 2, 1]]);
    /// x.put_along_axis(1, &tensor![[1_i64], [0]], 0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![[3, 0, 4], [0, 2, 1]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn put_along_axis<'a, 'b>(
        &mut self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'a>>,
        values: impl Into<DynOperand<'b>>,
    ) -> Result<(), Error> {
        let (mut kept, mut kept_values) = (None, None);
        let at = operand(PUT, self.look(), positions.into(), &mut kept)?;
        let values = values.into().beside(PUT, self.look(), &mut kept_values)?;
        typed!(PUT, Element -> (), (mut x = self.view_mut(), at as i64 = at, values = values; axis: isize = axis.number()) => {
            x.try_put_along_axis(axis, at, values)
        })
    }

    /// Adds values to the elements at positions along an axis: see [`Tensor::scatter_add`](crate::Tensor::scatter_add). The positions are a
    /// tensor of `i64`; `values` is a tensor or a scalar.
    ///
    /// # Errors
    /// In all of these cases but the last, `self` is unchanged:
    ///
    /// * The positions are not `i64`, or the operands differ in element type, memory order or device.
    /// * The elements are not numbers.
    /// * The axis or a position is out of range, `values` does not broadcast to this shape, or the shape has more than 16 axes.
    /// * An integer sum overflows in a build with debug assertions. Some values may have been added.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut counts = DynTensor::from(tensor![0, 0, 0]);
    /// counts.scatter_add(0, &tensor![2_i64, 0, 2], 1)?;
    /// assert_eq!(counts.downcast_ref()?, tensor![1, 0, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn scatter_add<'a, 'b>(
        &mut self,
        axis: impl IndexNumber,
        positions: impl Into<DynOperand<'a>>,
        values: impl Into<DynOperand<'b>>,
    ) -> Result<(), Error> {
        let (mut kept, mut kept_values) = (None, None);
        let at = operand(SCATTER_ADD, self.look(), positions.into(), &mut kept)?;
        let values = values.into().beside(SCATTER_ADD, self.look(), &mut kept_values)?;
        typed!(SCATTER_ADD, Scalar -> (), (mut x = self.view_mut(), at as i64 = at, values = values; axis: isize = axis.number()) => {
            x.try_scatter_add(axis, at, values)
        })
    }
}
