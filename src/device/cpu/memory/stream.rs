//! Copies of contiguous bytes, with ordinary or non-temporal stores. The copy kernels and the elementwise loops call them.

use crate::simd::kernel;
#[cfg(target_arch = "x86_64")]
use crate::simd::{
    avx2::{Avx2, U8x32},
    avx512::{Avx512, U8x64},
    prefetch,
    sse2::U8x16,
    vector::{ByteVector, Isa, SimdKernel, Vector},
};

/// Minimum size of a copy, in bytes, that does not call `memcpy`.
const MIN_COPY_BYTES: usize = 1 << 10;
/// Minimum size of a copy, in bytes, that calls `memcpy` again: see [`copy_bytes`].
const MIN_LARGE_COPY_BYTES: usize = 24 << 10;
/// The number of bytes that the loop of such a copy reads before it writes them.
const CHUNK_BYTES: usize = 128;
const _: () = assert!(CHUNK_BYTES <= MIN_COPY_BYTES);
/// Distance in bytes between the elements that a loop with non-temporal stores reads and those that it prefetches. It is the size of a page,
/// because the processor itself does not prefetch across the end of a page. Chosen by the rows `a + b` and `copy` of
/// `benches/peers/src/rows/memory/mod.rs`.
pub(in crate::device::cpu) const PREFETCH_DISTANCE_BYTES: usize = 4 << 10;

/// Copies `len` bytes with ordinary stores.
///
/// On x86-64, copies of medium size do not call `memcpy`. From 2 to 4 KiB on, `memcpy` of glibc 2.36 uses the instruction `rep movsb`. On
/// AMD's processors, it is many times slower if source and result begin at certain offsets from the beginning of a page, such as 8 and 16.
/// See <https://lunnova.dev/articles/ryzen-slow-short-rep-mov>.
///
/// Larger copies call `memcpy` if the distance of source and result is a multiple of 64 bytes: for these, `rep movsb` is faster on some
/// processors, and as fast on others.
///
/// # Safety
/// The caller must ensure that `len` bytes may be read at `from` and written at `to`, and that these two ranges do not overlap.
#[inline]
pub(in crate::device::cpu) unsafe fn copy_bytes(from: *const u8, to: *mut u8, len: usize) {
    let large = len >= MIN_LARGE_COPY_BYTES && (to as usize).abs_diff(from as usize).is_multiple_of(64);
    if cfg!(not(target_arch = "x86_64")) || len < MIN_COPY_BYTES || large {
        // SAFETY: the caller ensures that `len` bytes may be read at `from` and written at `to`, and that they do not overlap.
        unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
    } else {
        // SAFETY: the caller ensures the contract of `copy_chunks`. In addition, `len >= MIN_COPY_BYTES >= CHUNK_BYTES`.
        unsafe { copy_chunks(from, to, len) };
    }
}

/// Copies a slice to another of the same length, as [`copy_bytes`] does.
///
/// # Panics
/// If the lengths differ.
#[inline]
pub(in crate::device::cpu) fn copy_elements<T: Copy>(from: &[T], to: &mut [T]) {
    assert_eq!(from.len(), to.len(), "the slices must have the same length");
    // SAFETY: both slices have the size of `from`, and a mutable slice overlaps no other.
    unsafe { copy_bytes(from.as_ptr().cast(), to.as_mut_ptr().cast(), size_of_val(from)) };
}

kernel! {
    /// Copies `len` bytes, where `len >= CHUNK_BYTES`. With registers of 64 bytes, copies between operands in cache are faster.
    ///
    /// # Safety
    /// The caller must ensure that `len` bytes may be read at `from` and written at `to`, and that these two ranges do not overlap.
    wide unsafe fn copy_chunks[][](from: *const u8, to: *mut u8, len: usize) -> () {
        let copy = |at: usize| {
            let (from, to) = (from.wrapping_add(at).cast::<[u8; CHUNK_BYTES]>(), to.wrapping_add(at).cast());
            // SAFETY: each `at` below is at most `len - CHUNK_BYTES`, so the caller ensures that the chunk may be read, and written at `to`
            // without an overlap. An array of bytes has alignment 1.
            unsafe { core::ptr::copy_nonoverlapping(from, to, 1) };
        };
        copy(0);
        // The stores of this loop are aligned, so that none of them crosses a cache line.
        let mut at = CHUNK_BYTES - to as usize % 64;
        while at < len - CHUNK_BYTES {
            copy(at);
            at += CHUNK_BYTES;
        }
        copy(len - CHUNK_BYTES);
    }
}

