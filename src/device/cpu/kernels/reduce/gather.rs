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

/// Copies `n` elements, `stride` apart, to where they lie side by side.
///
/// # Safety
/// All `n` may be read, and as many written, which are not among them.
#[inline(never)]
pub(super) unsafe fn gather<T: Element>(from: HostPtr<T>, n: usize, stride: isize, to: *mut T) {
    const ROUND: usize = 8;
    let (mut at, rest) = (from, n % ROUND);
    // Several at a time: to find the next place takes as long as to read it. The processor has as many reads on the way as it can
    // by itself: asking ahead made no diagonal faster, and those in the caches slower.
    for first in (0..n - rest).step_by(ROUND) {
        for k in 0..ROUND {
            let at = at.offset(k as isize * stride).get();
            // SAFETY: below `n`; the rest is the caller's.
            unsafe { to.wrapping_add(first + k).copy_from_nonoverlapping(at, 1) };
        }
        at = at.offset(ROUND as isize * stride);
    }
    for i in n - rest..n {
        let at = from.offset(i as isize * stride).get();
        // SAFETY: as above.
        unsafe { to.wrapping_add(i).copy_from_nonoverlapping(at, 1) };
    }
}
