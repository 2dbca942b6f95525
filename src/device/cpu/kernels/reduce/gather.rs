//! Memory for copies of strided elements. They are gathered, so that the vectorised kernels of `rows` and `columns` handle contiguous
//! elements only. Vectorised kernels for any stride would load their vectors element by element too, or with gather instructions, which
//! are even slower. `rows` does not gather the elements of sums and other simple reductions.

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
