//! Conversions between tensors and the types of other libraries, without a copy if the memory layouts allow it. For files, see
//! [`io`](crate::io).
//!
//! | module | feature | |
//! |---|---|---|
//! | [`dlpack`] | | tensors exchanged with other libraries in the same process, such as NumPy and PyTorch |
//! | `ndarray` | `ndarray` | arrays and views of the `ndarray` crate |
//! | `nalgebra` | `nalgebra` | matrices, vectors and views of the `nalgebra` crate |
//! | `faer` | `faer` | matrices and views of the `faer` crate |
//!
//! To use the memory of any other library, call [`Tensor::from_buffer`](crate::Tensor::from_buffer),
//! [`TensorView::from_slice_strided`](crate::Tensor::from_slice_strided) or
//! [`TensorView::from_raw_parts`](crate::Tensor::from_raw_parts).

pub mod dlpack;
#[cfg(feature = "faer")]
pub mod faer;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "ndarray")]
pub mod ndarray;
