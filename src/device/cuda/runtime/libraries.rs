//! Finds CUDA's libraries at run time: the driver, the compiler (NVRTC), cuBLAS, cuFFT and cuSOLVER. Each of them may be missing.
//!
//! A call through cudarc panics if its library is missing. So the engine first calls the function of this module that looks for the
//! library. If it is missing, `driver`, `compiler` and `blas` return an error, and `fft` and `solver` return `false`.

use cudarc::{cublas, driver, nvrtc};
use libloading::Library;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Environment variable with the path of a directory. The libraries in the directory are loaded first. If this process later requests a
/// library by exactly the same file name, the loader returns the loaded library. If the process requests another name, such as
/// `libcublas.so` instead of `libcublas.so.12`, the loader searches as usual.
const FOLDER: &str = "VIERBEIN_CUDA_LIB_DIR";
/// Directories in which installations put CUDA's libraries, but in which not every loader searches.
const USUAL: [&str; 3] =
    ["/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib", "/usr/lib/x86_64-linux-gnu"];

/// The order of loading. A library may need earlier ones, and requests them by file name, without a path.
const ORDER: [&str; 6] =
    ["libcuda.so", "libnvrtc-builtins.so", "libnvrtc.so", "libcublasLt.so", "libcublas.so", "libcufft.so"];

/// cuSOLVER and the libraries that it needs in addition to [`ORDER`], in the order of loading. They are large, so they are loaded when the
/// first matrix is decomposed.
#[cfg(feature = "linalg")]
const SOLVER_ORDER: [&str; 3] = ["libnvJitLink.so", "libcusparse.so", "libcusolver.so"];

/// For each library, the newest functions that this crate calls. A library that has these functions also has the older ones.
const OF_DRIVER: &[&str] = &["cuMemAllocAsync", "cuMemPoolTrimTo"];
const OF_COMPILER: &[&str] = &["nvrtcGetCUBIN", "nvrtcGetSupportedArchs"];
#[cfg(feature = "fft")]
const OF_FFT: &[&str] = &["cufftMakePlanMany64", "cufftSetWorkArea"];
/// The newest functions of cuSOLVER that this crate calls. All versions for CUDA 12 and 13 have them.
#[cfg(feature = "linalg")]
const OF_SOLVER: &[&str] =
    &["cusolverDnZgesvdjBatched", "cusolverDnZheevjBatched", "cusolverDnZpotrfBatched"];
const OF_BLAS: &[&str] = &["cublasDgemm_v2_64", "cublasZgemmStridedBatched_64"];

/// Checks that the driver's library is available.
pub(super) fn driver() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            load_from_folder();
            // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
            match unsafe { driver::sys::is_culib_present() } {
                // SAFETY: `is_culib_present` found the library, so `culib` returns the loaded library.
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

/// Checks that the run-time compiler is available, and loads the library that it needs.
pub(super) fn compiler() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            load_from_folder();
            // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
            if !unsafe { nvrtc::sys::is_culib_present() } {
                load_usual("libnvrtc.so");
            }
            // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
            if !unsafe { nvrtc::sys::is_culib_present() } {
                return Err(missing("libnvrtc.so.13", "install CUDA's run-time compiler (NVRTC)"));
            }
            // SAFETY: `is_culib_present` found the library, so `culib` returns the loaded library.
            let library = unsafe { nvrtc::sys::culib() };
            check("libnvrtc.so.13", library, OF_COMPILER, "install the version for CUDA 13")?;
            // NVRTC loads `libnvrtc-builtins` by file name, without a path. Both libraries are in the same directory, but not every
            // loader searches there. So `libnvrtc-builtins` is loaded here.
            if let Some(directory) = directory_of(library, "nvrtcVersion") {
                load_all(&directory, "libnvrtc-builtins.so");
            }
            Ok(())
        })
        .clone()
}

