//! Rank- and order-erased operands: a pointer, a shape and strides. Kernels see nothing else, so that 17 ranks and two
//! orders do not multiply their code.

use super::{Cpu, Device, HostAccess, HostPtr};
use crate::element::{Element, Scalar};
use crate::layout::Layout;
use crate::layout::axes::Axes;
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

    #[inline]
    pub(crate) fn axes(&self) -> Axes<'a> {
        Axes::new(self.shape, self.strides)
    }

    /// The operand with these axes, whose first element is `offset` elements from this one's. They must be derived from this
    /// operand's by the methods of [`Axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of this operand's.
    #[inline]
    pub(crate) fn behind<'b>(self, axes: Axes<'b>, offset: isize) -> Operand<'b, T, Dev>
    where
        'a: 'b,
    {
        assert!(axes.within(offset, self.axes()), "the axes address elements outside of the operand's");
        // SAFETY: the axes stay between the lowest and the highest element of this operand, and are derived from its own by methods
        // that keep to its elements, all of which may be read during `'a`.
        unsafe { Operand::from_raw(Dev::offset(self.ptr, offset), axes.shape(), axes.strides()) }
    }

    /// [`behind`](Operand::behind) for a layout that is derived from this operand's.
    ///
    /// # Panics
    /// If the layout addresses elements outside of this operand's.
    #[inline]
    pub(crate) fn in_layout<'b>(self, layout: &'b Layout) -> Operand<'b, T, Dev>
    where
        'a: 'b,
    {
        self.behind(layout.axes(), layout.offset())
    }

    /// The operand repeated to a shape by the order's rule, with its strides in an array of the caller's, of at least as many as the
    /// shape has axes. `None` if it does not broadcast to the shape.
    #[inline]
    pub(crate) fn repeated<'b>(
        self,
        shape: &'b [usize],
        row_major: bool,
        strides: &'b mut [isize],
    ) -> Option<Operand<'b, T, Dev>>
    where
        'a: 'b,
    {
        let strides = &mut strides[..shape.len()];
        self.axes().broadcast_to(shape, row_major, strides)?;
        Some(self.behind(Axes::new(shape, strides), 0))
    }

    /// The same operand, for the host's kernels.
    pub fn on_host(self) -> Operand<'a, T, Cpu>
    where
        Dev: HostAccess,
    {
        self.at_address(Dev::host_ptr)
    }

    /// The same operand, whose pointers have these addresses in the host's memory.
    #[inline]
    pub(super) fn at_address(self, address: impl FnOnce(Dev::Ptr<T>) -> *mut T) -> Operand<'a, T, Cpu> {
        let ptr = HostPtr::new(address(self.ptr));
        Operand { ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }
}

/// An operand of a product: a strided array, and whether its elements are conjugated on the way in.
#[derive(Debug)]
pub struct MatrixOperand<'a, T: Element, Dev: Device> {
    /// The elements.
    pub operand: Operand<'a, T, Dev>,
    /// Whether the complex conjugate of each element is meant. Real numbers are their own.
    pub conjugate: bool,
}

impl<T: Element, Dev: Device> Clone for MatrixOperand<'_, T, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device> Copy for MatrixOperand<'_, T, Dev> {}

impl<'a, T: Element, Dev: Device> MatrixOperand<'a, T, Dev> {
    /// [`Operand::behind`], conjugated or not as this factor is.
    #[inline]
    pub(crate) fn behind<'b>(self, axes: Axes<'b>, offset: isize) -> MatrixOperand<'b, T, Dev>
    where
        'a: 'b,
    {
        MatrixOperand { operand: self.operand.behind(axes, offset), conjugate: self.conjugate }
    }
}

impl<'a, T: Element, Dev: Device> From<Operand<'a, T, Dev>> for MatrixOperand<'a, T, Dev> {
    fn from(operand: Operand<'a, T, Dev>) -> Self {
        MatrixOperand { operand, conjugate: false }
    }
}

/// How a product is added to its output: `out = alpha · product + beta · out`. As in BLAS, `out` is not read if `beta` is zero, and
/// the factors are not read if `alpha` is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling<T> {
    /// The factor of the product.
    pub alpha: T,
    /// The factor of the elements that the output has.
    pub beta: T,
}

impl<T: Scalar> Scaling<T> {
    /// The product alone: `alpha` is one, `beta` zero.
    #[inline]
    pub fn overwrite() -> Self {
        Scaling { alpha: T::one(), beta: T::zero() }
    }
}

/// The arguments of [`Gemm`](super::Gemm)'s products: two factors, the output, and how the product is added to it.
#[derive(Debug)]
pub struct ProductArgs<'a, T: Element, Dev: Device> {
    /// How the product is added to the output.
    pub scaling: Scaling<T>,
    /// The left factor.
    pub a: MatrixOperand<'a, T, Dev>,
    /// The right factor.
    pub b: MatrixOperand<'a, T, Dev>,
    /// The output.
    pub out: Output<'a, T, Dev>,
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

    #[inline]
    pub(crate) fn axes(&self) -> Axes<'a> {
        Axes::new(self.shape, self.strides)
    }

    /// The same output, for a shorter time.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> Output<'_, T, Dev> {
        Output { ptr: self.ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }

    /// The output with these axes, whose first element is `offset` elements from this one's. They must be derived from this
    /// output's by the methods of [`Axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of this output's, or one element by two indices.
    #[inline]
    pub(crate) fn behind<'b>(self, axes: Axes<'b>, offset: isize) -> Output<'b, T, Dev>
    where
        'a: 'b,
    {
        assert!(axes.within(offset, self.axes()), "the axes address elements outside of the output's");
        assert!(axes.is_apart(), "two indices of an output address one element");
        // SAFETY: the axes stay between the lowest and the highest element of this output, are derived from its own by methods that
        // keep to its elements, and address each by one index, as was just checked. `self` has exclusive access and is given away.
        unsafe { Output::from_raw(Dev::offset(self.ptr, offset), axes.shape(), axes.strides()) }
    }

    /// [`behind`](Output::behind) for a layout that is derived from this output's.
    ///
    /// # Panics
    /// If the layout addresses elements outside of this output's, or one element by two indices.
    #[inline]
    pub(crate) fn in_layout<'b>(self, layout: &'b Layout) -> Output<'b, T, Dev>
    where
        'a: 'b,
    {
        self.behind(layout.axes(), layout.offset())
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
        self.at_address(Dev::host_ptr)
    }

    /// The same output, whose pointers have these addresses in the host's memory.
    #[inline]
    pub(super) fn at_address(self, address: impl FnOnce(Dev::Ptr<T>) -> *mut T) -> Output<'a, T, Cpu> {
        let ptr = HostPtr::new(address(self.ptr));
        Output { ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }
}
