//! The families of the CUDA device against the host's: the same operands, the same results.

#![cfg(feature = "cuda")]

#[path = "cuda/data.rs"]
mod data;
#[path = "common/gpu.rs"]
mod gpu;
#[path = "cuda/products.rs"]
mod products;
#[path = "cuda/reductions.rs"]
mod reductions;
#[path = "cuda/scans.rs"]
mod scans;

/// All of them once more, where there is an emulator.
#[test]
fn in_the_emulator() {
    gpu::emulate(&["products::", "reductions::", "scans::"]);
}
