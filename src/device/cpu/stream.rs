//! Stores that go past the caches: for results that are larger than the caches, where the line that a plain store fetches
//! first would be memory traffic for nothing.

#[cfg(target_arch = "x86_64")]
use super::simd::Level;

/// A cache line: what is streamed is written in whole ones.
pub(in crate::device::cpu) const LINE: usize = 64;

/// Copies bytes from the cache to memory that nobody reads again soon.
///
/// Whole cache lines of the destination go past the caches; what is left over at both ends is stored as usual, so
/// destinations that begin and end at a line are best. Another thread may read what was written after [`fence`] only.
///
/// # Safety
/// `from` has so many bytes to read and `to` so many to write, which are the caller's alone and not among the former.
#[inline]
pub(in crate::device::cpu) unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: the three ranges make up the whole; the middle one begins at a line of the destination. The machine has what
    // its level says.
    unsafe {
        core::ptr::copy_nonoverlapping(from, to, head);
        let (source, target) = (from.add(head), to.add(head));
        #[cfg(target_arch = "x86_64")]
        match Level::get() {
            Level::Avx512 => stream_avx512(source, target, lines),
            Level::Avx2 => stream_avx2(source, target, lines),
            Level::Portable => stream_sse2(source, target, lines),
        }
        #[cfg(not(target_arch = "x86_64"))]
        core::ptr::copy_nonoverlapping(source, target, lines * LINE);
        core::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
    }
}

/// Makes what this thread has streamed visible before anything that it stores from now on.
#[inline]
pub(in crate::device::cpu) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of the architecture has the instruction.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

macro_rules! streams {
    ($($name:ident, $feature:literal, $load:ident, $store:ident, $register:ident;)*) => {$(
        /// Whole cache lines.
        ///
        /// # Safety
        /// As [`stream`]; the destination begins at a line, and the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $name(from: *const u8, to: *mut u8, lines: usize) {
            use core::arch::x86_64::{$load, $register, $store};
            const STEP: usize = size_of::<$register>();
            for at in (0..lines * LINE).step_by(LINE) {
                for k in (at..at + LINE).step_by(STEP) {
                    // SAFETY: `k + STEP` is within the lines, and a multiple of the register's size in the destination.
                    unsafe { $store(to.add(k).cast(), $load(from.add(k).cast())) };
                }
            }
        }
    )*};
}
streams! {
    stream_sse2, "sse2", _mm_loadu_si128, _mm_stream_si128, __m128i;
    stream_avx2, "avx2", _mm256_loadu_si256, _mm256_stream_si256, __m256i;
    stream_avx512, "avx512f", _mm512_loadu_si512, _mm512_stream_si512, __m512i;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::cpu::simd::tests::at_each_level;

    #[test]
    fn any_range_and_nothing_else() {
        let from: Vec<u8> = (0..600).map(|k| (k * 7 % 251) as u8).collect();
        for (start, bytes) in [(0, 0), (0, 64), (0, 512), (1, 63), (1, 64), (5, 300), (63, 130), (40, 5)] {
            let found = at_each_level(|| {
                let mut to = vec![255u8; 600];
                // SAFETY: both have as many bytes, and `to` is ours.
                unsafe { stream(from[3..].as_ptr(), to[start..].as_mut_ptr(), bytes) };
                fence();
                to
            });
            for to in found {
                assert_eq!(to[start..start + bytes], from[3..3 + bytes]);
                assert!(to[..start].iter().chain(&to[start + bytes..]).all(|&x| x == 255));
            }
        }
    }
}
