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
    // SAFETY: the caller's; whole lines are between the first one that begins within the piece and its end.
    unsafe {
        let lead = to.align_offset(64).min(len);
        let end = lead + (len - lead) / 64 * 64;
        core::ptr::copy_nonoverlapping(from, to, lead);
        let (lines_from, lines_to) = (from.add(lead), to.add(lead));
        match Level::get() {
            Level::Avx512 => avx512_lines(lines_from, lines_to, end - lead),
            _ => sse2_lines(lines_from, lines_to, end - lead),
        }
        core::ptr::copy_nonoverlapping(from.add(end), to.add(end), len - end);
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's.
    unsafe {
        debug_assert_eq!(Level::get(), Level::Portable);
        core::ptr::copy_nonoverlapping(from, to, len);
    }
}

/// # Safety
/// As [`lines`].
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
/// So many bytes, whole lines of the result, may be read and written.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn lines<R: Register>(from: *const u8, to: *mut u8, len: usize) {
    for at in (0..len).step_by(16 * R::LANES) {
        // SAFETY: the caller's; a register has so many bytes.
        unsafe { R::load(from.add(at)).stream(to.add(at)) };
    }
}

/// Copies pieces of so many bytes at some positions: bytes from the beginning, in the result and in the source.
///
/// # Safety
/// At each position, so many bytes may be read and written; no piece of the source overlaps one of the result.
pub(super) unsafe fn copy_pieces(len: usize, from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    // SAFETY: the caller's; each is for pieces of the length.
    unsafe {
        match len {
            1 => each::<[u8; 1]>(from, to, at),
            2 => each::<[u8; 2]>(from, to, at),
            4 => each::<[u8; 4]>(from, to, at),
            8 => each::<[u8; 8]>(from, to, at),
            16 => each::<[u8; 16]>(from, to, at),
            17..=32 => ends::<16>(len, from, to, at),
            33..=64 => ends::<32>(len, from, to, at),
            _ => {
                for &[to_at, from_at] in at {
                    core::ptr::copy_nonoverlapping(
                        from.wrapping_offset(from_at),
                        to.wrapping_offset(to_at),
                        len,
                    );
                }
            }
        }
    }
}

/// # Safety
/// As [`copy_pieces`], for pieces of the size of `P`.
unsafe fn each<P: Copy>(from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        // SAFETY: the caller's; `P` is made of bytes.
        unsafe { *to.wrapping_offset(to_at).cast::<P>() = *from.wrapping_offset(from_at).cast::<P>() };
    }
}

/// Pieces as two overlapping ones of half the bytes or more.
///
/// # Safety
/// As [`copy_pieces`]; the length is at least `HALF`, and at most twice that.
unsafe fn ends<const HALF: usize>(len: usize, from: *const u8, to: *mut u8, at: &[[isize; 2]]) {
    for &[to_at, from_at] in at {
        let (from, to) = (from.wrapping_offset(from_at), to.wrapping_offset(to_at));
        // SAFETY: the caller's; both parts lie within the piece.
        unsafe {
            let (begin, end) = (*from.cast::<[u8; HALF]>(), *from.add(len - HALF).cast::<[u8; HALF]>());
            *to.cast::<[u8; HALF]>() = begin;
            *to.add(len - HALF).cast::<[u8; HALF]>() = end;
        }
    }
}
