//! Typed front-ends: they name the resulting rank, check shapes, and hand rank-erased operands to the device.

#![forbid(unsafe_code)]

mod apply;
mod arithmetic;
mod assign;
mod compare;
mod construct;
mod convert;
mod equal;
mod index;
mod iter;
mod operands;
#[cfg(feature = "rand")]
mod random;
mod reduce;
mod reduce_into;
mod reduction;
mod scan;
mod select;
mod shape;
mod slice;
mod trace;
mod unary;

pub use convert::{OneElement, SameInBothOrders};
pub use index::TensorIndex;
pub use iter::{AxisIter, AxisIterMut, Lanes, LanesMut};
pub use operands::{Agrees, Aligned, AssignOperand, Operands, RightOperand};
pub(crate) use operands::{WithRight, same_instance};
pub use shape::TwoAxes;
#[doc(hidden)]
pub use slice::Exhausted;
pub use slice::{NewAxis, SliceArg, SliceOf, Stepped};

/// Operations as values, for [`apply`](crate::Tensor::apply), [`apply2`](crate::Tensor::apply2) and their twins that return
/// a `Result`.
///
/// ```
/// use vierbein::{op, tensor};
/// assert_eq!(tensor![1.0, 4.0].apply(op::Sqrt), tensor![1.0, 2.0]);
/// ```
pub mod op {
    pub use super::arithmetic::{Add, AddScaled, Div, Mul, Neg, Rem, Sub};
    pub use super::compare::{
        BitAnd, BitOr, BitXor, Equal, Greater, GreaterEqual, IsFinite, IsInfinite, IsNan, Less, LessEqual,
        Not, NotEqual,
    };
    pub use super::reduction::{
        All, Any, ArgMax, ArgMin, Best, Count, Max, Mean, Min, Moments, Norm, Prod, Product, Std, Sum, Var,
    };
    pub use super::select::{Clamp, Select};
    pub use super::unary::*;
}
