//! Page-locked host memory, which a GPU copies from and to directly.

use super::context::Context;
use crate::error::Error;
use cudarc::driver::{result, sys};
use std::ffi::c_void;
use std::ptr::NonNull;

/// Bytes of page-locked host memory, zero at first; freed when dropped.
#[derive(Debug)]
pub(in crate::device::cuda) struct Pinned {
    start: NonNull<c_void>,
    bytes: usize,
    context: &'static Context,
}

// SAFETY: the memory has one owner, and every thread may access and free it.
unsafe impl Send for Pinned {}
// SAFETY: a shared reference gives access to the address only, and the address never changes.
unsafe impl Sync for Pinned {}

impl Pinned {
    pub(in crate::device::cuda) fn new(context: &'static Context, bytes: usize) -> Result<Pinned, Error> {
        if bytes == 0 {
            // A dangling pointer to `u128` is aligned for every element type.
            return Ok(Pinned { start: NonNull::<u128>::dangling().cast(), bytes, context });
        }
        let alloc = || {
            context.enter()?;
            // SAFETY: `enter` made a context current. The memory is uninitialised, and nothing reads it before
            // `write_bytes` below.
            unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_PORTABLE) }
        };
        let none = || Error::OutOfMemory { device: "the host (page-locked)".into(), bytes };
        let start = alloc().map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => none(),
            _ => context.failure("allocate on the host", error),
        })?;
        let start = NonNull::new(start).ok_or_else(none)?;
        // SAFETY: the driver allocated `bytes` bytes at `start`, and nothing else has the address.
        unsafe { start.cast::<u8>().write_bytes(0, bytes) };
        Ok(Pinned { start, bytes, context })
    }

    pub(in crate::device::cuda) fn start(&self) -> NonNull<c_void> {
        self.start
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: `malloc_host` returned the address, and only this `drop` frees it. No copy still accesses the memory:
            // calls of `Context::read` and `Context::write` return when their copy is complete.
            let _ = self.context.enter().and_then(|()| unsafe { result::free_host(self.start.as_ptr()) });
        }
    }
}
