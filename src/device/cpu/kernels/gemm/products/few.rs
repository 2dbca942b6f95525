//! A few short sums of products, without a plan.

use super::finish::Finish;
use super::sums::Sums;
use super::zipped::{ANY_STRIDE, Zipped};
use crate::device::cpu::Cpu;
use crate::device::cpu::kernels::reduce::{MAX_UNPLANNED_LEN, MAX_UNPLANNED_OUTPUTS};
use crate::device::{ProductArgs, Scaling};
use crate::element::Scalar;
use crate::layout::broadcast::same;

/// Computes a few short sums without a [`Plan`](crate::layout::plan::Plan) of the loops, because planning would take longer than the sums. Returns whether all
/// results are representable. Returns `None` and writes nothing in these cases:
/// * There are more than [`MAX_UNPLANNED_OUTPUTS`] outputs, or more than [`MAX_UNPLANNED_LEN`] terms per output.
/// * The output has several axes, or the number of summed axes is not 1.
/// * The shapes do not agree, which [`compute`](super::compute) rejects.
#[inline(always)]
pub(super) fn sum_a_few<T: Scalar, S: Sums<T>>(args: &ProductArgs<'_, T, Cpu>) -> Option<bool> {
    let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
    let outputs = match (out.shape(), a.operand.shape()) {
        (&[], &[..=MAX_UNPLANNED_LEN]) => 1,
        (&[outputs @ ..=MAX_UNPLANNED_OUTPUTS], &[kept, ..=MAX_UNPLANNED_LEN]) if kept == outputs => outputs,
        _ => return None,
    };
    if !same(a.operand.shape(), b.operand.shape()) {
        return None;
    }
    let last = out.shape().len();
    let first = |strides: &[isize]| if last == 0 { 0 } else { strides[0] };
    let steps = [first(out.strides()), first(a.operand.strides()), first(b.operand.strides())];
    let along = [a.operand.strides()[last], b.operand.strides()[last]];
    // If `alpha` is zero, the sum is over zero terms, so that `a` and `b` are not read.
    let terms = if alpha.is_zero() { 0 } else { a.operand.shape()[last] };
    let finishing = Finish::new(*alpha, *beta, [a.conjugate, b.conjugate]);
    let mut fits = true;
    for i in 0..outputs as isize {
        let (x, y) = (a.operand.ptr().offset(i * steps[1]), b.operand.ptr().offset(i * steps[2]));
        let pair = Zipped::<T, ANY_STRIDE, ANY_STRIDE>::new(x, y, along);
        // SAFETY: `i` is less than the extent of the kept axis, or 0 if there is none. `terms` is at most the extent of the summed axis. So
        // elements `0..terms` of `pair` are elements of `a` and `b`, which `Operand` guarantees to be readable.
        let [sum] = S::lanes::<1>(0, terms, |p| unsafe { pair.at(p) });
        // SAFETY: `i` is less than the extent of the output's axis, or 0 if it has none. `Output` guarantees exclusive access to
        // this element.
        fits &= unsafe { S::put(sum, &finishing, out.ptr().offset(i * steps[0])) };
    }
    Some(fits)
}
