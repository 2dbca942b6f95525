//! The failures of [`Slot::new`]. `tests/faults` cannot cause them, because the memory is not from the global allocator.

use crate::prelude::*;
use crate::{Error, c64};
use core::fmt::Debug;
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

/// Checks that `f` returns an error if memory for one element of `bytes` bytes cannot be allocated, and its usual result afterwards.
fn check<R: PartialEq + Debug>(bytes: usize, what: &str, f: impl Fn() -> Result<R, Error>) {
    let (expected, live) = (f().unwrap(), LIVE.get());
    FAILS.set(true);
    let found = f();
    FAILS.set(false);
    match found {
        Err(Error::OutOfMemory { device, bytes: found }) => {
            assert_eq!((device.as_str(), found), ("Cpu", bytes), "{what}");
        }
        other => panic!("{what}: {other:?}"),
    }
    assert_eq!(LIVE.get(), live, "{what}: bytes in use");
    assert_eq!(f().unwrap(), expected, "{what}");
}

macro_rules! check_all {
    ($bytes:expr; $($f:expr;)*) => { $( check($bytes, stringify!($f), || $f); )* };
}

fn rank_0_results_return_out_of_memory<O: Order>() {
    let x = Tensor::<f64, Rank<2>, O>::from_fn([30, 30], |[i, j]| (i * 7 + j * 3) as f64 % 11.0 + 1.0);
    let (row, complex, whole) = (x.index_axis(0, 1), x.cast::<c64>(), x.cast::<i32>());
    let (turned, mask) = (x.t(), x.gt(5.0));
    check_all! { 8;
        x.try_sum();
        turned.try_prod();
        x.try_mean();
        turned.try_var(1);
        x.try_std(0);
        x.try_norm();
        x.try_max();
        turned.try_min();
        x.try_trace(0, 1);
        row.try_dot(row);
        x.try_argmin();
        turned.try_argmax();
        mask.try_count();
    }
    check_all! { 16;
        complex.try_sum();
        complex.index_axis(0, 1).try_vdot(complex.index_axis(1, 1));
    }
    check(4, "sum of i32", || whole.try_sum());
    check(1, "all", || mask.try_all());
}

#[test]
fn row_major_rank_0_results_return_out_of_memory() {
    rank_0_results_return_out_of_memory::<RowMajor>();
}

#[test]
fn col_major_rank_0_results_return_out_of_memory() {
    rank_0_results_return_out_of_memory::<ColMajor>();
}
