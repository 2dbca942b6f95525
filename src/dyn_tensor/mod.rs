//! Tensors whose element type, rank, order and device are known at run time only: of files, of Python, of configuration.
//!
//! A [`DynTensor`] is a [`Tensor`](crate::Tensor) with its four types taken out of the type, and nothing else: the same memory,
//! the same orders, the same rules. What would not compile for typed tensors is an [`Error`](crate::Error) in the same words.
//!
//! * **In** and **out** without a copy: `DynTensor::from(tensor)`, [`downcast`](DynTensor::downcast),
//!   [`downcast_ref`](DynTensor::downcast_ref), [`downcast_mut`](DynTensor::downcast_mut); with the conversions that it takes:
//!   [`cast_into`](DynTensor::cast_into).
//! * **Generic code** for whatever is there: [`dispatch!`](crate::dispatch!).
//! * **Computing** without knowing: every method returns a `Result`. Only operators (`&a + &b`) panic; each has a twin that does not
//!   (`a.try_add(&b)`).
//! * **No silent conversions**: operands of two element types or orders are an error that says how to convert; [`promote`] is the
//!   explicit way, by NumPy's table.
//! * **Devices**: tensors are made on the host; [`to_device`](DynTensor::to_device) moves them. They compute on [`Cpu`](crate::Cpu)
//!   and, in a build with the feature `cuda`, on the first GPU, [`Cuda<0>`](crate::Cuda). On others they are held, cut, moved,
//!   compared and printed, and to compute is an error that says so: their typed tensors do.

mod assign;
mod binary;
mod cast_into;
mod contract;
mod convert;
mod downcast;
mod fmt;
mod operand;
mod operators;
mod promote;
mod reduce;
mod scalar;
mod select;
mod shape;
mod slice;
mod storage;
mod tensor;
mod unary;

pub use binary::Binary;
pub use contract::{einsum, einsum_path};
pub use downcast::DowncastError;
use downcast::typed_data;
pub use operand::DynOperand;
pub use promote::promote;
pub use reduce::{DynAxes, DynReduction};
pub use scalar::DynScalar;
pub use slice::{DynSlice, SliceItem};
pub use storage::{DynData, DynDataMut, DynStorage};
pub use tensor::{DynTensor, DynView, DynViewMut, DynViewOf};
pub use unary::Unary;

/// Operations that only their modules use and the names of all reductions, for the tests of their texts.
#[cfg(all(test, feature = "cuda"))]
pub(crate) mod texts {
    pub(crate) use super::reduce::{REDUCTIONS, Share};
    pub(crate) use super::unary::Slow;
}
