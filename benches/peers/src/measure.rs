//! Times the implementations of a benchmark. They take turns, so that other load on the machine affects all of them equally.

use crate::implementation::{Contest, Library};
use std::time::{Duration, Instant};

/// The number and duration of samples.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Maximum number of rounds; each round takes one sample of each implementation.
    pub rounds: usize,
    /// Minimum duration of a sample. A sample repeats the call so often that it takes about this long.
    pub sample: Duration,
    /// Time after which a benchmark ends, if it has had at least three rounds.
    pub row: Duration,
}

impl Effort {
    /// Multiplies the number of rounds, and the time for them.
    pub fn longer(self, factor: u32) -> Effort {
        Effort { rounds: self.rounds * factor as usize, row: self.row * factor, ..self }
    }
}

/// The time of one call, in seconds. Not a [`Duration`], whose resolution is a nanosecond.
pub struct Time {
    pub library: Library,
    pub median: f64,
    /// The minimum of all samples. Unlike the median, it is still meaningful if other programs load the machine during more than
    /// half of the rounds.
    pub least: f64,
}

/// Returns the time of one call of each implementation of a benchmark.
pub fn times(row: &mut dyn Contest, effort: Effort) -> Vec<Time> {
    let libraries = row.libraries();
    let count = libraries.len();
    // For each implementation, the number of calls of a sample, and whether a call that is not timed precedes each sample.
    let mut repetitions = Vec::new();
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); count];
    for (which, samples) in samples.iter_mut().enumerate() {
        let mut times = 1;
        let mut time = sample(row, which, times);
        while time < effort.sample {
            times *= 2;
            time = sample(row, which, times);
        }
        // If three samples of one implementation would exceed the time for the benchmark, that implementation takes no part in the rounds.
        if time > effort.row / 3 {
            samples.push(time.as_secs_f64());
            times = 0;
        }
        repetitions.push((times, time / times.max(1) < MAX_WARMED));
    }
    let start = Instant::now();
    for round in 0..effort.rounds {
        if round >= 3 && start.elapsed() > effort.row {
            break;
        }
        for turn in 0..count {
            let which = (round + turn) % count;
            let (times, warm) = repetitions[which];
            if times == 0 {
                continue;
            }
            if warm {
                row.repeat(which, 1);
            }
            samples[which].push(sample(row, which, times).as_secs_f64() / f64::from(times));
        }
    }
    let mut found = Vec::new();
    for (library, mut samples) in libraries.into_iter().zip(samples) {
        samples.sort_by(f64::total_cmp);
        found.push(Time { library, median: samples[samples.len() / 2], least: samples[0] });
    }
    found
}

/// Maximum duration of a call before which caches are filled by a call that is not timed. Otherwise the first call of a sample would read
/// from memory what the previous implementation has evicted from the caches, and how much that is differs between implementations. Longer
/// calls take much longer than filling the caches.
const MAX_WARMED: Duration = Duration::from_millis(10);

fn sample(row: &mut dyn Contest, which: usize, times: u32) -> Duration {
    let start = Instant::now();
    row.repeat(which, times);
    start.elapsed()
}
