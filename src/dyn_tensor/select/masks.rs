//! Dynamic tensors: selection by masks, and writes under masks.

use super::operand;
use crate::device::BinaryOp;
use crate::dyn_tensor::operand::{DynOperand, value_of};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::ops::op;
use crate::ops::select::{ASSIGN, COMPRESS, MASKED};
use crate::rank::IndexNumber;

const FILL: &str = <op::FillMasked<f64> as BinaryOp<f64, bool>>::NAME;

impl<S: DynData> DynTensor<S> {
    /// Returns the tensor restricted to those indices of an axis at which the mask, a vector of `bool`, is `true`: see
    /// [`Tensor::compress`](crate::Tensor::compress).
    ///
    /// # Errors
    /// * If the mask is not a vector of `bool` with the extent of the axis, or is on another device than `self`.
    /// * If the axis is out of range, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.compress(1, &tensor![true, false, true])?.downcast_ref()?, tensor![[1, 3], [4, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn compress<'b>(
        &self,
        axis: impl IndexNumber,
        mask: impl Into<DynOperand<'b>>,
    ) -> Result<DynTensor, Error> {
        let (x, mut kept) = (self.look(), None);
        let mask = operand(COMPRESS, x, mask.into(), &mut kept)?;
        typed!(COMPRESS, Element, (x = x, mask as bool = mask; axis: isize = axis.number()) => x.try_compress(axis, mask))
    }

    /// Returns the elements at which a mask of the same shape is `true`, as a vector in memory order: see
    /// [`Tensor::masked`](crate::Tensor::masked).
    ///
    /// # Errors
    /// * If the mask is not `bool`, or differs in shape, memory order or device from `self`.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, -2.0], [-3.0, 4.0]]);
    /// assert_eq!(x.masked(&x.gt(0.0)?)?.downcast_ref()?, tensor![1.0, 4.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn masked<'b>(&self, mask: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
        let (x, mut kept) = (self.look(), None);
        let mask = operand(MASKED, x, mask.into(), &mut kept)?;
        typed!(MASKED, Element, (x = x, mask as bool = mask) => x.try_masked(mask))
    }

    /// Returns the indices of all elements that are not zero, or are `true`, as the rows of a matrix of `i64`: see
    /// [`Tensor::nonzero`](crate::Tensor::nonzero).
    ///
    /// # Errors
    /// If dynamic tensors do not compute on the device, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 2.0], [3.0, 0.0]]);
    /// assert_eq!(x.nonzero()?.downcast_ref()?, tensor![[0_i64, 1], [1, 0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nonzero(&self) -> Result<DynTensor, Error> {
        typed!("list the indices of", Element, (x = self.look()) => x.try_nonzero())
    }
}

impl<S: DynDataMut> DynTensor<S> {
    /// Writes one value to the elements at which a mask of the same shape is `true`.
    ///
    /// # Errors
    /// In each of these cases, `self` is unchanged:
    ///
    /// * The mask is not `bool`, or differs in shape, memory order or device from `self`.
    /// * The value is not of the element type.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![1.0, f64::NAN, 3.0]);
    /// let nan = x.is_nan()?;
    /// x.masked_fill(&nan, 0.0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![1.0, 0.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn masked_fill<'b>(
        &mut self,
        mask: impl Into<DynOperand<'b>>,
        value: impl Into<DynScalar>,
    ) -> Result<(), Error> {
        let mut kept = None;
        let mask = operand(FILL, self.look(), mask.into(), &mut kept)?;
        typed!(FILL, Element -> (), (mut x = self.view_mut(), mask as bool = mask; value: DynScalar = value.into()) => {
            x.try_masked_fill(mask, value_of::<T>(FILL, value)?)
        })
    }

    /// Writes the values of a vector, in memory order, to the elements at which a mask of the same shape is `true`.
    ///
    /// # Errors
    /// In each of these cases, `self` is unchanged:
    ///
    /// * The mask is not `bool`, or differs in shape, memory order or device from `self`.
    /// * The values are not a vector of the element type, with one value for each `true` in the mask.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![[1, -2], [-3, 4]]);
    /// let negative = x.lt(0)?;
    /// x.masked_assign(&negative, &tensor![20, 30])?;
    /// assert_eq!(x.downcast_ref()?, tensor![[1, 20], [30, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn masked_assign<'a, 'b>(
        &mut self,
        mask: impl Into<DynOperand<'a>>,
        values: impl Into<DynOperand<'b>>,
    ) -> Result<(), Error> {
        let (mut kept, mut kept_values) = (None, None);
        let mask = operand(ASSIGN, self.look(), mask.into(), &mut kept)?;
        let values = values.into().beside(ASSIGN, self.look(), &mut kept_values)?;
        typed!(ASSIGN, Element -> (), (mut x = self.view_mut(), mask as bool = mask, values = values) => {
            x.try_masked_assign(mask, values)
        })
    }
}
