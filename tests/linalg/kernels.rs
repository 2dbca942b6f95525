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
