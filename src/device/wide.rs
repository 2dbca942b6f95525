//! Operations on operands with more than [`MAX_LOOPS`] axes.
//!
//! No method of a device gets such operands. The functions of this module fuse their axes, and call the method if at most [`MAX_LOOPS`] axes
//! remain. Otherwise they copy the operands to contiguous temporaries, which have one axis or two. The copy is a loop over parts with
//! [`MAX_LOOPS`] axes.
//!
//! The functions with a parameter `D` call the method of the device directly if a tensor of rank `D` cannot have so many axes. This is known
//! at compile time, so operations on tensors of other ranks neither execute nor contain the code of this module.

use super::function::{Arguments, ElementTuple, Function, Visit};
use super::{Copy, Device, Elementwise, Generator, Operand, Output, Reduce, Reduction, via_host};
use crate::device::BinaryOp;
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::layout::contiguous_strides;
pub(crate) use crate::layout::wide::{MAX_LOOPS, Nest};
use crate::rank::Dim;

/// Whether a tensor of rank `$D` with `$rank` axes has more axes than kernels support. A constant unless `$D` is
/// [`AnyRank<MAX>`](crate::AnyRank) with a large `MAX`.
// A macro, because the compiler does not generate code for a block that follows `if const { false }`. After `if is_wide::<D>(rank)`, it would
// generate the code of this module for each operation, and remove it only when it optimises.
macro_rules! is_wide {
    ($D:ty, $rank:expr) => {
        const { <$D as $crate::rank::Dim>::MAX_NDIM > $crate::device::wide::MAX_LOOPS }
        &&$rank > $crate::device::wide::MAX_LOOPS
    };
}
pub(crate) use is_wide;

// ------------------------------------------------------------------ entry points

/// [`Copy::copy`] for tensors of rank `D`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn copy<D: Dim, T: Element, Dev: Copy<T>>(
    device: &Dev,
    out: Output<'_, T, Dev>,
    from: Operand<'_, T, Dev>,
) -> Result<(), Error> {
    if is_wide!(D, out.shape().len()) { copy_wide(device, out, from) } else { device.copy(out, from) }
}

/// [`Elementwise::map`] for tensors of rank `D`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn map<D: Dim, A: Arguments, Dev: Elementwise<A::First>, F: Function<A>>(
    op: &F,
    device: &Dev,
    out: Output<'_, F::Output, Dev>,
    operands: A::Operands<'_, Dev>,
) -> Result<(), Error> {
    if is_wide!(D, out.shape().len()) {
        return map_wide::<A, Dev, F>(op, device, out, operands);
    }
    device.map::<A, F>(op, out, operands)
}

/// [`Elementwise::update`] for tensors of rank `D`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn update<D: Dim, A: Arguments, Dev: Elementwise<A::First>, F: Function<A, Output = A::First>>(
    op: &F,
    device: &Dev,
    a: Output<'_, A::First, Dev>,
    rest: <A::Rest as ElementTuple>::Operands<'_, Dev>,
) -> Result<(), Error> {
    if is_wide!(D, a.shape().len()) {
        return update_wide::<A, Dev, F>(op, device, a, rest);
    }
    device.update::<A, F>(op, a, rest)
}

/// [`Elementwise::generate`] for a tensor of rank `D`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn generate<D: Dim, T: Element, Dev: Elementwise<T>, F: Generator<T>>(
    op: &F,
    device: &Dev,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    if is_wide!(D, out.shape().len()) { generate_wide(op, device, out) } else { device.generate(op, out) }
}

/// [`Reduce::reduce`] for an operand of rank `D`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn reduce<D: Dim, T: Element, Dev: Reduce<T>, R: Reduction<T>>(
    op: &R,
    device: &Dev,
    out: Output<'_, R::Output, Dev>,
    from: Operand<'_, T, Dev>,
) -> Result<(), Error> {
    if is_wide!(D, from.shape().len()) {
        return reduce_wide(op, device, out, from);
    }
    device.reduce(op, out, from)
}

/// [`Reduce::scan`] for tensors of rank `D`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn scan<D: Dim, T: Element, Dev: Reduce<T>, F: BinaryOp<T, T, Output = T>>(
    op: &F,
    device: &Dev,
    out: Output<'_, T, Dev>,
    from: Operand<'_, T, Dev>,
) -> Result<(), Error> {
    if is_wide!(D, from.shape().len()) {
        return scan_wide(op, device, out, from);
    }
    device.scan(op, out, from)
}

