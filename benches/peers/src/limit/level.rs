//! The same loop compiled for several instruction sets, and the widest one that the machine has.

/// A loop over memory; `inline(always)` on `run` lets it be compiled for each level.
pub(super) trait Loop {
    type Output;
    fn run<L: Level>(self) -> Self::Output;
}

/// An instruction set.
pub(super) trait Level {
    /// Whether [`store`](Level::store) is better than what the compiler makes.
    const STREAMS: bool;
    /// 64 bytes around the caches.
    ///
    /// # Safety
    /// `to` is aligned to 64 bytes, both are valid for 64, and the machine has the instruction set.
    unsafe fn store(to: *mut u8, from: *const u8);
    /// Asks for a line of memory ahead of its use; any address will do.
    fn prefetch<T>(at: *const T);
}

pub(super) struct Portable;

impl Level for Portable {
    const STREAMS: bool = false;
    unsafe fn store(to: *mut u8, from: *const u8) {
        // SAFETY: the caller's.
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
                // SAFETY: the caller's.
                let value = unsafe { _mm256_loadu_si256(from.wrapping_add(32 * half).cast()) };
                // SAFETY: the caller's.
                unsafe { _mm256_stream_si256(to.wrapping_add(32 * half).cast(), value) };
            }
        }
        #[inline(always)]
        fn prefetch<T>(at: *const T) {
            // SAFETY: a prefetch of any address has no effect but on time; SSE is in every x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
        }
    }

    impl Level for Avx512 {
        const STREAMS: bool = true;
        #[inline(always)]
        unsafe fn store(to: *mut u8, from: *const u8) {
            // SAFETY: the caller's.
            let value = unsafe { _mm512_loadu_si512(from.cast()) };
            // SAFETY: the caller's.
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

/// Runs a loop in the widest version that the machine has.
pub(super) fn widest<L: Loop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let fma = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if wide && fma {
            // SAFETY: the machine has what the function is compiled for.
            return unsafe { x86::avx512(work) };
        }
        if fma {
            // SAFETY: as above.
            return unsafe { x86::avx2(work) };
        }
    }
    work.run::<Portable>()
}
