//! Tensors in files, in formats that other programs read and write.
//!
//! | feature | format | read | written |
//! |---|---|---|---|
//! | `npy` | [`npy`]: NumPy's file of one array | [`Tensor::read_npy`](crate::Tensor::read_npy) | [`Tensor::write_npy`](crate::Tensor::write_npy) |
//! | `npz` | `npz`: NumPy's archive of several arrays | `Npz` | `NpzWriter` |
//! | `safetensors` | `safetensors`: several row-major tensors, memory-mapped or read | `Safetensors` | `SafetensorsWriter` |
//! | `csv` | `csv`: a matrix as text, with the names of its columns | `CsvReader`, `Tensor::read_csv` | `CsvWriter`, `Tensor::write_csv` |
//! | `serde` | any format with a serde crate | `Deserialize` | `Serialize` |
//!
//! All readers return the requested tensor or an error. The error names the file and the tensor. If the type of the tensor in the file is
//! not the requested type, the error describes the tensor in the file.
//! Files are not trusted: sizes in a header are checked against the size of the file before memory is allocated.
//!
//! All functions that write to a path write a temporary file in the same directory and rename it when it is complete:
//!
//! * If the path is a symbolic link, its target is replaced. The link stays.
//! * Other hard links to the old file keep the old contents.
//! * If the disk is full, the old file is unchanged and the temporary file is deleted.
//! * If the process is killed, the old file is unchanged. A temporary file `.vierbein-*.tmp` may remain; it can be deleted.
//!
//! Binary files are little-endian on every machine. Big-endian `.npy` and `.npz` files are read too.
//!
//! # Files in use on Windows
//! Windows may reject the replacement of a file that is open or memory-mapped. Writers repeat the attempt for half a second. Then they
//! rename the old file to `.vierbein-*.tmp`, rename the new file to the final name, and delete the old file:
//!
//! * A mapped file cannot be deleted, so the old file may remain. This process tries to delete it the next time that it renames another
//!   old file.
//! * There is never an incomplete file with the final name. Between the two renames there is no file with that name, and another
//!   process may fail to find it.
//! * If the old file cannot be renamed, it stays unchanged, and the writer returns an error.
//!
//! # Permissions of written files
//! On Unix, the temporary file has mode `0600` until it is complete. Then it gets the permission bits of the old file. If there is
//! no old file, it gets those that the umask gives a new file. Owner, group and access control list are always those of a new file.
//!
//! In a sticky directory that all users can write to, such as `/tmp`, writers do not follow symbolic links of other users. They do not
//! write to files and pipes of other users either. In both cases they return an error that names the link, file or pipe. Links,
//! files and pipes of the directory's owner are allowed. Linux has the same rules, with the settings `fs.protected_symlinks`,
//! `fs.protected_regular` and `fs.protected_fifos`. This crate applies them on every Unix, whatever the settings are.

#[cfg(feature = "csv")]
pub mod csv;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(feature = "safetensors")]
pub mod safetensors;
#[cfg(feature = "serde")]
mod serde;

#[cfg(any(feature = "npy", feature = "safetensors", feature = "csv"))]
mod checked;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
mod codec;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
mod contents;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "csv"))]
mod replace;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde", feature = "csv"))]
mod shorten;
#[cfg(feature = "npy")]
mod source;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
mod tensors;

#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
pub use contents::Contents;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
pub use tensors::{FromFile, ToFile};
