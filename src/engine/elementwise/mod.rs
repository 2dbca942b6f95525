//! Elementwise operations. They broadcast their operands to the shape of the output, and call the device. Broadcasting aligns the
//! trailing axes in row-major order, and the leading axes in column-major order.
//!
//! The strides of a broadcast operand are stored in an array of type `R::Strides`. The rank `R` must be at least the rank of the
//! output. Typed tensors pass the output's rank, so the array is as small as possible. Dynamic tensors pass the largest rank, 16.

pub(crate) mod interpolate;
pub(crate) mod spacing;

use crate::device::function::MAX_ARGUMENTS;
use crate::device::{Arguments, Device, Elementwise, Function, Operand, Output, Visit, wide};
use crate::element::Element;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::rank::Dim;

/// Broadcasts the operands to the shape of `out`, applies `op`, and writes the results to `out`.
///
/// # Errors
/// The error of the device, such as [`Error::Arithmetic`] if `op` is undefined for some elements.
///
/// # Panics
/// If an operand does not broadcast to the shape of `out`.
// Always inlined, as `Elementwise::map` is: otherwise, the operands of few elements would be passed by address.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn map<R: Dim, A: Arguments, Dev: Elementwise<A::First>, F: Function<A>>(
    op: &F,
    row_major: bool,
    device: &Dev,
    mut out: Output<'_, F::Output, Dev>,
    operands: A::Operands<'_, Dev>,
) -> Result<(), Error> {
    let mut shapes = SameShape { shape: out.axes().shape(), same: true };
    A::each(operands, &mut shapes);
    if shapes.same {
        return wide::map::<R, A, Dev, F>(op, device, out, operands);
    }
    // `reborrow` makes a copy of `out` for the out-of-line call, which takes it by address. Without the copy, the branch above
    // would have to keep `out` in memory, too, instead of in registers.
    map_broadcast::<R, A, Dev, F>(op, row_major, device, out.reborrow(), A::copies(operands))
}

/// [`map`] for operands of different shapes. Out of line, so that only this case needs stack space for the strides.
#[inline(never)]
fn map_broadcast<R: Dim, A: Arguments, Dev: Elementwise<A::First>, F: Function<A>>(
    op: &F,
    row_major: bool,
    device: &Dev,
    out: Output<'_, F::Output, Dev>,
    operands: A::Operands<'_, Dev>,
) -> Result<(), Error> {
    let mut strides = [R::strides(out.axes().rank()); MAX_ARGUMENTS];
    let operands = A::broadcast::<Dev, R>(operands, out.axes().shape(), row_major, &mut strides);
    wide::map::<R, A, Dev, F>(op, device, out, operands)
}

/// Visitor that checks whether all operands have a given shape.
struct SameShape<'a> {
    shape: &'a [usize],
    same: bool,
}

impl<'a, Dev: Device> Visit<'a, Dev> for SameShape<'a> {
    #[inline(always)]
    fn visit<T: Element>(&mut self, operand: Operand<'a, T, Dev>) {
        self.same &= same(operand.shape(), self.shape);
    }
}

/// Broadcasts `from` to the shape `to`, and calls `f` with the broadcast operand.
///
/// # Errors
/// [`Error::AssignShape`] if `from` does not broadcast to `to`, or the error of `f`.
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
    let mut strides = R::strides(to.len());
    match from.broadcast(to, row_major, strides.as_mut()) {
        Some(from) => f(from),
        None => Err(does_not_fit(op, row_major, to, from.shape())),
    }
}

#[cold]
fn does_not_fit(op: &'static str, row_major: bool, to: &[usize], from: &[usize]) -> Error {
    Error::AssignShape { op, to: to.to_vec(), from: from.to_vec(), row_major }
}
