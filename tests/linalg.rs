//! Linear algebra: decompositions and linear systems.

mod common;

#[path = "linalg/any_rank.rs"]
mod any_rank;
#[path = "linalg/decompositions.rs"]
mod decompositions;
#[path = "linalg/dense.rs"]
mod dense;
#[path = "linalg/errors.rs"]
mod errors;
#[path = "linalg/kernels.rs"]
mod kernels;
#[path = "linalg/krylov.rs"]
mod krylov;
#[path = "linalg/labels.rs"]
mod labels;
#[path = "linalg/scales.rs"]
mod scales;
#[path = "linalg/table.rs"]
mod table;
