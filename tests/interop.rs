//! Memory of others: owners, raw parts, slices with strides, DLPack; and with the features `ndarray`, `nalgebra` and `faer` their
//! arrays. Where nothing is to be copied addresses are compared, and owners count how often they free.

#[cfg(any(feature = "ndarray", feature = "nalgebra", feature = "faer"))]
#[path = "interop/bad_input/mod.rs"]
mod bad_input;
#[path = "interop/dlpack.rs"]
mod dlpack;
#[cfg(feature = "faer")]
#[path = "interop/faer.rs"]
mod faer;
#[path = "interop/memory.rs"]
mod memory;
#[cfg(feature = "nalgebra")]
#[path = "interop/nalgebra.rs"]
mod nalgebra;
#[cfg(feature = "ndarray")]
#[path = "interop/ndarray.rs"]
mod ndarray;
