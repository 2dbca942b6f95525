//! What vierbein is measured against, and how: the rows of the table, their contenders, and a clock.
//!
//! `cargo run --release` prints the table; `cargo bench` runs the same rows under Criterion.

pub mod contender;
pub mod measure;
pub mod number;
pub mod problem;
pub mod rows;
mod strided;

pub use contender::{Library, Row};
pub use number::Number;
pub use problem::Problem;

use faer::Par;

/// Whether there is more than one thread: users of libraries that do not decide themselves would ask this.
fn parallel() -> bool {
    rayon::current_num_threads() > 1
}

/// The threads of the pool that this runs in, for faer.
fn par() -> Par {
    if parallel() { Par::rayon(rayon::current_num_threads()) } else { Par::Seq }
}
