//! Operations of typed tensors. They determine the result's rank at compile time, check shapes, and call methods of the device, whose
//! types do not contain the rank.

#![forbid(unsafe_code)]

mod aliases;
mod apply;
mod arithmetic;
mod assign;
mod binary;
pub(crate) mod catalogue;
mod choose;
mod compute;
mod construct;
mod convert;
mod convolve;
mod cross;
mod diff;
mod equal;
#[cfg(feature = "fft")]
mod fft;
#[cfg(feature = "fft")]
mod fft_convolve;
mod flip;
#[cfg(feature = "fft")]
mod frequencies;
mod gradient;
mod grid;
mod histogram;
mod in_range;
mod index;
mod interpolate;
mod iter;
mod join;
#[cfg(feature = "linalg")]
pub(crate) mod linalg;
mod map;
mod matmul;
mod mixed;
mod one_hot;
mod operands;
mod partition;
mod polynomial;
mod products;
mod quantile;
#[cfg(feature = "rand")]
mod random;
mod rank_zero;
mod rearrange;
mod reduce;
mod reduce_into;
mod reduction;
mod replace;
mod scan;
mod scan_extremes;
mod search;
mod select;
mod sets;
mod shape;
mod slice;
mod softmax;
mod sort;
mod split;
mod statistics;
mod swap;
mod trace;
mod transfer;
mod unary;
mod unique;
mod weighted;
mod widened;
mod windows;

pub(crate) use apply::Cast;
pub use choose::{Indices, Mask, PositionNumber, Positions};
pub(crate) use construct::Constant;
pub use convert::{OrderAgnostic, ScalarRank};
pub use gradient::EdgeOrder;
pub(crate) use gradient::GRADIENT;
pub use grid::{meshgrid, try_meshgrid};
pub use histogram::Bins;
pub use iter::{AxisIter, Lanes};
pub use join::{
    concatenate, concatenate_into, stack, stack_into, try_concatenate, try_concatenate_into, try_stack,
    try_stack_into,
};
pub use mixed::{AcceptsRight, ScalarFor};
pub(crate) use one_hot::{ONE_HOT, no_class};
pub(crate) use operands::WithRight;
pub use operands::{AssignOperand, MatchingOperand, Operands, RightOperand, SameOrderOperand};
pub use quantile::{Quantile, QuantileArg};
#[cfg(feature = "rand")]
pub use random::Gaussian;
pub use rearrange::{PadWidths, RepeatCounts};
#[cfg(all(test, feature = "cuda"))]
pub(crate) use reduction::AllFinite;
pub(crate) use reduction::rescale::scale;
pub(crate) use reduction::{NanSpread, Spread};
pub(crate) use scan::{CheckedAdd, CheckedMul};
pub use search::Side;
pub use select::SelectOperand;
pub use shape::MatrixRank;
pub(crate) use slice::Bounds;
#[doc(hidden)]
pub use slice::{AllAxesSliced, SlicePart, UnchangedPart};
pub use slice::{NewAxis, SliceArg, SliceOf, SliceRange, Stepped};
pub(crate) use split::{chunk_count, collected, equal_parts, ranges_between};
pub(crate) use statistics::{ClampParts, are_ordinary, row_scale};
pub use unique::{Unique, UniqueSlices};

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
    pub use super::arithmetic::AddScaled;
    pub use super::binary::*;
    pub use super::choose::FillMasked;
    pub use super::equal::IsClose;
    pub use super::reduction::{
        All, Any, ArgMax, ArgMin, Best, Count, Counted, Max, Mean, Min, Moments, NanArgMax, NanArgMin,
        NanMax, NanMean, NanMin, NanProd, NanStd, NanSum, NanVar, Norm, PeakToPeak, Prod, ProdAs, Std, Sum,
        SumAs, Var,
    };
    pub use super::replace::{NanToNumWith, RoundTo};
    pub use super::select::{Clamp, Select};
    pub use super::unary::*;
}

/// For operations that order or count elements: their names in messages, the checks of their arguments, and computations that typed and
/// dynamic tensors share.
pub(crate) mod ordering {
    pub(crate) use super::histogram::{
        BINCOUNT, HISTOGRAM, check_weights, densities, sums_of_bins, sums_of_integers,
    };
    pub(crate) use super::partition::{BOTTOM_K, PARTITION, TOP_K, check_kth, check_top};
    pub(crate) use super::quantile::{MEDIAN, NAN_MEDIAN, NAN_QUANTILE, QUANTILE, check_levels};
    pub(crate) use super::search::{DIGITIZE, IS_IN, SEARCH, check_rising};
    pub(crate) use super::sort::{ARGSORT, LEXSORT, SORT};
    pub(crate) use super::unique::{UNIQUE, UNIQUE_SLICES};
}

/// Functions that are private to their modules, exported for the tests of their CUDA source.
#[cfg(all(test, feature = "cuda"))]
pub(crate) mod texts {
    pub(crate) use super::apply::Cast;
    pub(crate) use super::compute::Flipped;
    pub(crate) use super::construct::{Between, Constant, Ramp};
    pub(crate) use super::gradient::{EdgeSlope, Slope};
    pub(crate) use super::in_range::Finite;
    pub(crate) use super::operands::{WithLeft, WithRight};
    pub(crate) use super::polynomial::Horner;
}
