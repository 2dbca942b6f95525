//! Workspace of transforms. Its size is not limited, so its allocation can fail.

use crate::device::Device;
use crate::device::cpu::memory::initialise;
use crate::device::cpu::memory::scratch::{MAX_KEPT_BYTES, Side, can_allocate, guaranteed, with_scratch};
use crate::device::cpu::{Cpu, CpuBuffer};
use crate::element::Element;
use crate::error::Error;
use core::sync::atomic::{AtomicBool, Ordering};

/// Returns the error for a workspace of `len` values that cannot be allocated.
pub(super) fn out_of_memory<T>(len: usize) -> Error {
    Error::OutOfMemory { device: Cpu.name(), bytes: len.saturating_mul(size_of::<T>()) }
}

/// Returns an error if a workspace of `len` values cannot be allocated. It is called before a pass writes anything.
pub(super) fn check_workspace<T>(len: usize) -> Result<(), Error> {
    if len <= guaranteed::<T>() || can_allocate(len.saturating_mul(size_of::<T>())) {
        Ok(())
    } else {
        Err(out_of_memory::<T>(len))
    }
}

/// Calls `f` with a workspace of `len` numbers with unspecified values. If it cannot be allocated, sets `failed` instead.
pub(super) fn with_workspace<T: Element>(
    side: Side,
    len: usize,
    failed: &AtomicBool,
    f: impl FnOnce(&mut [T]),
) {
    if len.saturating_mul(size_of::<T>()) > MAX_KEPT_BYTES {
        // Threads do not keep scratch buffers of this size. So the memory comes from the buffer pool, and returns to it after this call.
        match CpuBuffer::any(len) {
            Ok(mut buffer) => f(buffer.as_mut_slice()),
            Err(_) => failed.store(true, Ordering::Relaxed),
        }
        return;
    }
    let least = if len <= guaranteed::<T>() { len } else { 0 };
    with_scratch(side, len, least, |start: *mut T, granted| {
        if granted < len {
            failed.store(true, Ordering::Relaxed);
            return;
        }
        // SAFETY: `with_scratch` provides exclusive access to `len` values at `start`, which is aligned.
        unsafe { initialise(start, len) };
        // SAFETY: `start` is aligned and not null, and access to its `len` values is exclusive until `f` returns. They are initialised.
        f(unsafe { core::slice::from_raw_parts_mut(start, len) });
    });
}
