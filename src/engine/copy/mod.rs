//! Copies between parts of tensors: concatenation, padding, repetition, rotation.

pub(crate) mod join;
pub(crate) mod pieces;
pub(crate) mod rearrange;
