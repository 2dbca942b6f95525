//! Reductions, cumulative sums, products and [`DynTensor`](vierbein::DynTensor) on the CUDA device, compared with the CPU for all
//! element types. These tests take long to build; `scripts/check-cuda.sh` runs them. They run on a GPU or on the emulator. Without
//! either they print a message and pass, unless `VIERBEIN_REQUIRE_GPU` is 1.

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

/// Returns the device, or `None` if there is no GPU.
fn device() -> Option<Cuda> {
    gpu::there().then(|| Cuda::new().unwrap())
}

/// Runs the tests in the emulator, which covers everything except the hardware.
#[cfg(target_os = "linux")]
#[test]
fn in_the_emulator() {
    gpu::emulate(&["dyn_tensor::", "products::", "reductions::", "scans::"]);
}
