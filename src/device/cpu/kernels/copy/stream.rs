//! Copies of contiguous bytes, through the caches or with non-temporal stores.

#[cfg(target_arch = "x86_64")]
use super::register::Register;
use crate::simd::Level;

/// Waits until all non-temporal stores of this thread are visible to other threads.
#[inline]
pub(in crate::device::cpu) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Copies `len` bytes, whole cache lines of the result with non-temporal stores.
///
/// # Safety
/// The caller must ensure that `len` bytes may be read at `from` and written at `to`, and that they do not overlap. It must call
/// [`fence`] before any other access to the result.
pub(in crate::device::cpu) unsafe fn stream_piece(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        let lead = to.align_offset(64).min(len);
        let end = lead + (len - lead) / 64 * 64;
        // SAFETY: `lead <= len`: within the bytes that the caller may read and write, before the first line of the result.
        unsafe { core::ptr::copy_nonoverlapping(from, to, lead) };
        let (lines_from, lines_to) = (from.wrapping_add(lead), to.wrapping_add(lead));
        match Level::get() {
            // SAFETY: `lead .. end` is within `len`; unless it is empty, `lines_to` is a multiple of 64. There is AVX-512.
            Level::Avx512 => unsafe { avx512_lines(lines_from, lines_to, end - lead) },
            // SAFETY: as for AVX-512: whole lines within `len`, at a multiple of 64. Every x86-64 processor has SSE2.
            _ => unsafe { sse2_lines(lines_from, lines_to, end - lead) },
        }
        // SAFETY: `end <= len`: the rest of the bytes that the caller may read and write.
        unsafe { core::ptr::copy_nonoverlapping(from.wrapping_add(end), to.wrapping_add(end), len - end) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        debug_assert_eq!(Level::get(), Level::Portable);
        // SAFETY: the caller ensures that `len` bytes may be read and written, and do not overlap.
        unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
    }
}

/// Copies whole cache lines with AVX-512.
///
/// # Safety
/// As [`lines`]; the processor must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512_lines(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: `lines` has this function's contract, and the processor has AVX-512.
    unsafe { lines::<core::arch::x86_64::__m512i>(from, to, len) }
}

/// Copies whole cache lines with SSE2.
///
/// # Safety
/// As [`lines`]; every x86-64 processor has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn sse2_lines(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: `lines` has this function's contract; every x86-64 processor has SSE2.
    unsafe { lines::<core::arch::x86_64::__m128i>(from, to, len) }
}

/// Copies `len` bytes with non-temporal stores of `R`.
///
/// # Safety
/// The caller must ensure that
///
/// * `len` bytes may be read at `from` and written at `to`, and do not overlap;
/// * `len` and `to` are multiples of 64, or `len` is 0;
/// * the processor has the instruction set of `R`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn lines<R: Register>(from: *const u8, to: *mut u8, len: usize) {
    for at in (0..len).step_by(16 * R::LANES) {
        // SAFETY: a register has `16 · LANES` bytes, which divides `len`: `at` and as many bytes are within the source.
        let register = unsafe { R::load(from.wrapping_add(at)) };
        // SAFETY: as for the load, within the result; `to` and `at` are multiples of the register's bytes.
        unsafe { register.stream(to.wrapping_add(at)) };
    }
}

/// Copies `len` contiguous bytes at each of several places. Each is a pair of offsets in bytes from `to` and `from`.
///
/// # Safety
/// The caller must ensure, for each pair of offsets, that `len` bytes may be read at `from` and written at `to`. No bytes
/// that are read may overlap bytes that are written.
pub(super) unsafe fn copy_pieces(len: usize, from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    macro_rules! each {
        ($size:literal) => {
            // SAFETY: `each` has this function's contract, and the array has `len` bytes.
            unsafe { each::<[u8; $size]>(from, to, at) }
        };
    }
    match len {
        1 => each!(1),
        2 => each!(2),
        4 => each!(4),
        8 => each!(8),
        16 => each!(16),
        // SAFETY: `ends` has this function's contract, and `16 <= len <= 32`.
        17..=32 => unsafe { ends::<16>(len, from, to, at) },
        // SAFETY: `ends` has this function's contract, and `32 <= len <= 64`.
        33..=64 => unsafe { ends::<32>(len, from, to, at) },
        _ => {
            for &[to_at, from_at] in at {
                let (from, to) = (from.wrapping_offset(from_at), to.wrapping_offset(to_at));
                // SAFETY: the caller may read and write `len` bytes at this pair of offsets, which do not overlap.
                unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
            }
        }
    }
}

/// [`copy_pieces`] for `len = size_of::<P>()`.
///
/// # Safety
/// As [`copy_pieces`], for the size of `P`. `P` must be an array of bytes, so that it needs no alignment.
unsafe fn each<P: Copy>(from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        let (from, to) = (from.wrapping_offset(from_at).cast::<P>(), to.wrapping_offset(to_at).cast::<P>());
        // SAFETY: the caller may read and write a `P` at this pair of offsets, which do not overlap and need no alignment.
        unsafe { to.copy_from_nonoverlapping(from, 1) };
    }
}

/// [`copy_pieces`] with two overlapping arrays of `HALF` bytes: the first and the last ones.
///
/// # Safety
/// As [`copy_pieces`], and `HALF <= len <= 2 · HALF`.
unsafe fn ends<const HALF: usize>(len: usize, from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        let parts = [0, len - HALF].map(|part| {
            let part = part as isize;
            let from = from.wrapping_offset(from_at + part).cast::<[u8; HALF]>();
            // SAFETY: `part + HALF <= len`: within the bytes that the caller may read; an array of bytes needs no alignment.
            (to.wrapping_offset(to_at + part), unsafe { from.read() })
        });
        for (to, part) in parts {
            // SAFETY: as for the read, within the bytes that the caller may write.
            unsafe { to.cast::<[u8; HALF]>().write(part) };
        }
    }
}
