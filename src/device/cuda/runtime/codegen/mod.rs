//! Generates the CUDA C++ source of a kernel from an operation, compiles it to machine code, and caches the machine
//! code on disk.

pub(super) mod arguments;
pub(super) mod cache;
mod compile;
pub(super) mod operation;
pub(super) mod program;
// In `tests`, because these tests are long. They are unit tests, because they use private items.
#[cfg(test)]
#[path = "../../../../../tests/cuda_texts/mod.rs"]
mod texts;