/// Makes all earlier non-temporal stores of this thread visible to other threads before its later stores.
#[inline]
pub(in crate::device::cpu) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction only requires SSE, which every x86-64 processor has.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Copies `len` bytes. Writes whole cache lines of the result with non-temporal stores, and the rest with ordinary ones. `next` is `None` if
/// the source is in cache. Otherwise, it is the address that is read after these bytes, and the source is prefetched.
///
/// # Safety
/// The caller must ensure:
/// * `len` bytes may be read at `from` and written at `to`, and these two ranges do not overlap.
/// * The thread that called this function calls [`fence`] before any thread reads or writes the result.
pub(in crate::device::cpu) unsafe fn stream_piece(
    from: *const u8,
    to: *mut u8,
    len: usize,
    next: Option<*const u8>,
) {
    #[cfg(target_arch = "x86_64")]
    {
        let lead = to.align_offset(64).min(len);
        let end = lead + (len - lead) / 64 * 64;
        if lead > 0 {
            // SAFETY: the caller ensures that `len` bytes may be read at `from` and written at `to`, and that they do not overlap.
            // `lead <= len`, so the first `lead` bytes are among them.
            unsafe { core::ptr::copy_nonoverlapping(from, to, lead) };
        }
        let lines =
            CopyLines { from: from.wrapping_add(lead), to: to.wrapping_add(lead), len: end - lead, next };
        // `end <= len`, so the caller ensures that the bytes `lead .. end` may be copied and do not overlap. `end - lead` is a multiple of
        // 64. If it is not 0, `lead` was chosen such that `lines.to` is a multiple of 64.
        if Avx512::new().is_some() {
            // SAFETY: the conditions of `CopyLines::run` hold, see above. The processor has AVX-512, as there is a token.
            unsafe { U8x64::within(lines) };
        } else if Avx2::new().is_some() {
            // SAFETY: the conditions of `CopyLines::run` hold, see above. The processor has AVX2, as there is a token.
            unsafe { U8x32::within(lines) };
        } else {
            // SAFETY: the conditions of `CopyLines::run` hold, see above. Every x86-64 processor has SSE2.
            unsafe { U8x16::within(lines) };
        }
        if end < len {
            // SAFETY: the caller ensures that `len` bytes may be read at `from` and written at `to`, and that they do not overlap.
            // `end <= len`, so the bytes `end .. len` are among them.
            unsafe {
                core::ptr::copy_nonoverlapping(from.wrapping_add(end), to.wrapping_add(end), len - end)
            };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = next;
        // SAFETY: the caller ensures that `len` bytes may be read at `from` and written at `to`, and that they do not overlap.
        unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
    }
}

/// Copies `len` bytes from `from` to `to` with non-temporal stores. Prefetches the source if there is an address `next`, which is read
/// afterwards.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
struct CopyLines {
    from: *const u8,
    to: *mut u8,
    len: usize,
    next: Option<*const u8>,
}

#[cfg(target_arch = "x86_64")]
impl<V: ByteVector> SimdKernel<V> for CopyLines {
    /// # Safety
    /// The caller must ensure:
    /// * `len` bytes may be read at `from` and written at `to`, and these two ranges do not overlap.
    /// * `len` and `to` are multiples of 64, or `len` is 0.
    /// * The processor has the instruction set of `V`.
    #[inline(always)]
    unsafe fn run(self) {
        let CopyLines { from, to, len, next } = self;
        // One cache line per call, so that the loops have few instructions besides loads and stores.
        let copy = |line: usize| {
            for at in (line..line + 64).step_by(V::LANES) {
                // SAFETY: `len` is a multiple of 64, and 64 of a register's `LANES` bytes. `line` is a smaller multiple of 64. So
                // `at + LANES <= len`, and the caller ensures that these bytes may be read. The caller ensures that the processor has the
                // instruction set of `V`.
                let register = unsafe { V::load(from.wrapping_add(at)) };
                // SAFETY: `at + LANES <= len`, so the caller ensures that these bytes may be written. `to` is a multiple of 64 and
                // `at` of `LANES`, so the address is a multiple of the register's `LANES` bytes.
                unsafe { register.stream(to.wrapping_add(at)) };
            }
        };
        let Some(next) = next else { return (0..len).step_by(64).for_each(copy) };
        let rest = len.saturating_sub(PREFETCH_DISTANCE_BYTES);
        for line in (0..rest).step_by(64) {
            prefetch(from.wrapping_add(line + PREFETCH_DISTANCE_BYTES));
            copy(line);
        }
        for line in (rest..len).step_by(64) {
            prefetch(next.wrapping_add(line - rest));
            copy(line);
        }
    }
}

/// For each pair `[to_at, from_at]` in `at`, copies `len` contiguous bytes from address `from + from_at` to address `to + to_at`. The
/// offsets are in bytes.
///
/// # Safety
/// The caller must ensure, for each pair of offsets, that `len` bytes may be read at `from + from_at` and written at `to + to_at`. No
/// bytes that are read may overlap bytes that are written.
pub(in crate::device::cpu) unsafe fn copy_pieces(
    len: usize,
    from: *const u8,
    to: *mut u8,
    at: &[[isize; 2]],
) {
    macro_rules! each {
        ($size:literal) => {
            // SAFETY: `each` has the contract of `copy_pieces`, which the caller ensures. `$size` is `len`, and an array of bytes
            // has alignment 1.
            unsafe { each::<[u8; $size]>(from, to, at) }
        };
    }
    match len {
        1 => each!(1),
        2 => each!(2),
        4 => each!(4),
        8 => each!(8),
        16 => each!(16),
        // SAFETY: the caller ensures the contract of `copy_pieces`. In addition, `ends::<16>` requires `16 <= len <= 32`, which the
        // pattern ensures.
        17..=32 => unsafe { ends::<16>(len, from, to, at) },
        // SAFETY: the caller ensures the contract of `copy_pieces`. In addition, `ends::<32>` requires `32 <= len <= 64`, which the
        // pattern ensures.
        33..=64 => unsafe { ends::<32>(len, from, to, at) },
        _ => {
            for &[to_at, from_at] in at {
                let (from, to) = (from.wrapping_offset(from_at), to.wrapping_offset(to_at));
                // SAFETY: the caller ensures that `len` bytes may be read at `from` and written at `to`, and that they do not
                // overlap.
                unsafe { copy_bytes(from, to, len) };
            }
        }
    }
}

/// [`copy_pieces`] for `len = size_of::<P>()`.
///
/// # Safety
/// The contract of [`copy_pieces`], for `len = size_of::<P>()`. `P` must be an array of bytes, so that its alignment is 1.
unsafe fn each<P: Copy>(from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        let (from, to) = (from.wrapping_offset(from_at).cast::<P>(), to.wrapping_offset(to_at).cast::<P>());
        // SAFETY: the caller ensures that a `P` may be read at `from` and written at `to`, and that the two do not overlap. `P` has
        // alignment 1.
        unsafe { to.copy_from_nonoverlapping(from, 1) };
    }
}

