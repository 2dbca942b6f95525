//! Linear algebra: decompositions and linear systems.

mod common;

#[path = "linalg/decompositions.rs"]
mod decompositions;
#[path = "linalg/krylov.rs"]
mod krylov;
#[path = "linalg/labels.rs"]
mod labels;
