//! Contractions of typed tensors: [`einsum!`](crate::einsum!) and the builder that it calls. They check types and determine the rank
//! of the result at compile time; `engine::contract` computes.

#![forbid(unsafe_code)]

mod builder;
mod macros;
mod operand;

pub use crate::engine::contract::{
    ContractionPath, ContractionStep, MAX_OPERANDS, Message, PathCache, Spec, SpecError,
};
#[doc(hidden)]
pub use builder::ErasedList;
pub use builder::{Contraction, Count, Held, List, OperandList, Prepared, TermOf, ViewList, contraction};
pub use operand::{
    Conjugate, EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, ResultOf, SameRankAs, WrittenTo,
};
