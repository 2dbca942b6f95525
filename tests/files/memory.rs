//! How much memory a function takes at most, counted on its own thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub(super) struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends has nothing to count with.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
    });
}

// SAFETY: everything is the system's allocator's; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller vouches for the layout.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller vouches for the pointer and its layout.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// What a function gives, and the most bytes that it had at a time beyond what was there.
pub(super) fn peak<V>(f: impl FnOnce() -> V) -> (V, usize) {
    let before = NOW.get();
    PEAK.set(before);
    let value = f();
    (value, (PEAK.get() - before) as usize)
}

/// Reading may take a buffer for what is read, the inflater's state and the words of an error; besides, a few times the
/// file's own length.
#[track_caller]
pub(super) fn modest<V>(file_bytes: usize, f: impl FnOnce() -> V) -> V {
    let (value, peak) = peak(f);
    assert!(peak < 600_000 + 8 * file_bytes, "{peak} bytes for a file of {file_bytes}");
    value
}

#[test]
fn memory_is_counted() {
    let (_, bytes) = peak(|| drop(std::hint::black_box(vec![0u8; 12345])));
    assert!((12345..20000).contains(&bytes), "{bytes}");
}
