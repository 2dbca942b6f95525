//! Runs the tests of the host's decompositions on the GPU, and compares its results with the host's. Without cuSOLVER, the host computes them.

#[path = "../linalg/kernels/errors.rs"]
mod errors;
#[path = "../linalg/kernels/laws.rs"]
mod laws;
#[path = "../linalg/kernels/ldl.rs"]
mod ldl;
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

/// The device that computes.
const DEVICE: copies::ThroughGpu = copies::ThroughGpu;

/// cuSOLVER has other functions for batches of small matrices.
const BATCHES_EQUAL_LOOPS: bool = false;
