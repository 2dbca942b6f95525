//! Selection of elements by a mask (`select`), and clamping of elements to a range (`clamp`).

use super::unary::compute;
use crate::device::{Elementwise, TernaryOp, UnaryOp};
use crate::dispatch;
use crate::dyn_tensor::operand::{
    DynOperand, agree, allocate_with, broadcast, common_order, device_of, elements, lacking, needs,
    on_device, same_device, scalar_beside, scalar_for,
};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, Element, RealScalar};
use crate::engine::{elementwise, same_instance};
use crate::error::Error;
use crate::ops::op;
use crate::order::MemoryOrder;
use crate::rank::AnyRank;

const SELECT: &str = <op::Select as TernaryOp<bool, f64, f64>>::NAME;
const CLAMP: &str = <op::Clamp<f64> as UnaryOp<f64>>::NAME;

/// Selects elements of `x` and `y` by `mask`. The caller must have checked the operands: `mask` has element type `bool`, `x` and
/// `y` have element type `T`, and all are on `Dev`.
fn choose<T: Element, Dev: Elementwise<bool>>(
    mask: DynView<'_>,
    [x, y]: [DynView<'_>; 2],
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&mask);
    same_instance(SELECT, device, device_of(&x))?;
    same_instance(SELECT, device, device_of(&y))?;
    let first = broadcast(SELECT, mask.shape(), x.shape(), order)?;
    let layout = broadcast(SELECT, first.shape(), y.shape(), order)?;
    let operands = (elements::<bool, Dev>(&mask), elements::<T, Dev>(&x), elements::<T, Dev>(&y));
    allocate_with(device, layout, order, &mut |out| {
        elementwise::map::<AnyRank, (bool, T, T), _, _>(
            &op::Select,
            order.is_row_major(),
            device,
            out,
            operands,
        )
    })
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn select(mask: DynView<'_>, on_true: DynOperand<'_>, on_false: DynOperand<'_>) -> Result<DynTensor, Error> {
    if mask.dtype() != DType::Bool {
        return Err(lacking(SELECT, mask.dtype(), needs::MASK));
    }
    // A scalar must have the other operand's element type. If both are scalars, `on_true` determines the type.
    let (left, right);
    let (x, y) = match (on_true, on_false) {
        (DynOperand::OfTensor(x), DynOperand::OfTensor(y)) => (x, y),
        (DynOperand::OfTensor(x), DynOperand::OfScalar(y)) => {
            right = scalar_for(SELECT, x, y)?;
            (x, right.look())
        }
        (DynOperand::OfScalar(x), DynOperand::OfTensor(y)) => {
            left = scalar_for(SELECT, y, x)?;
            (left.look(), y)
        }
        (DynOperand::OfScalar(x), DynOperand::OfScalar(y)) => {
            left = scalar_beside(SELECT, mask, x)?;
            right = scalar_for(SELECT, left.look(), y)?;
            (left.look(), right.look())
        }
    };
    agree(SELECT, x, y)?;
    let of_two = if x.rank() < y.rank() { y } else { x };
    let order = common_order(SELECT, mask, of_two)?;
    same_device(SELECT, mask, x)?;
    on_device!(SELECT, mask, Dev => dispatch!(x.dtype(), T => choose::<T, Dev>(mask, [x, y], order)))
}

fn clamped<T: RealScalar, Dev: Elementwise<T>>(
    x: DynView<'_>,
    low: DynScalar,
    high: DynScalar,
) -> Result<DynTensor, Error> {
    let of = |bound: DynScalar| {
        let other = Error::ScalarType { op: CLAMP, tensor: T::DTYPE, scalar: bound.dtype() };
        bound.get::<T>().ok_or(other)
    };
    let (low, high) = (of(low)?, of(high)?);
    if low <= high {
        return compute::<T, Dev, _>(op::Clamp(low, high), x);
    }
    let reason = format!("the lower bound {low} must be at most the upper bound {high}");
    Err(Error::Argument { op: CLAMP, reason })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn clamp(x: DynView<'_>, low: DynScalar, high: DynScalar) -> Result<DynTensor, Error> {
    on_device!(CLAMP, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => clamped::<T, Dev>(x, low, high),
        else => Err(lacking(CLAMP, x.dtype(), needs::ORDER))
    ))
}

impl<S: DynData> DynTensor<S> {
    /// Selects elements by the mask `self`: at each index, the element of `on_true` if the mask is `true`, otherwise the element of
    /// `on_false`. All three operands broadcast.
    ///
    /// # Errors
    /// * If `self` is not a tensor of `bool`.
    /// * If `on_true` and `on_false` differ in element type, or the three operands differ in memory order or device.
    /// * If the shapes do not broadcast.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![-1.0, 2.0, -3.0]);
    /// assert_eq!(x.lt(0.0)?.select(0.0, &x)?.downcast_ref()?, tensor![0.0, 2.0, 0.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[doc(alias = "where")]
    pub fn select<'b>(
        &self,
        on_true: impl Into<DynOperand<'b>>,
        on_false: impl Into<DynOperand<'b>>,
    ) -> Result<DynTensor, Error> {
        select(self.look(), on_true.into(), on_false.into())
    }

    /// Clamps each element to the range from `low` to `high`. An element that is NaN stays NaN.
    ///
    /// # Errors
    /// * If `low > high`, or if `low` or `high` is NaN.
    /// * If `low` or `high` is not of the element type, or the element type is not ordered.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![-3, 0, 9]);
    /// assert_eq!(x.clamp(-1, 5)?.downcast_ref()?, tensor![-1, 0, 5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn clamp(&self, low: impl Into<DynScalar>, high: impl Into<DynScalar>) -> Result<DynTensor, Error> {
        clamp(self.look(), low.into(), high.into())
    }
}