/// Checks that cuBLAS is available.
pub(super) fn blas() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            load_from_folder();
            // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
            if !unsafe { cublas::sys::is_culib_present() } {
                load_usual("libcublasLt.so");
                load_usual("libcublas.so");
            }
            // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
            match unsafe { cublas::sys::is_culib_present() } {
                // SAFETY: `is_culib_present` found the library, so `culib` returns the loaded library.
                true => check(
                    "libcublas.so.13",
                    unsafe { cublas::sys::culib() },
                    OF_BLAS,
                    "install the version for CUDA 13",
                ),
                false => Err(missing("libcublas.so.13", "install cuBLAS")),
            }
        })
        .clone()
}

/// Returns whether cuFFT is available. Without it, the host computes Fourier transforms.
#[cfg(feature = "fft")]
pub(super) fn fft() -> bool {
    use cudarc::cufft;
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        load_from_folder();
        // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
        if !unsafe { cufft::sys::is_culib_present() } {
            load_usual("libcufft.so");
        }
        // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
        if !unsafe { cufft::sys::is_culib_present() } {
            return false;
        }
        // SAFETY: `is_culib_present` found the library, so `culib` returns the loaded library.
        let library = unsafe { cufft::sys::culib() };
        check("libcufft.so.12", library, OF_FFT, "install the version for CUDA 13").is_ok()
    })
}

/// Returns whether cuSOLVER is available. Without it, the host decomposes matrices.
#[cfg(feature = "linalg")]
pub(super) fn solver() -> bool {
    use cudarc::cusolver;
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        load_from_folder();
        if let Some(folder) = folder() {
            SOLVER_ORDER.iter().for_each(|name| load_all(Path::new(&folder), name));
        }
        // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
        if !unsafe { cusolver::sys::is_culib_present() } {
            ["libcublasLt.so", "libcublas.so"].iter().chain(&SOLVER_ORDER).for_each(|name| load_usual(name));
        }
        // SAFETY: the call only loads NVIDIA's library, if it exists. The library's initialisers are trusted.
        if !unsafe { cusolver::sys::is_culib_present() } {
            return false;
        }
        // SAFETY: `is_culib_present` found the library, so `culib` returns the loaded library.
        let library = unsafe { cusolver::sys::culib() };
        check("libcusolver.so.12", library, OF_SOLVER, "install the version for CUDA 13").is_ok()
    })
}

/// Checks that a library is new enough, that is, that it has these functions. A call of a missing function would panic.
fn check(name: &str, library: &Library, functions: &[&str], remedy: &str) -> Result<(), String> {
    for function in functions {
        // SAFETY: the type is a pointer, as `get` requires, and the function is not called through it.
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
        "`{library}` was not found in {folder} or in the loader's search path; {remedy}, or compute on `Cpu`"
    )
}

/// Loads the libraries in the directory that the environment variable [`FOLDER`] names.
fn load_from_folder() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        if let Some(folder) = folder() {
            for name in ORDER {
                load_all(Path::new(&folder), name);
            }
        }
    });
}

/// Returns the directory that the environment variable [`FOLDER`] names, if it is set.
fn folder() -> Option<std::ffi::OsString> {
    std::env::var_os(FOLDER).filter(|folder| !folder.is_empty())
}

fn load_usual(name: &str) {
    for folder in USUAL {
        load_all(Path::new(folder), name);
    }
}

/// In the directory `folder`, loads the libraries with the file name `name`, or with `name` and a version, and keeps them loaded. Later
/// requests for one of these file names get the loaded library.
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

/// Loads a library, if possible, and never unloads it. Later requests in this process for its file name get this library.
#[cfg(unix)]
fn keep_loaded(path: &Path) {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: the call runs the library's initialisers. They are trusted: the file has the name of an NVIDIA library. Its directory is
    // named by the user, is one of `USUAL`, or is that of the loaded NVRTC.
    if let Ok(library) = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
        std::mem::forget(library);
    }
}

