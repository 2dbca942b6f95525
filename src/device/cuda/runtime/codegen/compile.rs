//! Compiles CUDA C++ with NVRTC. If NVRTC supports the architecture of the GPU in use, the result is machine code for this
//! architecture. Then the driver compiles nothing, and a driver that is older than NVRTC accepts the result, too.

use crate::device::cuda::runtime::libraries;
use cudarc::nvrtc::result::{compile_program, create_program, destroy_program, get_program_log, get_ptx};
use cudarc::nvrtc::{result::NvrtcError, sys};
use std::ffi::{CStr, CString};
use std::sync::OnceLock;

/// Compiler options in addition to the architecture. Products and sums are rounded separately, as on the CPU; a kernel that may use
/// fused multiply-adds calls `fma` explicitly.
pub(super) const OPTIONS: [&str; 4] = ["--std=c++17", "--fmad=false", "--device-int128", "-default-device"];

/// The compiler's version, and the architectures that it supports.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) version: (i32, i32),
    architectures: Vec<u32>,
}

/// Returns the compiler. Loads it and queries its version and architectures at the first call.
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
    format!("NVRTC, the run-time compiler of CUDA, failed: {:?}", error.0)
}

impl Compiler {
    fn ask() -> Result<Compiler, NvrtcError> {
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: `libraries::compiler` found the library; the call writes to both integers, which are borrowed mutably.
        unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result()?;
        // SAFETY: `libraries::compiler` found the library; the call writes to `count`, which is borrowed mutably.
        unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) }.result()?;
        let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the call writes one number per supported architecture. `known` has `count` elements, the number that the call
        // above returned.
        unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()).result()? };
        Ok(Compiler {
            version: (major, minor),
            architectures: known.into_iter().map(|arch| arch as u32).collect(),
        })
    }

    /// Returns the target for a GPU of architecture `arch`. If the compiler supports this architecture, the target is machine code.
    /// Otherwise the target is intermediate code (PTX) for the newest of the older architectures that the compiler supports. The driver
    /// compiles this code to machine code.
    ///
    /// # Errors
    /// If the compiler supports neither `arch` nor an older architecture.
    pub(super) fn target(&self, arch: u32) -> Result<Target, String> {
        if self.architectures.contains(&arch) {
            return Ok(Target { arch, machine_code: true });
        }
        let older = self.architectures.iter().copied().filter(|&known| known < arch).max();
        match older {
            Some(arch) => Ok(Target { arch, machine_code: false }),
            None => {
                let ((major, minor), known) = (self.version, &self.architectures);
                Err(format!("NVRTC {major}.{minor} supports sm_{known:?}, but not this GPU's sm_{arch}"))
            }
        }
    }
}

/// The architecture to compile for, and whether to compile to machine code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target {
    arch: u32,
    machine_code: bool,
}

impl Target {
    /// Returns the compiler option for the target.
    pub(super) fn option(self) -> String {
        let kind = if self.machine_code { "sm" } else { "compute" };
        format!("--gpu-architecture={kind}_{}", self.arch)
    }
}

/// Compiles a source to machine code or PTX, as `target` requires. The error contains the compiler's log.
pub(super) fn compile(source: &str, target: Target) -> Result<Vec<u8>, String> {
    let source = CString::new(source).map_err(|_| "the source contains a zero byte".to_string())?;
    let program = create_program(&source, Some(c"vierbein.cu")).map_err(describe)?;
    let options: Vec<String> = OPTIONS.iter().map(|&option| option.into()).chain([target.option()]).collect();
    // SAFETY: `program` was created above and is destroyed below.
    let made = unsafe { compile_program(program, &options) };
    let made = match made {
        // In unit tests, warnings are errors.
        Ok(()) if cfg!(test) && !log(program).is_empty() => Err(log(program)),
        Ok(()) if target.machine_code => machine_code(program).map_err(describe),
        // SAFETY: `program` was compiled above and is destroyed below.
        Ok(()) => unsafe { get_ptx(program) }
            .map(|text| text.into_iter().map(|c| c as u8).collect())
            .map_err(describe),
        Err(error) => Err(format!("{}\n{}", describe(error), log(program))),
    };
    // SAFETY: `program` was created above and is not used after this.
    let _ = unsafe { destroy_program(program) };
    made
}

fn machine_code(program: sys::nvrtcProgram) -> Result<Vec<u8>, NvrtcError> {
    let mut size = 0;
    // SAFETY: `compile` passes a program that it compiled, and destroys it later. The call writes to `size`, which is borrowed
    // mutably.
    unsafe { sys::nvrtcGetCUBINSize(program, &raw mut size).result()? };
    let mut image = vec![0; size];
    // SAFETY: the call writes `size` bytes, the size that the call above returned, and `image` has that size.
    unsafe { sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result()? };
    Ok(image)
}

fn log(program: sys::nvrtcProgram) -> String {
    // SAFETY: `compile` passes a program that it created, and destroys it later.
    let log = unsafe { get_program_log(program) }.unwrap_or_default();
    let log: Vec<u8> = log.into_iter().map(|c| c as u8).collect();
    CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned()
}
