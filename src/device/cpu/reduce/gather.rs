//! Strided elements brought together, so that kernels see none but those that lie side by side. A kernel for any stride
//! would load its vectors element by element as well, or by instructions that are slower still.

use super::HostPtr;
use crate::element::Element;
use core::mem::MaybeUninit;

/// Memory for them, on the stack.
#[repr(align(64))]
pub(super) struct Gathered([MaybeUninit<u8>; Gathered::BYTES]);

impl Gathered {
    const BYTES: usize = 8 << 10;

    #[inline]
    pub(super) fn new() -> Self {
        Gathered([MaybeUninit::uninit(); Gathered::BYTES])
    }

    /// For how many elements there is room.
    pub(super) const fn room<T>() -> usize {
        Gathered::BYTES / size_of::<T>()
    }

    /// Where the first one goes.
    #[inline]
    pub(super) fn address<T: Element>(&mut self) -> *mut T {
        const { assert!(align_of::<T>() <= 64) };
        self.0.as_mut_ptr().cast()
    }
}

/// Elements this many bytes apart are asked for ahead: the processor sees no pattern across pages by itself.
const FAR: usize = 512;
/// How many elements ahead.
const AHEAD: isize = 24;

/// Copies `n` elements, `stride` apart, to where they lie side by side.
///
/// # Safety
/// All `n` may be read, and as many written.
#[inline(never)]
pub(super) unsafe fn gather<T: Element>(from: HostPtr<T>, n: usize, stride: isize, to: *mut T) {
    const ROUND: usize = 4;
    let far = stride.unsigned_abs() * size_of::<T>() >= FAR;
    let (mut at, rest) = (from, n % ROUND);
    // Several at a time: to find the next place takes as long as to read it.
    for first in (0..n - rest).step_by(ROUND) {
        for k in 0..ROUND {
            let at = at.offset(k as isize * stride);
            if far {
                prefetch(at.offset(AHEAD * stride).get());
            }
            // SAFETY: below `n`; the rest is the caller's.
            unsafe { to.add(first + k).write(*at.get()) };
        }
        at = at.offset(ROUND as isize * stride);
    }
    for i in n - rest..n {
        // SAFETY: as above.
        unsafe { to.add(i).write(*from.offset(i as isize * stride).get()) };
    }
}

/// Asks for what lies there, which may be nothing at all.
#[inline]
fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of the architecture has the instruction, and no address is wrong for it.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
