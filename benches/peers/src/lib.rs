//! What vierbein is measured against, and how: the rows of the table, their contenders, and a clock.
//!
//! `cargo run --release` prints the table; `cargo bench` runs the same rows under Criterion.

pub mod contender;
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

pub use contender::{Library, Role, Row};
pub use number::{Contracted, Number, Real};
pub use problem::Problem;

use faer::Par;
use std::sync::OnceLock;
use std::time::Duration;
use strided_kernel::{Exec, Pool};

/// Whether there is more than one thread: users of libraries that do not decide themselves would ask this.
fn parallel() -> bool {
    rayon::current_num_threads() > 1
}

/// As many threads as the pool has that this runs in, for strided-kernel, which has its own.
fn exec() -> Exec<'static> {
    static POOL: OnceLock<Pool> = OnceLock::new();
    if !parallel() {
        return Exec::serial();
    }
    let threads = rayon::current_num_threads();
    // By default its threads spin for 200 ms after their work, which the contenders after it would have to pay for.
    let pool = POOL.get_or_init(|| {
        let pool = Pool::builder().threads(threads).idle_spin(Duration::from_micros(200));
        pool.build().expect("a pool of threads")
    });
    Exec::new(pool, threads).expect("a budget")
}

/// The threads of the pool that this runs in, for faer.
fn par() -> Par {
    if parallel() { Par::rayon(rayon::current_num_threads()) } else { Par::Seq }
}
