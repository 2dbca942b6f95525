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
//! trusted: what they claim is checked against what they hold, before memory is taken for it. All writers write a
//! temporary file in the same directory and rename it when it is complete. A symbolic link stays and its target is replaced; a
//! second hard link keeps the old file. If the disk is full, the old file is unchanged and the temporary file is deleted. If the
//! process is killed, the old file is unchanged and a `.vierbein-*.tmp` may remain, which can be deleted.
//!
//! Files are little-endian on every machine. Big-endian `.npy` and `.npz` files are read too.
//!
//! # Files in use on Windows
//! Windows may reject the replacement of a file that is open or memory-mapped. Writers repeat the attempt for half a second. Then
//! they rename the old file to `.vierbein-*.tmp`, rename the new one, and delete the old one; if it is mapped, the next writer of the
//! same process that moves a file away deletes it, or it remains. Under the file's name there is never an incomplete file. Between the
//! two renames there is none, so another process can fail to find it at that moment. If the old file cannot be renamed either, it
//! stays, and the error says so.
//!
//! # Permissions of written files
//! On Unix, the temporary file has mode `0600` until it is complete. Then it gets the permission bits of the old file, or of a
//! new file as the umask has them. Owner, group and access control list are always those of a new file.
//!
//! In a sticky directory that all users can write to, such as `/tmp`, writers neither follow symbolic links of other users nor
//! write to their files and pipes; entries of the directory's owner are allowed. The result is an error that names the entry.
//! Linux has the same rules (`fs.protected_symlinks`, `fs.protected_regular`, `fs.protected_fifos`); they apply here on every Unix
//! and with any setting.

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
