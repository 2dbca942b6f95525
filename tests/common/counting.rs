//! An allocator that counts what a thread asks for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what this thread asks for.
pub(crate) struct Counting;

thread_local! {
    static ASKED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: usize) {
    // A thread that is ending has no counter any more.
    let _ = ASKED.try_with(|asked| asked.set((asked.get().0 + 1, asked.get().1 + bytes)));
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// How often memory has been asked for since the last call, and how many bytes in all.
pub(crate) fn asked() -> (usize, usize) {
    ASKED.replace((0, 0))
}
