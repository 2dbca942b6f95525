//! Contractions: [`einsum!`](crate::einsum!) and everything that sums products over shared axes.

#![forbid(unsafe_code)]

mod blend;
mod labelled;
mod macros;
mod matmul;
mod operands;
mod pair;
mod path;
mod products;
mod report;
mod run;
mod spec;

pub use operands::{
    Conjugate, Contraction, EinsumOperand, LabelledBy, Operands, Prepared, ResultOf, WrittenTo,
};
pub use report::{ContractionPath, ContractionStep};
pub use spec::{MAX_OPERANDS, Spec, SpecError};
