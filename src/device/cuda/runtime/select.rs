//! Operations that select elements by positions or masks. This module erases the element types of the operands, and calls the kernels.

use super::driver::context::Context;
use super::kernels::select::positions::{Axis, Scattering};
use super::kernels::select::{mask, positions};
use super::{fetched, operation, result, strided};
use crate::device::family::on_host;
use crate::device::positions::{CHECK, SCATTER, TAKE};
use crate::device::{BinaryOp, Cpu, Cuda, Operand, Output, Select, via_host};
use crate::element::Element;
use crate::error::Error;
use crate::rank::MAX_RANK;

pub(in crate::device) fn check_positions<const N: usize>(
    context: &'static Context,
    at: Operand<'_, i64, Cuda<N>>,
    len: usize,
) -> Result<(), Error> {
    check_positions_of(context, CHECK, at, len)
}

/// Checks, for the operation `op`, that positions are in range for an axis of extent `len`.
fn check_positions_of<const N: usize>(
    context: &'static Context,
    op: &'static str,
    at: Operand<'_, i64, Cuda<N>>,
    len: usize,
) -> Result<(), Error> {
    // SAFETY: `at` is an `Operand`, which guarantees that all of its elements may be read.
    if unsafe { positions::are_valid(context, at.shape(), strided(&at), len)? } {
        return Ok(());
    }
    check_on_host(context, op, at, len)
}

/// Repeats the check of positions on the host, to return an error that names the invalid position.
fn check_on_host<const N: usize>(
    context: &'static Context,
    op: &'static str,
    at: Operand<'_, i64, Cuda<N>>,
    len: usize,
) -> Result<(), Error> {
    Select::<i64>::check_positions(&Cpu, fetched(context, at)?.operand(), len).map_err(|error| match error {
        Error::IndexOutOfBounds { index, axis, shape, .. } => {
            Error::IndexOutOfBounds { op, index, axis, shape }
        }
        other => other,
    })
}

pub(in crate::device) fn take<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, T, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    at: Operand<'_, i64, Cuda<N>>,
) -> Result<(), Error> {
    let (&len, kept) = a.shape().split_last().expect("positions count along an axis");
    assert_eq!(out.shape(), at.shape(), "there must be one position for each element of the output");
    assert_eq!(out.shape().get(..kept.len()), Some(kept), "the leading axes must be those of the operand");
    let mut strides = [0; MAX_RANK];
    strides[..kept.len()].copy_from_slice(&a.strides()[..kept.len()]);
    let mut from = strided(&a);
    from.strides = &strides[..out.shape().len()];
    let axis = Axis::new(len, a.strides()[kept.len()]);
    // SAFETY: `Operand` guarantees that the elements of `a` and `at` may be read, and `Output` guarantees exclusive access to those of
    // `out`. The strides of `from` are those of the leading axes of `a`, and then zeros. So `from` and `axis` address only elements of
    // `a`.
    match unsafe { positions::take(context, out.shape(), result(&out), (from, axis), strided(&at), true)? } {
        true => Ok(()),
        false => check_on_host(context, TAKE, at, len),
    }
}

pub(in crate::device) fn pick<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, T, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    at: Operand<'_, i64, Cuda<N>>,
) -> Result<(), Error> {
    let &[n] = out.shape() else { panic!("the output must be a vector") };
    assert_eq!(at.shape(), [n, a.shape().len()], "there must be a position for each axis and element");
    // SAFETY: `Operand` guarantees that the elements of `a` and `at` may be read, and `Output` guarantees exclusive access to those of
    // `out`. As asserted, `at` has a row for each of the `n` elements of `out`, and a column for each axis of `a`.
    if unsafe { positions::pick(context, n, result(&out), (strided(&a), a.shape()), strided(&at))? } {
        return Ok(());
    }
    // A position is out of range. The host repeats the computation, and returns the error, which names this position.
    let (a, at) = (fetched(context, a)?, fetched(context, at)?);
    via_host::write_with(&Cuda::<N>::default(), out, |out| Cpu.pick(out, a.operand(), at.operand()))
}

