//! Views: indexing, slicing, reshaping, splitting, iteration. No function of this folder copies elements of a view.

mod any_rank;
mod diagonal;
pub(crate) mod flip;
pub(crate) mod index;
pub(crate) mod iter;
pub(crate) mod rank_zero;
mod reshape;
pub(crate) mod shape;
pub(crate) mod slice;
pub(crate) mod split;
pub(crate) mod windows;
