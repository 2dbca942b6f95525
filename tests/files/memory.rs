//! Measures the peak memory that a function allocates on the current thread, by a global allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub(super) struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // `try_with` fails while a thread is ending, after its counters were destroyed. Such allocations are not counted.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
    });
}

// SAFETY: each function forwards its arguments unchanged to `System`, which fulfils the contract of `GlobalAlloc`. Counting neither
// allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller ensures that the layout has a non-zero size.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller ensures that `ptr` was allocated here, so by `System`, with this layout.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Returns the result of a function, and the maximum number of bytes that it had allocated at one time.
pub(super) fn peak<V>(f: impl FnOnce() -> V) -> (V, usize) {
    let before = NOW.get();
    PEAK.set(before);
    let value = f();
    (value, (PEAK.get() - before) as usize)
}

/// Asserts that a function that reads a file allocates little memory. 600 000 bytes are enough for a buffer, the state of the
/// decompressor and a message. In addition, the function may allocate eight times the length of the file.
#[track_caller]
pub(super) fn modest<V>(file_bytes: usize, f: impl FnOnce() -> V) -> V {
    let (value, peak) = peak(f);
    assert!(peak < 600_000 + 8 * file_bytes, "{peak} bytes for a file of {file_bytes}");
    value
}

#[test]
fn peak_counts_allocations() {
    let (_, bytes) = peak(|| drop(std::hint::black_box(vec![0u8; 12345])));
    assert!((12345..20000).contains(&bytes), "{bytes}");
}
