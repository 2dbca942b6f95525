//! Kernels for registers of every width.

/// As [`kernel!`](crate::device::cpu::simd), and once more for registers of 64 bytes: what is reduced within a cache is bound
/// by how many elements a load takes. Results are the same on each level: nothing is fused or put in another sequence.
macro_rules! wide_kernel {
    (
        $(#[$doc:meta])*
        unsafe fn $name:ident[$($bounds:tt)*][$($generic:tt),*]($($argument:ident: $type:ty),* $(,)?) -> $result:ty $body:block
    ) => {
        $(#[$doc])*
        #[inline]
        unsafe fn $name<$($bounds)*>($($argument: $type),*) -> $result {
            #[inline(always)]
            unsafe fn body<$($bounds)*>($($argument: $type),*) -> $result $body

            // Not in builds with debug assertions, as there.
            #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
            {
                #[target_feature(enable = "avx2")]
                unsafe fn avx2<$($bounds)*>($($argument: $type),*) -> $result {
                    // SAFETY: the caller's.
                    unsafe { body::<$($generic),*>($($argument),*) }
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                unsafe fn avx512<$($bounds)*>($($argument: $type),*) -> $result {
                    // SAFETY: the caller's.
                    unsafe { body::<$($generic),*>($($argument),*) }
                }
                match $crate::device::cpu::simd::Level::get() {
                    $crate::device::cpu::simd::Level::Avx512 => {
                        // SAFETY: the machine has what the kernel is compiled for; the rest is the caller's.
                        return unsafe { avx512::<$($generic),*>($($argument),*) };
                    }
                    $crate::device::cpu::simd::Level::Avx2 => {
                        // SAFETY: as above.
                        return unsafe { avx2::<$($generic),*>($($argument),*) };
                    }
                    $crate::device::cpu::simd::Level::Portable => {}
                }
            }
            // SAFETY: the caller's.
            unsafe { body::<$($generic),*>($($argument),*) }
        }
    };
}
pub(super) use wide_kernel;
