//! Operands with more than [`MAX_LOOPS`] axes as operands of kernels: copies of their elements in contiguous temporaries, and loops over parts.

use crate::device::{Device, Operand, Output, via_host};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::layout::contiguous_strides;
use crate::layout::wide::{MAX_LOOPS, Nest};

/// Elements in a buffer of their own, with one axis.
pub(crate) struct Temporary<T: Element, Dev: Device> {
    buffer: Dev::Buffer<T>,
    shape: [usize; 1],
}

impl<T: Element, Dev: Device> Temporary<T, Dev> {
    /// Allocates unspecified elements. The caller must write all of them before it reads any.
    pub(super) fn for_overwrite(device: &Dev, len: usize) -> Result<Self, Error> {
        // SAFETY: by the contract above, the functions of this module write every element before they read any.
        let buffer = unsafe { device.alloc_for_overwrite(len)? };
        assert_eq!(
            Dev::len(&buffer),
            len,
            "the buffer of a device must have the requested number of elements"
        );
        Ok(Temporary { buffer, shape: [len] })
    }

    /// Copies the elements of an operand, whose axes are those of operand `k` of the nest, in the order of the nest.
    pub(crate) fn packed(
        device: &Dev,
        nest: &Nest,
        k: usize,
        from: Operand<'_, T, Dev>,
    ) -> Result<Self, Error> {
        let mut made = Temporary::for_overwrite(device, nest.len())?;
        let strides = row_major(nest.shape());
        let out = made.output().with_axes(Axes::new(nest.shape(), &strides), 0);
        transfer(device, out, device, from.with_axes(nest.axes(k), 0))?;
        Ok(made)
    }

    pub(crate) fn operand(&self) -> Operand<'_, T, Dev> {
        // SAFETY: the buffer has as many elements as the shape, as `for_overwrite` checked. They are initialised, because the functions of
        // this module write all of them first. `self` is borrowed, so nothing writes to them or frees them.
        unsafe { Operand::from_raw(Dev::ptr(&self.buffer), &self.shape, &[1]) }
    }

    pub(super) fn output(&mut self) -> Output<'_, T, Dev> {
        // SAFETY: the buffer has as many elements as the shape, as `for_overwrite` checked, and `self` is exclusively borrowed. Different
        // indices address different elements, because the stride is 1.
        unsafe { Output::from_raw(Dev::ptr_mut(&mut self.buffer), &self.shape, &[1]) }
    }
}

/// Returns the strides of a contiguous row-major tensor.
pub(crate) fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    contiguous_strides(shape, &mut strides, true);
    strides
}

/// Returns the nest of two operands, which have the same shape.
pub(super) fn pair(first: Axes<'_>, second: Axes<'_>) -> Nest {
    let mut nest = Nest::new(first);
    nest.push(second);
    nest
}

/// Calls `copy` for parts of an output and of an operand of the same shape, which have at most [`MAX_LOOPS`] axes.
pub(super) fn each_part<T: Element, Dev: Device, Dev2: Device>(
    mut out: Output<'_, T, Dev>,
    from: Operand<'_, T, Dev2>,
    mut copy: impl FnMut(Output<'_, T, Dev>, Operand<'_, T, Dev2>) -> Result<(), Error>,
) -> Result<(), Error> {
    pair(out.axes(), from.axes()).unordered().for_parts(MAX_LOOPS, |shape, strides, offsets| {
        let to = out.reborrow().with_axes(Axes::new(shape, strides[0]), offsets[0]);
        copy(to, from.with_axes(Axes::new(shape, strides[1]), offsets[1]))
    })
}

/// [`via_host::transfer`] for operands with more than [`MAX_LOOPS`] axes: copies elements to an output of the same shape, which may be on
/// another device.
#[cold]
#[inline(never)]
pub(crate) fn transfer<T: Element, Dev: Device, Dev2: Device>(
    to: &Dev,
    out: Output<'_, T, Dev>,
    device: &Dev2,
    from: Operand<'_, T, Dev2>,
) -> Result<(), Error> {
    each_part(out, from, |out, from| via_host::transfer(to, out, device, from))
}

/// Calls `f` with an operand of at most [`MAX_LOOPS`] axes that has the same elements in row-major order.
#[cold]
#[inline(never)]
pub(crate) fn in_row_major_order<T: Element, Dev: Device, V>(
    device: &Dev,
    from: Operand<'_, T, Dev>,
    f: impl FnOnce(Operand<'_, T, Dev>) -> Result<V, Error>,
) -> Result<V, Error> {
    let nest = Nest::new(from.axes()).ordered();
    if nest.fits(0) {
        return f(from.with_axes(nest.axes(0), 0));
    }
    f(Temporary::packed(device, &nest, 0, from)?.operand())
}

/// Calls `kernel` with an output of one axis, for the elements of `out` in the order of the nest, whose operand 0 is `out`. The output is a
/// temporary, whose elements are copied to `out`, if `out` is not contiguous in this order.
pub(super) fn with_flat_output<T: Element, Dev: Device>(
    device: &Dev,
    out: Output<'_, T, Dev>,
    nest: &Nest,
    kernel: impl FnOnce(Output<'_, T, Dev>) -> Result<(), Error>,
) -> Result<(), Error> {
    if nest.is_contiguous(0) {
        return kernel(out.with_axes(Axes::new(&[nest.len()], &[1]), 0));
    }
    let mut made = Temporary::for_overwrite(device, nest.len())?;
    kernel(made.output())?;
    store(device, &made, out, nest)
}

/// Copies the elements of a temporary, which are in the order of the nest, to `out`, which is operand 0 of the nest.
pub(super) fn store<T: Element, Dev: Device>(
    device: &Dev,
    made: &Temporary<T, Dev>,
    out: Output<'_, T, Dev>,
    nest: &Nest,
) -> Result<(), Error> {
    let strides = row_major(nest.shape());
    let from = made.operand().with_axes(Axes::new(nest.shape(), &strides), 0);
    transfer(device, out.with_axes(nest.axes(0), 0), device, from)
}

/// An operand of an elementwise function, with the axes of a nest, or copied if these are more than [`MAX_LOOPS`].
pub(crate) enum Arranged<'a, T: Element, Dev: Device> {
    Given(Operand<'a, T, Dev>),
    Packed(Temporary<T, Dev>),
}

impl<'a, T: Element, Dev: Device> Arranged<'a, T, Dev> {
    /// Arranges an operand, whose axes are those of operand `k` of the nest.
    pub(crate) fn new(
        device: &Dev,
        operand: Operand<'a, T, Dev>,
        nest: &'a Nest,
        k: usize,
    ) -> Result<Self, Error> {
        Ok(match nest.fits(0) {
            true => Arranged::Given(operand.with_axes(nest.axes(k), 0)),
            false => Arranged::Packed(Temporary::packed(device, nest, k, operand)?),
        })
    }

    pub(crate) fn operand(&self) -> Operand<'_, T, Dev> {
        match self {
            Arranged::Given(operand) => *operand,
            Arranged::Packed(made) => made.operand(),
        }
    }
}
