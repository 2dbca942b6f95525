//! Dynamic tensors: selection by masks, and writes under masks.

use super::{ASSIGN, COMPRESS, FILL, MASK, MASKED, NONZERO, along, of_dtype, values_for};
use crate::device::{Elementwise, Select};
use crate::dispatch;
use crate::dyn_tensor::operand::{
    DynOperand, allocate_with, common_order, device_of, elements, on_device, output_of,
};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::{DynTensor, DynView, DynViewMut};
use crate::element::Element;
use crate::engine::same_instance;
use crate::engine::select::{self, Along};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op;
use crate::order::MemoryOrder;
use crate::rank::{IndexNumber, from_start};
use crate::storage::OwnedData;

fn compressed<T: Element, Dev: Select<T>>(
    along: Along,
    [x, mask]: [DynView<'_>; 2],
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    same_instance(along.op, device, device_of(&mask))?;
    let at = select::positions_of(along, device, x.shape(), elements::<bool, Dev>(&mask))?;
    let (count, at) = (at.len(), OwnedData::of_vec(at, device)?);
    let mut layout = *x.layout();
    layout.set(along.axis, count, 0);
    let layout = Layout::contiguous(layout.shape(), along.row_major);
    let positions = Layout::contiguous(&[count], true);
    let (from, at) = (elements::<T, Dev>(&x), at.operand(&positions));
    allocate_with(device, layout, x.order(), &mut |out| along.take(device, out, from, at, false))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn compress(x: DynView<'_>, axis: usize, mask: DynOperand<'_>) -> Result<DynTensor, Error> {
    let mut kept = None;
    let mask = of_dtype(COMPRESS, x, mask, MASK, &mut kept)?;
    let along = along(COMPRESS, axis, x, x.order())?;
    on_device!(COMPRESS, x, Dev => dispatch!(x.dtype(), T => compressed::<T, Dev>(along, [x, mask])))
}

/// Counts the elements of a mask that are `true`.
// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn counted(mask: DynView<'_>) -> Result<usize, Error> {
    let count = mask.count()?.item()?.get::<i64>().expect("counts are `i64`");
    Ok(count as usize)
}

fn masked_of<T: Element, Dev: Select<T>>(
    x: DynView<'_>,
    mask: DynView<'_>,
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    select::check_mask(MASKED, (device, x.shape()), (device_of(&mask), mask.shape()))?;
    let layout = Layout::contiguous(&[counted(mask)?], true);
    let (from, mask) = (elements::<T, Dev>(&x), elements::<bool, Dev>(&mask));
    allocate_with(device, layout, order, &mut |out| select::compress(device, order, out, from, mask))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn masked(x: DynView<'_>, mask: DynOperand<'_>) -> Result<DynTensor, Error> {
    let mut kept = None;
    let mask = of_dtype(MASKED, x, mask, MASK, &mut kept)?;
    let order = common_order(MASKED, x, mask)?;
    on_device!(MASKED, x, Dev => dispatch!(x.dtype(), T => masked_of::<T, Dev>(x, mask, order)))
}

fn fill_under<T: Element, Dev: Elementwise<T>>(
    mut target: DynViewMut<'_>,
    mask: DynView<'_>,
    value: DynScalar,
) -> Result<(), Error> {
    let tensor = T::DTYPE;
    let value = value.get::<T>().ok_or(Error::ScalarType { op: FILL, tensor, scalar: value.dtype() })?;
    let shape = *target.layout();
    let (out, device) = output_of::<T, Dev>(&mut target);
    select::check_mask(FILL, (&device, shape.shape()), (device_of(&mask), mask.shape()))?;
    device.update::<(T, bool), _>(&op::FillMasked(value), out, (elements::<bool, Dev>(&mask),))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn masked_fill(target: DynViewMut<'_>, mask: DynOperand<'_>, value: DynScalar) -> Result<(), Error> {
    let mut kept = None;
    let mask = of_dtype(FILL, target.look(), mask, MASK, &mut kept)?;
    common_order(FILL, target.look(), mask)?;
    on_device!(FILL, mask, Dev => dispatch!(target.dtype(), T => fill_under::<T, Dev>(target, mask, value)))
}

fn assign_under<T: Element, Dev: Select<T>>(
    mut target: DynViewMut<'_>,
    [mask, values]: [DynView<'_>; 2],
    order: MemoryOrder,
) -> Result<(), Error> {
    let shape = *target.layout();
    let (out, device) = output_of::<T, Dev>(&mut target);
    select::check_mask(ASSIGN, (&device, shape.shape()), (device_of(&mask), mask.shape()))?;
    same_instance(ASSIGN, &device, device_of(&values))?;
    select::check_values(ASSIGN, shape.shape(), counted(mask)?, values.len())?;
    select::expand(&device, order, out, elements::<bool, Dev>(&mask), elements::<T, Dev>(&values))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn masked_assign(target: DynViewMut<'_>, mask: DynOperand<'_>, values: DynOperand<'_>) -> Result<(), Error> {
    let (mut kept, mut kept_values) = (None, None);
    let mask = of_dtype(ASSIGN, target.look(), mask, MASK, &mut kept)?;
    let values = values_for(ASSIGN, target.look(), values, &mut kept_values)?;
    if values.rank() != 1 {
        let reason = format!("expected a vector of values, found a tensor of `Rank<{}>`", values.rank());
        return Err(Error::UnsupportedRank { op: ASSIGN, reason });
    }
    let order = common_order(ASSIGN, target.look(), mask)?;
    on_device!(ASSIGN, mask, Dev => dispatch!(
        values.dtype(),
        T => assign_under::<T, Dev>(target, [mask, values], order)
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn nonzero(x: DynView<'_>) -> Result<DynTensor, Error> {
    let mask = x.not_equal(DynOperand::OfScalar(DynScalar::zero(x.dtype())))?;
    let (mask, order) = (mask.look(), x.order());
    on_device!(NONZERO, x, Dev => {
        let layout = Layout::contiguous(&[counted(mask)?, x.rank()], order.is_row_major());
        let device = device_of::<Dev>(&x);
        allocate_with(device, layout, order, &mut |out| {
            select::nonzero(device, order, out, elements::<bool, Dev>(&mask))
        })
    })
}

impl<S: DynData> DynTensor<S> {
    /// Returns the tensor restricted to those indices of an axis at which the mask is `true`. The mask is a vector of `bool`.
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
        compress(self.look(), from_start(axis, self.rank()), mask.into())
    }

    /// Returns the elements at which a mask of the same shape is `true`, as a vector in memory order.
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
        masked(self.look(), mask.into())
    }

    /// Returns the indices of all elements that are not zero, or are `true`, as a matrix of `i64`. Each row is the index of one element;
    /// the rows are in the order in which the elements are iterated.
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
        nonzero(self.look())
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
        masked_fill(self.view_mut(), mask.into(), value.into())
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
        masked_assign(self.view_mut(), mask.into(), values.into())
    }
}
