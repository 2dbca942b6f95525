//! A global allocator that can be told to fail. It also counts the bytes in use. Only threads that call [`watch_this_thread`] see
//! failures.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use vierbein::Cpu;

pub(crate) struct Failing;

/// Minimum size in bytes of an allocation that can fail.
static LEAST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The number of allocations of at least `LEAST` bytes that succeed before the first failure.
static GRANTED: AtomicIsize = AtomicIsize::new(0);
/// If `true`, all allocations after the first failed one fail, too. If `false`, only one fails.
static FOR_GOOD: AtomicBool = AtomicBool::new(false);
static REJECTED: AtomicUsize = AtomicUsize::new(0);
/// Bytes in use in blocks of at least [`LARGE`] bytes, on all watched threads.
static LIVE_LARGE: AtomicIsize = AtomicIsize::new(0);

/// Minimum size in bytes of the blocks that `LIVE_LARGE` counts. Smaller blocks are not counted, because the thread pool and the
/// scratch buffers of threads keep them after an operation.
const LARGE: usize = 64 << 10;

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    /// The address of the last block that this thread allocated while failures were enabled.
    static LAST: Cell<usize> = const { Cell::new(0) };
    /// The size of the block at `LAST`, if this thread's last call of the allocator freed that block; else 0. See [`refuses`].
    static FREED: Cell<usize> = const { Cell::new(0) };
    /// Bytes that this thread has allocated, minus those that it has freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// Marks the current thread as watched: its allocations may fail, and its large blocks are counted.
pub(crate) fn watch_this_thread() {
    WATCHED.set(true);
}

fn watched() -> bool {
    // `try_with` fails while a thread is ending, after its flag was destroyed.
    WATCHED.try_with(Cell::get).unwrap_or(false)
}

fn count(bytes: usize, sign: isize) {
    let change = sign * bytes as isize;
    let _ = LIVE.try_with(|live| live.set(live.get() + change));
    if bytes >= LARGE && watched() {
        LIVE_LARGE.fetch_add(change, SeqCst);
    }
}

/// Returns whether an allocation must fail, and updates the counts of granted and rejected allocations. If the thread has just freed
/// a block of at least this size, the allocation succeeds, as with a real allocator. Kernels that call foreign code rely on this: they
/// allocate and free a block first, because foreign code aborts the process if its allocation fails.
fn refuses(bytes: usize) -> bool {
    if bytes < LEAST.load(SeqCst) || !watched() {
        return false;
    }
    if bytes <= FREED.try_with(Cell::take).unwrap_or(0) {
        return false;
    }
    let granted = GRANTED.fetch_sub(1, SeqCst);
    let refuses = granted == 0 || granted < 0 && FOR_GOOD.load(SeqCst);
    REJECTED.fetch_add(usize::from(refuses), SeqCst);
    refuses
}

fn granted(memory: *mut u8, bytes: usize) -> *mut u8 {
    count(bytes, 1);
    if bytes >= LEAST.load(SeqCst) {
        let _ = LAST.try_with(|last| last.set(memory.addr()));
    }
    memory
}

// SAFETY: each function forwards its arguments to `System`, which fulfils the contract of `GlobalAlloc`, or returns null, which reports a
// failure. The bookkeeping neither allocates nor panics.
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

/// A guard that only one test of this program can hold at a time. While it exists, the buffer pool is disabled and the current thread
/// is watched.
pub(crate) struct Alone(#[allow(dead_code, reason = "it is held")] MutexGuard<'static, ()>);

impl Alone {
    pub(crate) fn new() -> Alone {
        static ONE: Mutex<()> = Mutex::new(());
        let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        super::may_be_quiet();
        watch_this_thread();
        Cpu::set_pool_limit(0);
        // `trim_pool` also frees the list in which the pool keeps its buffers.
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

/// Returns the bytes that this thread has allocated and not freed.
pub(crate) fn live() -> isize {
    LIVE.get()
}

/// Returns the bytes in use in blocks of at least [`LARGE`] bytes, on all watched threads.
pub(crate) fn live_large() -> isize {
    LIVE_LARGE.load(SeqCst)
}

/// A description of the allocations that must fail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailingAllocations {
    /// Minimum size in bytes of an allocation that can fail.
    pub(crate) least: usize,
    /// The number of allocations of at least `least` bytes that succeed before the first failure.
    pub(crate) granted: usize,
    /// If `true`, all allocations after the first failed one fail, too. If `false`, only one fails.
    pub(crate) for_good: bool,
}

impl FailingAllocations {
    /// Calls `f` while these allocations fail on watched threads. Returns its result and the number of failed allocations.
    pub(crate) fn during<R>(self, f: impl FnOnce() -> R) -> (R, usize) {
        /// A guard that ends the failures on drop, even if `f` panics.
        struct Over;
        impl Drop for Over {
            fn drop(&mut self) {
                LEAST.store(usize::MAX, SeqCst);
            }
        }
        LAST.set(0);
        FREED.set(0);
        REJECTED.store(0, SeqCst);
        GRANTED.store(self.granted as isize, SeqCst);
        FOR_GOOD.store(self.for_good, SeqCst);
        let over = Over;
        LEAST.store(self.least, SeqCst);
        let result = f();
        drop(over);
        (result, REJECTED.load(SeqCst))
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
    // After a block was freed, one allocation of at most its size succeeds.
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
