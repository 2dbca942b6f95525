//! Manages what a GPU needs: its context, its memory and page-locked host memory.

pub(super) mod context;
pub(super) mod devices;
pub(super) mod flag;
pub(super) mod pinned;
mod pool;
