//! Benchmarks on a GPU. Each case is compared with a reference: operations that are bound by memory bandwidth with a plain copy
//! that is timed in the same run, matrix products with cuBLAS called directly, and small operations with a target time.
//!
//! Every result is compared with the host's result before the case is timed. A measurement queues many calls, about ten
//! milliseconds of work, between two CUDA events. The measured time is that of the GPU, or of the host if launching kernels
//! takes longer. The output is a table, and a line of JSON for each case.
//!
//! `cargo run --release --features cuda --example gpu_bench -- [--quick] [--once] [--rounds N] [--seconds N] [--dtype f64] [FILTER]`
//!
//! A case runs if its name contains the filter, or one of its parts if it has several, separated by `|`.
//!
//! `--quick` uses small sizes to check that everything runs; its times mean nothing. `--once` runs each case once, without checks
//! and times, for a profiler. After `--seconds`, no further case starts; the number of skipped cases is printed at the end.

mod cases;
mod clock;
mod direct;
mod first_use;

use clock::Clock;
use std::cell::Cell;
use std::error::Error;
use std::time::{Duration, Instant};
use vierbein::{Complex, Cuda};

/// The reference that a case is compared with.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    /// The bandwidth of a copy of large vectors. A case is rated by the number of bytes that it reads and writes.
    Copy,
    /// The time of cuBLAS for the same product. A case is rated by its number of floating-point operations.
    Blas,
    /// A target time in microseconds.
    Time(f64),
}

/// The settings and the state of a run of the benchmarks.
pub(crate) struct Bench {
    pub(crate) clock: Clock,
    pub(crate) quick: bool,
    /// Whether each case runs only once, for a profiler.
    pub(crate) once: bool,
    rounds: usize,
    filter: Option<String>,
    dtype: Option<String>,
    /// After this time, no further case starts.
    end: Option<Instant>,
    /// The number of cases skipped for lack of time.
    late: Cell<usize>,
    /// The memory of the GPU in bytes.
    memory: usize,
    /// The rate of a copy of large vectors, in bytes per second.
    copy: f64,
    failed: usize,
}

