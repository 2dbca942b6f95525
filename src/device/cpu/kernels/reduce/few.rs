//! Small reductions without a plan, because planning would take longer than the reduction.

use super::boxed;
use super::common::OneLine;
use super::rows::reduce_few;
use super::task::enough;
use crate::device::cpu::Cpu;
use crate::device::{Operand, Output, Reduction};
use crate::element::Element;

/// Maximum number of outputs that are computed without a plan.
pub(in crate::device::cpu::kernels) const MAX_UNPLANNED_OUTPUTS: usize = 16;
/// Maximum number of elements per output if several outputs are computed without a plan.
pub(in crate::device::cpu::kernels) const MAX_UNPLANNED_LEN: usize = 8;

/// Computes a few outputs of a few elements each, or one output of more elements, without a plan, because planning would take longer.
/// Returns whether all results are representable. Returns `None` and writes nothing in these cases:
/// * There are more than [`MAX_UNPLANNED_OUTPUTS`] outputs. Or there is a kept axis, and more than [`MAX_UNPLANNED_LEN`] elements per output.
/// * The elements are enough for several threads.
/// * There are several kept axes, or several reduced axes.
/// * The accumulators belong on the heap: see module `boxed`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn reduce_a_few<T: Element, R: Reduction<T>>(
    op: &R,
    out: &Output<'_, R::Output, Cpu>,
    a: &Operand<'_, T, Cpu>,
) -> Option<bool> {
    let (kept, reduced) = a.shape().split_at(out.shape().len());
    if const { boxed::is_boxed::<T, R>() } || kept.len() > 1 || reduced.len() > 1 {
        return None;
    }
    let (kept_strides, strides) = a.strides().split_at(out.shape().len());
    let (outputs, count) = (kept.first().map_or(1, |&n| n), reduced.first().map_or(1, |&n| n));
    let first = |strides: &[isize]| strides.first().copied().unwrap_or(0);
    let (to, from, stride) = (first(out.strides()), first(kept_strides), first(strides));
    if outputs > MAX_UNPLANNED_OUTPUTS || count > MAX_UNPLANNED_LEN {
        if !kept.is_empty() || count >= enough::<T, R>() {
            return None;
        }
        // SAFETY: these are all elements of the operand, which `Operand` guarantees to be readable. Its address is aligned and not null.
        let line = unsafe { OneLine::new(a.ptr(), count, stride) };
        let value = op.visit::<OneLine<T>>(line);
        // SAFETY: the output has one element, to which `Output` guarantees exclusive access.
        return Some(value.map(|value| unsafe { *out.ptr().get() = value }).is_some());
    }
    let mut fits = true;
    for i in 0..outputs as isize {
        // SAFETY: `i` is less than the extent of the kept axis, or 0 if there is none. `count` is the extent of the reduced axis,
        // or 1 if there is none. So these are elements of the operand, which `Operand` guarantees to be readable.
        let acc = unsafe { reduce_few(op, a.ptr().offset(i * from), count, stride, 0) };
        match op.finish(acc, count) {
            Some(mut value) => {
                // The result of no elements, such as the mean NaN, is right. Their address may be null.
                if const { R::RESCALES } && count > 0 && op.is_doubtful(value) {
                    // SAFETY: these are elements of the operand, as above, and there is at least one. So the address is aligned and not null.
                    let line = unsafe { OneLine::new(a.ptr().offset(i * from), count, stride) };
                    // Computes the same result, and then again from scaled elements.
                    value = op.visit::<OneLine<T>>(line).unwrap_or(value);
                }
                // SAFETY: `i` is less than the extent of the output's axis, or 0 if there is none. `Output` guarantees exclusive access
                // to this element.
                unsafe { *out.ptr().offset(i * to).get() = value };
            }
            None => fits = false,
        }
    }
    Some(fits)
}
