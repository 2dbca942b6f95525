//! Memory of other owners, raw parts, strided slices, DLPack, and arrays of other libraries (features `ndarray`, `nalgebra` and
//! `faer`). The tests compare addresses to show that nothing is copied, and count how often owners free their memory.

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
