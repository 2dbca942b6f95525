//! A global allocator that rejects requests for more than [`MEMORY_BYTES`]. The tests expect some allocations to fail. The system
//! allocator could grant them on some machines: on 32-bit machines, for example, the largest extents in the tests are smaller.

use super::array::MEMORY_BYTES;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;

struct Limited;

fn fits(bytes: usize) -> bool {
    bytes as u128 <= MEMORY_BYTES
}

// SAFETY: each function forwards its arguments to `System`, which fulfils the contract of `GlobalAlloc`, or returns null. In this contract,
// null reports a failed allocation.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller ensures that the layout has a non-zero size.
        if fits(layout.size()) { unsafe { System.alloc(layout) } } else { null_mut() }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller ensures that the layout has a non-zero size.
        if fits(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { null_mut() }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller ensures that this allocator returned `memory` for this layout. All memory that it returns comes from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;
