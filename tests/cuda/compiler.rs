//! Compiles every CUDA source in a directory with NVIDIA's NVRTC, for each architecture of a list. This needs no GPU.
//! `scripts/check-cuda.sh` provides NVRTC. The script also provides the sources, which are those that the tests compile in the emulator.

use crate::gpu;
use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const ARCHITECTURES: [u32; 5] = [75, 80, 90, 100, 120];
/// The environment variable that tells a child process which sources to compile. Its value is `index/number of processes`.
const SHARE: &str = "VIERBEIN_TEST_SHARE";

#[test]
fn every_kernel_compiles() {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(library), Some(sources)) = (folder("VIERBEIN_TEST_NVRTC"), folder("VIERBEIN_TEST_SOURCES"))
    else {
        return println!(
            "skipped: VIERBEIN_TEST_NVRTC and VIERBEIN_TEST_SOURCES name no folders with NVRTC and with sources"
        );
    };
    let mut files: Vec<PathBuf> =
        fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    assert!(!files.is_empty(), "no sources are in {}", sources.display());
    if let Ok(share) = std::env::var(SHARE) {
        let (own, of) = share.split_once('/').unwrap();
        load(&library);
        return compile_all(files.iter().skip(own.parse().unwrap()).step_by(of.parse().unwrap()));
    }

    // Starts several processes, because NVRTC compiles only one source at a time per process, even if several threads call it.
    let start = Instant::now();
    let processes = std::thread::available_parallelism().map_or(1, usize::from);
    let process = |own: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "compiler::every_kernel_compiles", "--nocapture"]);
        command.env(SHARE, format!("{own}/{processes}")).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let running: Vec<_> = (0..processes).map(process).collect();
    for process in running {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", gpu::text(&output));
    }
    let (count, time) = (files.len(), start.elapsed());
    let each = time / (count * ARCHITECTURES.len()) as u32;
    println!(
        "{count} sources for each of sm_{ARCHITECTURES:?}: {time:.1?}, {each:.1?} each in {processes} processes"
    );
}

fn compile_all<'a>(files: impl Iterator<Item = &'a PathBuf>) {
    let mut failures = Vec::new();
    for file in files {
        for architecture in ARCHITECTURES {
            if let Err(log) = compile(file, architecture) {
                failures.push(format!("{} for sm_{architecture}: {log}", file.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{} do not compile\n{}", failures.len(), failures.join("\n"));
}

/// Loads NVRTC from a directory. The builtins library must be loaded first, because NVRTC opens it by name.
fn load(folder: &Path) {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.file_name().unwrap().to_string_lossy().starts_with("libnvrtc"));
    files.sort_by_key(|file| !file.to_string_lossy().contains("builtins"));
    for file in files {
        // SAFETY: NVIDIA's libraries have no requirements on when they are loaded.
        std::mem::forget(unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_GLOBAL) }.unwrap());
    }
    // SAFETY: `is_culib_present` only searches for the NVRTC library and opens it. That library was loaded above, so opening it again
    // has no effect.
    assert!(unsafe { sys::is_culib_present() }, "no NVRTC is in {}", folder.display());
    let (mut major, mut minor) = (0, 0);
    // SAFETY: NVRTC was loaded above, and both pointers are to local variables, to which the function writes.
    unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result().unwrap();
    // The emulator of NVRTC reports a minor version of 1000 or more.
    assert!(minor < 1000, "NVRTC {major}.{minor} is the emulator's");
}

/// Compiles a source for `architecture`. The other options are those in the first line of the source.
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
    // SAFETY: `program` comes from `create_program` above, and is destroyed only at the end of this function.
    let compiled = unsafe { result::compile_program(program, &options) };
    // SAFETY: `program` comes from `create_program` above, and is destroyed only at the end of this function.
    let log = unsafe { result::get_program_log(program) }.unwrap();
    // SAFETY: NVRTC terminates the log with a zero byte, and the shadowed `log` lives until the text is copied.
    let log = unsafe { CStr::from_ptr(log.as_ptr()) }.to_string_lossy().into_owned();
    let mut size = 0;
    // SAFETY: `program` comes from `create_program` above and is not yet destroyed. The pointer is to a local variable.
    let made = unsafe { sys::nvrtcGetCUBINSize(program, &raw mut size) }.result();
    // SAFETY: `program` comes from `create_program` above. It is destroyed only here, and not used afterwards.
    unsafe { result::destroy_program(program) }.unwrap();
    match (compiled, made) {
        (Ok(()), Ok(())) if size > 0 => Ok(()),
        (compiled, made) => Err(format!("{compiled:?} {made:?}\n{log}")),
    }
}
