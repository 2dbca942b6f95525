//! Loops over the elements of strided operands. The kernels call these modules.
//!
//! * `few`: loops over a few elements, without a plan.
//! * `strips`: elementwise functions, called on contiguous strips of operands.
//! * `pack`: copies between strided and contiguous rows.
//! * `tile`: transposes of tiles.
//! * `threads`: parallel execution.

pub(super) mod few;
pub(super) mod pack;
pub(super) mod strips;
pub(super) mod threads;
pub(super) mod tile;
