//! Runs the benchmarks of [`vierbein_peers::rows`] under Criterion, which compares the times with those of the previous run.

use criterion::{Criterion, criterion_group, criterion_main};
use rayon::ThreadPoolBuilder;
use std::time::{Duration, Instant};
use vierbein_peers::rows::groups;

fn all(c: &mut Criterion) {
    // Criterion applies the name filter of the command line only to what it times. Applying it here, too, avoids building and checking
    // operands that are not used.
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    for case in groups().into_iter().flat_map(|group| group.cases) {
        let name = |threads| format!("{} {} {threads}", case.name, case.of);
        if [1, 2].iter().all(|&threads| !name(threads).contains(&filter)) {
            continue;
        }
        for threads in [1, 2] {
            let mut contest = case.contest();
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
            pool.install(|| contest.check());
            let mut group = c.benchmark_group(name(threads));
            for (which, library) in contest.libraries().into_iter().enumerate() {
                group.bench_function(library.name(), |bench| {
                    bench.iter_custom(|times| {
                        pool.install(|| {
                            let start = Instant::now();
                            contest.repeat(which, u32::try_from(times).expect("a few repetitions"));
                            start.elapsed()
                        })
                    });
                });
            }
        }
    }
}

criterion_group! {
    name = rows;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = all
}
criterion_main!(rows);
