//! A global allocator that fails on request and counts the bytes in use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use vierbein::Cpu;

pub(crate) struct Failing;

/// Allocations of fewer bytes never fail.
static LEAST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The number of allocations that succeed before the first failure.
static GRANTED: AtomicIsize = AtomicIsize::new(0);
/// Whether all later allocations fail, or only one.
static FOR_GOOD: AtomicBool = AtomicBool::new(false);
static REFUSED: AtomicUsize = AtomicUsize::new(0);
/// Bytes in use in blocks of at least [`LARGE`] bytes, on all watched threads.
static LIVE_LARGE: AtomicIsize = AtomicIsize::new(0);

/// Smaller blocks are left out: the thread pool and each thread's scratch buffers keep them.
const LARGE: usize = 64 << 10;

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    /// The address of the last block that this thread allocated while failures were enabled.
    static LAST: Cell<usize> = const { Cell::new(0) };
    /// The size of that block if it was freed, and nothing else was allocated or freed since: see [`refuses`].
    static FREED: Cell<usize> = const { Cell::new(0) };
    /// Bytes in use that this thread has allocated, minus those that it has freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// From the first call on, allocations of this thread are counted and may fail.
pub(crate) fn watch_this_thread() {
    WATCHED.set(true);
}

fn watched() -> bool {
    // The flag of a thread that is ending is already destroyed.
    WATCHED.try_with(Cell::get).unwrap_or(false)
}

fn count(bytes: usize, sign: isize) {
    let change = sign * bytes as isize;
    let _ = LIVE.try_with(|live| live.set(live.get() + change));
    if bytes >= LARGE && watched() {
        LIVE_LARGE.fetch_add(change, SeqCst);
    }
}

/// Returns whether an allocation fails. A block that was just freed can be allocated again at once, as with a real allocator.
/// Kernels that call foreign code rely on this, because such code aborts if it cannot allocate.
fn refuses(bytes: usize) -> bool {
    if bytes < LEAST.load(SeqCst) || !watched() {
        return false;
    }
    if bytes <= FREED.try_with(Cell::take).unwrap_or(0) {
        return false;
    }
    let granted = GRANTED.fetch_sub(1, SeqCst);
    let refuses = granted == 0 || granted < 0 && FOR_GOOD.load(SeqCst);
    REFUSED.fetch_add(usize::from(refuses), SeqCst);
    refuses
}

fn granted(memory: *mut u8, bytes: usize) -> *mut u8 {
    count(bytes, 1);
    if bytes >= LEAST.load(SeqCst) {
        let _ = LAST.try_with(|last| last.set(memory.addr()));
    }
    memory
}

// SAFETY: every call is forwarded unchanged to the system allocator, or fails by returning null. Counting neither allocates nor
// panics.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller ensures that the layout has a non-zero size.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller ensures that the layout has a non-zero size.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        if layout.size() >= LEAST.load(SeqCst) {
            let last = LAST.try_with(Cell::take).unwrap_or(0);
            let freed = if last == memory.addr() { layout.size() } else { 0 };
            let _ = FREED.try_with(|bytes| bytes.set(freed));
        }
        // SAFETY: the caller ensures that `memory` was allocated here, so by `System`, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// A guard that excludes other tests and disables the buffer pool.
pub(crate) struct Alone(#[allow(dead_code, reason = "it is held")] MutexGuard<'static, ()>);

impl Alone {
    pub(crate) fn new() -> Alone {
        static ONE: Mutex<()> = Mutex::new(());
        let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        super::may_be_quiet();
        watch_this_thread();
        Cpu::set_pool_limit(0);
        // Also frees the pool's own list.
        Cpu::trim_pool();
        Alone(guard)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        Cpu::set_pool_limit(0);
        WATCHED.set(false);
    }
}

/// Returns the bytes in use by this thread.
pub(crate) fn live() -> isize {
    LIVE.get()
}

/// Returns the bytes in use in large blocks, on all watched threads.
pub(crate) fn live_large() -> isize {
    LIVE_LARGE.load(SeqCst)
}

/// The allocations that fail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailingAllocations {
    /// Allocations of fewer bytes succeed.
    pub(crate) least: usize,
    /// The number of larger allocations that succeed before the first failure.
    pub(crate) granted: usize,
    /// Whether all later allocations fail, or only one.
    pub(crate) for_good: bool,
}

impl FailingAllocations {
    /// Calls `f`. Returns its result and the number of failed allocations.
    pub(crate) fn during<R>(self, f: impl FnOnce() -> R) -> (R, usize) {
        /// Ends the failures, even if `f` panics.
        struct Over;
        impl Drop for Over {
            fn drop(&mut self) {
                LEAST.store(usize::MAX, SeqCst);
            }
        }
        LAST.set(0);
        FREED.set(0);
        REFUSED.store(0, SeqCst);
        GRANTED.store(self.granted as isize, SeqCst);
        FOR_GOOD.store(self.for_good, SeqCst);
        let over = Over;
        LEAST.store(self.least, SeqCst);
        let result = f();
        drop(over);
        (result, REFUSED.load(SeqCst))
    }
}

#[test]
fn allocator_fails_and_counts_as_requested() {
    let _alone = Alone::new();
    let try_both = || {
        let mut both = [Vec::<u8>::new(), Vec::new()];
        both.each_mut().map(|v| v.try_reserve_exact(1000).is_ok())
    };
    let failing = |granted, for_good| FailingAllocations { least: 1000, granted, for_good }.during(try_both);
    assert_eq!(failing(0, false), ([false, true], 1));
    assert_eq!(failing(1, false), ([true, false], 1));
    assert_eq!(failing(0, true), ([false, false], 2));
    assert_eq!(failing(2, true), ([true, true], 0));
    // A block that was just freed can be allocated again once, with at most its old size.
    let again = |bytes: [usize; 3]| bytes.map(|n| Vec::<u8>::new().try_reserve_exact(n).is_ok());
    let failing =
        |bytes| FailingAllocations { least: 1000, granted: 1, for_good: true }.during(|| again(bytes));
    assert_eq!(failing([2000, 2000, 2000]), ([true, true, true], 0));
    assert_eq!(failing([2000, 2001, 2000]), ([true, false, false], 2));
    assert_eq!(
        FailingAllocations { least: 1001, granted: 0, for_good: true }.during(try_both),
        ([true, true], 0)
    );
    let before = (live(), live_large());
    let (small, large) = (vec![1u8; 100], vec![0u8; LARGE]);
    assert_eq!((live() - before.0, live_large() - before.1), (100 + LARGE as isize, LARGE as isize));
    drop((small, large));
    assert_eq!((live(), live_large()), before);
}
