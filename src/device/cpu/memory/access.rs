//! Converts contiguous operands and outputs in host memory into slices.

use crate::device::{Cpu, Operand, Output};
use crate::element::Element;
#[cfg(test)]
use crate::layout::foreign::{check_bounds, check_no_overlap};
use crate::layout::is_contiguous;

impl<'a, T: Element> Operand<'a, T, Cpu> {
    /// Returns the elements as a slice if they are contiguous, in row-major order if `row_major`, otherwise in column-major
    /// order. Returns `None` if they are not contiguous in this order.
    #[inline]
    pub(crate) fn into_slice(self, row_major: bool) -> Option<&'a [T]> {
        let len = self.shape().iter().product();
        if len == 0 {
            return Some(&[]);
        }
        // SAFETY: the closure is called only if the layout is contiguous. So the `len` elements from `self.ptr()` on are exactly
        // the operand's elements. `Operand` guarantees that they may be read during `'a`.
        is_contiguous(self.shape(), self.strides(), row_major)
            .then(|| unsafe { core::slice::from_raw_parts(self.ptr().get(), len) })
    }
}

impl<'a, T: Element> Output<'a, T, Cpu> {
    /// Returns the elements as a mutable slice if they are contiguous, in row-major order if `row_major`, otherwise in
    /// column-major order. Returns `None` if they are not contiguous in this order.
    #[inline]
    pub(crate) fn into_mut_slice(self, row_major: bool) -> Option<&'a mut [T]> {
        let len = self.shape().iter().product();
        if len == 0 {
            return Some(&mut []);
        }
        // SAFETY: the closure is called only if the layout is contiguous. So the `len` elements from `self.ptr()` on are exactly
        // the output's elements. `Output` guarantees exclusive access to them during `'a`.
        is_contiguous(self.shape(), self.strides(), row_major)
            .then(|| unsafe { core::slice::from_raw_parts_mut(self.ptr().get(), len) })
    }
}

// These constructors are for tests of kernels. The tests use layouts that were not checked for a tensor before, so the constructors
// check bounds and overlap.

#[cfg(test)]
impl<'a, T: Element> Operand<'a, T, Cpu> {
    /// Returns an operand that consists of elements of a slice. `first` is the slice index of the element at index 0.
    pub(crate) fn of_slice(data: &'a [T], first: usize, shape: &'a [usize], strides: &'a [isize]) -> Self {
        check_bounds(shape, strides, first, data.len(), size_of::<T>()).unwrap();
        // SAFETY: `check_bounds` ensures that the elements of all indices are in the slice, which is borrowed for `'a`.
        unsafe { Operand::from_raw(Cpu::slice_ptr(data).offset(first as isize), shape, strides) }
    }
}

#[cfg(test)]
impl<'a, T: Element> Output<'a, T, Cpu> {
    /// Returns an output that consists of elements of a slice. `first` is the slice index of the element at index 0.
    pub(crate) fn of_slice(
        data: &'a mut [T],
        first: usize,
        shape: &'a [usize],
        strides: &'a [isize],
    ) -> Self {
        check_bounds(shape, strides, first, data.len(), size_of::<T>()).unwrap();
        check_no_overlap(shape, strides).unwrap();
        // SAFETY: `check_bounds` ensures that the elements of all indices are in the slice, which is mutably borrowed for `'a`.
        // `check_no_overlap` ensures that no two indices share an element.
        unsafe { Output::from_raw(Cpu::slice_ptr_mut(data).offset(first as isize), shape, strides) }
    }
}
