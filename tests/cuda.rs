//! Tests of the CUDA device: results must agree with those of the CPU, and a missing component must be an error.
//!
//! The tests run on a GPU, or on the emulator that `scripts/build-cuda-emulator.sh` builds. If neither is available, they print a
//! message and pass, unless `VIERBEIN_REQUIRE_GPU` is 1. `cuda_types.rs` tests all element types.

#![cfg(feature = "cuda")]

#[path = "cuda/agreement.rs"]
mod agreement;
#[path = "cuda/bits.rs"]
mod bits;
#[path = "cuda/choose.rs"]
mod choose;
#[path = "cuda/compiler.rs"]
mod compiler;
#[path = "cuda/data.rs"]
mod data;
#[cfg(feature = "linalg")]
#[path = "cuda/decompositions.rs"]
mod decompositions;
#[path = "cuda/dlpack.rs"]
mod dlpack;
#[cfg(target_os = "linux")]
#[path = "cuda/faults.rs"]
mod faults;
#[cfg(feature = "fft")]
#[path = "cuda/fourier.rs"]
mod fourier;
#[path = "common/gpu.rs"]
mod gpu;
#[path = "cuda/memory.rs"]
mod memory;
#[cfg(target_os = "linux")]
#[path = "cuda/missing.rs"]
mod missing;
#[path = "cuda/ordering.rs"]
mod ordering;

use vierbein::Cuda;

/// Returns the first GPU, real or emulated, or `None` if none is available.
fn device() -> Option<Cuda> {
    gpu::there().then(|| Cuda::new().unwrap())
}

// Each of the tests below starts this program again, with the emulator as its GPU, and runs some of the tests above in it. There are three,
// so that they run in parallel.

#[cfg(target_os = "linux")]
#[test]
fn in_the_emulator() {
    gpu::emulate(&["agreement::", "choose::", "dlpack::", "memory::", "ordering::"], &["decompositions::"]);
}

#[cfg(all(feature = "fft", target_os = "linux"))]
#[test]
fn transforms_in_the_emulator() {
    gpu::emulate(&["fourier::"], &[]);
}

#[cfg(all(feature = "linalg", target_os = "linux"))]
#[test]
fn decompositions_in_the_emulator() {
    gpu::emulate(&["decompositions::"], &[]);
}
