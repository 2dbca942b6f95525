//! Operands and outputs whose element type is a [`DType`] and not a type parameter. The functions of [`sort`](super) take them, so they
//! are compiled in this crate, and not in each crate that sorts.

use crate::device::{Cpu, HostPtr, Operand, Output};
use crate::element::{DType, Element};
use core::marker::PhantomData;

/// An [`Operand`] with any element type.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) struct AnyOperand<'a> {
    dtype: DType,
    ptr: *mut u8,
    shape: &'a [usize],
    strides: &'a [isize],
    data: PhantomData<&'a [u8]>,
}

/// An [`Output`] with any element type.
#[derive(Debug)]
pub(in crate::device::cpu) struct AnyOutput<'a> {
    dtype: DType,
    ptr: *mut u8,
    shape: &'a [usize],
    strides: &'a [isize],
    data: PhantomData<&'a mut [u8]>,
}

impl<'a, T: Element> From<Operand<'a, T, Cpu>> for AnyOperand<'a> {
    fn from(a: Operand<'a, T, Cpu>) -> Self {
        let ptr = a.ptr().get().cast();
        AnyOperand { dtype: T::DTYPE, ptr, shape: a.shape(), strides: a.strides(), data: PhantomData }
    }
}

impl<'a, T: Element> From<Output<'a, T, Cpu>> for AnyOutput<'a> {
    fn from(a: Output<'a, T, Cpu>) -> Self {
        let ptr = a.ptr().get().cast();
        AnyOutput { dtype: T::DTYPE, ptr, shape: a.shape(), strides: a.strides(), data: PhantomData }
    }
}

impl<'a> AnyOperand<'a> {
    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the operand from which this one was made.
    ///
    /// # Panics
    /// If its element type is not `T`.
    pub(super) fn typed<T: Element>(self) -> Operand<'a, T, Cpu> {
        assert_eq!(self.dtype, T::DTYPE);
        // SAFETY: `from` took the parts from an operand, which guarantees readable elements during `'a`. Its element type is `T`, because
        // types with equal `DTYPE` are equal.
        unsafe { Operand::from_raw(HostPtr::new(self.ptr.cast()), self.shape, self.strides) }
    }
}

impl<'a> AnyOutput<'a> {
    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the output from which this one was made.
    ///
    /// # Panics
    /// If its element type is not `T`.
    pub(super) fn typed<T: Element>(self) -> Output<'a, T, Cpu> {
        assert_eq!(self.dtype, T::DTYPE);
        // SAFETY: `from` consumed an output and took its parts. The output guaranteed exclusive access to its elements during `'a`, and
        // different elements for different indices. Its element type is `T`, because types with equal `DTYPE` are equal.
        unsafe { Output::from_raw(HostPtr::new(self.ptr.cast()), self.shape, self.strides) }
    }
}
