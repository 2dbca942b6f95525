//! A global allocator that counts allocations and their bytes, separately for each thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The allocator. It forwards each call to `System`, and counts allocations of the current thread.
pub(crate) struct Counting;

thread_local! {
    static REQUESTED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: usize) {
    // `try_with` fails while a thread is ending, after its counter was destroyed. Such allocations are not counted.
    let _ = REQUESTED.try_with(|asked| asked.set((asked.get().0 + 1, asked.get().1 + bytes)));
}

// SAFETY: each function forwards its arguments unchanged to `System`, which fulfils the contract of `GlobalAlloc`. Counting does not
// allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller ensures that the layout has a non-zero size.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller ensures that the layout has a non-zero size.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller ensures that this allocator allocated `memory` with this layout. This allocator took the memory from
        // `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns the number of this thread's allocations, and their total bytes, since the thread last called this function.
pub(crate) fn asked() -> (usize, usize) {
    REQUESTED.replace((0, 0))
}
