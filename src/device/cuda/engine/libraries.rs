//! Where CUDA's libraries are: the driver, the compiler and cuBLAS are looked for at run time, and none of them has to be there.
//!
//! A call through cudarc panics where its library is missing. Nothing is called before it was found here.

use cudarc::{cublas, driver, nvrtc};
use libloading::Library;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder whose libraries are loaded first, for all who ask for them by the same name. Who asks for another name, as for one
/// without a version, gets what the loader finds under it.
const FOLDER: &str = "VIERBEIN_CUDA_LIB_DIR";
/// Where the loader does not look by itself, but installations put libraries.
const USUAL: [&str; 3] =
    ["/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib", "/usr/lib/x86_64-linux-gnu"];

/// Needed by the others, which ask for them by name alone, and therefore loaded before them.
const ORDER: [&str; 5] =
    ["libcuda.so", "libnvrtc-builtins.so", "libnvrtc.so", "libcublasLt.so", "libcublas.so"];

/// The newest functions that are called of each library: one that has them has the others.
const OF_DRIVER: &[&str] = &["cuMemAllocAsync", "cuMemPoolTrimTo"];
const OF_COMPILER: &[&str] = &["nvrtcGetCUBIN", "nvrtcGetSupportedArchs"];
const OF_BLAS: &[&str] = &["cublasDgemm_v2_64", "cublasZgemmStridedBatched_64"];

/// Whether the driver's library is there.
pub(super) fn driver() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            load_from_folder();
            // SAFETY: loads a library of NVIDIA's, or none.
            match unsafe { driver::sys::is_culib_present() } {
                // SAFETY: as above; it is there.
                true => check(
                    "libcuda.so.1",
                    unsafe { driver::sys::culib() },
                    OF_DRIVER,
                    "install a newer driver",
                ),
                false => Err(missing("libcuda.so.1", "install NVIDIA's driver")),
            }
        })
        .clone()
}

/// Whether the run-time compiler is there, and what it needs.
pub(super) fn compiler() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            load_from_folder();
            // SAFETY: loads a library of NVIDIA's, or none.
            if !unsafe { nvrtc::sys::is_culib_present() } {
                load_usual("libnvrtc.so");
            }
            // SAFETY: as above.
            if !unsafe { nvrtc::sys::is_culib_present() } {
                return Err(missing("libnvrtc.so.13", "install CUDA's run-time compiler (NVRTC)"));
            }
            // SAFETY: as above; it is there.
            let library = unsafe { nvrtc::sys::culib() };
            check("libnvrtc.so.13", library, OF_COMPILER, "install that of CUDA 13")?;
            // It loads its second half by name from wherever the loader looks, which need not be where it lies itself.
            if let Some(folder) = folder_of("libnvrtc.so") {
                load_all(&folder, "libnvrtc-builtins.so");
            }
            Ok(())
        })
        .clone()
}

/// Whether cuBLAS is there.
pub(super) fn blas() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            load_from_folder();
            // SAFETY: loads a library of NVIDIA's, or none.
            if !unsafe { cublas::sys::is_culib_present() } {
                load_usual("libcublasLt.so");
                load_usual("libcublas.so");
            }
            // SAFETY: as above.
            match unsafe { cublas::sys::is_culib_present() } {
                // SAFETY: as above; it is there.
                true => check(
                    "libcublas.so.13",
                    unsafe { cublas::sys::culib() },
                    OF_BLAS,
                    "install that of CUDA 13",
                ),
                false => Err(missing("libcublas.so.13", "install cuBLAS")),
            }
        })
        .clone()
}

/// Whether a library is new enough: a call of what it lacks would panic.
fn check(name: &str, library: &Library, functions: &[&str], remedy: &str) -> Result<(), String> {
    for function in functions {
        // SAFETY: only looked up.
        if unsafe { library.get::<*const ()>(function.as_bytes()) }.is_err() {
            return Err(format!(
                "`{name}` is too old: it has no `{function}`; {remedy}, or compute on `Cpu`"
            ));
        }
    }
    Ok(())
}

fn missing(library: &str, remedy: &str) -> String {
    let folder = match std::env::var_os(FOLDER) {
        Some(folder) => format!("{FOLDER} ({})", folder.display()),
        None => format!("{FOLDER} (not set)"),
    };
    format!(
        "`{library}` was not found in {folder} nor where the system's loader looks; {remedy}, or compute on `Cpu`"
    )
}

/// Loads what is in the folder that the environment names.
fn load_from_folder() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        if let Some(folder) = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
            for name in ORDER {
                load_all(Path::new(&folder), name);
            }
        }
    });
}

fn load_usual(name: &str) {
    for folder in USUAL {
        load_all(Path::new(folder), name);
    }
}

/// Loads the libraries of a folder whose names begin so, for good and for all: others that ask for one of them by its name
/// get it.
fn load_all(folder: &Path, name: &str) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let file = entry.file_name();
        if file
            .to_str()
            .is_some_and(|file| file == name || file.strip_prefix(name).is_some_and(|v| v.starts_with('.')))
        {
            keep_loaded(&entry.path());
        }
    }
}

/// Loads a library, if it can be, for others of this process to find by its name.
#[cfg(unix)]
fn keep_loaded(path: &Path) {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: loads a library of NVIDIA's from a folder that the user or the system's convention named.
    if let Ok(library) = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
        std::mem::forget(library);
    }
}

/// Other systems look for libraries on their search paths alone.
#[cfg(not(unix))]
fn keep_loaded(_: &Path) {}

/// Where a library that this process has loaded lies.
fn folder_of(name: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps
        .lines()
        .filter_map(|line| line.find('/').map(|at| &line[at..]))
        .find(|path| path.contains(name))?;
    Path::new(path).parent().map(PathBuf::from)
}
