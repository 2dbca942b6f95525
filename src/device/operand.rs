//! Operands of kernels: a pointer, a shape and strides. Rank and memory order are not in their types. So a kernel is compiled once,
//! and not once for each of 17 ranks and two orders.

use super::{Cpu, Device, HostAccess, HostPtr, SameDevice, SameDtype};
use crate::element::{Element, Scalar};
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::axes::{Axes, AxesMut};
use crate::layout::broadcast::same;
use core::marker::PhantomData;

/// A strided array to read.
///
/// Guarantees that every element whose index is within the shape can be read during `'a`.
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
    /// Creates an operand from its parts; strides count elements.
    ///
    /// # Safety
    /// The caller must ensure that, for every index within `shape`, `ptr` offset by `Σ index · stride` points to an initialised
    /// element that is neither freed nor written to during `'a`.
    ///
    /// # Panics
    /// If `shape` and `strides` differ in length.
    #[must_use]
    pub unsafe fn from_raw(ptr: Dev::Ptr<T>, shape: &'a [usize], strides: &'a [isize]) -> Self {
        assert_eq!(shape.len(), strides.len(), "expected one stride for each axis");
        Operand { ptr, shape, strides, data: PhantomData }
    }

    /// Returns a copy, made field by field: see [`ElementTuple::copies`](super::ElementTuple::copies).
    #[inline(always)]
    pub(super) fn copied(&self) -> Self {
        Operand { ptr: self.ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }

    /// Returns a pointer to the element at index 0.
    #[must_use]
    pub fn ptr(&self) -> Dev::Ptr<T> {
        self.ptr
    }
    /// Returns the extent of each axis.
    #[must_use]
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }
    /// Returns the stride of each axis, in elements.
    #[must_use]
    pub fn strides(&self) -> &'a [isize] {
        self.strides
    }

    /// Casts the operand to the type parameters `T2` and `Dev2`, which the bounds require to equal `T` and `Dev`.
    pub(crate) fn into_agreeing<T2: SameDtype<T>, Dev2: SameDevice<Dev>>(self) -> Operand<'a, T2, Dev2> {
        let ptr = T2::same_ptr::<Dev2>(Dev2::same_ptr(self.ptr));
        Operand { ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }

    #[inline]
    pub(crate) fn axes(&self) -> Axes<'a> {
        Axes::new(self.shape, self.strides)
    }

    /// Returns an operand with the given axes, whose first element is `offset` elements after this operand's. The axes must be
    /// derived from this operand's axes by the methods of [`Axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of this operand.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_axes<'b>(self, axes: Axes<'b>, offset: isize) -> Operand<'b, T, Dev>
    where
        'a: 'b,
    {
        assert!(axes.within(offset, self.axes()), "the axes address elements outside of the operand");
        // SAFETY: the new axes stay between the lowest and the highest element of this operand, as was just checked. They are
        // derived from the operand's axes by methods of `Axes`, so they address only elements of this operand. These are readable
        // during `'a`.
        unsafe { Operand::from_raw(Dev::offset(self.ptr, offset), axes.shape(), axes.strides()) }
    }

    /// Returns the operand of the elements whose indices along axes `a` and `b` are equal: see [`Axes::diagonal`].
    ///
    /// # Errors
    /// If an axis is out of range, or `a` and `b` are the same axis or differ in extent. `op` names the operation.
    // Always inlined, and without the check of `with_axes`: that check takes as long as the trace of a small matrix.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn diagonal<'b>(
        self,
        op: &'static str,
        a: usize,
        b: usize,
        mut to: AxesMut<'b>,
    ) -> Result<Operand<'b, T, Dev>, Error>
    where
        'a: 'b,
    {
        self.axes().diagonal(op, a, b, to.reborrow())?;
        let axes = to.into_axes();
        // SAFETY: `Axes::diagonal` checks that `a` and `b` have the same extent, and its axes begin at this operand's first
        // element. So the element at index (.., i) is the element of this operand whose indices along `a` and `b` are i and whose
        // other indices are equal. All elements of this operand are readable during `'a`, which includes `'b`.
        Ok(unsafe { Operand::from_raw(self.ptr, axes.shape(), axes.strides()) })
    }

    /// Returns an operand with the axes and the offset of `layout`, which must be derived from this operand's axes: see
    /// [`with_axes`](Operand::with_axes).
    ///
    /// # Panics
    /// If the layout addresses elements outside of this operand.
    #[inline]
    pub(crate) fn in_layout<'b>(self, layout: &'b Layout) -> Operand<'b, T, Dev>
    where
        'a: 'b,
    {
        self.with_axes(layout.axes(), layout.offset())
    }

    /// Returns the real and imaginary parts of complex elements as real elements: see [`Layout::parts`], which `to` becomes. Returns `None` if
    /// the device does not support this.
    pub(crate) fn parts<'b>(self, to: &'b mut Layout) -> Option<Operand<'b, T::Part, Dev>>
    where
        'a: 'b,
    {
        assert_eq!(size_of::<T>(), 2 * size_of::<T::Part>(), "only complex numbers have two parts");
        *to = Layout::new(self.shape, self.strides).parts()?;
        let ptr = Dev::real_part(self.ptr)?;
        // SAFETY: as the device ensures, the parts of an element are adjacent, so the parts of the element at offset k are at 2 k and
        // 2 k + 1. `Layout::parts` has these offsets for each element of this operand, which is readable during `'a`.
        Some(unsafe { Operand::from_raw(ptr, to.shape(), to.strides()) })
    }

    /// Returns the operand broadcast to `shape`, or `None` if it does not broadcast to this shape. Row-major order aligns the last axes,
    /// column-major order the first axes. Writes the strides of the result to `strides`, which has at least `shape.len()` entries.
    #[inline]
    pub(crate) fn broadcast<'b>(
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
        Some(self.with_axes(Axes::new(shape, strides), 0))
    }

    /// Returns the same operand for host kernels.
    pub fn on_host(self) -> Operand<'a, T, Cpu>
    where
        Dev: HostAccess,
    {
        self.at_address(Dev::host_ptr)
    }

    /// Returns the same operand for host kernels. `address` converts a pointer of the device to a host address.
    #[inline]
    pub(super) fn at_address(self, address: impl FnOnce(Dev::Ptr<T>) -> *mut T) -> Operand<'a, T, Cpu> {
        let ptr = HostPtr::new(address(self.ptr));
        Operand { ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }
}

