//! NVIDIA's libraries, found at run time, and a GPU in use: its context, its memory and page-locked host memory.

pub(super) mod context;
pub(super) mod flag;
pub(super) mod libraries;
pub(super) mod pinned;
mod pool;
