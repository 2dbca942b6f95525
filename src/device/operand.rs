//! Rank- and order-erased operands: a pointer, a shape and strides. Kernels see nothing else, so that 17 ranks and two
//! orders do not multiply their code.

use super::{Cpu, Device, HostAccess, HostPtr};
use crate::element::Element;
use core::marker::PhantomData;

/// A strided array to read.
///
/// Whoever holds one may read every element whose index lies within the shape.
#[derive(Debug)]
pub struct Operand<'a, T: Element, Dev: Device> {
    ptr: Dev::Ptr<T>,
    shape: &'a [usize],
    strides: &'a [isize],
    data: PhantomData<&'a [T]>,
}

impl<T: Element, Dev: Device> Clone for Operand<'_, T, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device> Copy for Operand<'_, T, Dev> {}

impl<'a, T: Element, Dev: Device> Operand<'a, T, Dev> {
    /// An operand from its parts; strides count elements.
    ///
    /// # Safety
    /// For every index within `shape`, the element at `ptr` offset by `Σ index · stride` is alive and not written to
    /// during `'a`.
    ///
    /// # Panics
    /// If `shape` and `strides` differ in length.
    pub unsafe fn from_raw(ptr: Dev::Ptr<T>, shape: &'a [usize], strides: &'a [isize]) -> Self {
        assert_eq!(shape.len(), strides.len(), "one stride for each axis");
        Operand { ptr, shape, strides, data: PhantomData }
    }

    /// The element at index 0.
    pub fn ptr(&self) -> Dev::Ptr<T> {
        self.ptr
    }
    /// The axis lengths.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }
    /// The strides, in elements.
    pub fn strides(&self) -> &'a [isize] {
        self.strides
    }

    /// The same operand, for the host's kernels.
    pub fn on_host(self) -> Operand<'a, T, Cpu>
    where
        Dev: HostAccess,
    {
        Operand {
            ptr: HostPtr::new(Dev::host_ptr(self.ptr)),
            shape: self.shape,
            strides: self.strides,
            data: PhantomData,
        }
    }
}

/// An operand of a product: a strided array, and whether its elements are conjugated on the way in.
#[derive(Debug)]
pub struct Factor<'a, T: Element, Dev: Device> {
    /// The elements.
    pub operand: Operand<'a, T, Dev>,
    /// Whether the complex conjugate of each element is meant. Real numbers are their own.
    pub conjugate: bool,
}

impl<T: Element, Dev: Device> Clone for Factor<'_, T, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device> Copy for Factor<'_, T, Dev> {}

impl<'a, T: Element, Dev: Device> From<Operand<'a, T, Dev>> for Factor<'a, T, Dev> {
    fn from(operand: Operand<'a, T, Dev>) -> Self {
        Factor { operand, conjugate: false }
    }
}

/// A strided array to write.
///
/// Whoever holds one may read and write every element whose index lies within the shape; no two indices share an element,
/// and nobody else accesses them.
#[derive(Debug)]
pub struct Output<'a, T: Element, Dev: Device> {
    ptr: Dev::Ptr<T>,
    shape: &'a [usize],
    strides: &'a [isize],
    data: PhantomData<&'a mut [T]>,
}

impl<'a, T: Element, Dev: Device> Output<'a, T, Dev> {
    /// An output from its parts; strides count elements.
    ///
    /// # Safety
    /// For every index within `shape`, the element at `ptr` offset by `Σ index · stride` is alive and accessed by nothing
    /// else during `'a`, and different indices lie at different elements.
    ///
    /// # Panics
    /// If `shape` and `strides` differ in length.
    pub unsafe fn from_raw(ptr: Dev::Ptr<T>, shape: &'a [usize], strides: &'a [isize]) -> Self {
        assert_eq!(shape.len(), strides.len(), "one stride for each axis");
        Output { ptr, shape, strides, data: PhantomData }
    }

    /// The element at index 0.
    pub fn ptr(&self) -> Dev::Ptr<T> {
        self.ptr
    }
    /// The axis lengths.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }
    /// The strides, in elements.
    pub fn strides(&self) -> &'a [isize] {
        self.strides
    }

    /// To read what it holds.
    pub fn as_operand(&self) -> Operand<'_, T, Dev> {
        Operand { ptr: self.ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }

    /// The same output, for the host's kernels.
    pub fn on_host(self) -> Output<'a, T, Cpu>
    where
        Dev: HostAccess,
    {
        Output {
            ptr: HostPtr::new(Dev::host_ptr(self.ptr)),
            shape: self.shape,
            strides: self.strides,
            data: PhantomData,
        }
    }
}
