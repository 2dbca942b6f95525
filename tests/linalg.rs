//! Linear algebra: decompositions and linear systems.

#[path = "linalg/decompositions.rs"]
mod decompositions;
#[path = "linalg/krylov.rs"]
mod krylov;
#[path = "linalg/labels.rs"]
mod labels;
