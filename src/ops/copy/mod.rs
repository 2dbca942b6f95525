//! Copies of tensors, and of parts of tensors: assignment, conversion, concatenation, padding, transfer to devices.

pub(crate) mod assign;
pub(crate) mod convert;
pub(crate) mod join;
pub(crate) mod rearrange;
pub(crate) mod swap;
pub(crate) mod transfer;
