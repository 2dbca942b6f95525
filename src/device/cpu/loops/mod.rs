//! Loops over the elements of strided operands. The kernels call them.
//!
//! * `few`: a loop without a plan, over a few elements.
//! * `strips`: elementwise functions on contiguous strips.
//! * `pack`: copies between strided and contiguous rows.
//! * `threads`: parallel execution.

pub(super) mod few;
pub(super) mod pack;
pub(super) mod strips;
pub(super) mod threads;
