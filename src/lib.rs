// The two files before the README redefine its figures and links for rustdoc: of two definitions of a link, Markdown uses the first.
#![doc = include_str!("../docs/figures/rustdoc.md")]
#![doc = include_str!("../docs/rustdoc.md")]
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use num_complex;
pub use num_traits;

mod axis;
pub mod device;
mod dispatch;
pub mod dyn_tensor;
pub mod einsum;
mod element;
mod elementary;
mod engine;
mod error;
#[cfg(feature = "linalg")]
pub mod factorise;
#[cfg(feature = "fft")]
pub mod fft;
mod fmt;
// Documentation only, so programs are built without it.
#[cfg(any(doc, doctest))]
pub mod guide;
mod info;
pub mod interop;
pub mod io;
#[cfg(feature = "linalg")]
mod krylov;
mod layout;
#[cfg(feature = "linalg")]
pub mod linalg;
mod ops;
mod order;
mod rank;
mod simd;
mod storage;
mod tensor;
#[cfg(all(unix, any(feature = "npy", feature = "safetensors", feature = "csv", feature = "cuda")))]
mod user;

pub use axis::{AxesArg, AxesToRemove, Axis, AxisArg, DistinctAxis, Last};
pub use device::quantile::Quantile;
pub use device::{Backend, Cpu, Cuda, Device, HostAccess};
pub use dyn_tensor::{DowncastError, DynScalar, DynTensor, DynView, DynViewMut};
pub use element::{
    Bits, CastTo, DType, Element, Inexact, Integer, Ordered, RealFloat, RealScalar, Scalar, WidenTo, c32, c64,
};
pub use engine::copy::pieces::Pad;
pub use engine::elementwise::interpolate::Interpolation;
pub use engine::elementwise::spacing::Spacing;
pub use engine::gemm::convolve::ConvolutionMode;
pub use error::{ConversionError, Error};
pub use info::{Info, info};
pub use num_complex::Complex;
#[cfg(feature = "rand")]
pub use ops::Gaussian;
pub use ops::{
    AcceptsRight, AssignOperand, AxisIter, Bins, EdgeOrder, Indices, Lanes, Mask, MatchingOperand,
    MatrixRank, NewAxis, Operands, OrderAgnostic, PadWidths, PositionNumber, Positions, QuantileArg,
    RepeatCounts, RightOperand, SameOrderOperand, ScalarFor, ScalarRank, SelectOperand, Shifts, Side,
    SliceArg, SliceOf, SliceRange, Stepped, Unique, UniqueSlices, concatenate, concatenate_into, meshgrid,
    op, stack, stack_into, try_concatenate, try_concatenate_into, try_meshgrid, try_stack, try_stack_into,
};
#[doc(hidden)]
pub use ops::{AllAxesSliced, SlicePart, UnchangedPart};
pub use order::{ColMajor, MemoryOrder, Order, RowMajor};
pub use rank::{
    AnyRank, AnyShape, Broadcast, BroadcastTo, Common, ContractRanks, Dim, ElementIndex, HasRank,
    IndexNumber, InsertAxes, IntoShape, MAX_RANK, MatmulRanks, MatrixStack, MergeAxes, Permutation, Rank,
    RemoveAxes, Removed, ReshapeArg, TakeRanks,
};
pub use storage::{OwnedData, Storage, StorageMut, View, ViewMut};
pub use tensor::{
    AsView, AxisIterMut, IndexArray, Iter, IterMut, LanesMut, Tensor, TensorIndex, TensorView, TensorViewMut,
    ViewOf,
};

#[cfg(test)]
#[path = "../tests/kernels/mod.rs"]
mod kernel_tests;

/// The items that most programs need: `use vierbein::prelude::*;`.
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{
        AnyRank, AsView, Axis, AxisArg, Backend, Broadcast, ColMajor, Common, Complex, Cpu, Cuda, Device,
        Dim, DynTensor, Element, Inexact, InsertAxes, Last, MatmulRanks, NewAxis, Order, Pad, Quantile, Rank,
        RealFloat, RealScalar, RemoveAxes, RowMajor, Scalar, Side, Tensor, TensorView, TensorViewMut,
        concatenate, einsum, einsum_into, einsum_path, meshgrid, op, s, stack, tensor, try_einsum,
        try_einsum_into, try_einsum_path,
    };
    // Without names: `x.slice_mut(s![0]).add_assign(1.0)` is the assignment `+=` to a view that no variable holds.
    #[cfg(feature = "linalg")]
    #[doc(no_inline)]
    pub use crate::{
        eigh, lq, polar, qr, svd, svd_truncated, try_eigh, try_lq, try_polar, try_qr, try_svd,
        try_svd_truncated,
    };
    #[doc(no_inline)]
    pub use core::ops::{AddAssign as _, DivAssign as _, MulAssign as _, SubAssign as _};
}
