//! Benchmarks of vierbein alone: each for `f32`, `f64` and, unless it needs ordered elements, `Complex<f64>`, on one and on two threads.
//! Results are compared with a naive loop before they are timed. `benches/peers` compares the same benchmarks with other libraries.
//!
//! `cargo bench -p vierbein-benches` takes a quarter of an hour. `-- 'transpose 4000² into/f64/1'` runs the benchmarks whose names
//! contain this text.

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
