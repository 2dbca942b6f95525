//! Benchmarks of vierbein alone. Each runs for `f32`, `f64` and, unless it needs ordered elements, `Complex<f64>`, on one and on
//! two threads. The result of each benchmark is compared with a naive loop before the benchmark is timed. `benches/peers` has
//! similar benchmarks of vierbein and other libraries.
//!
//! `cargo bench -p vierbein-benches` takes a quarter of an hour. With `-- 'transpose 4000² into/f64/1'`, it runs only the
//! benchmarks whose names contain this text.

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
