//! Tests of the kernels of the host, called by the methods of [`Decompose`]: residuals and orthogonality for matrices that are hard to
//! decompose, memory layouts, scales, threads, batches and errors. Products are computed by naive loops in `Complex<f64>`.

#[path = "kernels/eigenvalues.rs"]
mod eigenvalues;
#[path = "kernels/errors.rs"]
mod errors;
#[path = "kernels/laws.rs"]
mod laws;
#[path = "kernels/ldl.rs"]
mod ldl;
#[path = "kernels/matrix.rs"]
mod matrix;
#[path = "kernels/placed.rs"]
mod placed;
#[path = "kernels/residuals.rs"]
mod residuals;

/// The device that computes. `tests/cuda/decompositions.rs` runs these tests on another device.
use vierbein::device::Cpu as DEVICE;

/// Returns whether the device is available.
fn there() -> bool {
    true
}

/// Returns whether the device is available, and decomposes large matrices by other algorithms than small ones.
fn computes_large_matrices() -> bool {
    true
}

/// Whether the results for a batch have the same bits as those for its matrices alone.
const BATCHES_EQUAL_LOOPS: bool = true;

/// The extents of the matrices whose residuals are checked.
const SHAPES: &[[usize; 2]] = &[
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 5],
    [8, 8],
    [9, 9],
    [17, 17],
    [40, 40],
    [1, 6],
    [6, 1],
    [8, 3],
    [3, 8],
    [20, 11],
    [11, 24],
    [33, 7],
];
