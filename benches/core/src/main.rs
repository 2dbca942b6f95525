//! Measures the memory bandwidth, and the fraction of it that each kernel achieves.
//!
//! The bandwidth is that of the faster of two hand-written loops: a copy, and a triad (`a = b + 2c`) with the widest non-temporal
//! stores of the machine. The vectors of these loops are far larger than most caches. The share of a kernel is the number of bytes
//! that it must read and write, each counted once, divided by its time and by the bandwidth. Ordinary stores also read each line
//! that is not in a cache (read for ownership). These reads are not counted, so a loop that avoids them has a larger share. A share
//! above 1 means that a part of the operands was still in a cache.
//!
//! `cargo run --release -p vierbein-benches -- [--quick] [--threads N] [plot.svg]`

mod by_hand;
mod kernels;
mod plot;
mod ways;

use indicatif::{ProgressBar, ProgressStyle};
use kernels::{Kernel, groups};
use rayon::ThreadPoolBuilder;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

/// The size of the operands, and the number of repetitions.
#[derive(Clone, Copy)]
struct Effort {
    /// Elements of a vector; matrices have about as many.
    elements: usize,
    /// Maximum number of times that each kernel is timed. The shortest time counts.
    rounds: usize,
    /// After this time, a kernel is not timed again.
    limit: Duration,
}

impl Effort {
    const FULL: Effort = Effort { elements: 10_000_000, rounds: 15, limit: Duration::from_millis(1000) };
    /// For a test run only. The vectors fit into the caches of many processors, so the computed fractions of the memory bandwidth say
    /// nothing.
    const QUICK: Effort = Effort { elements: 1 << 20, rounds: 3, limit: Duration::from_millis(100) };
}

/// The result for a kernel.
struct Found {
    name: String,
    time: Duration,
    /// Bytes per second.
    speed: f64,
}

/// Returns the shortest time of a kernel, after one warm-up call.
fn shortest(kernel: &mut Kernel, effort: Effort) -> Duration {
    (kernel.run)();
    let start = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || (times.len() < effort.rounds && start.elapsed() < effort.limit) {
        let start = Instant::now();
        (kernel.run)();
        times.push(start.elapsed());
    }
    times.into_iter().min().expect("one at least")
}

/// Times all kernels, beginning with the hand-written loops.
fn measure(effort: Effort) -> Result<Vec<Found>, Box<dyn Error + Send + Sync>> {
    let groups = groups(effort.elements);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg:24}")?;
    let bar = ProgressBar::new(groups.len() as u64).with_style(style);
    let mut found = Vec::new();
    for group in groups {
        for mut kernel in group() {
            bar.set_message(kernel.name.clone());
            let time = shortest(&mut kernel, effort);
            found.push(Found { speed: kernel.bytes as f64 / time.as_secs_f64(), name: kernel.name, time });
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(found)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let (mut effort, mut threads, mut path) = (Effort::FULL, 1, String::from("target/roofline.svg"));
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => effort = Effort::QUICK,
            "--threads" => threads = arguments.next().ok_or("how many threads?")?.parse()?,
            option if option.starts_with('-') => return Err(format!("there is no option {option}").into()),
            _ => path = argument,
        }
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let found = pool.install(|| measure(effort))?;
    let by_hand = found.iter().filter(|found| found.name.ends_with(by_hand::NAME));
    let bandwidth = by_hand.map(|found| found.speed).fold(0.0, f64::max);

    let megabytes = effort.elements * size_of::<f64>() / 1_000_000;
    println!("vectors of {} f64, {megabytes} MB; threads: {threads}\n", effort.elements);
    println!("{:24} {:>10} {:>8} {:>6}", "", "ms", "GB/s", "share");
    for Found { name, time, speed } in &found {
        let (ms, share) = (time.as_secs_f64() * 1e3, speed / bandwidth);
        println!("{name:24} {ms:10.3} {:8.2} {share:6.2}", speed * 1e-9);
    }
    if let Some(folder) = Path::new(&path).parent() {
        std::fs::create_dir_all(folder)?;
    }
    plot::shares(&path, bandwidth, &found)?;
    println!("\nplotted to {path}");
    Ok(())
}
