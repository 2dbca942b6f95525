//! Dynamic tensors: searches for elements in sorted elements and in sets.

use super::ordered;
use crate::device::Sort;
use crate::device::family::sort::SEARCH;
use crate::dyn_tensor::operand::{DynOperand, agree, allocate_with, device_of, elements, scalar_for};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::Ordered;
use crate::engine::same_instance;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::Side;
use crate::ops::sort::search::{DIGITIZE, IS_IN, check_rising};
use crate::order::MemoryOrder;

/// Checks that a tensor has rank 1.
fn check_line(op: &'static str, name: &str, x: &DynView<'_>) -> Result<(), Error> {
    if x.rank() == 1 {
        return Ok(());
    }
    let reason = format!("{name} has rank {}, but must have rank 1; call `.reshape(..)` first", x.rank());
    Err(Error::UnsupportedRank { op, reason })
}

fn places<T: Ordered, Dev: Sort<T>>(
    op: &'static str,
    sorted: DynView<'_>,
    values: DynView<'_>,
    right: bool,
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&sorted);
    same_instance(op, device, device_of(&values))?;
    if op == DIGITIZE {
        check_rising(&device.gather(elements::<T, Dev>(&sorted))?)?;
    }
    let layout = Layout::contiguous(values.shape(), order.is_row_major());
    allocate_with(device, layout, order, &mut |out| {
        device.search(out, elements::<T, Dev>(&sorted), elements::<T, Dev>(&values), right)
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn search(
    op: &'static str,
    sorted: DynView<'_>,
    values: DynView<'_>,
    right: bool,
) -> Result<DynTensor, Error> {
    let order = agree(op, sorted, values)?;
    let name = if op == DIGITIZE { "the tensor of edges" } else { "the tensor to search" };
    check_line(op, name, &sorted)?;
    ordered!(op, sorted, T, Dev => places::<T, Dev>(op, sorted, values, right, order))
}

fn members<T: Ordered, Dev: Sort<T>>(x: DynView<'_>, of: DynView<'_>) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    same_instance(IS_IN, device, device_of(&of))?;
    let layout = Layout::contiguous(x.shape(), x.order().is_row_major());
    allocate_with(device, layout, x.order(), &mut |out| {
        device.contains(out, elements::<T, Dev>(&x), elements::<T, Dev>(&of))
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn isin(x: DynView<'_>, of: DynView<'_>) -> Result<DynTensor, Error> {
    agree(IS_IN, x, of)?;
    ordered!(IS_IN, x, T, Dev => members::<T, Dev>(x, of))
}

/// Calls `f` with a tensor operand, or with a scalar as a tensor of rank 0.
fn with_operand(
    op: &'static str,
    x: DynView<'_>,
    operand: DynOperand<'_>,
    f: impl FnOnce(DynView<'_>) -> Result<DynTensor, Error>,
) -> Result<DynTensor, Error> {
    match operand {
        DynOperand::OfTensor(operand) => f(operand),
        DynOperand::OfScalar(scalar) => f(scalar_for(op, x, scalar)?.look()),
    }
}

impl<S: DynData> DynTensor<S> {
    /// Returns, for each element of `values`, the index at which it can be inserted in `self` so that `self` stays sorted, as `i64`: see
    /// [`Tensor::searchsorted`](crate::Tensor::searchsorted).
    ///
    /// # Errors
    /// * If `self` does not have rank 1, or is not sorted. Only builds with debug assertions check the order.
    /// * If the operands differ in element type, memory order or device.
    /// * If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, Side, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 2, 3]);
    /// assert_eq!(x.searchsorted(&tensor![2, 9], Side::Left)?.downcast_ref()?, tensor![1_i64, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn searchsorted<'b>(
        &self,
        values: impl Into<DynOperand<'b>>,
        side: Side,
    ) -> Result<DynTensor, Error> {
        with_operand(SEARCH, self.look(), values.into(), |values| {
            search(SEARCH, self.look(), values, side == Side::Right)
        })
    }

    /// Returns a mask of the elements that are equal to an element of `of`. NaN is not equal to NaN.
    ///
    /// # Errors
    /// * If the operands differ in element type, memory order or device.
    /// * If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3, 1, 4]);
    /// assert_eq!(x.isin(&tensor![1, 3])?.downcast_ref()?, tensor![true, true, false]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn isin<'b>(&self, of: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
        with_operand(IS_IN, self.look(), of.into(), |of| isin(self.look(), of))
    }

    /// Returns, for each element, the number of its bin, as `i64`: see [`Tensor::digitize`](crate::Tensor::digitize).
    ///
    /// # Errors
    /// * If `edges` does not have rank 1, or the edges are not in ascending order.
    /// * If the operands differ in element type, memory order or device.
    /// * If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, Side, tensor};
    /// let x = DynTensor::from(tensor![0.5, 1.0, 9.0]);
    /// assert_eq!(x.digitize(&tensor![1.0, 2.0], Side::Left)?.downcast_ref()?, tensor![0_i64, 1, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn digitize<'b>(&self, edges: impl Into<DynOperand<'b>>, closed: Side) -> Result<DynTensor, Error> {
        with_operand(DIGITIZE, self.look(), edges.into(), |edges| {
            search(DIGITIZE, edges, self.look(), closed == Side::Left)
        })
    }
}
