//! Compares reductions, cumulative sums, products and [`DynTensor`](vierbein::DynTensor) on the CUDA device with the CPU, for all
//! element types. These tests take long to build; `scripts/check-cuda.sh` runs them.
//!
//! The tests run on a GPU or on the emulator. If neither is available, they print a message and pass, unless
//! `VIERBEIN_REQUIRE_GPU` is 1.

#![cfg(feature = "cuda")]

#[path = "cuda/data.rs"]
mod data;
#[path = "cuda/dyn_tensor.rs"]
mod dyn_tensor;
#[path = "common/gpu.rs"]
mod gpu;
#[path = "cuda/products.rs"]
mod products;
#[path = "cuda/reductions.rs"]
mod reductions;
#[path = "cuda/scans.rs"]
mod scans;

use vierbein::Cuda;

/// Returns the first GPU, real or emulated, or `None` if none is available.
fn device() -> Option<Cuda> {
    gpu::there().then(|| Cuda::new().unwrap())
}

/// Runs the tests of this program in the emulator.
#[cfg(target_os = "linux")]
#[test]
fn in_the_emulator() {
    gpu::emulate(&["dyn_tensor::", "products::", "reductions::", "scans::"], &[]);
}
