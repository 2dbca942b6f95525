//! What goes wrong around a program: memory that is refused, closures that panic, threads that die, disks that are full, writers
//! that are killed. An operation then says so, or is not noticed to have had less; nothing leaks, nothing is freed twice, what
//! was there stays as it was, and the next operation works.
//!
//! What happens at random does so from the seed `VIERBEIN_TEST_SEED`, 0 if there is none; a panic that nobody expects names it.

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

/// Where random tests begin.
fn seed() -> u64 {
    std::env::var("VIERBEIN_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

static QUIET: AtomicBool = AtomicBool::new(false);

/// Lets [`quietly`] do what it says.
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

/// What panics meanwhile, on any thread, says nothing. One test at a time.
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
