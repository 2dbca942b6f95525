//! Loops over the elements of strided operands, which the kernels call: `few`, a loop without a plan; `strips`, contiguous strips
//! for elementwise functions; `pack`, copies between strided and contiguous rows; `threads`, parallel execution.

pub(super) mod few;
pub(super) mod pack;
pub(super) mod strips;
pub(super) mod threads;
