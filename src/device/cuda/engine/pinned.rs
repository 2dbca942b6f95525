//! Host memory that stays where it is, so that a GPU copies from and to it by itself.

use super::context::Context;
use crate::error::Error;
use cudarc::driver::{result, sys};
use std::ffi::c_void;
use std::ptr::NonNull;

/// Bytes of the host's that the driver keeps in place, zeros at first; freed when dropped.
#[derive(Debug)]
pub(in crate::device::cuda) struct Pinned {
    start: NonNull<c_void>,
    bytes: usize,
    context: &'static Context,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Pinned {}
// SAFETY: as above; a shared one gives nothing but its address.
unsafe impl Sync for Pinned {}

impl Pinned {
    pub(in crate::device::cuda) fn new(context: &'static Context, bytes: usize) -> Result<Pinned, Error> {
        if bytes == 0 {
            // Of any element's alignment.
            return Ok(Pinned { start: NonNull::<u128>::dangling().cast(), bytes, context });
        }
        let alloc = || {
            context.enter()?;
            // SAFETY: asks for memory that every context may use.
            unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_PORTABLE) }
        };
        let none = || Error::OutOfMemory { device: "the host (page-locked)".into(), bytes };
        let start = alloc().map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => none(),
            _ => context.failure("allocate on the host", error),
        })?;
        let start = NonNull::new(start).ok_or_else(none)?;
        // SAFETY: the memory is ours and has as many bytes.
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
            // SAFETY: the memory came from the driver, and copies from and to it are over when they return.
            let _ = self.context.enter().and_then(|()| unsafe { result::free_host(self.start.as_ptr()) });
        }
    }
}
