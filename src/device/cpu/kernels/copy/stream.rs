//! Pieces of bytes, copied through the caches or past them.

#[cfg(target_arch = "x86_64")]
use super::register::Register;
use crate::device::cpu::simd::Level;

/// Waits until everything that was written past the caches can be seen.
#[inline]
pub(in crate::device::cpu) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Copies a piece, and writes whole cache lines past the caches.
///
/// # Safety
/// So many bytes may be read and written; the pieces do not overlap. The caller calls [`fence`] in the end.
pub(in crate::device::cpu) unsafe fn stream_piece(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        let lead = to.align_offset(64).min(len);
        let end = lead + (len - lead) / 64 * 64;
        // SAFETY: the caller's; what comes before the first line that begins within the piece.
        unsafe { core::ptr::copy_nonoverlapping(from, to, lead) };
        let (lines_from, lines_to) = (from.wrapping_add(lead), to.wrapping_add(lead));
        match Level::get() {
            // SAFETY: the caller's; whole lines of the piece. The processor has AVX-512.
            Level::Avx512 => unsafe { avx512_lines(lines_from, lines_to, end - lead) },
            // SAFETY: the caller's; whole lines of the piece.
            _ => unsafe { sse2_lines(lines_from, lines_to, end - lead) },
        }
        // SAFETY: the caller's; what is left of the piece.
        unsafe { core::ptr::copy_nonoverlapping(from.wrapping_add(end), to.wrapping_add(end), len - end) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        debug_assert_eq!(Level::get(), Level::Portable);
        // SAFETY: the caller's.
        unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
    }
}

/// # Safety
/// As [`lines`], on a processor with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512_lines(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's.
    unsafe { lines::<core::arch::x86_64::__m512i>(from, to, len) }
}

/// # Safety
/// As [`lines`].
#[cfg(target_arch = "x86_64")]
unsafe fn sse2_lines(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's.
    unsafe { lines::<core::arch::x86_64::__m128i>(from, to, len) }
}

/// # Safety
/// So many bytes, whole lines of the result, may be read and written. The processor has the instruction set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn lines<R: Register>(from: *const u8, to: *mut u8, len: usize) {
    for at in (0..len).step_by(16 * R::LANES) {
        // SAFETY: the caller's; a register has so many bytes.
        let register = unsafe { R::load(from.wrapping_add(at)) };
        // SAFETY: as above.
        unsafe { register.stream(to.wrapping_add(at)) };
    }
}

/// Copies pieces of so many bytes at some positions: bytes from the beginning, in the result and in the source.
///
/// # Safety
/// At each position, so many bytes may be read and written; no piece of the source overlaps one of the result.
pub(super) unsafe fn copy_pieces(len: usize, from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    macro_rules! each {
        ($size:literal) => {
            // SAFETY: the caller's, for pieces of the length.
            unsafe { each::<[u8; $size]>(from, to, at) }
        };
    }
    match len {
        1 => each!(1),
        2 => each!(2),
        4 => each!(4),
        8 => each!(8),
        16 => each!(16),
        // SAFETY: the caller's, for pieces of the length.
        17..=32 => unsafe { ends::<16>(len, from, to, at) },
        // SAFETY: as above.
        33..=64 => unsafe { ends::<32>(len, from, to, at) },
        _ => {
            for &[to_at, from_at] in at {
                let (from, to) = (from.wrapping_offset(from_at), to.wrapping_offset(to_at));
                // SAFETY: the caller's, for one piece.
                unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
            }
        }
    }
}

/// # Safety
/// As [`copy_pieces`], for pieces of the size of `P`.
unsafe fn each<P: Copy>(from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        let (from, to) = (from.wrapping_offset(from_at).cast::<P>(), to.wrapping_offset(to_at).cast::<P>());
        // SAFETY: the caller's; `P` is made of bytes.
        unsafe { to.copy_from_nonoverlapping(from, 1) };
    }
}

/// Pieces as two overlapping ones of half the bytes or more.
///
/// # Safety
/// As [`copy_pieces`]; the length is at least `HALF`, and at most twice that.
unsafe fn ends<const HALF: usize>(len: usize, from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        let parts = [0, len - HALF].map(|part| {
            let part = part as isize;
            let from = from.wrapping_offset(from_at + part).cast::<[u8; HALF]>();
            // SAFETY: the caller's; both parts lie within the piece.
            (to.wrapping_offset(to_at + part), unsafe { from.read() })
        });
        for (to, part) in parts {
            // SAFETY: as above.
            unsafe { to.cast::<[u8; HALF]>().write(part) };
        }
    }
}
