//! Dynamic tensors: selection of elements by positions along an axis, by indices or by masks, and writes to elements that positions
//! or masks select.

mod masks;
mod positions;

use super::operand::{
    DynOperand, agree, common_order, lacking, needs, same_device, scalar_beside, scalar_for,
};
use super::tensor::{DynTensor, DynView};
use crate::device::BinaryOp;
use crate::element::DType;
use crate::engine::select::Along;
use crate::error::Error;
use crate::ops::op;
use crate::order::MemoryOrder;
use crate::rank::MAX_RANK;

const TAKE_ALONG: &str = "take along an axis";
const PUT: &str = "put along an axis";
const SCATTER_ADD: &str = "scatter-add";
const COMPRESS: &str = "compress";
const MASKED: &str = "choose under a mask";
const ASSIGN: &str = "assign under a mask";
const FILL: &str = <op::FillMasked<f64> as BinaryOp<f64, bool>>::NAME;
const AT: &str = "take elements";
const NONZERO: &str = "list the indices of";

/// Returns an operand as a tensor, after checking that its element type is `dtype` and that it is on the device of `x`. `reason` is part
/// of the error for another type. A scalar is converted to a tensor, which `kept` owns.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn of_dtype<'a>(
    op: &'static str,
    x: DynView<'_>,
    operand: DynOperand<'a>,
    (dtype, reason): (DType, &'static str),
    kept: &'a mut Option<DynTensor>,
) -> Result<DynView<'a>, Error> {
    let (found, view) = match operand {
        DynOperand::OfTensor(tensor) => (tensor.dtype(), tensor),
        DynOperand::OfScalar(scalar) => {
            let tensor = scalar_beside(op, x, scalar)?;
            (scalar.dtype(), kept.insert(tensor).look())
        }
    };
    if found != dtype {
        return Err(lacking(op, found, reason));
    }
    same_device(op, x, view)?;
    Ok(view)
}

/// Returns `values`, which an operation writes to `x`, as a view. Checks that their element type, memory order and device agree with those
/// of `x`. Converts a scalar to a tensor, and stores it in `kept`.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn values_for<'a>(
    op: &'static str,
    x: DynView<'_>,
    values: DynOperand<'a>,
    kept: &'a mut Option<DynTensor>,
) -> Result<DynView<'a>, Error> {
    let values = match values {
        DynOperand::OfTensor(values) => values,
        DynOperand::OfScalar(value) => kept.insert(scalar_for(op, x, value)?).look(),
    };
    agree(op, x, values)?;
    Ok(values)
}

const POSITIONS: (DType, &str) = (DType::I64, needs::POSITIONS);
const MASK: (DType, &str) = (DType::Bool, needs::MASK);

/// Returns the parameters of an operation along an axis, after checking that the tensor has the axis.
fn along(op: &'static str, axis: usize, x: DynView<'_>, order: MemoryOrder) -> Result<Along, Error> {
    let along = Along { op, axis, row_major: order.is_row_major(), unsigned: false };
    along.check(x.shape())?;
    Ok(along)
}

/// Returns the common memory order of a target, positions and values. Tensors of rank 0 or 1 agree with both orders.
fn order_of(op: &'static str, [x, at, values]: [DynView<'_>; 3]) -> Result<MemoryOrder, Error> {
    let (order, with_values) = (common_order(op, x, at)?, common_order(op, at, values)?);
    common_order(op, x, values)?;
    Ok(if x.rank() < 2 && at.rank() < 2 { with_values } else { order })
}

/// Returns the rank of `x` after the axes of `at` have replaced one of its axes.
fn taken_rank(op: &'static str, x: DynView<'_>, at: DynView<'_>) -> Result<usize, Error> {
    let rank = x.rank() - 1 + at.rank();
    if rank <= MAX_RANK {
        return Ok(rank);
    }
    let reason = format!(
        "cannot take elements of a tensor of `Rank<{}>` at positions of `Rank<{}>`: the result would have more than {MAX_RANK} axes",
        x.rank(),
        at.rank()
    );
    Err(Error::UnsupportedRank { op, reason })
}
