//! Prints the median time of each library, and vierbein's time as a multiple of the best peer's: once by the medians, once by
//! the minima.
//!
//! `cargo run --release -- [--rounds N] [--sample-ms N] [words that a row's name contains]`

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::time::Duration;
use vierbein::Complex;
use vierbein_peers::measure::{Effort, Time, times};
use vierbein_peers::{Library, Number, rows};

/// From here on vierbein counts as behind.
const BEHIND: f64 = 1.05;

fn main() {
    let mut effort = Effort { rounds: 15, sample: Duration::from_millis(5), row: Duration::from_secs(20) };
    let (mut words, mut arguments) = (Vec::new(), std::env::args().skip(1));
    while let Some(argument) = arguments.next() {
        let mut number =
            || -> u64 { arguments.next().and_then(|n| n.parse().ok()).expect("a number after the option") };
        match argument.as_str() {
            "--rounds" => effort.rounds = number().max(1) as usize,
            "--sample-ms" => effort.sample = Duration::from_millis(number()),
            _ => words.push(argument),
        }
    }
    let pools = [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("a pool of threads"));
    let mut behind = Vec::new();
    print!("| {:34} | type | threads |", "row");
    for library in Library::ALL {
        print!(" {:>10} |", library.name());
    }
    println!(" medians | minima |\n|---|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut reals = rows::all::<f64>();
    let mut complexes = rows::all::<Complex<f64>>();
    reals.retain(|entry| words.iter().all(|word| entry.name.contains(word)));
    complexes.retain(|entry| words.iter().all(|word| entry.name.contains(word)));
    for (real, complex) in reals.iter().zip(&complexes) {
        print(real, &pools, effort, &mut behind);
        print(complex, &pools, effort, &mut behind);
    }
    println!(
        "\nvierbein is behind (more than {BEHIND} of the best peer's time) in {} lines; by medians, by minima:",
        behind.len()
    );
    for line in behind {
        println!("- {line}");
    }
}

/// The lines of one row in one element type.
fn print<T: Number>(entry: &rows::Entry<T>, pools: &[ThreadPool], effort: Effort, behind: &mut Vec<String>) {
    let mut row = entry.row();
    for pool in pools {
        let threads = pool.current_num_threads();
        let times = pool.install(|| times(&mut row, effort));
        print!("| {:34} | {:4} | {threads:7} |", entry.name, T::NAME);
        for library in Library::ALL {
            let time = times.iter().find(|time| time.library == library);
            print!(" {:>10} |", time.map_or("—".into(), |time| shown(time.median)));
        }
        let (medians, minima) = (ratio(&times, |time| time.median), ratio(&times, |time| time.least));
        println!(" {medians:7.2} | {minima:6.2} |");
        if medians > BEHIND {
            behind.push(format!("{} {} {threads}: {medians:.2}, {minima:.2}", entry.name, T::NAME));
        }
    }
}

/// vierbein's time as a multiple of the best peer's.
fn ratio(times: &[Time], of: impl Fn(&Time) -> Duration) -> f64 {
    let (ours, peers): (Vec<_>, Vec<_>) = times.iter().partition(|time| time.library == Library::Vierbein);
    let best = peers.into_iter().map(&of).min().expect("a peer in each row");
    of(ours[0]).as_secs_f64() / best.as_secs_f64()
}

/// Three digits and a unit.
fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}
