//! Factorisations of operands whose axes have labels. `src/factorise/` and `dyn_tensor/decompose/factorise.rs` call this module.
//!
//! ```text
//! parse the specification, at compile time or at run time                              (spec)
//! determine rows, columns and batch of the operand, and the extents of all labels      (groups)
//! view the operand as a batch of matrices; if its axes do not fuse, pack it            (execute)
//! allocate the results, or temporary buffers for results whose axes do not fuse        (results)
//! call the device
//! drop the part of the bond (the new axis) that a truncation discards
//! permute the results that were computed in a temporary buffer
//! ```

mod execute;
mod groups;
mod results;
mod spec;

pub(crate) use execute::Factorise;
pub(crate) use results::NewFactor;
pub use spec::{FactorSpec, FactorSpecError, Factorisation};
