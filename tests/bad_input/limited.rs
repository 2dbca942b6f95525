//! An allocator with little memory. Without it, an axis near `usize::MAX` could fit the memory of a 32-bit machine.

use super::array::MEMORY_BYTES;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;

struct Limited;

fn fits(bytes: usize) -> bool {
    bytes as u128 <= MEMORY_BYTES
}

// SAFETY: memory is the system allocator's, or the allocation fails.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller ensures that the layout has a size.
        if fits(layout.size()) { unsafe { System.alloc(layout) } } else { null_mut() }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller ensures that the layout has a size.
        if fits(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { null_mut() }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory is the system allocator's, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;
