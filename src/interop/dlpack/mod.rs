//! DLPack: how tensors pass from one library to another within a process, in C structures that own their memory. NumPy, PyTorch,
//! JAX, CuPy and others speak it.
//!
//! [`Tensor::into_dlpack`](crate::Tensor::into_dlpack) gives a tensor away, and [`Dlpack::from_raw`] takes one that another library
//! gives. Nothing is copied either way. Whoever holds a [`Dlpack`] at its end has the memory freed: its deleter is called once.
//!
//! A [`DynTensor`](crate::DynTensor) passes both ways too, by `try_into`.
//!
//! Views are not exported: nothing in the structures says for how long they would be borrowed. Both the versioned structure of
//! DLPack 1 and the older one without a version pass.
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
//! assert_eq!(taken.view::<f64, Rank<2>, RowMajor, Cpu>()?.t(), tensor![[1.0, 3.0], [2.0, 4.0]]);
//! assert!(taken.view::<f32, Rank<2>, RowMajor, Cpu>().is_err());
//!
//! let y: Tensor<f64, Rank<2>> = taken.into_tensor()?;
//! assert_eq!(y.as_ptr(), address);
//! # Ok::<(), vierbein::Error>(())
//! ```
//!
//! # Devices
//!
//! Memory is the host's ([`Cpu`](crate::Cpu): type 1; of others also pinned memory, type 3) or a GPU's
//! ([`Cuda<N>`](crate::Cuda): type 2 and number `N`). Like every type, the device is asked for, and another one is an error that
//! says which it is. A tensor on a GPU comes in where the feature `cuda`, NVIDIA's driver and that GPU are there; else
//! [`Dlpack::from_raw`] is an error that says what is missing, and the tensor stays its producer's. Managed memory (type 13)
//! belongs to no one device, so nothing says whose stream has written it: it is refused.
//!
//! # Streams
//!
//! Work on a GPU is queued and done later, and the structures do not say when. This crate queues all of its own on the null stream,
//! the legacy default one, which waits for what was queued before on all streams but non-blocking ones, and they for it. So:
//!
//! * What is exported is ready for whoever uses the default stream or a stream that waits for it. Others, such as those of
//!   PyTorch's or CuPy's streams that were made non-blocking, call [`Cuda::synchronize`](crate::Cuda::synchronize) in between.
//!   In the protocol of Python, that is the stream `1` that a consumer passes or is taken to have passed.
//! * What is imported is to be ready for the default stream. A producer's `__dlpack__(stream=1)` sees to that; after work on a
//!   non-blocking stream, wait for that stream first.
//! * The deleter of an imported tensor is called when all work here that uses the memory is done: dropping such a tensor waits for
//!   it. The deleter of an exported one gives memory back on the null stream, and does not wait; a consumer with work left on a
//!   non-blocking stream waits for that before it calls.
//!
//! The structures are a page of C, and this module all that touches them; a dependency would say no more about them, and would
//! choose otherwise who owns what.

mod abi;
mod device;
mod erased;
mod export;
mod import;

pub use abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, Managed,
};
pub use device::SharedDevice;
pub use import::Dlpack;
