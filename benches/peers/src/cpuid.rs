//! Hides AVX-512 from all libraries of this process, so that a processor with AVX-512 can measure what processors without it do.
//!
//! Libraries find instruction sets by the `cpuid` instruction, and most have no setting that limits them. So this module overwrites each
//! `cpuid` instruction of the program with `ud2`, which raises a signal, and the signal handler returns the results of `cpuid` without
//! the bits of AVX-512. Linux can also make `cpuid` itself raise a signal (`arch_prctl(2)`, `ARCH_SET_CPUID`), but only on processors
//! that support this. The bits are listed in the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, under CPUID.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use linux::hide_avx512;

/// Returns an error: this target cannot hide AVX-512.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub fn hide_avx512() -> Result<(), std::io::Error> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod linux {
    use core::arch::asm;
    use core::arch::x86_64::{__cpuid_count, CpuidResult};
    use std::io::Error;
    use std::ops::Range;

    const CPUID: [u8; 2] = [0x0f, 0xa2];
    const UD2: [u8; 2] = [0x0f, 0x0b];

    /// Hides AVX-512 in all threads from here on. On a processor without AVX-512, it does nothing.
    ///
    /// Call it before any other thread starts, and before the first use of a library, because libraries store what they find.
    ///
    /// # Errors
    /// - The program's code cannot be found or overwritten.
    /// - A call of `cpuid` still shows AVX-512.
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
            libc::sigaction(libc::SIGILL, &action, std::ptr::null_mut())
        };
        if set != 0 {
            return Err(Error::last_os_error());
        }
        overwrite_cpuid(code()?)?;
        match __cpuid_count(7, 0).ebx == without_avx512(7, 0, found).ebx {
            true => Ok(()),
            false => Err(Error::other("`cpuid` still shows AVX-512")),
        }
    }

    /// Returns the addresses of the mapping that contains this program's code.
    fn code() -> Result<Range<usize>, Error> {
        let here = hide_avx512 as *const () as usize;
        let range = |line: &str| {
            let (start, end) = line.split_once(' ')?.0.split_once('-')?;
            Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
        };
        let maps = std::fs::read_to_string("/proc/self/maps")?;
        let found = maps.lines().filter_map(range).find(|range| range.contains(&here));
        found.ok_or_else(|| Error::other("/proc/self/maps does not list the program's code"))
    }

    /// Overwrites each `cpuid` instruction in `code` with `ud2`.
    fn overwrite_cpuid(code: Range<usize>) -> Result<(), Error> {
        let protect = |protection| {
            // SAFETY: the mapping stays readable and executable, so the code and the constants in it remain usable.
            match unsafe { libc::mprotect(code.start as *mut libc::c_void, code.len(), protection) } {
                0 => Ok(()),
                _ => Err(Error::last_os_error()),
            }
        };
        protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)?;
        // SAFETY: the mapping has this length and is writable now. No other thread runs, and the bytes that are written are instructions,
        // to which no reference exists. A `ud2` leads to `handle`, which does what the overwritten instruction did.
        unsafe {
            let start = code.start as *mut u8;
            for at in 0..code.len() + 1 - SITE {
                if is_site(*start.add(at).cast(), CPUID) {
                    start.add(at + BEFORE).cast::<[u8; 2]>().write(UD2);
                }
            }
        }
        protect(libc::PROT_READ | libc::PROT_EXEC)
    }

    /// Number of bytes that `is_site` tests, and how many of them precede the instruction.
    const SITE: usize = 8;
    const BEFORE: usize = 3;

    /// Tests whether `bytes` are `instruction` between the two instructions that core's `__cpuid_count` has there, because LLVM reserves
    /// `rbx`: `mov r, rbx` and `xchg r, rbx`. So the two bytes of `cpuid` inside other instructions are not mistaken for it.
    fn is_site(bytes: [u8; SITE], instruction: [u8; 2]) -> bool {
        let [rex, mov, register, first, second, xchg_rex, xchg, _] = bytes;
        matches!((rex, mov, register), (0x48 | 0x49, 0x89, 0xd8..=0xdf))
            && [first, second] == instruction
            && matches!((xchg_rex, xchg), (0x48 | 0x49 | 0x4c, 0x87))
    }

    /// Does what the overwritten `cpuid` did. Any other illegal instruction terminates the process as usual.
    extern "C" fn handle(signal: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a `ucontext_t` to a handler with SA_SIGINFO, and nothing else has access to it until the handler
        // returns. The instruction that raised the signal was executed, so it can be read, and so can the bytes around it: a program's
        // code begins and ends with other code.
        unsafe {
            let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            let site = registers[libc::REG_RIP as usize] as usize - BEFORE;
            if !is_site((site as *const [u8; SITE]).read(), UD2) {
                libc::signal(signal, libc::SIG_DFL);
                return;
            }
            let [leaf, subleaf] =
                [libc::REG_RAX, libc::REG_RCX].map(|register| registers[register as usize] as u32);
            let found = without_avx512(leaf, subleaf, cpuid(leaf, subleaf));
            let results = [
                (libc::REG_RAX, found.eax),
                (libc::REG_RBX, found.ebx),
                (libc::REG_RCX, found.ecx),
                (libc::REG_RDX, found.edx),
            ];
            for (register, value) in results {
                registers[register as usize] = value.into();
            }
            registers[libc::REG_RIP as usize] += UD2.len() as i64;
        }
    }

    /// Executes `cpuid`. `is_site` does not find this one, because it is preceded by `xchg`.
    fn cpuid(leaf: u32, subleaf: u32) -> CpuidResult {
        let (eax, ebx, ecx, edx): (u32, u64, u32, u32);
        // SAFETY: `cpuid` accesses no memory, and `rbx` has its former value afterwards.
        unsafe {
            asm!(
                "xchg {saved}, rbx",
                "cpuid",
                "xchg {saved}, rbx",
                saved = inout(reg) 0u64 => ebx,
                inout("eax") leaf => eax,
                inout("ecx") subleaf => ecx,
                out("edx") edx,
                options(nomem, nostack, preserves_flags),
            );
        }
        CpuidResult { eax, ebx: ebx as u32, ecx, edx }
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