/// An operand of a product: a strided array, and whether its elements are conjugated when they are read.
#[derive(Debug)]
pub struct MatrixOperand<'a, T: Element, Dev: Device> {
    /// The elements.
    pub operand: Operand<'a, T, Dev>,
    /// Whether to use the complex conjugate of each element. No effect on real numbers.
    pub conjugate: bool,
}

/// An operand of a product, and its device.
pub(crate) type OnDevice<'a, T, Dev> = (MatrixOperand<'a, T, Dev>, &'a Dev);

impl<T: Element, Dev: Device> Clone for MatrixOperand<'_, T, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device> Copy for MatrixOperand<'_, T, Dev> {}

impl<'a, T: Element, Dev: Device> MatrixOperand<'a, T, Dev> {
    /// Returns an operand with the given axes, which begins at the same element: see [`Operand::with_axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of this operand.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_axes<'b>(self, axes: Axes<'b>) -> MatrixOperand<'b, T, Dev>
    where
        'a: 'b,
    {
        let operand = if axes.repeats(self.operand.axes()) {
            // SAFETY: `repeats` returned `true`: the trailing axes are those of this operand, and the axes before them have stride 0. So
            // the new axes address elements of this operand only, which are readable during `'a`.
            unsafe { Operand::from_raw(self.operand.ptr, axes.shape(), axes.strides()) }
        } else {
            self.operand.with_axes(axes, 0)
        };
        MatrixOperand { operand, conjugate: self.conjugate }
    }
}

impl<'a, T: Element, Dev: Device> From<Operand<'a, T, Dev>> for MatrixOperand<'a, T, Dev> {
    fn from(operand: Operand<'a, T, Dev>) -> Self {
        MatrixOperand { operand, conjugate: false }
    }
}

/// The scaling factors of a product: `out = alpha · product + beta · out`. As in BLAS, `out` is not read if `beta` is zero, and
/// the operands are not read if `alpha` is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling<T> {
    /// The factor of the product.
    pub alpha: T,
    /// The factor of the previous elements of the output.
    pub beta: T,
}

impl<T: Scalar> Scaling<T> {
    /// Returns `alpha` = 1 and `beta` = 0: the product replaces the output.
    #[inline]
    pub fn overwrite() -> Self {
        Scaling { alpha: T::one(), beta: T::zero() }
    }
}

/// The arguments of [`Gemm`](super::Gemm)'s products: two operands, the output, and the scaling factors.
#[derive(Debug)]
pub struct ProductArgs<'a, T: Element, Dev: Device> {
    /// The scaling factors.
    pub scaling: Scaling<T>,
    /// The left operand.
    pub a: MatrixOperand<'a, T, Dev>,
    /// The right operand.
    pub b: MatrixOperand<'a, T, Dev>,
    /// The output.
    pub out: Output<'a, T, Dev>,
}

/// A strided array to write.
///
/// Guarantees exclusive access during `'a` to every element whose index is within the shape. Different indices address different
/// elements.
#[derive(Debug)]
pub struct Output<'a, T: Element, Dev: Device> {
    ptr: Dev::Ptr<T>,
    shape: &'a [usize],
    strides: &'a [isize],
    data: PhantomData<&'a mut [T]>,
}

