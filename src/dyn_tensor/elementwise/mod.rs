//! Elementwise operations of dynamic tensors.

pub(crate) mod binary;
pub(crate) mod operators;
pub(crate) mod polynomial;
pub(crate) mod select;
pub(crate) mod unary;
