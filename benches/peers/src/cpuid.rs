//! Hides AVX-512 from all libraries of this process, so that a processor with AVX-512 can measure what processors without it do.
//!
//! Libraries find instruction sets by the `cpuid` instruction, and most have no setting that limits them. Linux can make `cpuid` fault
//! (`arch_prctl(ARCH_SET_CPUID, 0)`, `arch_prctl(2)`), where the processor supports this. A signal handler then returns the results
//! of `cpuid` without the bits of AVX-512. The bits are listed in the Intel 64 and IA-32 Architectures Software Developer's Manual,
//! volume 2A, under CPUID.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use linux::hide_avx512;

/// Returns an error: this target cannot hide AVX-512.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub fn hide_avx512() -> Result<(), std::io::Error> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod linux {
    use core::arch::x86_64::{__cpuid_count, CpuidResult};
    use std::io::Error;

    const ARCH_SET_CPUID: libc::c_int = 0x1012;
    const CPUID: [u8; 2] = [0x0f, 0xa2];

    /// Hides AVX-512 in this thread, and in the threads that it starts from here on. On a processor without AVX-512, it does nothing.
    ///
    /// Call it before the first use of a library, because libraries store what they find.
    ///
    /// # Errors
    /// If the kernel or the processor cannot make `cpuid` fault.
    pub fn hide_avx512() -> Result<(), Error> {
        let found = __cpuid_count(7, 0);
        if found.ebx == without_avx512(7, 0, found).ebx {
            return Ok(());
        }
        // SAFETY: `handle` has the signature that SA_SIGINFO requires, and a zeroed `sigaction` is a valid one with an empty mask.
        let set = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut())
        };
        if set != 0 {
            return Err(Error::last_os_error());
        }
        set_cpuid(false)
    }

    /// Sets whether `cpuid` works in this thread (`true`) or faults (`false`).
    fn set_cpuid(works: bool) -> Result<(), Error> {
        // SAFETY: this call accesses no memory.
        match unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SET_CPUID, libc::c_long::from(works)) } {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }

    /// Performs the `cpuid` that faulted. Any other fault terminates the process as usual.
    extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a `siginfo_t` and a `ucontext_t` to a handler with SA_SIGINFO, and nothing else has access to them
        // until the handler returns. SI_KERNEL excludes faults at an invalid address, so the instruction can be read.
        unsafe {
            let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            let instruction = registers[libc::REG_RIP as usize] as *const [u8; 2];
            if (*info).si_code != libc::SI_KERNEL || *instruction != CPUID {
                libc::signal(signal, libc::SIG_DFL);
                return;
            }
            let [leaf, subleaf] =
                [libc::REG_RAX, libc::REG_RCX].map(|register| registers[register as usize] as u32);
            set_cpuid(true).expect("this call succeeded before");
            let found = without_avx512(leaf, subleaf, __cpuid_count(leaf, subleaf));
            set_cpuid(false).expect("this call succeeded before");
            let results = [
                (libc::REG_RAX, found.eax),
                (libc::REG_RBX, found.ebx),
                (libc::REG_RCX, found.ecx),
                (libc::REG_RDX, found.edx),
            ];
            for (register, value) in results {
                registers[register as usize] = value.into();
            }
            registers[libc::REG_RIP as usize] += CPUID.len() as i64;
        }
    }

    /// Clears the bits of AVX-512, AMX and AVX10.
    fn without_avx512(leaf: u32, subleaf: u32, mut found: CpuidResult) -> CpuidResult {
        let bits = |bits: &[u32]| bits.iter().fold(0, |mask, bit| mask | 1 << bit);
        match (leaf, subleaf) {
            (7, 0) => {
                found.ebx &= !bits(&[16, 17, 21, 26, 27, 28, 30, 31]); // F, DQ, IFMA, PF, ER, CD, BW, VL
                found.ecx &= !bits(&[1, 6, 11, 12, 14]); // VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
                found.edx &= !bits(&[2, 3, 8, 22, 23, 24, 25]); // 4VNNIW, 4FMAPS, VP2INTERSECT, AMX-BF16, FP16, AMX
            }
            (7, 1) => {
                found.eax &= !bits(&[5, 21]); // BF16, AMX-FP16
                found.edx &= !bits(&[8, 19]); // AMX-COMPLEX, AVX10
            }
            _ => {}
        }
        found
    }
}
