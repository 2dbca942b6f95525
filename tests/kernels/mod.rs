//! Tests of the host's kernels through tensors. They belong to the unit tests of the library (`src/lib.rs`), because in builds with debug
//! assertions only these have the kernels of all SIMD levels.

#[cfg(feature = "fft")]
mod fourier;
mod integers;
mod memory;
mod sort;
