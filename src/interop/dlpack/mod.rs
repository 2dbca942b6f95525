//! DLPack: how tensors pass from one library to another within a process, in C structures that own their memory. NumPy, PyTorch,
//! JAX, CuPy and others speak it.
//!
//! [`Tensor::into_dlpack`](crate::Tensor::into_dlpack) gives a tensor away, and [`Dlpack::from_raw`] takes one that another library
//! gives. Nothing is copied either way. Whoever holds a [`Dlpack`] at its end has the memory freed: its deleter is called once.
//!
//! A [`DynTensor`](crate::DynTensor) passes both ways too, by `try_into`.
//!
//! Views are not exported: nothing in the structures says for how long they would be borrowed. Both the versioned structure of
//! DLPack 1 and the older one without a version pass; memory is the host's.
//!
//! ```
//! use vierbein::interop::dlpack::{DLManagedTensorVersioned, Dlpack};
//! use vierbein::prelude::*;
//!
//! let x = tensor![[1.0, 2.0], [3.0, 4.0]];
//! let address = x.as_ptr();
//!
//! // To Python this goes as a `PyCapsule` named "dltensor_versioned".
//! let raw: *mut DLManagedTensorVersioned = x.into_dlpack().into_raw();
//!
//! // SAFETY: it is a tensor that nobody else uses, and this takes it over.
//! let taken = unsafe { Dlpack::from_raw(raw)? };
//! assert_eq!((taken.dtype(), taken.shape()), (vierbein::DType::F64, &[2, 2][..]));
//! assert_eq!(taken.view::<f64, Rank<2>, RowMajor>()?.t(), tensor![[1.0, 3.0], [2.0, 4.0]]);
//! assert!(taken.view::<f32, Rank<2>, RowMajor>().is_err());
//!
//! let y: Tensor<f64, Rank<2>> = taken.into_tensor()?;
//! assert_eq!(y.as_ptr(), address);
//! # Ok::<(), vierbein::Error>(())
//! ```
//!
//! The structures are a page of C, and this module all that touches them; a dependency would say no more about them, and would
//! choose otherwise who owns what.

mod abi;
mod erased;
mod export;
mod import;

pub use abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, Managed,
};
pub use import::Dlpack;
