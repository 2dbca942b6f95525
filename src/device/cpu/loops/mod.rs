//! Loops over the elements of strided operands: a few elements without a plan, contiguous strips, parts for threads.

pub(super) mod few;
pub(super) mod pack;
pub(super) mod strips;
pub(super) mod threads;
