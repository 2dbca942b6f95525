//! Tests of the errors that occur if the driver, a GPU, the compiler or cuBLAS is missing. An error must name what was searched for,
//! where, and the fix. Nothing may panic. If cuFFT or cuSOLVER is missing, the host computes Fourier transforms or decompositions.
//!
//! A process detects the libraries only once, so each case runs in a child process. The child process runs this program with some of
//! the CUDA emulator's libraries.

use crate::gpu;
use std::fs;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use vierbein::prelude::*;
use vierbein::{Cuda, Error};

const PRINTS_LIBRARIES: &str = "VIERBEIN_TEST_PRINTS_LIBRARIES";

/// Runs in the child processes of the other tests. Tries operations that need a GPU. For each operation, prints that it succeeded, or
/// its error.
#[test]
fn print_libraries() {
    if std::env::var_os(PRINTS_LIBRARIES).is_none() {
        return;
    }
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    say("new", Cuda::<0>::new());
    say("to_device", x.to_device::<Cuda>());
    say("try_zeros", Tensor::<f64, _, RowMajor, Cuda>::try_zeros([2]));
    say("Cuda<1>", Cuda::<1>::new());
    say("Cuda<5>", x.to_device::<Cuda<5>>());
    say("Cuda<4095>", Cuda::<4095>::new());
    let panicked = catch_unwind(|| drop(Tensor::<f64, _, RowMajor, Cuda>::zeros([2])));
    let message = panicked.err().map(|payload| *payload.downcast::<String>().expect("a message"));
    println!("\nzeros: {}", message.as_deref().unwrap_or("there"));
    if let Ok(y) = x.to_device::<Cuda>() {
        say("try_matmul", y.try_matmul(&y));
        #[cfg(feature = "fft")]
        say("try_fft", y.try_fft(0));
        #[cfg(feature = "linalg")]
        say("try_svd", y.try_svd());
        #[cfg(feature = "linalg")]
        say("try_solve_as", y.try_solve_as(vierbein::linalg::Structure::Lower { unit: true }, &y));
        say(
            "add",
            catch_unwind(AssertUnwindSafe(|| drop(&y + &y)))
                .map_err(|_| Error::Spec { reason: "panicked".into() }),
        );
    }
}

fn say<T>(what: &str, result: Result<T, Error>) {
    match result {
        Ok(_) => println!("\n{what}: there"),
        Err(error) => {
            // Formatting must not panic, whatever the error contains.
            assert!(
                !format!("{error:?} {error:#?} {}", Error::Spec { reason: error.to_string() }).is_empty()
            );
            println!("\n{what}: {error}");
        }
    }
}

/// The output of a child process: one line per operation, with its name and its result.
struct Said(String);

impl Said {
    fn by(command: &mut Command) -> Said {
        // The child must not find kernels that an earlier process has compiled and cached, so its cache is turned off.
        let command =
            command.args(["--exact", "missing::print_libraries", "--nocapture"]).env(PRINTS_LIBRARIES, "1");
        let output = command.env("VIERBEIN_CUDA_CACHE_DIR", "").output().unwrap();
        let said = gpu::text(&output);
        assert!(output.status.success(), "{said}");
        Said(said)
    }

    #[track_caller]
    fn of(&self, what: &str) -> &str {
        let line = self.0.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("nothing of {what} in {}", self.0))
    }

    /// Asserts that for each operation in `ways`, the child has printed an error that contains all `words`.
    #[track_caller]
    fn refuses(&self, ways: &[&str], words: &[&str]) {
        for way in ways {
            let said = self.of(way);
            for word in words {
                assert!(said.contains(word), "{way}: no {word:?} in {said:?}");
            }
        }
    }
}

const ALL: [&str; 4] = ["new", "to_device", "try_zeros", "zeros"];

/// Returns a directory with links to some of the emulator's libraries, or `None` if the emulator cannot be built.
fn folder(name: &str, libraries: &[&str]) -> Option<PathBuf> {
    let emulator = match gpu::emulator() {
        Ok(folder) => folder,
        Err(why) => {
            println!("skipped: the CUDA emulator is not there: {why}");
            return None;
        }
    };
    Some(linked(name, &emulator, libraries))
}

fn linked(name: &str, from: &Path, files: &[&str]) -> PathBuf {
    // The links are in the build's directory for temporary files. If the program was built on another machine, that directory may not
    // exist. Then the links are in the system's directory for temporary files.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let base = if built.exists() { built.into() } else { std::env::temp_dir() };
    let folder = base.join("cuda-missing").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for file in files {
        symlink(from.join(file), folder.join(file)).unwrap();
    }
    folder
}

