//! Contractions of operands whose axes have labels. More than two operands are contracted pair by pair, in a contraction order found by
//! a search; one kernel computes each pair.

mod cache;
mod execute;
mod labelled;
mod labels;
mod pair;
mod path;
mod report;
mod scaled_sum;
mod spec;
#[cfg(test)]
mod tests;

pub use cache::PathCache;
pub(crate) use execute::{Einsum, Input, two, without_value};
pub(crate) use labelled::{Extents, Labelled, MatrixPair, single};
pub(crate) use labels::Labels;
pub use report::{ContractionPath, ContractionStep};
#[cfg(all(test, feature = "cuda"))]
pub(crate) use scaled_sum::ScaledSum;
pub use spec::{MAX_OPERANDS, Message, Spec, SpecError};
