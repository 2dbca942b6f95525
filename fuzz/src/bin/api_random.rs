//! Runs random programs of the safe API without a fuzzer: `api_random SEED COUNT [BYTES]`. The programs are the same on every
//! machine. `api_random --one SEED` runs one program again, and `api_random FILE` runs the bytes of a file.
//!
//! At the end it prints a table. For each operation, the table shows how often it succeeded, failed, and panicked as documented.

#[path = "../../../tests/common/random.rs"]
mod random;

use random::Random;
use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use vierbein_fuzz::api;

/// Maximum size of an allocation in bytes. The global allocator returns null for larger ones, as if memory were exhausted.
const LIMIT: usize = 64 << 20;
/// Requests of at least this size, in bytes, are due to hostile extents, and fail on every machine. Smaller requests above `LIMIT`
/// are unexpected. The largest one is reported at the end.
const ABSURD: usize = 1 << 44;

struct Limited;

static LARGEST: AtomicUsize = AtomicUsize::new(0);
static EXCESSIVE: AtomicUsize = AtomicUsize::new(0);
static REJECTED: AtomicUsize = AtomicUsize::new(0);

fn granted(bytes: usize) -> bool {
    if bytes > LIMIT {
        REJECTED.fetch_add(1, Ordering::Relaxed);
        if bytes < ABSURD {
            EXCESSIVE.fetch_max(bytes, Ordering::Relaxed);
        }
        return false;
    }
    LARGEST.fetch_max(bytes, Ordering::Relaxed);
    true
}

// SAFETY: each function forwards its arguments to `System`, which fulfils the contract of `GlobalAlloc`, or returns null, which reports a
// failure.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !granted(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller ensures the conditions of `GlobalAlloc::alloc` for `layout`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !granted(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller ensures the conditions of `GlobalAlloc::alloc_zeroed` for `layout`.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !granted(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller ensures the conditions of `GlobalAlloc::realloc`; `ptr` was allocated by `System`.
        unsafe { System.realloc(ptr, layout, size) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller ensures the conditions of `GlobalAlloc::dealloc`; `ptr` was allocated by `System`.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static MEMORY: Limited = Limited;

/// Returns the program that a seed generates, as `len` bytes.
fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut random = Random(seed);
    (0..len.div_ceil(8)).flat_map(|_| random.bits().to_le_bytes()).take(len).collect()
}

fn main() -> ExitCode {
    let all = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !api::panic_is_allowed() {
            all(info);
        }
    }));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| arguments.get(k).and_then(|text| text.parse::<u64>().ok());
    let len = number(2).unwrap_or(512) as usize;
    match (arguments.first().map(String::as_str), number(0), number(1)) {
        (Some("--one"), _, Some(seed)) => {
            api::run(&bytes(seed, len));
            ExitCode::SUCCESS
        }
        (_, Some(seed), Some(count)) => search(seed, count, len),
        (Some(path), ..) => {
            api::run(&std::fs::read(path).expect("the file can be read"));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: api_random SEED COUNT [BYTES] | --one SEED [BYTES] | FILE");
            ExitCode::FAILURE
        }
    }
}

/// Runs the programs of `count` consecutive seeds. [`report`] writes the current seed to a file, so that it is known even
/// if a program ends the process.
fn search(first: u64, count: u64, len: usize) -> ExitCode {
    let (began, mut findings) = (Instant::now(), 0);
    let mut slowest = (0, std::time::Duration::ZERO);
    for seed in first..first + count {
        // The generator is SplitMix64, whose streams for consecutive seeds are statistically independent.
        let program = bytes(seed, len);
        report::current(seed);
        let start = Instant::now();
        if std::panic::catch_unwind(|| api::run(&program)).is_err() {
            eprintln!("finding: seed {seed}");
            findings += 1;
        }
        let took = start.elapsed();
        if took > slowest.1 {
            slowest = (seed, took);
        }
        if seed % 100_000 == 99_999 {
            println!("{} programs in {:.0} s", seed - first + 1, began.elapsed().as_secs_f64());
        }
    }
    let counts = api::counts();
    println!("{:<52} {:>10} {:>10} {:>10}", "operation", "succeeded", "failed", "panicked");
    for (name, api::Counts { succeeded, failed, panicked }) in &counts {
        println!("{name:<52} {succeeded:>10} {failed:>10} {panicked:>10}");
    }
    let total = |of: fn(&api::Counts) -> u64| counts.values().map(of).sum::<u64>();
    println!(
        "{count} programs of {len} bytes from seed {first} in {:.0} s: {} calls of {} operations, of which {} succeeded, {} failed \
         and {} panicked as documented; {findings} findings",
        began.elapsed().as_secs_f64(),
        total(|c| c.succeeded + c.failed + c.panicked),
        counts.len(),
        total(|c| c.succeeded),
        total(|c| c.failed),
        total(|c| c.panicked),
    );
    println!(
        "largest allocation {} bytes; {} rejected beyond {LIMIT}, of which the largest that a machine might have served: {} bytes; \
         slowest program: seed {} in {:.3} s",
        LARGEST.load(Ordering::Relaxed),
        REJECTED.load(Ordering::Relaxed),
        EXCESSIVE.load(Ordering::Relaxed),
        slowest.0,
        slowest.1.as_secs_f64(),
    );
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes the seed of the current program to the file that `VIERBEIN_SEARCH_LOG` names, in case the process ends without a panic.
mod report {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::sync::OnceLock;

    pub(super) fn current(seed: u64) {
        static LOG: OnceLock<Option<File>> = OnceLock::new();
        let open =
            || Some(File::create(std::env::var_os("VIERBEIN_SEARCH_LOG")?).expect("the log can be made"));
        if let Some(log) = LOG.get_or_init(open) {
            log.write_all_at(format!("{seed:020}\n").as_bytes(), 0).expect("the log can be written");
        }
    }
}
