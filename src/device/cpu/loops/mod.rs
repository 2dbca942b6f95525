//! How kernels go over the elements of strided operands: a few at once, in contiguous strips, in parts for threads.

pub(super) mod few;
mod pack;
pub(super) mod strips;
pub(super) mod threads;