/// Checks the shapes and positions of a scatter, and returns its operands with erased types.
fn scattering<'a, T: Element, const N: usize>(
    context: &'static Context,
    out: &'a Output<'_, T, Cuda<N>>,
    at: &'a Operand<'_, i64, Cuda<N>>,
    a: &'a Operand<'_, T, Cuda<N>>,
) -> Result<Scattering<'a>, Error> {
    let (&length, lines) = out.shape().split_last().expect("positions count along an axis");
    assert_eq!(a.shape(), at.shape(), "there must be one position for each element of the operand");
    assert_eq!(at.shape().get(..lines.len()), Some(lines), "the leading axes must be those of the output");
    check_positions_of(context, SCATTER, *at, length)?;
    Ok(Scattering { shape: at.shape(), length, out: result(out), at: strided(at), a: strided(a) })
}

pub(in crate::device) fn scatter<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, T, Cuda<N>>,
    at: Operand<'_, i64, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let scattering = scattering(context, &out, &at, &a)?;
    // SAFETY: `Operand` guarantees that the elements of `at` and `a` may be read, and `Output` guarantees exclusive access to those of
    // `out`. The function `scattering` checked the shapes and the positions.
    unsafe { scattering.run(context, None) }
}

pub(in crate::device) fn scatter_with<T: Element, F: BinaryOp<T, T, Output = T>, const N: usize>(
    context: &'static Context,
    op: &F,
    out: Output<'_, T, Cuda<N>>,
    at: Operand<'_, i64, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    if F::CHECKED {
        // If `at` contains a position several times, `op` is applied to its own results. A result that is undefined is therefore known only
        // during the computation. So the host applies and checks `op`, and its error names the elements.
        let device = Cuda::<N>::default();
        return on_host!(&device, Select::scatter_with(&Cpu, op, out, at, a); out: update, at: read, a: read,);
    }
    let scattering = scattering(context, &out, &at, &a)?;
    let operation = operation(F::NAME, F::CUDA, |bind| op.scalars(bind));
    // SAFETY: `Operand` guarantees that the elements of `at` and `a` may be read, and `Output` guarantees exclusive access to those of
    // `out`. The function `scattering` checked the shapes and the positions.
    unsafe { scattering.run(context, Some(&operation)) }
}

pub(in crate::device) fn compress<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, T, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    mask: Operand<'_, bool, Cuda<N>>,
) -> Result<(), Error> {
    assert_eq!(a.shape(), mask.shape(), "the mask must have the shape of the operand");
    let &[length] = out.shape() else { panic!("the output must be a vector") };
    let vector = (result(&out), length);
    // SAFETY: `Operand` guarantees that the elements of `mask` and `a` may be read, and `Output` guarantees exclusive access to those
    // of `out`. The shapes are those that `mask::copy` requires, as checked above.
    unsafe { mask::copy(context, &mask::COMPRESS, a.shape(), strided(&mask), strided(&a), vector) }
}

pub(in crate::device) fn expand<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, T, Cuda<N>>,
    mask: Operand<'_, bool, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    assert_eq!(out.shape(), mask.shape(), "the mask must have the shape of the output");
    let &[length] = a.shape() else { panic!("the elements must be a vector") };
    let vector = (strided(&a), length);
    // SAFETY: `Operand` guarantees that the elements of `mask` and `a` may be read, and `Output` guarantees exclusive access to those
    // of `out`. The shapes are those that `mask::copy` requires, as checked above.
    unsafe { mask::copy(context, &mask::EXPAND, out.shape(), strided(&mask), result(&out), vector) }
}

pub(in crate::device) fn nonzero<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, i64, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let &[rows, columns] = out.shape() else { panic!("the output must be a matrix") };
    assert_eq!(columns, a.shape().len(), "there must be a column for each axis");
    // SAFETY: `Operand` guarantees that the elements of `a` may be read, and `Output` guarantees exclusive access to those of `out`. As
    // asserted, `out` has a column for each axis of `a`.
    unsafe { mask::nonzero(context, a.shape(), (result(&out), rows), strided(&a)) }
}
