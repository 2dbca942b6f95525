//! Elementwise operations: operands are repeated to the shape of the output, by the order's rule.
//!
//! Strides of repeated operands go into arrays of `R::Strides`: a rank of at least that of the output. A typed tensor names its own,
//! so that the call costs what its rank costs; a dynamic one names the largest.

use crate::device::{BinaryOp, Device, Elementwise, Operand, Output, TernaryOp};
use crate::element::Element;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::rank::Dim;

/// The caller has found the common shape.
const BROADCASTS: &str = "the shapes were found to broadcast";

/// Writes `op(a, b)`. The shape of `out` is the common shape of the operands.
///
/// # Errors
/// Those of the device.
#[inline]
pub(crate) fn binary<R: Dim, T: Element, U: Element, Dev: Elementwise<T>, F: BinaryOp<T, U>>(
    op: &F,
    row_major: bool,
    device: &Dev,
    out: Output<'_, F::Output, Dev>,
    a: Operand<'_, T, Dev>,
    b: Operand<'_, U, Dev>,
) -> Result<(), Error> {
    if same(a.shape(), out.shape()) && same(b.shape(), out.shape()) {
        return device.binary(op, out, a, b);
    }
    let [mut in_a, mut in_b] = [R::Strides::default(); 2];
    let a = a.repeated(out.axes().shape(), row_major, in_a.as_mut()).expect(BROADCASTS);
    let b = b.repeated(out.axes().shape(), row_major, in_b.as_mut()).expect(BROADCASTS);
    device.binary(op, out, a, b)
}

/// Writes `op(a, b, c)`. The shape of `out` is the common shape of the operands.
///
/// # Errors
/// Those of the device.
#[inline]
pub(crate) fn ternary<R, T, U, V, Dev, F>(
    op: &F,
    row_major: bool,
    device: &Dev,
    out: Output<'_, F::Output, Dev>,
    (a, b, c): (Operand<'_, T, Dev>, Operand<'_, U, Dev>, Operand<'_, V, Dev>),
) -> Result<(), Error>
where
    R: Dim,
    T: Element,
    U: Element,
    V: Element,
    Dev: Elementwise<T>,
    F: TernaryOp<T, U, V>,
{
    if same(a.shape(), out.shape()) && same(b.shape(), out.shape()) && same(c.shape(), out.shape()) {
        return device.ternary(op, out, a, b, c);
    }
    let [mut in_a, mut in_b, mut in_c] = [R::Strides::default(); 3];
    let a = a.repeated(out.axes().shape(), row_major, in_a.as_mut()).expect(BROADCASTS);
    let b = b.repeated(out.axes().shape(), row_major, in_b.as_mut()).expect(BROADCASTS);
    let c = c.repeated(out.axes().shape(), row_major, in_c.as_mut()).expect(BROADCASTS);
    device.ternary(op, out, a, b, c)
}

/// Calls `f` with an operand, repeated to the shape of what it is written to.
///
/// # Errors
/// [`Error::AssignTo`] if it does not broadcast to that shape, or the error of `f`.
#[inline]
pub(crate) fn repeated<R: Dim, T: Element, Dev: Device>(
    op: &'static str,
    row_major: bool,
    to: &[usize],
    from: Operand<'_, T, Dev>,
    f: impl FnOnce(Operand<'_, T, Dev>) -> Result<(), Error>,
) -> Result<(), Error> {
    if same(from.shape(), to) {
        return f(from);
    }
    let mut strides = R::Strides::default();
    match from.repeated(to, row_major, strides.as_mut()) {
        Some(from) => f(from),
        None => Err(does_not_fit(op, row_major, to, from.shape())),
    }
}

#[cold]
fn does_not_fit(op: &'static str, row_major: bool, to: &[usize], from: &[usize]) -> Error {
    Error::AssignTo { op, to: to.to_vec(), from: from.to_vec(), row_major }
}
