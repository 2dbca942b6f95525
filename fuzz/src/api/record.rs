//! Wrappers for the API calls of a random program. They count the outcomes of each operation, and define which panics are faults.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Numbers of calls of one operation, by outcome.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub succeeded: u64,
    pub failed: u64,
    pub panicked: u64,
}

thread_local! {
    static COUNTS: RefCell<BTreeMap<&'static str, Counts>> = const { RefCell::new(BTreeMap::new()) };
    static MAY_PANIC: Cell<bool> = const { Cell::new(false) };
}

fn count(name: &'static str, add: impl FnOnce(&mut Counts)) {
    COUNTS.with_borrow_mut(|counts| add(counts.entry(name).or_default()));
}

/// Returns the counts of each operation, for calls on this thread.
pub fn counts() -> BTreeMap<&'static str, Counts> {
    COUNTS.with_borrow(Clone::clone)
}

/// Returns whether the current call is documented to panic on invalid input. A panic hook should then print nothing.
pub fn panic_is_allowed() -> bool {
    MAY_PANIC.get()
}

/// Calls the fallible variant of an operation, which is allowed to return an error. A panic is a fault. It is not caught here, so it ends
/// the program.
#[track_caller]
pub(super) fn attempt<V, E: Display>(name: &'static str, f: impl FnOnce() -> Result<V, E>) -> Option<V> {
    match f() {
        Ok(value) => {
            count(name, |counts| counts.succeeded += 1);
            Some(value)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "{name}: an error without a message");
            count(name, |counts| counts.failed += 1);
            None
        }
    }
}

/// Calls a function that must succeed for every input.
pub(super) fn certain<V>(name: &'static str, f: impl FnOnce() -> V) -> V {
    let value = f();
    count(name, |counts| counts.succeeded += 1);
    value
}

/// Calls a function that is documented to panic on invalid input, or a function whose closure argument panics. Returns `None` if it
/// panics.
pub(super) fn may_panic<V>(name: &'static str, f: impl FnOnce() -> V) -> Option<V> {
    MAY_PANIC.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    MAY_PANIC.set(false);
    match result {
        Ok(value) => {
            count(name, |counts| counts.succeeded += 1);
            Some(value)
        }
        Err(_) => {
            count(name, |counts| counts.panicked += 1);
            None
        }
    }
}

/// Calls a fallible variant with arguments that the library does not support: it may return an error or panic.
pub(super) fn attempt_or_panic<V, E: Display>(
    name: &'static str,
    f: impl FnOnce() -> Result<V, E>,
) -> Option<V> {
    MAY_PANIC.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    MAY_PANIC.set(false);
    let Ok(result) = result else {
        count(name, |counts| counts.panicked += 1);
        return None;
    };
    attempt(name, || result)
}
