//! NVIDIA's run-time compiler, loaded where it is found: it needs neither a GPU nor a driver.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

type Program = *mut c_void;

type Strings = *const *const c_char;
type Create =
    unsafe extern "C" fn(*mut Program, *const c_char, *const c_char, c_int, Strings, Strings) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, Strings) -> c_int;
type LogSize = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Log = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// The functions of the library that are used here.
#[derive(Clone, Copy)]
pub(super) struct Compiler {
    create: Create,
    compile: Compile,
    log_size: LogSize,
    log: Log,
    destroy: Destroy,
}

#[cfg(not(target_os = "linux"))]
impl Compiler {
    pub(super) fn find() -> Result<Compiler, String> {
        Err("NVRTC is looked for on Linux only".into())
    }
}

#[cfg(target_os = "linux")]
impl Compiler {
    pub(super) fn find() -> Result<Compiler, String> {
        let directory =
            std::env::var("VIERBEIN_CUDA_LIB_DIR").map(|path| format!("{path}/")).unwrap_or_default();
        let open = |name: &str| {
            let name = CString::new(format!("{directory}{name}")).expect("no zero byte in a path");
            // SAFETY: the name ends with a zero. NVIDIA's libraries may be loaded at any time.
            unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) }
        };
        // The compiler finds its second library only if that is loaded already.
        open("libnvrtc-builtins.so.13.0");
        let library = open("libnvrtc.so.13");
        if library.is_null() {
            return Err("`libnvrtc.so.13` is not found; `VIERBEIN_CUDA_LIB_DIR` says where it is".into());
        }
        let symbol = |name: &CStr| {
            // SAFETY: the library is loaded, and the name ends with a zero.
            let found = unsafe { libc::dlsym(library, name.as_ptr()) };
            assert!(!found.is_null(), "NVRTC has {name:?}");
            found
        };
        macro_rules! function {
            ($type:ty, $name:literal) => {
                // SAFETY: the function of that name has the parameters that NVRTC's manual gives it.
                unsafe { core::mem::transmute::<*mut c_void, $type>(symbol($name)) }
            };
        }
        Ok(Compiler {
            create: function!(Create, c"nvrtcCreateProgram"),
            compile: function!(Compile, c"nvrtcCompileProgram"),
            log_size: function!(LogSize, c"nvrtcGetProgramLogSize"),
            log: function!(Log, c"nvrtcGetProgramLog"),
            destroy: function!(Destroy, c"nvrtcDestroyProgram"),
        })
    }
}

impl Compiler {
    /// Compiles a source without a warning.
    pub(super) fn compile(self, source: &str, arch: &str) {
        let source = CString::new(source).expect("no zero byte in a source");
        let options =
            [&format!("--gpu-architecture={arch}"), "--std=c++17", "--fmad=false", "--device-int128"];
        let options = options.map(|option| CString::new(option).expect("no zero byte in an option"));
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let none = core::ptr::null();
        let (mut program, mut size) = (core::ptr::null_mut(), 0);
        // SAFETY: the source ends with a zero.
        let made =
            unsafe { (self.create)(&raw mut program, source.as_ptr(), none, 0, none.cast(), none.cast()) };
        assert_eq!(made, 0);
        // SAFETY: the program was made; there are four options, each of which ends with a zero.
        let compiled = unsafe { (self.compile)(program, 4, options.as_ptr()) };
        // SAFETY: the program was compiled.
        assert_eq!(unsafe { (self.log_size)(program, &raw mut size) }, 0);
        let mut log = vec![0u8; size];
        // SAFETY: there is room for as much as the call before said.
        assert_eq!(unsafe { (self.log)(program, log.as_mut_ptr().cast()) }, 0);
        // SAFETY: the program is not used after this.
        assert_eq!(unsafe { (self.destroy)(&raw mut program) }, 0);
        let log = String::from_utf8_lossy(&log);
        assert_eq!(compiled, 0, "{arch}: {log}");
        assert!(log.trim_end_matches('\0').is_empty(), "{arch}: {log}");
    }
}
