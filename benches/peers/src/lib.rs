//! Benchmarks of vierbein against other libraries. Defines the problems, their implementation in each library, and the timing.
//!
//! `cargo run --release` prints the tables; `cargo bench` runs the same benchmarks under Criterion.

pub mod cpuid;
pub mod implementation;
mod limit;
pub mod machine;
pub mod measure;
mod memory;
pub mod number;
pub mod problem;
pub mod report;
pub mod rows;
mod strided;
#[path = "../../core/src/ways.rs"]
mod ways;

pub use implementation::{Library, Role, Row};
pub use number::{Contracted, Number, Real};
pub use problem::Problem;

use faer::Par;
use std::sync::OnceLock;
use std::time::Duration;
use strided_kernel::{Exec, Pool};

/// Returns whether the current rayon pool has more than one thread. Implementations call this function if the user of
/// their library must choose between serial and parallel functions.
fn parallel() -> bool {
    rayon::current_num_threads() > 1
}

/// Returns the execution mode of strided-kernel: its own pool, with as many threads as the current rayon pool, or a single thread.
fn exec() -> Exec<'static> {
    static POOL: OnceLock<Pool> = OnceLock::new();
    if !parallel() {
        return Exec::serial();
    }
    let threads = rayon::current_num_threads();
    // By default, the threads of strided-kernel spin for 200 ms after their work. This would slow down the implementation that is
    // timed next.
    let pool = POOL.get_or_init(|| {
        let pool = Pool::builder().threads(threads).idle_spin(Duration::from_micros(200));
        pool.build().expect("a pool of threads")
    });
    Exec::new(pool, threads).expect("a budget")
}

/// Returns the parallelism for faer: the threads of the current rayon pool.
fn par() -> Par {
    if parallel() { Par::rayon(rayon::current_num_threads()) } else { Par::Seq }
}
