//! Tests of tensors and views in memory that another library owns: raw parts, strided slices, DLPack, and the arrays of ndarray,
//! nalgebra and faer. The tests of these arrays need the feature with the name of the library. The tests compare addresses to show
//! that no elements are copied. They also count how often owners free their memory.

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
