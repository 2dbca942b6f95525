//! Contractions: [`einsum!`](crate::einsum!) and its builder, which name the rank of the result. The engine does the rest.

#![forbid(unsafe_code)]

mod builder;
mod macros;
mod operand;

pub use crate::engine::contract::{
    ContractionPath, ContractionStep, MAX_OPERANDS, Message, PathCache, Spec, SpecError,
};
pub use builder::{Contraction, Count, List, OperandList, Prepared, TermOf, contraction};
pub use operand::{
    Conjugate, EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, ResultOf, SameRankAs, WrittenTo,
};
