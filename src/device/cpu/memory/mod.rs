//! Host memory: buffers of tensors, the pool of freed buffers, the workspace of kernels, and copies of bytes.

mod access;
mod buffer;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
pub(super) mod bytes;
pub(super) mod cache;
#[cfg(test)]
pub(crate) mod failing;
mod foreign;
mod pointer;
pub(super) mod pool;
pub(super) mod scratch;
pub(super) mod stream;
mod system;

pub(super) use buffer::Slot;
#[cfg(feature = "fft")]
pub(super) use buffer::initialise;
pub use buffer::{CpuBuffer, RawMemory};
pub use foreign::ForeignMemory;
pub use pointer::HostPtr;
