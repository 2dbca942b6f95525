//! Selects the vector instructions of kernels. The processor's instructions are detected at run time; the environment variable
//! `VIERBEIN_SIMD` can limit them.
//!
//! * Loops that the compiler vectorises are defined by [`kernel!`]. They are compiled for the baseline of the architecture and, on x86-64,
//!   again for wider registers. Builds with debug assertions have the baseline only, except in this crate's own tests.
//! * Kernels that are written in terms of registers are generic over the traits of the module `vector`. On x86-64, most of them are compiled
//!   for AVX2 and AVX-512 in the same builds only: see [`HAS_WIDE_LEVELS`].

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector;

use std::sync::OnceLock;

/// The vector instructions that a kernel may use. Each level includes the ones of the same architecture before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(dead_code, reason = "an architecture has some of the levels")]
pub(crate) enum Level {
    /// Loops that the compiler vectorises, for the instructions that every processor of the architecture has: SSE2 on x86-64, NEON on
    /// 64-bit ARM. At this level, the crate `matrixmultiply` computes floating-point matrix products. That crate detects the processor's
    /// instructions itself, and may use instructions of higher levels.
    Portable,
    /// 64-bit ARM: also kernels that are written in registers of 16 bytes.
    Neon,
    /// x86-64: registers of 32 bytes, with AVX2, FMA, BMI1, BMI2 and POPCNT.
    Avx2,
    /// x86-64: registers of 64 bytes, additionally with AVX-512 F, BW, DQ and VL.
    Avx512,
}

/// Whether this build has matrix products, sorting and transposes for registers of 32 and 64 bytes. Builds with debug assertions have none,
/// except this crate's own tests: without optimisation, these kernels took a third of the compile time of the library, and most were slower than
/// those for the baseline. In a `const` block, this condition excludes the kernels from the build.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) const HAS_WIDE_LEVELS: bool = cfg!(any(test, not(debug_assertions)));

/// Bytes of a cache line.
pub(crate) const CACHE_LINE_BYTES: usize = 64;

/// Prefetches the cache line of an address into all cache levels. Any address is allowed, valid or not. Does nothing on processors other
/// than x86-64.
#[inline(always)]
pub(crate) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and does not fault at any address; it requires SSE, which every x86-64 processor has.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// [`prefetch`] into L2, for an access that is further in the future.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn prefetch_far(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and does not fault at any address; it requires SSE, which every x86-64 processor has.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The environment variable that sets the highest level to use.
const VARIABLE: &str = "VIERBEIN_SIMD";

/// Returns whether loops over contiguous elements, with ordinary stores or without stores, prefetch the elements, although the processor
/// also prefetches by itself: on Intel's processors with AVX-512. On AMD's processors, such loops are slower with prefetching, or as fast
/// (measured).
#[inline]
pub(crate) fn prefetches_rows() -> bool {
    Level::get() == Level::Avx512 && Processor::get() == Processor::Intel
}

/// Returns whether the processor has AVX-512, but processes registers of 64 bytes in two halves: on a Zen 4.
#[inline]
#[allow(dead_code)] // Builds without kernels for registers of 64 bytes do not call it.
pub(crate) fn halves_registers() -> bool {
    Level::get() == Level::Avx512 && Processor::get() == Processor::Zen4
}

/// The kind of an x86-64 processor, as far as kernels depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Processor {
    Intel,
    /// AMD's family 25, to which the Zen 3 belongs, too. Of these, only a Zen 4 has AVX-512.
    Zen4,
    Other,
}