#[test]
fn no_driver() {
    let folder = linked("driver", Path::new("/"), &[]);
    let said = Said::by(&mut gpu::program(&folder));
    if said.of("new") == "there" || !said.of("new").contains("libcuda") {
        return println!("skipped: the system has a driver of its own: {}", said.of("new"));
    }
    let place = format!("VIERBEIN_CUDA_LIB_DIR ({})", folder.display());
    said.refuses(
        &ALL,
        &[
            "Cuda<0> is not available: ",
            "`libcuda.so.1`",
            &place,
            "the loader's search path",
            "driver",
            "`Cpu`",
        ],
    );
    said.refuses(&["Cuda<1>"], &["Cuda<1> is not available: ", "`libcuda.so.1`"]);
    said.refuses(&["Cuda<4095>"], &["Cuda<4095> is not available: ", "`libcuda.so.1`"]);
    // If `VIERBEIN_CUDA_LIB_DIR` is not set, the message says so.
    let said = Said::by(gpu::program(&folder).env_remove("VIERBEIN_CUDA_LIB_DIR"));
    said.refuses(&ALL, &["VIERBEIN_CUDA_LIB_DIR (not set)"]);
}

#[test]
fn no_gpu() {
    let Some(folder) = folder("gpu", &["libcuda.so", "libcuda.so.1"]) else { return };
    let said = Said::by(gpu::program(&folder).env("VIERBEIN_EMULATOR_DEVICES", "0"));
    said.refuses(&ALL, &["Cuda<0> is not available: ", "the driver found no usable GPU", "`Cpu`"]);
    said.refuses(&["Cuda<1>", "Cuda<5>", "Cuda<4095>"], &["no usable GPU"]);
}

#[test]
fn no_compiler() {
    let Some(folder) = folder("compiler", &["libcuda.so", "libcuda.so.1"]) else { return };
    let said = Said::by(&mut gpu::program(&folder));
    if said.of("new") == "there" {
        return println!("skipped: the system has a run-time compiler of its own");
    }
    let place = format!("VIERBEIN_CUDA_LIB_DIR ({})", folder.display());
    said.refuses(&ALL, &["Cuda<0> is not available: ", "`libnvrtc.so.13`", &place, "NVRTC", "`Cpu`"]);
}

#[test]
fn no_cublas() {
    let Some(folder) =
        folder("cublas", &["libcuda.so", "libcuda.so.1", "libnvrtc.so", "libnvrtc.so.13", "kernel"])
    else {
        return;
    };
    let said = Said::by(&mut gpu::program(&folder));
    for way in ALL.iter().chain(&["add"]) {
        assert_eq!(said.of(way), "there", "{way}");
    }
    if cfg!(feature = "fft") {
        assert_eq!(said.of("try_fft"), "there", "without cuFFT, the host transforms");
    }
    if cfg!(feature = "linalg") {
        for way in ["try_svd", "try_solve_as"] {
            assert_eq!(said.of(way), "there", "without cuSOLVER and cuBLAS, the host computes {way}");
        }
    }
    if said.of("try_matmul") == "there" {
        return println!("skipped: the system has cuBLAS");
    }
    said.refuses(&["try_matmul"], &["Cuda<0>", "`libcublas.so.13`", "VIERBEIN_CUDA_LIB_DIR", "`Cpu`"]);
}

#[test]
fn missing_device_index_is_error() {
    let Some(folder) = gpu::emulator_or_say() else { return };
    let said = Said::by(&mut gpu::program(&folder));
    for way in ALL.iter().chain(&["add", "try_matmul"]) {
        assert_eq!(said.of(way), "there", "{way}");
    }
    said.refuses(&["Cuda<1>"], &["Cuda<1> is not available: ", "no GPU 1", "only `Cuda<0>`"]);
    said.refuses(&["Cuda<5>"], &["Cuda<5> is not available: ", "no GPU 5", "only `Cuda<0>`"]);
    said.refuses(&["Cuda<4095>"], &["no GPU 4095", "only `Cuda<0>`"]);
    let said = Said::by(gpu::program(&folder).env("VIERBEIN_EMULATOR_DEVICES", "3"));
    assert_eq!(said.of("Cuda<1>"), "there");
    said.refuses(&["Cuda<5>"], &["no GPU 5", "`Cuda<0>` to `Cuda<2>`"]);
}

/// If a GPU is newer than NVRTC, NVRTC compiles to PTX, which the driver compiles further. If NVRTC no longer supports the GPU's
/// architecture, that is an error.
#[test]
fn unknown_compute_capability() {
    let Some(folder) = gpu::emulator_or_say() else { return };
    let said = Said::by(gpu::program(&folder).env("VIERBEIN_EMULATOR_CAPABILITY", "135"));
    assert_eq!((said.of("new"), said.of("add")), ("there", "there"));
    let said = Said::by(gpu::program(&folder).env("VIERBEIN_EMULATOR_CAPABILITY", "61"));
    let old = format!("{} {}", said.of("new"), said.0);
    assert!(old.contains("sm_61"), "{old}");
}

/// If the compiler cannot compile a kernel, the operation that needs the kernel returns an error.
#[test]
fn compiler_failure_is_error() {
    let Some(folder) = gpu::emulator_or_say() else { return };
    let objects = folder.join("no-objects");
    let _ = fs::remove_dir_all(&objects);
    let said =
        Said::by(gpu::program(&folder).env("CXX", "/nowhere/c++").env("VIERBEIN_EMULATOR_CACHE", &objects));
    said.refuses(&["new", "to_device"], &["there"]);
    assert!(said.0.contains("there is no C++ compiler: /nowhere/c++"), "{}", said.0);
}
