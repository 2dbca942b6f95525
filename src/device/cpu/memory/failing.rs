//! An allocator for tests, whose allocations fail on request. `tests/faults` cannot cause the failures of `Slot::new`, because its memory is
//! not from the global allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, except that its allocations fail on threads where [`FAILS`] is set.
pub(super) struct FailingSystem;

thread_local! {
    static FAILS: Cell<bool> = const { Cell::new(false) };
    /// Bytes that this thread has allocated, minus those that it has freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: each function forwards its arguments to `System`, which fulfils the contract of `GlobalAlloc`, or returns null, which
// reports a failure. The bookkeeping neither allocates nor panics.
unsafe impl GlobalAlloc for FailingSystem {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if FAILS.get() {
            return core::ptr::null_mut();
        }
        LIVE.set(LIVE.get() + layout.size() as isize);
        // SAFETY: the caller ensures that the layout has a non-zero size.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: the caller ensures that `memory` was allocated here, so by `System`, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Calls `f` on this thread with the system's allocator failing.
pub(crate) fn without_memory<R>(f: impl FnOnce() -> R) -> R {
    FAILS.set(true);
    let found = f();
    FAILS.set(false);
    found
}

/// Returns the number of bytes that this thread has allocated and not freed.
pub(crate) fn live_bytes() -> isize {
    LIVE.get()
}
