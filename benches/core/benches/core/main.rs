//! What the crate does, without comparison: each row in `f32`, `f64` and `Complex<f64>` where it can be, on one and on two
//! threads, compared with its definition before it is timed. `benches/peers` has the same rows beside other libraries.
//!
//! `cargo bench -p vierbein-benches` takes a quarter of an hour; with `-- 'transpose 4000² into/f64/1'` it has what its name contains.

#[path = "../../src/ways.rs"]
mod ways;

mod contraction;
mod elementwise;
mod permute;
mod reduce;
mod suite;
mod trace;

use criterion::{Criterion, criterion_group, criterion_main};
use std::time::Duration;
use suite::{Number, Suite};
use vierbein::Complex;

fn all(c: &mut Criterion) {
    let mut suite = Suite::new(c);
    any::<f64>(&mut suite);
    reduce::of_reals::<f64>(&mut suite);
    any::<f32>(&mut suite);
    reduce::of_reals::<f32>(&mut suite);
    any::<Complex<f64>>(&mut suite);
}

fn any<T: Number>(suite: &mut Suite<'_>) {
    elementwise::rows::<T>(suite);
    permute::rows::<T>(suite);
    reduce::rows::<T>(suite);
    trace::rows::<T>(suite);
    contraction::rows::<T>(suite);
}

criterion_group! {
    name = core;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = all
}
criterion_main!(core);
