//! DLPack: exchange of tensors between libraries in the same process, through C structures that own their memory. NumPy, PyTorch, JAX,
//! CuPy and others support it.
//!
//! [`Tensor::into_dlpack`](crate::Tensor::into_dlpack) exports a tensor, and [`Dlpack::from_raw`] imports one from another library.
//! Neither function copies elements. The structure contains a function, the deleter, that frees the memory. The last owner of the
//! memory calls the deleter.
//!
//! A [`DynTensor`](crate::DynTensor) converts in both directions with `try_into`.
//!
//! Views cannot be exported, as the structures do not express how long memory is borrowed. Both the versioned structure of DLPack 1
//! and the older structure without a version are supported.
//!
//! ```
//! use vierbein::interop::dlpack::{DLManagedTensorVersioned, Dlpack};
//! use vierbein::prelude::*;
//!
//! let x = tensor![[1.0, 2.0], [3.0, 4.0]];
//! let address = x.as_ptr();
//!
//! // Pass it to Python as a `PyCapsule` named "dltensor_versioned".
//! let raw: *mut DLManagedTensorVersioned = x.into_dlpack().into_raw();
//!
//! // SAFETY: `raw` is a valid structure that no other code uses, and `from_raw` takes ownership of it.
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
//! Host memory is [`Cpu`](crate::Cpu) (type 1; pinned memory, type 3, can be imported). GPU memory is [`Cuda<N>`](crate::Cuda)
//! (type 2, number `N`). The caller names the device as a type. If the memory is on another device, the error names the device of
//! the memory. Importing a tensor on a GPU requires the feature `cuda`, NVIDIA's driver, and that GPU. Otherwise
//! [`Dlpack::from_raw`] returns an error that says what is missing, and the caller keeps ownership of the tensor. Managed memory
//! (type 13) is rejected. It does not belong to one device, so it is unknown on which device's stream it was written.
//!
//! # Streams
//!
//! Work on a GPU is queued and runs later, and the structures do not describe when it is complete. This crate queues all work on
//! the null stream (the legacy default stream). Work on the null stream runs after earlier work on all other streams, except
//! non-blocking streams. Later work on these other streams runs after the work on the null stream. So:
//!
//! * An exported tensor is ready for consumers on the default stream, or on a stream that waits for the default stream. For a
//!   non-blocking stream, such as some of PyTorch's or CuPy's, call [`Cuda::synchronize`](crate::Cuda::synchronize) first. In
//!   Python's protocol, the default stream has the number 1. If a consumer passes no stream, the protocol assumes the default
//!   stream.
//! * An imported tensor must be ready for the default stream. A producer's `__dlpack__(stream=1)` ensures this. If the tensor was
//!   written on a non-blocking stream, wait for that stream before the import.
//! * Dropping an imported tensor waits until all work of this crate on the memory's GPU is complete, and then calls the producer's
//!   deleter. The deleter of an exported tensor frees the memory on the null stream and does not wait. A consumer with pending work
//!   on a non-blocking stream must wait for that work before it calls the deleter.
//!
//! The C structures are declared in this module, as they take about a page and no other module uses them. A crate of bindings would
//! offer no more, and would impose its own ownership rules.

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
