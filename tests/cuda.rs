//! The CUDA device: errors if a component is missing, and agreement with the CPU for the same operations and operands. The tests run
//! on a GPU, or on the emulator that `scripts/build-cuda-emulator.sh` builds. Without either they print a message and pass, unless
//! `VIERBEIN_REQUIRE_GPU` is 1. `cuda_types.rs` tests all operations with all element types.

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

/// Returns the device, or `None` if there is no GPU.
fn device() -> Option<Cuda> {
    gpu::there().then(|| Cuda::new().unwrap())
}

/// Runs the tests that need a GPU in the emulator, which covers everything except the hardware.
#[cfg(target_os = "linux")]
#[test]
fn in_the_emulator() {
    gpu::emulate(&["agreement::", "dlpack::", "memory::"]);
}
