//! Copies of dynamic tensors: assignment, conversion, concatenation, padding.

pub(crate) mod assign;
pub(crate) mod cast_into;
pub(crate) mod convert;
pub(crate) mod join;
pub(crate) mod rearrange;