/// Checks new axes for an output, whose present axes are `of`. The first element of the new axes is `offset` elements after the output's.
///
/// Takes slices, because the compiler knows that a function does not write to them. If the function took [`Axes`], which it gets by
/// address, the caller would have to read the axes again after the call, which products of tiny matrices would notice.
///
/// # Panics
/// If the new axes address elements outside of the output, or one element by two indices.
#[inline(never)]
fn check_output_axes(
    shape: &[usize],
    strides: &[isize],
    offset: isize,
    of_shape: &[usize],
    of_strides: &[isize],
) {
    let axes = Axes::new(shape, strides);
    assert!(
        axes.within(offset, Axes::new(of_shape, of_strides)),
        "the axes address elements outside of the output"
    );
    assert!(axes.is_non_overlapping(), "two indices of an output address the same element");
}

impl<'a, T: Element, Dev: Device> Output<'a, T, Dev> {
    /// Creates an output from its parts; strides count elements.
    ///
    /// # Safety
    /// The caller must ensure that
    ///
    /// * for every index within `shape`, `ptr` offset by `Σ index · stride` points to an element that is not freed, and that
    ///   nothing else accesses, during `'a`;
    /// * different indices address different elements.
    ///
    /// # Panics
    /// If `shape` and `strides` differ in length.
    #[must_use]
    pub unsafe fn from_raw(ptr: Dev::Ptr<T>, shape: &'a [usize], strides: &'a [isize]) -> Self {
        assert_eq!(shape.len(), strides.len(), "expected one stride for each axis");
        Output { ptr, shape, strides, data: PhantomData }
    }

    /// Returns a pointer to the element at index 0.
    #[must_use]
    pub fn ptr(&self) -> Dev::Ptr<T> {
        self.ptr
    }
    /// Returns the extent of each axis.
    #[must_use]
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }
    /// Returns the stride of each axis, in elements.
    #[must_use]
    pub fn strides(&self) -> &'a [isize] {
        self.strides
    }

    #[inline]
    pub(crate) fn axes(&self) -> Axes<'a> {
        Axes::new(self.shape, self.strides)
    }

    /// Returns the same output with a shorter lifetime.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> Output<'_, T, Dev> {
        Output { ptr: self.ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }

    /// Returns an output with the given axes, whose first element is `offset` elements after this output's. The axes must be
    /// derived from this output's axes by the methods of [`Axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of this output, or one element by two indices.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_axes<'b>(self, axes: Axes<'b>, offset: isize) -> Output<'b, T, Dev>
    where
        'a: 'b,
    {
        // If the axes are the same, they need no check. A check takes a sixth of the time of a small product of a matrix and a vector.
        if offset != 0 || !same(axes.shape(), self.shape) || !axes.strides().iter().eq(self.strides) {
            check_output_axes(axes.shape(), axes.strides(), offset, self.shape, self.strides);
        }
        // SAFETY: the new axes are this output's own, or `check_output_axes` checked two conditions: they stay between the lowest and
        // the highest element of this output, and different indices address different elements. Callers derive the new axes from
        // the output's axes by methods of `Axes`, so they address no elements between those of this output. `self` has exclusive access to
        // these elements and is consumed.
        unsafe { Output::from_raw(Dev::offset(self.ptr, offset), axes.shape(), axes.strides()) }
    }

    /// Returns an output with the axes and the offset of `layout`, which must be derived from this output's axes: see
    /// [`with_axes`](Output::with_axes).
    ///
    /// # Panics
    /// If the layout addresses elements outside of this output, or one element by two indices.
    #[inline]
    pub(crate) fn in_layout<'b>(self, layout: &'b Layout) -> Output<'b, T, Dev>
    where
        'a: 'b,
    {
        self.with_axes(layout.axes(), layout.offset())
    }

    /// Variant of [`Operand::parts`] for outputs.
    pub(crate) fn parts<'b>(self, to: &'b mut Layout) -> Option<Output<'b, T::Part, Dev>>
    where
        'a: 'b,
    {
        assert_eq!(size_of::<T>(), 2 * size_of::<T::Part>(), "only complex numbers have two parts");
        *to = Layout::new(self.shape, self.strides).parts()?;
        let ptr = Dev::real_part(self.ptr)?;
        // SAFETY: as the device ensures, the parts of an element are adjacent, so the parts of the element at offset k are at 2 k and
        // 2 k + 1. `Layout::parts` has these offsets for each element of this output, so different indices address different parts.
        // `self` has exclusive access to these elements during `'a` and is consumed.
        Some(unsafe { Output::from_raw(ptr, to.shape(), to.strides()) })
    }

    /// Returns an operand that reads the output's elements.
    #[must_use]
    pub fn as_operand(&self) -> Operand<'_, T, Dev> {
        Operand { ptr: self.ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }

    /// Returns the same output for host kernels.
    pub fn on_host(self) -> Output<'a, T, Cpu>
    where
        Dev: HostAccess,
    {
        self.at_address(Dev::host_ptr)
    }

    /// Returns the same output for host kernels. `address` converts a pointer of the device to a host address.
    #[inline]
    pub(super) fn at_address(self, address: impl FnOnce(Dev::Ptr<T>) -> *mut T) -> Output<'a, T, Cpu> {
        let ptr = HostPtr::new(address(self.ptr));
        Output { ptr, shape: self.shape, strides: self.strides, data: PhantomData }
    }
}
