//! Compiles a loop for several instruction sets, and runs the widest version that the machine supports.

/// A loop over memory. Implementations must mark `run` with `inline(always)`, so that it is compiled with the instructions of each
/// level.
pub(super) trait Loop {
    type Output;
    fn run<L: Level>(self) -> Self::Output;
}

/// An instruction set.
pub(super) trait Level {
    /// Whether [`store`](Level::store) is a non-temporal store.
    const STREAMS: bool;
    /// Copies 64 bytes, if possible with non-temporal stores.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `to` is aligned to 64 bytes. 64 bytes are writable at `to` and readable at `from`, and they do not overlap.
    /// * The machine has the instruction set of this level.
    unsafe fn store(to: *mut u8, from: *const u8);
    /// Prefetches a cache line. Any address is allowed.
    fn prefetch<T>(at: *const T);
}

pub(super) struct Portable;

impl Level for Portable {
    const STREAMS: bool = false;
    unsafe fn store(to: *mut u8, from: *const u8) {
        // SAFETY: the caller ensures that 64 bytes may be read at `from` and written at `to`, and that they do not overlap.
        unsafe { to.copy_from_nonoverlapping(from, 64) }
    }
    fn prefetch<T>(_: *const T) {}
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Level, Loop};
    use std::arch::x86_64::*;

    pub(super) struct Avx2;
    pub(super) struct Avx512;

    impl Level for Avx2 {
        const STREAMS: bool = true;
        #[inline(always)]
        unsafe fn store(to: *mut u8, from: *const u8) {
            for half in 0..2 {
                // SAFETY: the caller ensures that 64 bytes may be read at `from`; this load reads one half of them. The caller
                // ensures that the machine has AVX.
                let value = unsafe { _mm256_loadu_si256(from.wrapping_add(32 * half).cast()) };
                // SAFETY: the caller ensures that 64 bytes may be written at `to`, and that `to` is aligned to 64 bytes. So each
                // half is aligned to 32 bytes. The caller ensures that the machine has AVX.
                unsafe { _mm256_stream_si256(to.wrapping_add(32 * half).cast(), value) };
            }
        }
        #[inline(always)]
        fn prefetch<T>(at: *const T) {
            // SAFETY: a prefetch is a hint and does not fault at any address; every x86-64 processor has SSE.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
        }
    }

    impl Level for Avx512 {
        const STREAMS: bool = true;
        #[inline(always)]
        unsafe fn store(to: *mut u8, from: *const u8) {
            // SAFETY: the caller ensures that 64 bytes may be read at `from`, and that the machine has AVX-512 F.
            let value = unsafe { _mm512_loadu_si512(from.cast()) };
            // SAFETY: the caller ensures that 64 bytes may be written at `to`, that `to` is aligned to 64 bytes, and that the
            // machine has AVX-512 F.
            unsafe { _mm512_stream_si512(to.cast(), value) }
        }
        #[inline(always)]
        fn prefetch<T>(at: *const T) {
            Avx2::prefetch(at);
        }
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2<L: Loop>(work: L) -> L::Output {
        work.run::<Avx2>()
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    pub(super) fn avx512<L: Loop>(work: L) -> L::Output {
        work.run::<Avx512>()
    }
}

/// Runs the widest version of a loop that the machine supports.
pub(super) fn widest<L: Loop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let fma = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if wide && fma {
            // SAFETY: `wide` and `fma` are `true`, so the machine has AVX-512 F, BW, DQ and VL, AVX2 and FMA.
            return unsafe { x86::avx512(work) };
        }
        if fma {
            // SAFETY: `fma` is `true`, so the machine has AVX2 and FMA.
            return unsafe { x86::avx2(work) };
        }
    }
    work.run::<Portable>()
}
