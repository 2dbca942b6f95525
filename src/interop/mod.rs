//! Tensors in memory that other libraries share, without a copy where layouts allow it. (What goes through files is in
//! [`io`](crate::io).)
//!
//! | module | feature | |
//! |---|---|---|
//! | [`dlpack`] | | tensors passed to and taken from other libraries of the same process, such as NumPy and PyTorch |
//! | `ndarray` | `ndarray` | arrays and views of the `ndarray` crate |
//! | `nalgebra` | `nalgebra` | matrices, vectors and views of the `nalgebra` crate |
//! | `faer` | `faer` | matrices and views of the `faer` crate |
//!
//! Memory of anything else: [`Tensor::from_buffer`](crate::Tensor::from_buffer),
//! [`TensorView::from_slice_strided`](crate::Tensor::from_slice_strided), [`TensorView::from_raw_parts`](crate::Tensor::from_raw_parts).

pub mod dlpack;
#[cfg(feature = "faer")]
pub mod faer;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "ndarray")]
pub mod ndarray;
