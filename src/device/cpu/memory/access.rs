//! Slices of operands in the host's memory.

use crate::device::{Cpu, Operand, Output};
use crate::element::Element;
#[cfg(test)]
use crate::layout::foreign::{check_apart, check_bounds};
use crate::layout::is_dense;

impl<'a, T: Element> Operand<'a, T, Cpu> {
    /// All elements, where they lie side by side in the order's sequence.
    #[inline]
    pub(crate) fn into_slice(self, row_major: bool) -> Option<&'a [T]> {
        let len = self.shape().iter().product();
        if len == 0 {
            return Some(&[]);
        }
        // SAFETY: a dense layout has its `len` elements side by side from the first one, and all may be read during `'a`.
        is_dense(self.shape(), self.strides(), row_major)
            .then(|| unsafe { core::slice::from_raw_parts(self.ptr().get(), len) })
    }
}

impl<'a, T: Element> Output<'a, T, Cpu> {
    /// All elements, where they lie side by side in the order's sequence.
    #[inline]
    pub(crate) fn into_mut_slice(self, row_major: bool) -> Option<&'a mut [T]> {
        let len = self.shape().iter().product();
        if len == 0 {
            return Some(&mut []);
        }
        // SAFETY: a dense layout has its `len` elements side by side from the first one, all ours alone during `'a`.
        is_dense(self.shape(), self.strides(), row_major)
            .then(|| unsafe { core::slice::from_raw_parts_mut(self.ptr().get(), len) })
    }
}

// Tests of kernels have operands that no tensor has: whether they can be is checked.

#[cfg(test)]
impl<'a, T: Element> Operand<'a, T, Cpu> {
    /// Elements of a slice, in which index 0 is `first`.
    pub(crate) fn of_slice(data: &'a [T], first: usize, shape: &'a [usize], strides: &'a [isize]) -> Self {
        check_bounds(shape, strides, first, data.len(), size_of::<T>()).unwrap();
        // SAFETY: every index lies within the slice.
        unsafe { Operand::from_raw(Cpu::slice_ptr(data).offset(first as isize), shape, strides) }
    }
}

#[cfg(test)]
impl<'a, T: Element> Output<'a, T, Cpu> {
    /// Elements of a slice, in which index 0 is `first`.
    pub(crate) fn of_slice(
        data: &'a mut [T],
        first: usize,
        shape: &'a [usize],
        strides: &'a [isize],
    ) -> Self {
        check_bounds(shape, strides, first, data.len(), size_of::<T>()).unwrap();
        check_apart(shape, strides).unwrap();
        // SAFETY: every index lies within the slice, each at an element of its own.
        unsafe { Output::from_raw(Cpu::slice_ptr_mut(data).offset(first as isize), shape, strides) }
    }
}
