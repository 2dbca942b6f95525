//! Tensors in files, in formats that other programs know.

#[cfg(feature = "npy")]
pub mod npy;
