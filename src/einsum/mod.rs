//! Contractions of typed tensors: [`einsum!`](crate::einsum!) and the builder that the macro calls. Macro and builder check types
//! and determine the rank of the result at compile time. They call `engine::contract`, which computes the result.

#![forbid(unsafe_code)]

mod builder;
mod macros;
mod operand;

pub use crate::engine::contract::{
    ContractionPath, ContractionStep, Factor, MAX_OPERANDS, Message, PathCache, Spec, SpecError,
};
pub(crate) use builder::contract_any;
pub use builder::{Contraction, Count, Held, List, OperandList, Prepared, TermOf, contraction};
pub use operand::{
    AcceptsFactor, Conjugate, EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, ResultOf, SameRankAs,
    WrittenTo,
};
