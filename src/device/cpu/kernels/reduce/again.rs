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

/// Returns the result of `n` elements from scaled elements, or `result` if it is right. `elements` returns an iterator over the elements.
fn again<T: Element, R: Reduction<T>, I: Iterator<Item = T>>(
    op: &R,
    result: R::Output,
    n: usize,
    elements: &dyn Fn() -> I,
) -> R::Output {
    let Some(by) = op.scale(elements()) else { return result };
    let mut scaled = elements().map(|x| op.scaled(x, by));
    let mut buffer = [T::default(); BLOCK];
    let mut leaf = |count: usize| {
        let block = &mut buffer[..count];
        block.iter_mut().zip(&mut scaled).for_each(|(to, x)| *to = x);
        // SAFETY: these are the elements of a borrowed slice, whose address is aligned and not null.
        unsafe { reduce_row::<T, R>(op, HostPtr::new(block.as_mut_ptr()), count, 1, 0) }
    };
    let acc = pairwise(n, BLOCK, &mut leaf, &|a, b| op.combine(a, b));
    op.finish(acc, n).map_or(result, |result_of_scaled| op.restored(result_of_scaled, by))
}

/// Returns the result of `n` elements with stride `stride` from scaled elements, or `result` if it is right.
///
/// # Safety
/// The caller must ensure that the `n` elements are readable.
#[cold]
#[inline(never)]
pub(super) unsafe fn again_in_line<T: Element, R: Reduction<T>>(
    op: &R,
    result: R::Output,
    line: HostPtr<T>,
    n: usize,
    stride: isize,
) -> R::Output {
    // SAFETY: `i < n`, and the caller ensures that the `n` elements are readable.
    again(op, result, n, &|| (0..n as isize).map(|i| unsafe { *line.offset(i * stride).get() }))
}

impl<T: Element, R: Reduction<T>> ReduceTask<'_, T, R> {
    /// Computes all doubtful outputs again.
    #[cold]
    #[inline(never)]
    pub(super) fn all_again(&self, out: &Output<'_, R::Output, Cpu>, a: &Operand<'_, T, Cpu>) {
        let (kept_shape, shape) = a.shape().split_at(out.shape().len());
        let (kept_strides, strides) = a.strides().split_at(out.shape().len());
        let reduced = Plan::unordered(shape, [strides]);
        let rows: usize = reduced.outer_shape().iter().product();
        let (n, [stride]) = (reduced.inner_len(), reduced.inner_strides());
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
            let from = a.ptr().offset(k);
            let elements = || {
                let mut walk = Odometer::outer(&reduced);
                (0..rows).flat_map(move |_| {
                    let row = from.offset(walk.offsets()[0]);
                    walk.advance();
                    // SAFETY: `from` is at an index of the kept axes, and the plan visits the indices of the reduced axes. So these are
                    // elements of the operand, which `Operand` guarantees to be readable.
                    (0..n as isize).map(move |i| unsafe { *row.offset(i * stride).get() })
                })
            };
            let result = again(self.op, result, self.count, &elements);
            // SAFETY: this is the output that was read above, to which access is exclusive.
            unsafe { *to = result };
        }
    }
}