impl Bench {
    fn new() -> Result<Bench, Box<dyn Error>> {
        let (_, memory) = Cuda::<0>::new()?.memory()?;
        let mut bench = Bench {
            clock: Clock::new()?,
            quick: false,
            once: false,
            rounds: 7,
            filter: None,
            dtype: None,
            end: None,
            late: Cell::new(0),
            memory,
            copy: 0.0,
            failed: 0,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => bench.quick = true,
                "--once" => bench.once = true,
                "--rounds" => bench.rounds = arguments.next().ok_or("--rounds N")?.parse()?,
                "--dtype" => bench.dtype = Some(arguments.next().ok_or("--dtype f64")?),
                "--seconds" => {
                    let seconds = arguments.next().ok_or("--seconds N")?.parse()?;
                    bench.end = Some(Instant::now() + Duration::from_secs(seconds));
                }
                filter => bench.filter = Some(filter.to_string()),
            }
        }
        if bench.quick {
            bench.rounds = 1;
        }
        Ok(bench)
    }

    /// Returns the extent, or a small one with `--quick`.
    pub(crate) fn size(&self, full: usize) -> usize {
        if self.quick { full.min(40 + full % 7) } else { full }
    }

    /// Returns whether operands and results of `bytes` fit in memory. If not, prints that the case is skipped.
    pub(crate) fn fits(&self, what: &str, bytes: usize) -> bool {
        let fits = bytes <= self.memory / 10 * 9;
        if !fits {
            println!("{what}: skipped: they need {:.1} GiB", bytes as f64 / (1u64 << 30) as f64);
        }
        fits
    }

    /// Returns whether a case is to run: its name contains a part of the filter, and there is time left. Counts the cases that are skipped for lack
    /// of time.
    pub(crate) fn wanted(&self, name: &str) -> bool {
        let named =
            self.filter.as_ref().is_none_or(|filter| filter.split('|').any(|part| name.contains(part)));
        let late = named && self.end.is_some_and(|end| Instant::now() > end);
        self.late.set(self.late.get() + usize::from(late));
        named && !late
    }

    fn has(&self, dtype: &str) -> bool {
        self.dtype.as_ref().is_none_or(|wanted| wanted == dtype)
    }

    /// Returns the time of one call in seconds: the median and the minimum of several rounds, each with many queued calls.
    pub(crate) fn time(&self, mut run: impl FnMut()) -> Result<[f64; 2], Box<dyn Error>> {
        run();
        let once = self.clock.seconds(1, &mut run)?;
        let calls = if self.quick { 2 } else { ((0.01 / once) as usize).clamp(5, 2000) };
        let mut times = Vec::new();
        for _ in 0..self.rounds {
            times.push(self.clock.seconds(calls, &mut run)? / calls as f64);
        }
        times.sort_by(f64::total_cmp);
        Ok([times[times.len() / 2], times[0]])
    }

    /// Prints the result of a case. `amount` is the number of bytes or operations, and `against` the time of cuBLAS for
    /// [`Limit::Blas`].
    pub(crate) fn report(
        &mut self,
        name: &str,
        dtype: &str,
        amount: f64,
        limit: Limit,
        [median, shortest]: [f64; 2],
        against: Option<f64>,
    ) {
        let rate = amount / median;
        let (unit, rate, share) = match limit {
            Limit::Copy => ("GB/s", rate / 1e9, (self.copy > 0.0).then(|| rate / self.copy)),
            Limit::Blas => ("TFLOP/s", rate / 1e12, against.map(|time| time / median)),
            Limit::Time(us) => ("GB/s", rate / 1e9, Some(us / (median * 1e6))),
        };
        let of = match limit {
            Limit::Copy => "of a copy".into(),
            Limit::Blas => "of cuBLAS".into(),
            Limit::Time(us) => format!("of {us} µs"),
        };
        let shown = share.map_or("      ".into(), |share| format!("{:5.1}%", 100.0 * share));
        println!("{name:<34} {dtype:<12} {:>10.2} µs {rate:>9.1} {unit:<7} {shown} {of}", median * 1e6);
        let json = serde_json::json!({
            "case": name, "dtype": dtype, "us": median * 1e6, "us_min": shortest * 1e6,
            "rate": rate, "unit": unit, "share": share, "limit": of,
        });
        println!("{json}");
    }

    /// Prints that a result differs from the host's, and counts the failure.
    pub(crate) fn wrong(&mut self, name: &str, dtype: &str, why: &str) {
        self.failed += 1;
        println!("{name:<34} {dtype:<12} WRONG: {why}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os(first_use::CHILD).is_some() {
        return first_use::child();
    }
    let mut bench = Bench::new()?;
    let (free, total) = Cuda::<0>::new()?.memory()?;
    println!(
        "{:.1} of {:.1} GiB of memory free",
        free as f64 / (1u64 << 30) as f64,
        total as f64 / (1u64 << 30) as f64
    );
    if !bench.once {
        bench.copy = direct::copy(&bench)?;
        println!("a copy: {:.1} GB/s, read and written", bench.copy / 1e9);
        println!("{}", serde_json::json!({ "case": "a copy", "rate": bench.copy / 1e9, "unit": "GB/s" }));
        if bench.wanted("first use") {
            first_use::report(&bench)?;
        }
    }
    if bench.has("f64") {
        cases::rows::<f64>(&mut bench)?;
        cases::rows_of_reals::<f64>(&mut bench)?;
    }
    if bench.has("f32") {
        cases::rows::<f32>(&mut bench)?;
        cases::rows_of_reals::<f32>(&mut bench)?;
    }
    if bench.has("c64") {
        cases::rows::<Complex<f64>>(&mut bench)?;
    }
    if bench.late.get() > 0 {
        println!("{} cases were left out: the time was over", bench.late.get());
    }
    if bench.failed > 0 {
        return Err(format!("{} results were wrong", bench.failed).into());
    }
    Ok(())
}
