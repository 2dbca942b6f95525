//! Dynamic tensors: selection of elements by positions along an axis, by indices or by masks, and writes to elements that positions
//! or masks select.

mod masks;
mod positions;

use super::operand::{DynOperand, scalar_beside};
use super::tensor::{DynTensor, DynView};
use crate::error::Error;

/// Returns an operand, a mask or positions, as a view. A scalar is converted to a tensor on the device of `x`, which `kept` owns.
fn operand<'a>(
    op: &'static str,
    x: DynView<'_>,
    operand: DynOperand<'a>,
    kept: &'a mut Option<DynTensor>,
) -> Result<DynView<'a>, Error> {
    Ok(match operand {
        DynOperand::OfTensor(tensor) => tensor,
        DynOperand::OfScalar(scalar) => kept.insert(scalar_beside(op, x, scalar)?).look(),
    })
}
