//! Contractions: [`einsum!`](crate::einsum!) and everything that sums products over shared axes.

#![forbid(unsafe_code)]

mod blend;
mod cache;
mod contraction;
pub(crate) mod erased;
mod labelled;
mod labels;
mod macros;
mod matmul;
mod operand;
mod pair;
mod path;
mod products;
mod report;
mod run;
mod spec;
#[cfg(test)]
mod tests;

#[cfg(all(test, feature = "cuda"))]
pub(crate) use blend::Blend;
pub use cache::PathCache;
pub use contraction::{Contraction, Count, Prepared, TermOf, contraction};
pub use operand::{
    Conjugate, EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, ResultOf, SameRankAs, WrittenTo,
};
pub use report::{ContractionPath, ContractionStep};
pub use spec::{MAX_OPERANDS, Message, Spec, SpecError};
