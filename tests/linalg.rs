//! Linear algebra: decompositions and linear systems.

#[path = "linalg/decompositions.rs"]
mod decompositions;
#[path = "linalg/kernels.rs"]
mod kernels;
