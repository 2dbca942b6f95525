//! The rows of the table under Criterion, for their histories rather than for comparison.

use criterion::{Criterion, criterion_group, criterion_main};
use rayon::ThreadPoolBuilder;
use std::time::{Duration, Instant};
use vierbein::Complex;
use vierbein_peers::{Number, rows};

fn all<T: Number>(c: &mut Criterion) {
    // Criterion filters what it times; this filters what is built for it, which takes memory and is checked.
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    for entry in rows::all::<T>() {
        let group = |threads| format!("{} {} {threads}", entry.name, T::NAME);
        if [1, 2].iter().all(|&threads| !group(threads).contains(&filter)) {
            continue;
        }
        let mut row = entry.row();
        for threads in [1, 2] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
            let mut group = c.benchmark_group(group(threads));
            for (library, work) in &mut row.contenders {
                group.bench_function(library.name(), |bench| {
                    bench.iter_custom(|times| {
                        pool.install(|| {
                            let start = Instant::now();
                            work.repeat(u32::try_from(times).expect("a few repetitions"));
                            start.elapsed()
                        })
                    });
                });
            }
        }
    }
}

criterion_group! {
    name = contraction;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = all::<f64>, all::<Complex<f64>>
}
criterion_main!(contraction);