/// Variant of [`copy_pieces`] that copies the `len` bytes of each pair of offsets as two arrays, which can overlap: the first `HALF` bytes
/// and the last `HALF` bytes.
///
/// # Safety
/// The contract of [`copy_pieces`]. In addition, `HALF <= len <= 2 · HALF`.
unsafe fn ends<const HALF: usize>(len: usize, from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        let parts = [0, len - HALF].map(|part| {
            let part = part as isize;
            let from = from.wrapping_offset(from_at + part).cast::<[u8; HALF]>();
            // SAFETY: the caller ensures that `len` bytes may be read at offset `from_at`. `part + HALF <= len`, so the array at
            // `from` consists of such bytes. An array of bytes has alignment 1.
            (to.wrapping_offset(to_at + part), unsafe { from.read() })
        });
        for (to, part) in parts {
            // SAFETY: the caller ensures that `len` bytes may be written at offset `to_at`. The array at `to` consists of the first
            // or the last `HALF` of these bytes. An array of bytes has alignment 1.
            unsafe { to.cast::<[u8; HALF]>().write(part) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::tests::at_each_level;

    #[test]
    fn copies_of_all_lengths_at_all_positions() {
        let source: Vec<u8> = (0..4400u32).map(|i| (i % 251) as u8).collect();
        let lengths = (0..70).chain((MIN_COPY_BYTES - 3)..(MIN_COPY_BYTES + 260)).chain([3000, 4096, 4097]);
        for len in lengths {
            for [from, to] in [[0, 0], [1, 0], [0, 1], [8, 16], [63, 65], [7, 127]] {
                at_each_level(|| {
                    let mut result = vec![255; len + 256];
                    // SAFETY: `from + len <= 4400`, the length of `source`, and `to + len <= len + 256`, the length of `result`. The two
                    // vectors do not overlap.
                    unsafe {
                        copy_bytes(
                            source.as_ptr().wrapping_add(from),
                            result.as_mut_ptr().wrapping_add(to),
                            len,
                        )
                    };
                    assert_eq!(result[to..to + len], source[from..from + len], "{len} bytes");
                    let around = result[..to].iter().chain(&result[to + len..]);
                    assert!(around.copied().all(|byte| byte == 255), "{len} bytes: others are unchanged");
                });
            }
        }
    }
}
