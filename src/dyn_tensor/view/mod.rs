//! Views of dynamic tensors: indexing, slicing, reshaping, splitting.

pub(crate) mod index;
pub(crate) mod shape;
pub(crate) mod slice;
pub(crate) mod split;
