//! Operations of typed tensors. They determine the result's rank at compile time, check shapes, and call methods of the device, whose
//! types do not contain the rank.

#![forbid(unsafe_code)]

pub(crate) mod copy;
pub(crate) mod create;
#[cfg(feature = "linalg")]
pub(crate) mod decompose;
pub(crate) mod elementwise;
#[cfg(feature = "fft")]
pub(crate) mod fourier;
pub(crate) mod gemm;
pub(crate) mod reduce;
pub(crate) mod select;
pub(crate) mod sort;
pub(crate) mod view;

pub use copy::convert::{OrderAgnostic, ScalarRank};
pub use copy::join::{
    concatenate, concatenate_into, stack, stack_into, try_concatenate, try_concatenate_into, try_stack,
    try_stack_into,
};
pub use copy::rearrange::{PadWidths, RepeatCounts, Shifts};

pub use create::grid::{meshgrid, try_meshgrid};
pub(crate) use create::one_hot::ONE_HOT;
#[cfg(feature = "rand")]
pub use create::random::Gaussian;
pub use elementwise::gradient::EdgeOrder;
pub(crate) use elementwise::gradient::GRADIENT;
pub(crate) use elementwise::interpolate::TRAPEZOID;
pub use elementwise::mixed::{AcceptsRight, ScalarFor};
pub use elementwise::operands::{AssignOperand, MatchingOperand, Operands, RightOperand, SameOrderOperand};
pub use elementwise::select::SelectOperand;
pub use reduce::bins::Bins;
pub use select::{Indices, Mask, PositionNumber, Positions};
pub use sort::quantile::QuantileArg;
pub use sort::search::Side;
pub use sort::unique::{Unique, UniqueSlices};
pub use view::iter::{AxisIter, Lanes};
pub use view::shape::MatrixRank;
pub(crate) use view::slice::Bounds;
#[doc(hidden)]
pub use view::slice::{AllAxesSliced, SlicePart, UnchangedPart};
pub use view::slice::{NewAxis, SliceArg, SliceOf, SliceRange, Stepped};
pub(crate) use view::split::{chunk_count, collected, equal_parts, ranges_between};

/// Functions and reductions as values. They are arguments of these methods and of their fallible variants:
///
/// * Functions: [`apply`](crate::Tensor::apply), [`apply2`](crate::Tensor::apply2) and [`apply3`](crate::Tensor::apply3); with a
///   preallocated output, `apply_into`, `apply2_into` and `apply3_into`; in place, `apply_inplace` and `apply2_inplace`.
/// * Reductions: [`reduce`](crate::Tensor::reduce), `reduce_axis`, `reduce_axes`, `reduce_keepdims` and `reduce_into`.
///
/// ```
/// use vierbein::{op, tensor};
/// assert_eq!(tensor![1.0, 4.0].apply(op::Sqrt), tensor![1.0, 2.0]);
/// ```
pub mod op {
    pub use super::elementwise::arithmetic::AddScaled;
    pub use super::elementwise::equal::IsClose;
    pub use super::elementwise::replace::{NanToNumWith, RoundTo};
    pub use super::elementwise::select::{Clamp, Select};
    pub use super::select::FillMasked;
    pub use crate::device::op::binary::*;
    pub use crate::device::op::reduction::{
        All, Any, ArgMax, ArgMin, Best, Count, Counted, Max, Mean, Min, Moments, NanArgMax, NanArgMin,
        NanMax, NanMean, NanMin, NanProd, NanStd, NanSum, NanVar, Norm, PeakToPeak, Prod, ProdAs, Std, Sum,
        SumAs, Var,
    };
    pub use crate::device::op::unary::*;
}

/// Functions that are private to their modules, exported for the tests of their CUDA source.
#[cfg(all(test, feature = "cuda"))]
pub(crate) mod texts {
    pub(crate) use super::create::construct::Constant;
    pub(crate) use super::create::ranges::{Between, Ramp};
    pub(crate) use super::elementwise::compute::Flipped;
    pub(crate) use super::elementwise::gradient::{EdgeSlope, Slope};
    pub(crate) use super::elementwise::in_range::Finite;
    pub(crate) use super::elementwise::polynomial::Horner;
}
