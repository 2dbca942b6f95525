//! Memory of the host: buffers, the pool of freed ones, workspace.

mod access;
mod buffer;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
pub(super) mod bytes;
mod foreign;
mod pointer;
pub(super) mod pool;
pub(super) mod scratch;
mod system;

pub use buffer::{CpuBuffer, RawMemory};
pub use foreign::ForeignMemory;
pub use pointer::HostPtr;
