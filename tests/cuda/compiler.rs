//! NVIDIA's own compiler on every source that a directory holds, for each architecture: it needs no GPU.
//! `scripts/check-cuda.sh` has it, and sources from the emulator's runs.

use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const ARCHITECTURES: [u32; 5] = [75, 80, 90, 100, 120];

#[test]
fn every_kernel_compiles() {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(library), Some(sources)) = (folder("VIERBEIN_TEST_NVRTC"), folder("VIERBEIN_TEST_SOURCES"))
    else {
        return println!(
            "skipped: VIERBEIN_TEST_NVRTC and VIERBEIN_TEST_SOURCES name no folders with NVRTC and with sources"
        );
    };
    load(&library);
    let mut files: Vec<PathBuf> =
        fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    assert!(!files.is_empty(), "no sources are in {}", sources.display());

    let (next, start) = (AtomicUsize::new(0), Instant::now());
    let work = || {
        let (mut time, mut failures) = (Duration::ZERO, Vec::new());
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            for architecture in ARCHITECTURES {
                let start = Instant::now();
                if let Err(log) = compile(file, architecture) {
                    failures.push(format!("{} for sm_{architecture}: {log}", file.display()));
                }
                time += start.elapsed();
            }
        }
        (time, failures)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let count = files.len() * ARCHITECTURES.len();
    let time: Duration = done.iter().map(|(time, _)| *time).sum();
    let (each, all) = (time / count as u32, start.elapsed());
    println!("{} sources for each of sm_{ARCHITECTURES:?}: {each:.1?} each, {all:.1?} in all", files.len());
    let failures: Vec<String> = done.into_iter().flat_map(|(_, failures)| failures).collect();
    assert!(failures.is_empty(), "{} of {count} do not compile\n{}", failures.len(), failures.join("\n"));
}

/// Loads the compiler from a folder, its second half first, which it asks for by name.
fn load(folder: &Path) {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.file_name().unwrap().to_string_lossy().starts_with("libnvrtc"));
    files.sort_by_key(|file| !file.to_string_lossy().contains("builtins"));
    for file in files {
        // SAFETY: NVIDIA's library, which may be loaded at any time.
        std::mem::forget(unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_GLOBAL) }.unwrap());
    }
    // SAFETY: the library was loaded.
    assert!(unsafe { sys::is_culib_present() }, "no NVRTC is in {}", folder.display());
    let (mut major, mut minor) = (0, 0);
    // SAFETY: as above; the numbers are ours.
    unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result().unwrap();
    // The emulator's has a number that no real one has.
    assert!(minor < 1000, "NVRTC {major}.{minor} is the emulator's");
    println!("NVRTC {major}.{minor}");
}

/// Compiles a source with the options that its first line has, but for another architecture.
fn compile(file: &Path, architecture: u32) -> Result<(), String> {
    let text = fs::read_to_string(file).unwrap();
    let first = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// options:"))
        .expect("options in the first line");
    let mut options: Vec<String> = first.split_whitespace().map(String::from).collect();
    options.retain(|option| !option.starts_with("--gpu-architecture"));
    options.push(format!("--gpu-architecture=sm_{architecture}"));
    let source = CString::new(text).unwrap();
    let program = result::create_program(&source, None).unwrap();
    // SAFETY: the program was made above and is destroyed below; its log ends with a zero.
    unsafe {
        let compiled = result::compile_program(program, &options);
        let log = result::get_program_log(program).unwrap();
        let log = CStr::from_ptr(log.as_ptr()).to_string_lossy().into_owned();
        let mut size = 0;
        let made = sys::nvrtcGetCUBINSize(program, &raw mut size).result();
        result::destroy_program(program).unwrap();
        match (compiled, made) {
            (Ok(()), Ok(())) if size > 0 => Ok(()),
            (compiled, made) => Err(format!("{compiled:?} {made:?}\n{log}")),
        }
    }
}
