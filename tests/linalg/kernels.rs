//! The kernels of the host, through the methods of [`Decompose`]: residuals and orthogonality for matrices that are hard to decompose, memory
//! layouts, scales, threads, batches and errors. Products are computed by naive loops in `Complex<f64>`.

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

/// The device that computes. `tests/cuda/decompositions.rs` runs these tests with another one.
use vierbein::device::Cpu as DEVICE;

/// Whether the results for a batch have the same bits as those for its matrices alone.
const BATCHES_EQUAL_LOOPS: bool = true;
