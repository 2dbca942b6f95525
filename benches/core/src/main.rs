//! How fast the memory of this machine is, and which share of that each kernel reaches.
//!
//! A copy and a triad (`a = b + 2c`) over vectors far larger than most caches, in loops written by hand with the widest
//! streaming stores that the machine has, are what memory allows; the faster of the two is the bandwidth. A kernel's share
//! is the bytes that it has to read and to write, counted once each, in the time that it takes. What a processor reads
//! besides, to write into a line of memory that it does not hold, is not counted: a loop that avoids it is faster for that.
//! A share above 1 is one of a kernel whose operands, in part, are still in a cache.
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

/// How much is done.
#[derive(Clone, Copy)]
struct Effort {
    /// Elements of a vector; matrices have about as many.
    elements: usize,
    /// How often each kernel is timed; its shortest time counts.
    rounds: usize,
    /// After so long a kernel is not timed again.
    limit: Duration,
}

impl Effort {
    const FULL: Effort = Effort { elements: 10_000_000, rounds: 15, limit: Duration::from_millis(1000) };
    /// To see that everything runs; vectors that fit into many caches.
    const QUICK: Effort = Effort { elements: 1 << 20, rounds: 3, limit: Duration::from_millis(100) };
}

/// What was found of a kernel.
struct Found {
    name: String,
    time: Duration,
    /// Bytes per second.
    speed: f64,
}

/// The shortest time of a kernel, after one call that touches its memory.
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

/// All kernels, those by hand first.
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
