//! The CUDA device: what it says where something is missing, and against the host's device, the same operands, the same
//! results. On a GPU, or on the emulator that `scripts/build-cuda-emulator.sh` builds; without either the tests say so and
//! pass, unless `VIERBEIN_REQUIRE_GPU` is 1. All families with all element types are in `cuda_types.rs`.

#![cfg(feature = "cuda")]

#[path = "cuda/agreement.rs"]
mod agreement;
#[path = "cuda/compiler.rs"]
mod compiler;
#[path = "cuda/dlpack.rs"]
mod dlpack;
#[cfg(target_os = "linux")]
#[path = "cuda/faults.rs"]
mod faults;
#[path = "common/gpu.rs"]
mod gpu;
#[path = "cuda/memory.rs"]
mod memory;
#[cfg(target_os = "linux")]
#[path = "cuda/missing.rs"]
mod missing;

use vierbein::Cuda;

/// The device, or nothing where there is none.
fn device() -> Option<Cuda> {
    gpu::there().then(|| Cuda::new().unwrap())
}

/// Where there is no GPU, the tests that need one run in an emulator, which tries everything but the hardware.
#[cfg(target_os = "linux")]
#[test]
fn in_the_emulator() {
    gpu::emulate(&["agreement::", "dlpack::", "memory::"]);
}
