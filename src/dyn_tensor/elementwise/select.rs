//! Selection of elements by a mask (`select`), and clamping of elements to a range (`clamp`).

use crate::device::{TernaryOp, UnaryOp};
use crate::dyn_tensor::operand::{DynOperand, lacking, leading, needs, scalar_beside, scalar_for, value_of};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::element::DType;
use crate::error::Error;
use crate::ops::op;

const SELECT: &str = <op::Select as TernaryOp<bool, f64, f64>>::NAME;
const CLAMP: &str = <op::Clamp<f64> as UnaryOp<f64>>::NAME;

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
    // The mask is the left operand in errors.
    leading(SELECT, leading(SELECT, &mask, &x)?, &y)?;
    typed!(SELECT, Element, (x = x, y = y, mask as bool = mask) => mask.try_select(x, y))
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
        let bounds = [low.into(), high.into()];
        typed!(CLAMP, RealScalar, (x = self.look(); bounds: [DynScalar; 2] = bounds) => {
            let [low, high] = bounds.map(|bound| value_of::<T>(CLAMP, bound));
            x.try_clamp(low?, high?)
        })
    }
}
