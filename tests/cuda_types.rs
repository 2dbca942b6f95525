//! Reductions, running results, products and [`DynTensor`](vierbein::DynTensor) on the CUDA device, against the host's device:
//! the same operands, of all element types, the same results. They take long to build: `scripts/check-cuda.sh` runs them. On a
//! GPU, or on the emulator; without either they say so and pass, unless `VIERBEIN_REQUIRE_GPU` is 1.

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

/// The device, or nothing where there is none.
fn device() -> Option<Cuda> {
    gpu::there().then(|| Cuda::new().unwrap())
}

/// Where there is no GPU, the tests run in an emulator, which tries everything but the hardware.
#[cfg(target_os = "linux")]
#[test]
fn in_the_emulator() {
    gpu::emulate(&["dyn_tensor::", "products::", "reductions::", "scans::"]);
}
