//! CUDA C++ to machine code by NVRTC, for exactly the GPU that is there: no second compilation by the driver, and none that an
//! older driver refuses.

use super::libraries;
use cudarc::nvrtc::result::{compile_program, create_program, destroy_program, get_program_log, get_ptx};
use cudarc::nvrtc::{result::NvrtcError, sys};
use std::ffi::{CStr, CString};
use std::sync::OnceLock;

/// How sources are compiled, besides the architecture. Products and sums are rounded one after the other, as on the CPU;
/// kernels that may fuse them say so.
pub(super) const OPTIONS: [&str; 4] = ["--std=c++17", "--fmad=false", "--device-int128", "-default-device"];

/// The compiler's version, and the architectures that it knows.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) version: (i32, i32),
    architectures: Vec<u32>,
}

/// The compiler, if it is there.
pub(super) fn compiler() -> Result<&'static Compiler, String> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    COMPILER
        .get_or_init(|| {
            libraries::compiler()?;
            Compiler::ask().map_err(describe)
        })
        .as_ref()
        .map_err(Clone::clone)
}

fn describe(error: NvrtcError) -> String {
    format!("the run-time compiler failed: {:?}", error.0)
}

impl Compiler {
    fn ask() -> Result<Compiler, NvrtcError> {
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the library was found; the call writes to the places that it is given.
        unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result()?;
        // SAFETY: as above.
        unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) }.result()?;
        let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many as the call before said.
        unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()).result()? };
        Ok(Compiler {
            version: (major, minor),
            architectures: known.into_iter().map(|arch| arch as u32).collect(),
        })
    }

    /// What the compiler is to make for a GPU: its machine code or, for one newer than the compiler, the intermediate code of
    /// the newest that it knows, which the driver compiles.
    pub(super) fn target(&self, arch: u32) -> Result<Target, String> {
        if self.architectures.contains(&arch) {
            return Ok(Target { arch, machine_code: true });
        }
        let older = self.architectures.iter().copied().filter(|&known| known < arch).max();
        match older {
            Some(arch) => Ok(Target { arch, machine_code: false }),
            None => {
                let ((major, minor), known) = (self.version, &self.architectures);
                Err(format!(
                    "NVRTC {major}.{minor} compiles for sm_{known:?} and not for this GPU's sm_{arch}"
                ))
            }
        }
    }
}

/// What is to be made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target {
    arch: u32,
    machine_code: bool,
}

impl Target {
    /// As an option of the compiler.
    pub(super) fn option(self) -> String {
        let kind = if self.machine_code { "sm" } else { "compute" };
        format!("--gpu-architecture={kind}_{}", self.arch)
    }
}

/// Compiles a source.
pub(super) fn compile(source: &str, target: Target) -> Result<Vec<u8>, String> {
    let source = CString::new(source).map_err(|_| "the source holds a zero byte".to_string())?;
    let program = create_program(&source, Some(c"vierbein.cu")).map_err(describe)?;
    let options: Vec<String> = OPTIONS.iter().map(|&option| option.into()).chain([target.option()]).collect();
    // SAFETY: the program was made above and is destroyed below.
    let made = unsafe { compile_program(program, &options) };
    let made = match made {
        // A warning is for us to mend.
        Ok(()) if cfg!(test) && !log(program).is_empty() => Err(log(program)),
        Ok(()) if target.machine_code => machine_code(program).map_err(describe),
        // SAFETY: the program was compiled.
        Ok(()) => unsafe { get_ptx(program) }
            .map(|text| text.into_iter().map(|c| c as u8).collect())
            .map_err(describe),
        Err(error) => Err(format!("{}\n{}", describe(error), log(program))),
    };
    // SAFETY: made above, not used after this.
    let _ = unsafe { destroy_program(program) };
    made
}

fn machine_code(program: sys::nvrtcProgram) -> Result<Vec<u8>, NvrtcError> {
    let mut size = 0;
    // SAFETY: the program was compiled; the calls write to the places that they are given.
    unsafe { sys::nvrtcGetCUBINSize(program, &raw mut size).result()? };
    let mut image = vec![0; size];
    // SAFETY: there is room for as much as the call before said.
    unsafe { sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result()? };
    Ok(image)
}

fn log(program: sys::nvrtcProgram) -> String {
    // SAFETY: the program exists.
    let log = unsafe { get_program_log(program) }.unwrap_or_default();
    let log: Vec<u8> = log.into_iter().map(|c| c as u8).collect();
    CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned()
}