impl Processor {
    /// Returns the processor of this machine. Detected once.
    #[inline]
    fn get() -> Processor {
        static FOUND: OnceLock<Processor> = OnceLock::new();
        *FOUND.get_or_init(Processor::of_machine)
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    fn of_machine() -> Processor {
        use core::arch::x86_64::__cpuid;
        // Leaf 0 has the vendor's name in 12 bytes. Leaf 1 has the family: the sum of a field of 4 bits, which is 15, and one of 8 bits.
        let (vendor, version) = (__cpuid(0), __cpuid(1).eax);
        let family = (version >> 8 & 0xF) + (version >> 20 & 0xFF);
        match [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() {
            b"GenuineIntel" => Processor::Intel,
            b"AuthenticAMD" if family == 25 => Processor::Zen4,
            _ => Processor::Other,
        }
    }

    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    fn of_machine() -> Processor {
        Processor::Other
    }
}

impl Level {
    /// The levels of this architecture.
    #[cfg(target_arch = "x86_64")]
    const ALL: &[Level] = &[Level::Portable, Level::Avx2, Level::Avx512];
    #[cfg(target_arch = "aarch64")]
    const ALL: &[Level] = &[Level::Portable, Level::Neon];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    const ALL: &[Level] = &[Level::Portable];

    /// Returns the highest level that this machine supports and `VIERBEIN_SIMD` allows. Detected once.
    #[inline]
    pub(crate) fn get() -> Level {
        static FOUND: OnceLock<Level> = OnceLock::new();
        let found = *FOUND.get_or_init(|| Level::of_machine().min(Level::allowed()));
        #[cfg(test)]
        let found = found.min(tests::HIGHEST.get());
        found
    }

    fn of_machine() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            if !(has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("popcnt")) {
                return Level::Portable;
            }
            let wide = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
            if wide { Level::Avx512 } else { Level::Avx2 }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Level::ALL[Level::ALL.len() - 1]
    }

    fn allowed() -> Level {
        let Some(name) = std::env::var_os(VARIABLE) else { return Level::Avx512 };
        Level::named(&name.to_string_lossy()).unwrap_or_else(|| {
            let levels: Vec<_> = Level::ALL.iter().map(|level| level.name()).collect();
            eprintln!("vierbein: ignoring {VARIABLE}={name:?}: expected one of {levels:?}");
            Level::Avx512
        })
    }

    fn named(name: &str) -> Option<Level> {
        Level::ALL.iter().copied().find(|level| level.name() == name)
    }

    /// Returns the name of the level, as in `VIERBEIN_SIMD`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Neon => "neon",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }
}

/// Defines a kernel that is compiled for the baseline and for registers of 32 bytes. A call runs the widest version that
/// [`Level::get`] allows. All versions compute the same bits: the compiler fuses and reorders no operations.
///
/// * `wide`: also compiled for registers of 64 bytes. For kernels whose data is in cache, so that the number of elements per load
///   limits the speed. `wide if (condition)` calls this version only if the condition, an expression of the arguments, holds.
/// * `fused`: compiled only for instruction sets with FMA: for registers of 32 and 64 bytes on x86-64, and for the baseline of
///   64-bit ARM. For kernels that call `mul_add`. The kernel returns `None` if the machine has no FMA, or if the build has no
///   version with FMA. `fused if (condition)` calls the version for 64 bytes only if the condition holds.
///
/// A `wide unsafe fn` may have a second body: `{ .. } else { .. }`. On x86-64, the baseline then runs the second body instead of the first.
/// Only processors without AVX2 do so, for which many specialised versions are not worth their compile time: there, the second body calls one
/// version for all cases. It must compute the same bits.
///
/// A kernel is an `unsafe fn`, or a `fn` if it has no conditions.
macro_rules! kernel {
    (
        $(#[$doc:meta])*
        wide $(if ($condition:expr))? $(pub($($visible:tt)*))? fn $name:ident[$($bounds:tt)*][$($generic:tt),*](
            $($argument:ident: $type:ty),* $(,)?
        ) -> $result:ty $body:block
    ) => {
        kernel! { @safe [$(#[$doc])* $(pub($($visible)*))?] [wide $(if ($condition))?] $name[$($bounds)*][$($generic),*]($($argument: $type),*) -> $result $body }
    };
    (
        $(#[$doc:meta])*
        $(pub($($visible:tt)*))? fn $name:ident[$($bounds:tt)*][$($generic:tt),*]($($argument:ident: $type:ty),* $(,)?) -> $result:ty $body:block
    ) => {
        kernel! { @safe [$(#[$doc])* $(pub($($visible)*))?] [] $name[$($bounds)*][$($generic),*]($($argument: $type),*) -> $result $body }
    };
    (
        @safe [$($head:tt)*] [$($kind:tt)*]
        $name:ident[$($bounds:tt)*][$($generic:tt),*]($($argument:ident: $type:ty),*) -> $result:ty $body:block
    ) => {
        #[inline]
        $($head)* fn $name<$($bounds)*>($($argument: $type),*) -> $result {
            kernel! {
                /// # Safety
                /// None: the body is safe.
                $($kind)* unsafe fn compute[$($bounds)*][$($generic),*]($($argument: $type),*) -> $result $body
            }
            // SAFETY: `compute` has no conditions.
            unsafe { compute::<$($generic),*>($($argument),*) }
        }
    };
    (
        $(#[$doc:meta])*
        wide $(if ($condition:expr))? unsafe fn $name:ident[$($bounds:tt)*][$($generic:tt),*](
            $($argument:ident: $type:ty),* $(,)?
        ) -> $result:ty $body:block $(else $baseline:block)?
    ) => {
        $(#[$doc])*
        #[inline]
        unsafe fn $name<$($bounds)*>($($argument: $type),*) -> $result {
            /// # Safety
            /// The conditions of the enclosing kernel.
            #[inline(always)]
            unsafe fn body<$($bounds)*>($($argument: $type),*) -> $result $body
            kernel! {
                @at Avx512 $(if ($condition))? "avx512f,avx512bw,avx512dq,avx512vl"
                body[$($bounds)*][$($generic),*]($($argument: $type),*) -> $result
            }
            kernel! { @at Avx2 "avx2" body[$($bounds)*][$($generic),*]($($argument: $type),*) -> $result }
            kernel! { @baseline [$($baseline)?] body[$($generic),*]($($argument),*) }
        }
    };
    (
        $(#[$doc:meta])*
        unsafe fn $name:ident[$($bounds:tt)*][$($generic:tt),*]($($argument:ident: $type:ty),* $(,)?) -> $result:ty $body:block
    ) => {
        $(#[$doc])*
        #[inline]
        unsafe fn $name<$($bounds)*>($($argument: $type),*) -> $result {
            /// # Safety
            /// The conditions of the enclosing kernel.
            #[inline(always)]
            unsafe fn body<$($bounds)*>($($argument: $type),*) -> $result $body
            kernel! { @at Avx2 "avx2" body[$($bounds)*][$($generic),*]($($argument: $type),*) -> $result }
            // SAFETY: `body` has the conditions of the kernel `$name`, which the caller of `$name` ensures.
            unsafe { body::<$($generic),*>($($argument),*) }
        }
    };
    // A `fused` kernel returns `None` if the machine has no FMA, or if it was compiled without a version for FMA: see `@at` below.
    (
        $(#[$doc:meta])*
        fused $(if ($condition:expr))? unsafe fn $name:ident[$($bounds:tt)*][$($generic:tt),*](
            $($argument:ident: $type:ty),* $(,)?
        ) -> $result:ty $body:block
    ) => {
        $(#[$doc])*
        #[inline]
        unsafe fn $name<$($bounds)*>($($argument: $type),*) -> Option<$result> {
            /// # Safety
            /// The conditions of the enclosing kernel.
            #[inline(always)]
            #[allow(dead_code)]
            unsafe fn body<$($bounds)*>($($argument: $type),*) -> Option<$result> {
                Some($body)
            }
            kernel! {
                @at Avx512 $(if ($condition))? "avx512f,avx512bw,avx512dq,avx512vl,fma"
                body[$($bounds)*][$($generic),*]($($argument: $type),*) -> Option<$result>
            }
            kernel! { @at Avx2 "avx2,fma" body[$($bounds)*][$($generic),*]($($argument: $type),*) -> Option<$result> }
            // 64-bit ARM always has FMA.
            #[cfg(target_arch = "aarch64")]
            // SAFETY: `body` has the conditions of the kernel `$name`, which the caller of `$name` ensures.
            return unsafe { body::<$($generic),*>($($argument),*) };
            #[cfg(not(target_arch = "aarch64"))]
            {
                $(let _ = $argument;)*
                None
            }
        }
    };
    (@baseline [] $body:ident[$($generic:tt),*]($($argument:ident),*)) => {
        // SAFETY: `$body` has the conditions of the enclosing kernel, which the caller of the kernel ensures.
        unsafe { $body::<$($generic),*>($($argument),*) }
    };
    (@baseline [$baseline:block] $body:ident[$($generic:tt),*]($($argument:ident),*)) => {
        // The builds for which `@at` below compiles the body.
        #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
        $baseline
        #[cfg(not(all(target_arch = "x86_64", any(test, not(debug_assertions)))))]
        {
            kernel! { @baseline [] $body[$($generic),*]($($argument),*) }
        }
    };
    // Returns the result of the body compiled with the features of a level, if `Level::get` allows that level and the condition holds.
    // Builds with debug assertions have no such versions: these would double the compile time, and such builds need not be fast.
    (
        @at $Level:ident $(if ($condition:expr))? $features:literal
        $body:ident[$($bounds:tt)*][$($generic:tt),*]($($argument:ident: $type:ty),*) -> $result:ty
    ) => {
        #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
        if $crate::simd::Level::get() >= $crate::simd::Level::$Level $(&& $condition)? {
            /// # Safety
            /// The conditions of the enclosing kernel. In addition, the machine must have the features of this level.
            #[target_feature(enable = $features)]
            unsafe fn at<$($bounds)*>($($argument: $type),*) -> $result {
                // SAFETY: `$body` has the conditions of the enclosing kernel, which the caller of `at` ensures.
                unsafe { $body::<$($generic),*>($($argument),*) }
            }
            // SAFETY: `Level::get()` guarantees that the machine has these features. The caller of the enclosing kernel ensures its
            // conditions.
            return unsafe { at::<$($generic),*>($($argument),*) };
        }
        // Other builds do not use the condition.
        #[cfg(not(all(target_arch = "x86_64", any(test, not(debug_assertions)))))]
        {
            $(let _ = $condition;)?
        }
    };
}
pub(crate) use kernel;

/// Returns whether kernels may use registers of 64 bytes, which hold a whole cache line.
#[inline]
pub(crate) fn has_cache_line_registers() -> bool {
    Level::get() == Level::Avx512
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Level;
    use core::cell::Cell;

    thread_local! {
        pub(crate) static HIGHEST: Cell<Level> = const { Cell::new(Level::Avx512) };
    }

    /// Calls `f` on this thread at each level that the machine has, and returns the results.
    pub(crate) fn at_each_level<A>(f: impl Fn() -> A) -> Vec<A> {
        let levels = Level::ALL.iter().filter(|&&level| level <= Level::of_machine());
        let found = levels.map(|&level| {
            HIGHEST.set(level);
            f()
        });
        let found = found.collect();
        HIGHEST.set(Level::Avx512);
        found
    }

    #[test]
    fn levels_have_names() {
        for &level in Level::ALL {
            assert_eq!(Level::named(level.name()), Some(level));
        }
        assert_eq!(Level::named("AVX3"), None);
        assert!(Level::get() <= Level::of_machine());
    }
}
