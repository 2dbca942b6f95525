//! Operations on operands with more than [`MAX_LOOPS`] axes.
//!
//! No method of a device gets such operands. The functions of this module fuse their axes, and call the method if at most [`MAX_LOOPS`] axes
//! remain. Otherwise they copy the operands to contiguous temporaries, which have one axis or two. The copy is a loop over parts with
//! [`MAX_LOOPS`] axes.
//!
//! The functions with a parameter `D` call the method of the device directly if a tensor of rank `D` cannot have so many axes. This is known
//! at compile time, so operations on tensors of other ranks neither execute nor contain the code of this module.

pub(super) mod packed;

pub(crate) use packed::{Arranged, Temporary, in_row_major_order, row_major, transfer};

use self::packed::{each_part, pair, store, with_flat_output};
use super::function::{Arguments, ElementTuple, Function, Visit};
use super::{BinaryOp, Copy, Device, Elementwise, Generator, Operand, Output, Reduce, Reduction};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::Axes;
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

// ------------------------------------------------------------------ elementwise

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
