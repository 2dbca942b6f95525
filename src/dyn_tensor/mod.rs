//! Dynamic tensors: element type, rank, memory order and device are known at run time only, as for tensors from files or from
//! Python.
//!
//! A [`DynTensor`] is a [`Tensor`](crate::Tensor) without the type parameters: element type, rank, memory order and device are
//! values. The rules are those of typed tensors. If an operation would not compile for typed tensors, the operation of dynamic
//! tensors returns an [`Error`](crate::Error) with the text of the compiler's message.
//!
//! * **Conversion** from and to typed tensors, without a copy: `DynTensor::from(tensor)`, [`downcast`](DynTensor::downcast),
//!   [`downcast_ref`](DynTensor::downcast_ref), [`downcast_mut`](DynTensor::downcast_mut). [`cast_into`](DynTensor::cast_into)
//!   converts element type, order and device if needed.
//! * **Generic code**: [`dispatch!`](crate::dispatch!) calls generic functions with the element type.
//! * **Computing**: every method that computes returns a `Result`. Operators (`&a + &b`) panic instead; each operator has a
//!   fallible variant (`a.try_add(&b)`).
//! * **No implicit conversions**: if operands differ in element type or order, the error says how to convert. [`promote`] converts
//!   explicitly, by NumPy's table.
//! * **Devices**: tensors are created on the host, and [`to_device`](DynTensor::to_device) copies them. Dynamic tensors compute on
//!   [`Cpu`](crate::Cpu) and, with the feature `cuda`, on the first GPU, [`Cuda<0>`](crate::Cuda). On other devices they can be
//!   stored, sliced, copied, compared and printed, but all computations return an error. Use typed tensors on such devices.

mod copy;
mod create;
#[cfg(feature = "linalg")]
mod decompose;
mod downcast;
mod elementwise;
mod fmt;
#[cfg(feature = "fft")]
mod fourier;
mod gemm;
mod operand;
mod promote;
mod reduce;
mod scalar;
mod select;
mod sort;
mod storage;
mod tensor;
mod typed;
mod view;

pub use copy::join::{concatenate, stack};
pub use create::grid::meshgrid;
#[cfg(feature = "linalg")]
pub use decompose::factorise::{eigh, lq, polar, qr, svd, svd_truncated};
#[cfg(feature = "linalg")]
pub use decompose::{DynDiscarded, DynLdl, DynLu, DynSvd};
pub use downcast::DowncastError;
pub use elementwise::binary::Binary;
pub use elementwise::unary::Unary;
pub use gemm::contract::{einsum, einsum_path};
pub use operand::DynOperand;
pub use promote::promote;
pub use reduce::{DynAxes, DynReduction};
pub use scalar::DynScalar;
pub use sort::DynUnique;
pub use storage::{DynData, DynDataMut, DynStorage};
pub use tensor::{DynTensor, DynView, DynViewMut, DynViewOf};
pub use view::slice::{DynSlice, SliceItem};

/// Private operations and the names of all reductions, for the tests of the CUDA sources.
#[cfg(all(test, feature = "cuda"))]
pub(crate) mod texts {
    pub(crate) use super::elementwise::unary::Dispatched;
    pub(crate) use super::reduce::REDUCTIONS;
}