// ------------------------------------------------------------------ copies

/// Elements in a buffer of their own, with one axis.
pub(crate) struct Temporary<T: Element, Dev: Device> {
    buffer: Dev::Buffer<T>,
    shape: [usize; 1],
}

impl<T: Element, Dev: Device> Temporary<T, Dev> {
    /// Allocates unspecified elements. The caller must write all of them before it reads any.
    fn for_overwrite(device: &Dev, len: usize) -> Result<Self, Error> {
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

    fn output(&mut self) -> Output<'_, T, Dev> {
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
fn pair(first: Axes<'_>, second: Axes<'_>) -> Nest {
    let mut nest = Nest::new(first);
    nest.push(second);
    nest
}

/// Calls `copy` for parts of an output and of an operand of the same shape, which have at most [`MAX_LOOPS`] axes.
fn each_part<T: Element, Dev: Device, Dev2: Device>(
    mut out: Output<'_, T, Dev>,
    from: Operand<'_, T, Dev2>,
    mut copy: impl FnMut(Output<'_, T, Dev>, Operand<'_, T, Dev2>) -> Result<(), Error>,
) -> Result<(), Error> {
    pair(out.axes(), from.axes()).unordered().for_parts(MAX_LOOPS, |shape, strides, offsets| {
        let to = out.reborrow().with_axes(Axes::new(shape, strides[0]), offsets[0]);
        copy(to, from.with_axes(Axes::new(shape, strides[1]), offsets[1]))
    })
}

/// [`Copy::copy`] for operands with more than [`MAX_LOOPS`] axes.
#[cold]
#[inline(never)]
pub(crate) fn copy_wide<T: Element, Dev: Copy<T>>(
    device: &Dev,
    out: Output<'_, T, Dev>,
    from: Operand<'_, T, Dev>,
) -> Result<(), Error> {
    each_part(out, from, |out, from| device.copy(out, from))
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
fn with_flat_output<T: Element, Dev: Device>(
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
fn store<T: Element, Dev: Device>(
    device: &Dev,
    made: &Temporary<T, Dev>,
    out: Output<'_, T, Dev>,
    nest: &Nest,
) -> Result<(), Error> {
    let strides = row_major(nest.shape());
    let from = made.operand().with_axes(Axes::new(nest.shape(), &strides), 0);
    transfer(device, out.with_axes(nest.axes(0), 0), device, from)
}

// ------------------------------------------------------------------ elementwise

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

/// Visitor that adds the operands to a nest.
struct Collect(Nest);

impl<'a, Dev: Device> Visit<'a, Dev> for Collect {
    fn visit<T: Element>(&mut self, operand: Operand<'a, T, Dev>) {
        self.0.push(operand.axes());
    }
}

/// [`Elementwise::map`] for operands with more than [`MAX_LOOPS`] axes, which all have the shape of `out`.
#[cold]
#[inline(never)]
fn map_wide<A: Arguments, Dev: Elementwise<A::First>, F: Function<A>>(
    op: &F,
    device: &Dev,
    out: Output<'_, F::Output, Dev>,
    operands: A::Operands<'_, Dev>,
) -> Result<(), Error> {
    let mut all = Collect(Nest::new(out.axes()));
    A::each(operands, &mut all);
    let nest = all.0.unordered();
    A::arranged(device, operands, &nest, |operands| {
        if nest.fits(0) {
            return device.map::<A, F>(op, out.with_axes(nest.axes(0), 0), operands);
        }
        with_flat_output(device, out, &nest, |out| device.map::<A, F>(op, out, operands))
    })
}

/// [`Elementwise::update`] for operands with more than [`MAX_LOOPS`] axes, which all have the shape of `a`.
#[cold]
#[inline(never)]
fn update_wide<A: Arguments, Dev: Elementwise<A::First>, F: Function<A, Output = A::First>>(
    op: &F,
    device: &Dev,
    a: Output<'_, A::First, Dev>,
    rest: <A::Rest as ElementTuple>::Operands<'_, Dev>,
) -> Result<(), Error> {
    let mut all = Collect(Nest::new(a.axes()));
    <A::Rest as ElementTuple>::each(rest, &mut all);
    let nest = all.0.unordered();
    <A::Rest as ElementTuple>::arranged(device, rest, &nest, |rest| {
        if nest.fits(0) {
            return device.update::<A, F>(op, a.with_axes(nest.axes(0), 0), rest);
        }
        if nest.is_contiguous(0) {
            return device.update::<A, F>(op, a.with_axes(Axes::new(&[nest.len()], &[1]), 0), rest);
        }
        let mut made = Temporary::packed(device, &nest, 0, a.as_operand())?;
        device.update::<A, F>(op, made.output(), rest)?;
        store(device, &made, a, &nest)
    })
}

/// [`Elementwise::generate`] for an output with more than [`MAX_LOOPS`] axes.
#[cold]
#[inline(never)]
fn generate_wide<T: Element, Dev: Elementwise<T>, F: Generator<T>>(
    op: &F,
    device: &Dev,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let nest = Nest::new(out.axes()).ordered();
    if nest.fits(0) {
        return device.generate(op, out.with_axes(nest.axes(0), 0));
    }
    with_flat_output(device, out, &nest, |out| device.generate(op, out))
}

// ------------------------------------------------------------------ reductions

/// [`Reduce::reduce`] for operands with more than [`MAX_LOOPS`] axes.
#[cold]
#[inline(never)]
fn reduce_wide<T: Element, Dev: Reduce<T>, R: Reduction<T>>(
    op: &R,
    device: &Dev,
    out: Output<'_, R::Output, Dev>,
    from: Operand<'_, T, Dev>,
) -> Result<(), Error> {
    let rank = out.shape().len();
    let (kept_shape, reduced_shape) = from.shape().split_at(rank);
    let (kept_strides, reduced_strides) = from.strides().split_at(rank);
    let kept = pair(out.axes(), Axes::new(kept_shape, kept_strides)).unordered();
    let reduced = Nest::new(Axes::new(reduced_shape, reduced_strides));
    let reduced = if R::USES_INDEX { reduced.ordered() } else { reduced.unordered() };
    if kept.len() == 0 {
        return Ok(());
    }
    let shape = [kept.shape(), reduced.shape()].concat();
    let strides = [kept.axes(1).strides(), reduced.axes(0).strides()].concat();
    let from = from.with_axes(Axes::new(&shape, &strides), 0);
    if kept.fits(reduced.rank()) {
        return device.reduce(op, out.with_axes(kept.axes(0), 0), from);
    }
    let made = Temporary::packed(device, &Nest::new(from.axes()), 0, from)?;
    let (shape, strides) = ([kept.len(), reduced.len()], [reduced.len() as isize, 1]);
    let from = made.operand().with_axes(Axes::new(&shape, &strides), 0);
    with_flat_output(device, out, &kept, |out| device.reduce(op, out, from))
}

/// [`Reduce::scan`] for operands with more than [`MAX_LOOPS`] axes.
#[cold]
#[inline(never)]
fn scan_wide<T: Element, Dev: Reduce<T>, F: BinaryOp<T, T, Output = T>>(
    op: &F,
    device: &Dev,
    out: Output<'_, T, Dev>,
    from: Operand<'_, T, Dev>,
) -> Result<(), Error> {
    if out.shape().contains(&0) {
        return Ok(());
    }
    let last = out.shape().len() - 1;
    let (n, shape) = (out.shape()[last], &out.shape()[..last]);
    let (to, step_to) = (&out.strides()[..last], out.strides()[last]);
    let (of, step_from) = (&from.strides()[..last], from.strides()[last]);
    let lines = pair(Axes::new(shape, to), Axes::new(shape, of)).unordered();
    let with_last = |k: usize, step| [lines.axes(k).strides(), &[step]].concat();
    let (shape, to, of) = ([lines.shape(), &[n]].concat(), with_last(0, step_to), with_last(1, step_from));
    let (out, from) = (out.with_axes(Axes::new(&shape, &to), 0), from.with_axes(Axes::new(&shape, &of), 0));
    if lines.fits(1) {
        return device.scan(op, out, from);
    }
    let nest = pair(out.axes(), from.axes());
    let made = Temporary::packed(device, &nest, 1, from)?;
    let (shape, strides) = ([lines.len(), n], [n as isize, 1]);
    let from = made.operand().with_axes(Axes::new(&shape, &strides), 0);
    with_flat_output(device, out, &nest, |out| {
        device.scan(op, out.with_axes(Axes::new(&shape, &strides), 0), from)
    })
}