/// Does nothing on systems other than Unix. There, libraries are found in the loader's own search path only.
#[cfg(not(unix))]
fn keep_loaded(_: &Path) {}

/// Returns the directory of a loaded library's file, with symbolic links resolved. The loader finds the file by the address of
/// `function`, one of the library's functions.
#[cfg(target_os = "linux")]
fn directory_of(library: &Library, function: &str) -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;
    use std::ptr::{null, null_mut};
    // SAFETY: the type is a pointer, as `get` requires, and the function is not called through it.
    let address = *unsafe { library.get::<*const ()>(function.as_bytes()) }.ok()?;
    let mut found =
        libc::Dl_info { dli_fname: null(), dli_fbase: null_mut(), dli_sname: null(), dli_saddr: null_mut() };
    // SAFETY: `dladdr` accepts any address and writes to `found`, an initialised `Dl_info` that nothing else refers to.
    let is_found = unsafe { libc::dladdr(address.cast(), &raw mut found) } != 0;
    if !is_found || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: `dladdr` succeeded, so a name that is not null is a C string of the loader. The string is valid as long as the
    // library is loaded, and `library` keeps it loaded during this call.
    let path = unsafe { CStr::from_ptr(found.dli_fname) };
    let path = Path::new(OsStr::from_bytes(path.to_bytes())).canonicalize().ok()?;
    path.parent().map(PathBuf::from)
}

/// Returns `None`: the search is implemented for Linux only. On other systems, the loader itself must find `libnvrtc-builtins`.
#[cfg(not(target_os = "linux"))]
fn directory_of(_: &Library, _: &str) -> Option<PathBuf> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::directory_of;
    use libloading::Library;
    use std::fs;

    #[test]
    fn directory_of_library_ignores_similar_paths() {
        // SAFETY: the initialisers of the C library's mathematical functions have no preconditions.
        let Ok(system) = (unsafe { Library::new("libm.so.6") }) else {
            return println!("skipped: directory_of_library_ignores_similar_paths: there is no libm.so.6");
        };
        let system = directory_of(&system, "cos").unwrap().join("libm.so.6");
        assert!(system.is_file());
        let directory = std::env::temp_dir().join(format!("vierbein-libraries-{}", std::process::id()));
        let (real, link) = (directory.join("real"), directory.join("link"));
        let decoys = ["libnvrtc.so.notes", "libnvrtc.so", "libnvrtc.so.13"]
            .map(|name| directory.join("decoys").join(name));
        fs::create_dir_all(&real).unwrap();
        fs::create_dir_all(&link).unwrap();
        fs::create_dir_all(directory.join("decoys")).unwrap();
        fs::copy(system, real.join("libnvrtc.so.13")).unwrap();
        std::os::unix::fs::symlink(real.join("libnvrtc.so.13"), link.join("libnvrtc.so")).unwrap();
        // SAFETY: the file is a copy of `libm.so.6`, the C library's mathematical functions. Its initialisers have no preconditions.
        let library = unsafe { Library::new(link.join("libnvrtc.so")) }.unwrap();
        // The decoys are larger than the gaps between libraries, and are mapped last. So the system maps them at lower addresses, and they
        // come first in `/proc/self/maps`.
        const DECOY_BYTES: u64 = 1 << 30;
        let mut maps = Vec::new();
        for decoy in &decoys {
            let file = fs::File::create_new(decoy).unwrap();
            file.set_len(DECOY_BYTES).unwrap();
            let readable = fs::File::open(decoy).unwrap();
            // SAFETY: no program changes the file while it is mapped.
            maps.push(unsafe { memmap2::Mmap::map(&readable) }.unwrap());
        }
        assert_eq!(directory_of(&library, "cos"), Some(real.canonicalize().unwrap()));
        assert_eq!(directory_of(&library, "no_such_function"), None);
        drop((library, maps));
        fs::remove_dir_all(&directory).unwrap();
    }
}
