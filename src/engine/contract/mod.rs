//! Contractions of operands whose axes have labels. `src/einsum/`, `dyn_tensor/gemm/contract.rs` and `ops/gemm/products.rs` call this module.
//!
//! Three or more operands are contracted pair by pair. `path.rs` searches for the contraction order. `pair.rs` chooses the kernel of each
//! pair by the estimates of `costs.rs`, and `execute.rs` calls the kernels. `operand.rs` defines the operands, and `mixed.rs` contracts a
//! complex and a real one. `wide.rs` fuses the axes of operands that have more than 16.

mod cache;
mod costs;
mod execute;
mod labelled;
mod labels;
mod mixed;
pub(in crate::engine) mod notation;
mod operand;
mod pair;
mod path;
mod report;
mod scaled_sum;
mod spec;
#[cfg(test)]
mod tests;
mod wide;

pub use cache::PathCache;
pub(crate) use execute::{Einsum, two, without_value};
pub(crate) use labelled::{LabelExtents, Labelled, MatrixPair, single};
pub(crate) use labels::Labels;
pub use notation::Message;
pub use operand::Factor;
pub(crate) use operand::{Elements, Input, RealProducts};
pub use report::{ContractionPath, ContractionStep};
#[cfg(all(test, feature = "cuda"))]
pub(crate) use scaled_sum::ScaledSum;
pub use spec::{MAX_OPERANDS, Spec, SpecError};
pub(crate) use wide::contract_wide;
