// The README's figures and references, as they apply in rustdoc: of two definitions of a reference, Markdown uses the first.
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
mod fmt;
// Documentation only, so programs are built without it.
#[cfg(any(doc, doctest))]
pub mod guide;
pub mod interop;
pub mod io;
mod layout;
mod ops;
mod order;
mod rank;
mod simd;
mod storage;
mod tensor;
#[cfg(all(unix, any(feature = "npy", feature = "safetensors", feature = "cuda")))]
mod user;

pub use axis::{AxesArg, Axis, AxisArg, DistinctAxis, IndexNumber, Last, Permutation};
pub use device::{Backend, Cpu, Cuda, Device, HostAccess};
pub use dyn_tensor::{DowncastError, DynScalar, DynTensor, DynView, DynViewMut};
pub use element::{Bits, CastTo, DType, Element, Inexact, Ordered, RealFloat, RealScalar, Scalar, c32, c64};
pub use error::{ConversionError, Error};
pub use num_complex::Complex;
#[doc(hidden)]
pub use ops::AllAxesSliced;
pub use ops::{
    AssignOperand, AxisIter, Bins, Lanes, MatchingOperand, MatrixRank, NewAxis, Operands, OrderAgnostic,
    Quantile, QuantileArg, RightOperand, SameOrderOperand, ScalarRank, SelectOperand, Side, SliceArg,
    SliceOf, Stepped, Unique, op,
};
pub use order::{ColMajor, MemoryOrder, Order, RowMajor};
pub use rank::{
    Broadcast, BroadcastTo, Common, ContractRanks, Dim, InsertAxes, IntoShape, MAX_RANK, MatmulRanks,
    MergeAxes, Rank, RemoveAxes, Removed, ReshapeArg,
};
pub use storage::{OwnedData, Storage, StorageMut, View, ViewMut};
pub use tensor::{
    AsView, AxisIterMut, Iter, IterMut, LanesMut, Tensor, TensorIndex, TensorView, TensorViewMut, ViewOf,
};

/// The items that most programs need: `use vierbein::prelude::*;`.
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{
        AsView, Axis, AxisArg, Backend, Broadcast, ColMajor, Common, Complex, Cpu, Cuda, Device, Dim,
        Element, Inexact, InsertAxes, Last, MatmulRanks, NewAxis, Order, Rank, RealFloat, RealScalar,
        RemoveAxes, RowMajor, Scalar, Tensor, TensorView, TensorViewMut, einsum, einsum_into, einsum_path, s,
        tensor, try_einsum, try_einsum_into, try_einsum_path,
    };
}
