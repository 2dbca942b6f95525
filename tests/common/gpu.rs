//! Detects whether a GPU is available for tests, and runs tests in the CUDA emulator if there is no GPU.

#![allow(dead_code, reason = "not every test that shares this file needs all of it")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use vierbein::Cuda;

/// Returns whether a GPU, real or emulated, is available. If there is none, prints a message, or panics if `VIERBEIN_REQUIRE_GPU` is 1.
/// A test that gets `false` passes without running.
pub(crate) fn there() -> bool {
    match Cuda::<0>::new() {
        Ok(_) => true,
        Err(error) if required() => panic!("VIERBEIN_REQUIRE_GPU is 1, and {error}"),
        Err(error) => {
            println!("skipped: {error}");
            false
        }
    }
}

/// Returns whether this process was started by [`emulate`].
pub(crate) fn is_emulated() -> bool {
    std::env::var_os("VIERBEIN_EMULATOR_REPORT").is_some()
}

fn required() -> bool {
    std::env::var_os("VIERBEIN_REQUIRE_GPU").is_some_and(|value| value == "1")
}

/// Returns the seed of random tests: the value of `VIERBEIN_TEST_SEED` if it is set, a number from the current time if a GPU is
/// required, and otherwise 0.
pub(crate) fn seed() -> u64 {
    let fresh = || match std::time::UNIX_EPOCH.elapsed() {
        Ok(since) if required() => since.as_secs() * 1000,
        _ => 0,
    };
    std::env::var("VIERBEIN_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(fresh)
}

/// Builds the emulator. Returns its directory, or the reason why it cannot be built.
pub(crate) fn emulator() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda-emulator");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/build-cuda-emulator.sh");
    if !Path::new(script).exists() {
        return Err("this program was moved away from its sources".into());
    }
    fs::create_dir_all(&folder).unwrap();
    // The lock excludes other test programs, which may build the emulator at the same time.
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let built = match Command::new("bash").arg(script).arg(&folder).output() {
        Ok(built) => built,
        Err(error) => return Err(format!("bash does not start: {error}")),
    };
    match built.status.code() {
        Some(0) => Ok(folder),
        Some(3) => Err(text(&built)),
        _ => panic!("{}", text(&built)),
    }
}

/// Returns a command that runs this test program with the libraries in `folder`, instead of NVIDIA's. The directory contains all or
/// some libraries of the emulator.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    // The crate searches for the driver under several names and in several directories. For each name, it searches `folder` first.
    command.env("VIERBEIN_CUDA_LIB_DIR", folder).env("LD_LIBRARY_PATH", folder);
    // Turns the buffer pool off. Each request is then an allocation of the emulator, which fills it with NaN and detects accesses
    // out of bounds.
    command.env("VIERBEIN_CUDA_POOL_BYTES", "0");
    command.env("VIERBEIN_CUDA_CACHE_DIR", folder.join("kernels"));
    command.env("VIERBEIN_EMULATOR_CACHE", folder.join("objects"));
    command
}

/// Returns the directory of the emulator. If it cannot be built, prints the reason and returns `None`.
pub(crate) fn emulator_or_say() -> Option<PathBuf> {
    emulator().inspect_err(|why| println!("skipped: the CUDA emulator is not there: {why}")).ok()
}

/// Runs, in the emulator, those tests of this program whose names contain one of `names`, and none of `others`.
pub(crate) fn emulate(names: &[&str], others: &[&str]) {
    let Some(folder) = emulator_or_say() else { return };
    let mut program = program(&folder);
    program.args(names).args(others.iter().flat_map(|name| ["--skip", name]));
    program.env("VIERBEIN_REQUIRE_GPU", "1").env("VIERBEIN_EMULATOR_REPORT", "1");
    program.env("VIERBEIN_TEST_SEED", "0");
    let ran = program.output().unwrap();
    let text = text(&ran);
    assert!(ran.status.success(), "{text}");
    assert!(text.contains("CUDA emulator: 0 allocations are left"), "memory is not given back: {text}");
    for name in names {
        assert!(text.contains(&format!("test {name}")), "no tests are called {name}: {text}");
    }
}

/// Returns the standard output and standard error of a process.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}
