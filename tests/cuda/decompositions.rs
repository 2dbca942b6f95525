//! Runs the tests of the host's decompositions on the GPU, and compares the GPU's results with the host's. Without cuSOLVER, the host
//! computes the results of the GPU, too.

#[path = "../linalg/kernels/errors.rs"]
mod errors;
#[path = "../linalg/kernels/laws.rs"]
mod laws;
#[path = "../linalg/kernels/matrix.rs"]
mod matrix;
#[path = "../linalg/kernels/placed.rs"]
mod placed;
#[path = "../linalg/kernels/residuals.rs"]
mod residuals;

#[path = "decompositions/agreement.rs"]
mod agreement;
#[path = "decompositions/copies.rs"]
mod copies;
#[path = "decompositions/failures.rs"]
mod failures;

use crate::gpu::there;

/// The device that computes.
const DEVICE: copies::ThroughGpu = copies::ThroughGpu;

/// Returns whether there is a GPU that is not emulated. The emulator uses the same algorithms for matrices of any size, on one thread, and
/// takes long for large ones.
fn computes_large_matrices() -> bool {
    there() && !crate::gpu::is_emulated()
}

/// Whether a batch has exactly the results of a loop over its matrices. `false`, because batches of small matrices are decomposed by other
/// functions of cuSOLVER than single matrices.
const BATCHES_EQUAL_LOOPS: bool = false;

/// The extents of the matrices whose residuals are checked.
const SHAPES: &[[usize; 2]] = &[[1, 1], [2, 2], [5, 5], [17, 17], [40, 40], [1, 6], [8, 3], [11, 24]];

/// LDLᴴ decompositions are not checked here, because the host computes them.
mod ldl {
    pub(super) fn check<T>(_: &str, _: &super::matrix::Matrix<T>) {}
}
