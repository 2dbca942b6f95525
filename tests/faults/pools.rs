//! Tests that shared state stays usable after panics and after threads that ended by a panic. The shared state is the buffer pool, the
//! cached path of a contraction, and the thread pool.
//!
//! User code never runs while the library holds a lock of this state, so these tests cannot poison a lock. Unit tests check that a
//! poisoned buffer pool stays usable. A contraction whose path cache is poisoned computes its path each time.

use super::allocator::Alone;
use super::{Random, quietly, seed};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use vierbein::prelude::*;

/// Runs operations whose large results use the buffer pool, and a contraction of three operands. Checks their results.
fn work(value: i64) {
    let x = Tensor::<i64, _>::full([300, 100], value);
    let sum = &x + &x * 3;
    assert!(sum.iter().all(|&y| y == 4 * value), "{value}");
    let row = Tensor::<i64, _>::ones([100]);
    let all = einsum!("ij,ik,k->j", &sum, &x, &row);
    assert!(all.iter().all(|&y| y == 300 * 100 * 4 * value * value), "{value}");
}

/// Runs operations whose large results use the buffer pool. A closure panics while a result is being computed.
fn work_and_die(value: i64, fuse: usize) {
    let x = Tensor::<i64, _>::from_fn([300, 100], |[i, j]| (i * 100 + j) as i64);
    let held = &x + value;
    let die = |x: i64| if x == fuse as i64 { panic_any(fuse) } else { x };
    drop(x.map(die) + held);
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn pools_survive_dying_threads() {
    const LIMIT: usize = 8 << 20;
    let _alone = Alone::new();
    Cpu::set_pool_limit(LIMIT);
    quietly(|| {
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let mut random = Random(seed() + thread);
                scope.spawn(move || {
                    for round in 0..15 {
                        let fuse = random.below(30_000);
                        let dies = std::thread::spawn(move || work_and_die(round, fuse));
                        work(round + thread as i64);
                        let died = dies.join().unwrap_err();
                        assert_eq!(*died.downcast::<usize>().unwrap(), fuse);
                        assert!(Cpu::pooled_bytes() <= LIMIT);
                    }
                });
            }
        });
    });
    work(7);
    let kept = Cpu::pooled_bytes();
    assert!(0 < kept && kept <= LIMIT, "{kept}");
    assert_eq!((Cpu::trim_pool(), Cpu::pooled_bytes()), (kept, 0));
}

#[test]
fn thread_pool_works_after_panics() {
    let _alone = Alone::new();
    let mut random = Random(seed());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let large = Tensor::<i64, _>::from_fn([1 << 18], |[i]| i as i64);
    for round in 0..20 {
        let fuse = random.below(1 << 18) as i64;
        let die = |x: i64| if x == fuse { panic_any(fuse) } else { x + round };
        let panic = quietly(|| catch_unwind(AssertUnwindSafe(|| pool.install(|| large.map(die)))));
        assert_eq!(*panic.unwrap_err().downcast::<i64>().unwrap(), fuse);
        let sum = pool.install(|| large.map(|x| x + round).sum().item());
        assert_eq!(sum, (1 << 17) * ((1 << 18) - 1) + (round << 18));
    }
    // Outside `install`, operations use the global thread pool. It must work after a panic, too.
    let panic =
        quietly(|| catch_unwind(|| Tensor::<i64, _>::ones([4 << 20]).map(|_| -> i64 { panic_any(1) })));
    assert!(panic.is_err());
    assert_eq!(Tensor::<i64, _>::ones([4 << 20]).map(|x| x + 1).sum().item(), 8 << 20);
}
