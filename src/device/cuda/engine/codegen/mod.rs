//! From operations to machine code: the parts of a kernel's source in CUDA C++, its compilation, and the cache on disk.

pub(super) mod arguments;
pub(super) mod cache;
mod compile;
pub(super) mod operation;
pub(super) mod program;
#[cfg(test)]
mod texts;
