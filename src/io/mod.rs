//! Tensors in files, in formats that other programs know.
//!
//! | feature | format | read | written |
//! |---|---|---|---|
//! | `npy` | [`npy`]: NumPy's file of one array | [`Tensor::read_npy`](crate::Tensor::read_npy) | [`Tensor::write_npy`](crate::Tensor::write_npy) |
//! | `npz` | `npz`: NumPy's archive of many | `Npz` | `NpzWriter` |
//! | `safetensors` | `safetensors`: many, row-major, to be mapped | `Safetensors` | `SafetensorsWriter` |
//! | `serde` | whatever serde has a crate for | `Deserialize` | `Serialize` |
//!
//! All readers give what is asked for or an error that names the file, the tensor and what it holds instead. Files are not
//! trusted: what they claim is checked against what they hold, before memory is taken for it. All writers write a file
//! beside the old one and rename it when it is complete: it has the old one's permissions, and a symbolic link to it still
//! leads there; a second hard link keeps the old file. Where the disk is full, the old file stays and nothing else; a program
//! that is killed as it writes leaves the old file, and a `.vierbein-*.tmp` beside it that may be deleted.

#[cfg(feature = "npy")]
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(feature = "safetensors")]
pub mod safetensors;
#[cfg(feature = "serde")]
mod serde;

#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
mod codec;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
mod contents;
#[cfg(any(feature = "npy", feature = "safetensors"))]
mod replace;
#[cfg(feature = "npy")]
mod source;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
mod tensors;

#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
pub use contents::Contents;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
pub use tensors::{FromFile, ToFile};
