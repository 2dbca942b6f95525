//! Fault injection: allocations fail, closures panic, threads end by a panic, disks are full, writers of files are killed. An
//! operation must return an error, or succeed with less workspace. No memory may leak or be freed twice. Existing data must stay
//! unchanged, and the next operation must work.
//!
//! Random tests use the seed in the environment variable `VIERBEIN_TEST_SEED`, by default 0. An unexpected panic prints the seed.

#[path = "faults/allocations.rs"]
mod allocations;
#[path = "faults/allocator.rs"]
mod allocator;
#[path = "faults/files.rs"]
mod files;
#[allow(unused_macros, reason = "not every test needs all of it")]
#[path = "common/golden.rs"]
mod golden;
#[path = "faults/panics.rs"]
mod panics;
#[path = "faults/pools.rs"]
mod pools;
#[path = "common/random.rs"]
mod random;
#[path = "common/restart.rs"]
mod restart;
#[path = "faults/working_memory.rs"]
mod working_memory;

use random::Random;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: allocator::Failing = allocator::Failing;

/// Returns the seed of random tests.
fn seed() -> u64 {
    std::env::var("VIERBEIN_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

static QUIET: AtomicBool = AtomicBool::new(false);

/// Installs the panic hook that [`quietly`] relies on.
fn may_be_quiet() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.load(Ordering::SeqCst) {
                usual(panic);
                eprintln!("VIERBEIN_TEST_SEED={}", seed());
            }
        }));
    });
}

/// Runs `f` while panics print nothing, on any thread of the process. Only one test at a time may call this function.
fn quietly<R>(f: impl FnOnce() -> R) -> R {
    struct Loud;
    impl Drop for Loud {
        fn drop(&mut self) {
            QUIET.store(false, Ordering::SeqCst);
        }
    }
    let _loud = Loud;
    QUIET.store(true, Ordering::SeqCst);
    f()
}
