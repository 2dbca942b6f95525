//! Copies strided elements to a contiguous buffer, so that the vectorised kernels of `rows` and `columns` handle contiguous
//! elements only. Vectorised kernels for any stride would load their vectors element by element too, or with gather instructions, which
//! are even slower. `rows` does not gather the elements of sums and other simple reductions.

use crate::device::cpu::HostPtr;
use crate::element::Element;
use core::mem::MaybeUninit;

/// Buffer for gathered elements, on the stack.
#[repr(align(64))]
pub(super) struct Gathered([MaybeUninit<u8>; Gathered::BYTES]);

impl Gathered {
    const BYTES: usize = 8 << 10;

    #[inline]
    pub(super) fn new() -> Self {
        Gathered([MaybeUninit::uninit(); Gathered::BYTES])
    }

    /// Returns the number of elements `T` that fit in the buffer.
    pub(super) const fn room<T>() -> usize {
        Gathered::BYTES / size_of::<T>()
    }

    /// Returns the address of the first element in the buffer.
    #[inline]
    pub(super) fn address<T: Element>(&mut self) -> *mut T {
        const { assert!(align_of::<T>() <= 64) };
        self.0.as_mut_ptr().cast()
    }
}

/// Copies `n` elements with stride `stride` to contiguous memory.
///
/// # Safety
/// The caller must ensure:
/// * The `n` elements are readable.
/// * `to` is aligned and valid for writes of `n` elements, which do not overlap the elements that are read.
#[inline(never)]
pub(super) unsafe fn gather<T: Element>(from: HostPtr<T>, n: usize, stride: isize, to: *mut T) {
    const ROUND: usize = 8;
    let (mut at, rest) = (from, n % ROUND);
    // Unrolled, because computing the next address takes as long as the load. There is no prefetch: measured on diagonals, a loop
    // with prefetches was never faster, and it was slower for elements in cache.
    for first in (0..n - rest).step_by(ROUND) {
        for k in 0..ROUND {
            let at = at.offset(k as isize * stride).get();
            // SAFETY: `first + k < n`. So the caller ensures that this element may be read, that its place in `to` may be written, and
            // that they do not overlap.
            unsafe { to.wrapping_add(first + k).copy_from_nonoverlapping(at, 1) };
        }
        at = at.offset(ROUND as isize * stride);
    }
    for i in n - rest..n {
        let at = from.offset(i as isize * stride).get();
        // SAFETY: `i < n`. So the caller ensures that this element may be read, that its place in `to` may be written, and that they do
        // not overlap.
        unsafe { to.wrapping_add(i).copy_from_nonoverlapping(at, 1) };
    }
}
