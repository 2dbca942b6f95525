//! Prints the median time of each library, and three ratios: vierbein's time divided by the times of the fastest other library, of
//! the reference loop, and of the fastest alternative computation with vierbein. Each ratio is given for the medians and for the
//! minima. [`HELP`] lists the options.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::time::Duration;
use vierbein_peers::cpuid::hide_avx512;
use vierbein_peers::implementation::Contest;
use vierbein_peers::machine;
use vierbein_peers::measure::{Effort, times};
use vierbein_peers::report::{Line, behind, head};
use vierbein_peers::rows::{Case, Group, groups};

const HELP: &str = "\
cargo run --release -- [options] [words that a row's name contains]
  --group NAME     contraction, memory, trace, small, operations, functions, join, choose,
                   order, fft or linalg; all of them unless given
  --type NAMES     f32, f64, c64, i32, i64, with commas in between; all of them unless given
  --threads N,M    numbers of threads; 1,2 unless given
  --rounds N       samples of each implementation; 15 unless given
  --sample-ms N    how long a sample takes at least; 5 unless given
  --row-s N        a line ends after this long, if it had three rounds; 20 unless given
  --list           the names of the rows, and no more
  --check          compares the implementations' results, and no more
  --hide-avx512    all libraries run as on a processor without AVX-512 (Linux, x86-64)
  --results FILE   writes the machine and the tables to FILE too, below its line that says so";

/// A line of the file of results. `--results` replaces the text below this line, and keeps the text above it.
const MARK: &str = "<!-- Written by `--results` from here on. -->";

/// A row in which another library is ahead is measured again after all tables, with this many times the rounds. With few rounds, other
/// load on the machine puts some rows on the list of those in which vierbein is behind. Such load lasts for seconds or minutes, so the
/// second measurement does not follow directly.
const AGAIN: u32 = 4;

struct Arguments {
    effort: Effort,
    threads: Vec<usize>,
    list: bool,
    check: bool,
    results: Option<String>,
}

/// Parses the command line. Returns the options and the selected benchmarks.
fn arguments() -> Result<(Arguments, Vec<Group>), Box<dyn Error>> {
    let mut asked = Arguments {
        effort: Effort { rounds: 15, sample: Duration::from_millis(5), row: Duration::from_secs(20) },
        threads: vec![1, 2],
        list: false,
        check: false,
        results: None,
    };
    let mut groups = Vec::from(groups());
    let (mut types, mut words) = (None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n{HELP}"));
        match argument.as_str() {
            "--group" => {
                let name = value()?;
                groups.retain(|group| group.name == name);
            }
            "--type" => types = Some(value()?),
            "--threads" => {
                asked.threads = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            "--rounds" => asked.effort.rounds = value()?.parse::<usize>()?.max(1),
            "--sample-ms" => asked.effort.sample = Duration::from_millis(value()?.parse()?),
            "--row-s" => asked.effort.row = Duration::from_secs(value()?.parse()?),
            "--results" => asked.results = Some(value()?),
            "--list" => asked.list = true,
            "--check" => asked.check = true,
            "--hide-avx512" => hide_avx512().map_err(|error| format!("cannot hide AVX-512: {error}"))?,
            option if option.starts_with('-') => return Err(HELP.into()),
            _ => words.push(argument),
        }
    }
    for group in &mut groups {
        group.cases.retain(|case| {
            words.iter().all(|word| case.name.contains(word))
                && types.as_ref().is_none_or(|types| types.split(',').any(|name| name == case.of))
        });
    }
    groups.retain(|group| !group.cases.is_empty());
    Ok((asked, groups))
}

/// Builds a benchmark, and compares the results of its implementations.
///
/// The benchmark is built again for each measurement, because implementations may depend on the number of threads, and because the
/// place of the operands in memory has an influence on some times. The new outputs contain zeros, so the check does not see results of an
/// earlier run.
fn checked(case: &Case, pool: &ThreadPool) -> Box<dyn Contest> {
    let mut contest = case.contest();
    pool.install(|| contest.check());
    contest
}

fn measured(case: &Case, pool: &ThreadPool, effort: Effort) -> Line {
    let mut contest = checked(case, pool);
    Line {
        name: case.name.clone(),
        of: case.of,
        threads: pool.current_num_threads(),
        times: pool.install(|| times(&mut *contest, effort)),
    }
}

/// Returns what the lines of a table measure.
fn lines<'a>(group: &'a Group, pools: &'a [ThreadPool]) -> impl Iterator<Item = (&'a Case, &'a ThreadPool)> {
    group.cases.iter().flat_map(move |case| pools.iter().map(move |pool| (case, pool)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (asked, groups) = arguments()?;
    let pools = asked.threads.iter().map(|&threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let pools: Vec<_> = pools.collect::<Result<_, _>>()?;
    if asked.list || asked.check {
        for group in &groups {
            for case in &group.cases {
                println!("{}: {} {}", group.name, case.name, case.of);
                for pool in pools.iter().filter(|_| asked.check) {
                    checked(case, pool);
                }
            }
        }
        return Ok(());
    }

    let mut tables = Vec::new();
    for group in &groups {
        println!("\n## {}\n\n{}", group.name, head(group.columns));
        let mut table = Vec::new();
        for (case, pool) in lines(group, &pools) {
            let line = measured(case, pool, asked.effort);
            println!("{}", line.markdown(group.columns));
            table.push(line);
        }
        tables.push(table);
    }
    println!("\n## Measured again\n");
    for (group, table) in groups.iter().zip(&mut tables) {
        for ((case, pool), line) in lines(group, &pools).zip(table).filter(|(_, line)| line.is_behind()) {
            *line = measured(case, pool, asked.effort.longer(AGAIN));
            println!("{}", line.markdown(group.columns));
        }
    }

    let behind = behind(tables.iter().flatten());
    println!("\n{behind}");
    if let Some(file) = asked.results {
        let mut results = format!("{MARK}\n\n## The machine\n\n{}", machine::description());
        for (group, table) in groups.iter().zip(&tables) {
            results += &format!("\n## {}\n\n{}\n", group.name, head(group.columns));
            for line in table {
                results += &(line.markdown(group.columns) + "\n");
            }
        }
        let text = std::fs::read_to_string(&file)?;
        let kept = text.split(MARK).next().unwrap_or_default();
        std::fs::write(file, format!("{kept}{results}\n{behind}"))?;
    }
    Ok(())
}
