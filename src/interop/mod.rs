//! Tensors in memory that other libraries share, without a copy where layouts allow it. (What goes through files is in
//! [`io`](crate::io).)

pub mod dlpack;
#[cfg(feature = "faer")]
pub mod faer;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "ndarray")]
pub mod ndarray;
