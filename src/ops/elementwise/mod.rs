//! Elementwise operations: one result for each element of the broadcast operands.

pub(crate) mod apply;
pub(crate) mod arithmetic;
pub(crate) mod binary;
pub(crate) mod compute;
pub(crate) mod diff;
pub(crate) mod equal;
pub(crate) mod gradient;
pub(crate) mod in_range;
pub(crate) mod interpolate;
pub(crate) mod map;
pub(crate) mod mixed;
pub(crate) mod operands;
pub(crate) mod polynomial;
pub(crate) mod replace;
pub(crate) mod select;
pub(crate) mod unary;
