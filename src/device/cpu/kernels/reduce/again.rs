//! Computes doubtful results again, from elements that are divided by a power of two: see [`Reduction::is_doubtful`].
//!
//! The kernels square and sum elements as they are, because this is fastest and right for nearly all elements. So this module is called
//! only if a sum left the range of numbers, or if the elements are infinite or NaN.

use super::outputs::pairwise;
use super::rows::reduce_row;
use super::task::ReduceTask;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Operand, Output, Reduction};
use crate::element::Element;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// Number of scaled elements that are folded together. They are on the stack, so that no allocation can fail.
const BLOCK: usize = 256;

/// Returns the elements that a plan visits from `from` on.
///
/// # Safety
/// The caller must ensure that these elements are readable, as long as the result is used.
unsafe fn elements<T: Element>(from: HostPtr<T>, plan: &Plan<1>) -> impl Iterator<Item = T> {
    let (n, [stride]) = (plan.inner_len() as isize, plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    (0..plan.outer_shape().iter().product()).flat_map(move |_: usize| {
        let row = from.offset(walk.offsets()[0]);
        walk.advance();
        // SAFETY: the plan visits this element, so the caller ensures that it is readable.
        (0..n).map(move |i| unsafe { *row.offset(i * stride).get() })
    })
}

/// Returns the result of the elements that a plan visits, computed from scaled elements, or `result` if it is right.
///
/// # Safety
/// The caller must ensure that the elements that the plan visits from `from` on are readable.
#[cold]
#[inline(never)]
unsafe fn again<T: Element, R: Reduction<T>>(
    op: &R,
    result: R::Output,
    from: HostPtr<T>,
    plan: &Plan<1>,
) -> R::Output {
    // SAFETY: the caller ensures that these elements are readable.
    let Some(by) = op.scale(unsafe { elements(from, plan) }) else { return result };
    // SAFETY: as above.
    let mut scaled = unsafe { elements(from, plan) }.map(|x| op.scaled(x, by));
    let mut buffer = [T::default(); BLOCK];
    let mut leaf = |count: usize| {
        let block = &mut buffer[..count];
        block.iter_mut().zip(&mut scaled).for_each(|(to, x)| *to = x);
        // SAFETY: these are the elements of a borrowed slice, whose address is aligned and not null.
        unsafe { reduce_row::<T, R>(op, HostPtr::new(block.as_mut_ptr()), count, 1, 0) }
    };
    let acc = pairwise(plan.len(), BLOCK, &mut leaf, &|a, b| op.combine(a, b));
    op.finish(acc, plan.len()).map_or(result, |result_of_scaled| op.restored(result_of_scaled, by))
}

/// Returns the result of `n` elements with stride `stride` from scaled elements, or `result` if it is right.
///
/// # Safety
/// The caller must ensure that the `n` elements are readable.
#[cold]
pub(super) unsafe fn again_in_line<T: Element, R: Reduction<T>>(
    op: &R,
    result: R::Output,
    line: HostPtr<T>,
    n: usize,
    stride: isize,
) -> R::Output {
    // SAFETY: the plan visits the `n` elements, which the caller ensures are readable.
    unsafe { again(op, result, line, &Plan::line(n, [stride])) }
}

impl<T: Element, R: Reduction<T>> ReduceTask<'_, T, R> {
    /// Computes all doubtful outputs again.
    #[cold]
    #[inline(never)]
    pub(super) fn all_again(&self, out: &Output<'_, R::Output, Cpu>, a: &Operand<'_, T, Cpu>) {
        let (kept_shape, shape) = a.shape().split_at(out.shape().len());
        let (kept_strides, strides) = a.strides().split_at(out.shape().len());
        let reduced = Plan::unordered(shape, [strides]);
        let mut walk = Odometer::row_major(kept_shape, [out.strides(), kept_strides]);
        for _ in 0..kept_shape.iter().product() {
            let [o, k] = walk.offsets();
            walk.advance();
            let to = out.ptr().offset(o).get();
            // SAFETY: `o` is the offset of an output. `reduce` has written it, and `Output` guarantees exclusive access to it. All threads
            // have finished.
            let result = unsafe { *to };
            if !self.op.is_doubtful(result) {
                continue;
            }
            // SAFETY: `k` is an index of the kept axes, and the plan visits the indices of the reduced axes. So these are elements of the
            // operand, which `Operand` guarantees to be readable.
            let result = unsafe { again(self.op, result, a.ptr().offset(k), &reduced) };
            // SAFETY: this is the output that was read above, to which access is exclusive.
            unsafe { *to = result };
        }
    }
}
