//! The loops of a reduction over its outputs, and over all elements of one output.
//!
//! ```text
//! split the outputs in half, recursively, for threads             (reduce_outputs)
//! for each output                                                 (each; several at a time: module sweep)
//!     split its elements in half, recursively, for threads        (reduce_plan)
//!     for each row of the plan, combined pairwise
//!         fold the row                                            (Reducer::fold_line)
//! ```

use super::reducer::{Reducer, advanced, output_and_operands, sum_of, weight};
use super::sweep::{Sweep, min_split_rows, sweep};
use crate::device::cpu::loops::threads::{enter, join, over_outputs};
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// Number of outputs that [`each`] passes to one call of [`Reducer::fold_lines`].
const OUTPUTS_PER_CALL: usize = 16;
/// If the outputs are computed by [`Sweep::Columns`], they are split between threads at multiples of this number, if each has fewer elements
/// than [`min_split_rows`]. Otherwise, they are split at multiples of [`Reducer::MAX_SWEPT_OUTPUTS`], and the elements are split, too.
/// Memory is read faster in rows of that many elements than in pieces of this number.
const SWEPT_OUTPUTS_GRAIN: usize = 512;
/// Maximum number of short rows that [`reduce_plan`] combines one after the other, and of elements in these rows.
const MAX_SEQUENTIAL_ROWS: usize = 8;
const MAX_SEQUENTIAL_ELEMENTS: usize = 256;

/// Combines the results of `n > 0` consecutive items pairwise. `leaf(count)` returns the result of the next `count <= grain` items.
///
/// ```text
/// n <= grain:  leaf(n)
/// otherwise:   combine(pairwise(low), pairwise(n - low)), where low is n / 2, rounded up to a multiple of grain
/// ```
// The closures are trait objects, so that the recursion is compiled once for each `A`.
pub(in crate::device::cpu::kernels) fn pairwise<A>(
    n: usize,
    grain: usize,
    leaf: &mut dyn FnMut(usize) -> A,
    combine: &dyn Fn(A, A) -> A,
) -> A {
    if n <= grain {
        return leaf(n);
    }
    let low = (n / 2).next_multiple_of(grain);
    let a = pairwise(low, grain, leaf, combine);
    let b = pairwise(n - low, grain, leaf, combine);
    combine(a, b)
}

/// Computes all outputs, on several threads if there are many elements. `kept` visits the outputs, and the first element of each output in
/// each operand. `reduced` visits the elements of one output, relative to the first. Outputs are computed one after the other, or several at
/// a time in the order `sweep` of the loops.
///
/// # Safety
/// The caller must ensure:
/// * Access to the outputs that `kept` visits is exclusive, and they are distinct.
/// * For each index of `kept`, all elements of the operands that `reduced` visits, relative to that index, are readable.
pub(in crate::device::cpu::kernels) unsafe fn reduce_outputs<
    const K: usize,
    const P: usize,
    R: Reducer<K>,
>(
    reducer: &R,
    kept: &Plan<P>,
    reduced: &Plan<K>,
    order: Option<Sweep>,
) {
    let reads = reduced.len().max(1).saturating_mul(weight(reducer, kept, reduced));
    let grain = match order {
        Some(Sweep::Columns) if reduced.len() >= min_split_rows::<K, R>() => R::MAX_SWEPT_OUTPUTS,
        Some(Sweep::Columns) => SWEPT_OUTPUTS_GRAIN.min(R::MAX_SWEPT_OUTPUTS),
        _ => 1,
    };
    let work = kept.len().saturating_mul(reads).saturating_mul(R::ELEMENT_COST_BYTES);
    enter(work, || {
        over_outputs(kept, reads, R::PARALLEL_LEN, grain, &|part| {
            // `Sweep::Rows` gains nothing if the inner loop has a single output. For such a part, `each` can split the elements of the
            // output between threads.
            match order.filter(|&order| order == Sweep::Columns || part.inner_len() != 1) {
                // SAFETY: `part` is a part of `kept`, for which the caller ensures the contract. Parts have different outputs.
                Some(order) => unsafe { sweep(reducer, part, reduced, order) },
                // SAFETY: `part` is a part of `kept`, for which the caller ensures the contract. Parts have different outputs.
                None => unsafe { each(reducer, part, reduced) },
            }
        });
    });
}

/// Computes the outputs of `part`, one after the other.
///
/// # Safety
/// The contract of [`reduce_outputs`], for the outputs of `part`.
unsafe fn each<const K: usize, const P: usize, R: Reducer<K>>(
    reducer: &R,
    part: &Plan<P>,
    reduced: &Plan<K>,
) {
    let (n, (so, steps)) = (part.inner_len(), output_and_operands(part.inner_strides()));
    let count = reduced.len();
    let one_line = reduced.outer_shape().is_empty() && count > 0 && count < R::PARALLEL_LEN;
    let mut walk = Odometer::outer(part);
    for _ in 0..part.outer_shape().iter().product() {
        let (o, at) = output_and_operands(walk.offsets());
        walk.advance();
        if one_line {
            let lines = sum_of(at, reduced.offsets());
            for first in (0..n).step_by(OUTPUTS_PER_CALL) {
                let mut accs = [reducer.identity(); OUTPUTS_PER_CALL];
                let accs = &mut accs[..OUTPUTS_PER_CALL.min(n - first)];
                let lines = advanced(lines, first, steps);
                // SAFETY: `first + accs.len() <= n`, so each line begins at an index of `part`. `reduced` is a single loop, so the line
                // consists of the `count > 0` elements that `reduced` visits from this index. The caller ensures that they are readable.
                unsafe { reducer.fold_lines(accs, lines, [count, 0], steps, reduced.inner_strides()) };
                // SAFETY: these are the outputs at the same indices of `part`, to which the caller ensures exclusive access.
                unsafe { reducer.put_row(o + first as isize * so, so, accs) };
            }
            continue;
        }
        for i in 0..n {
            // SAFETY: `i < n`, so this is an index of `part`. The caller ensures that all elements that `reduced` visits from this index are
            // readable.
            let acc = unsafe { reduce_plan(reducer, advanced(at, i, steps), reduced, 0) };
            // SAFETY: this is the output at the same index of `part`, to which the caller ensures exclusive access.
            unsafe { reducer.put_row(o + i as isize * so, so, &[acc]) };
        }
    }
}

/// Folds all elements that a plan visits, on several threads if there are many. `index` is the index of the first element.
///
/// # Safety
/// The caller must ensure that all elements that the plan visits from the offsets `base` are readable.
pub(super) unsafe fn reduce_plan<const K: usize, R: Reducer<K>>(
    reducer: &R,
    base: [isize; K],
    plan: &Plan<K>,
    index: usize,
) -> R::Acc {
    if plan.len() >= R::PARALLEL_LEN
        && let Some((low, high)) = plan.halves_at(R::BLOCK_LEN)
    {
        let middle = index + low.len();
        let (a, b) = join(
            // SAFETY: `low` visits elements of `plan`, which the caller ensures are readable.
            || unsafe { reduce_plan(reducer, base, &low, index) },
            // SAFETY: `high` visits elements of `plan`, which the caller ensures are readable.
            || unsafe { reduce_plan(reducer, base, &high, middle) },
        );
        return reducer.combine(a, b);
    }
    let (n, strides) = (plan.inner_len(), plan.inner_strides());
    let rows: usize = plan.outer_shape().iter().product();
    if rows == 0 || n == 0 {
        return reducer.identity();
    }
    if rows == 1 {
        // SAFETY: these are the `n` elements of the plan's only row, which the caller ensures are readable.
        return unsafe { reducer.fold_line(sum_of(base, plan.offsets()), n, strides, index) };
    }
    let mut walk = Odometer::outer(plan);
    let mut at = index;
    let mut leaf = |count: usize| {
        (0..count).fold(reducer.identity(), |acc, _| {
            // SAFETY: the counts of all calls of `leaf` add up to `rows`, and `walk` advances after each row. So this is a row of `plan`, and
            // the caller ensures that its `n` elements are readable.
            let next = unsafe { reducer.fold_line(sum_of(base, walk.offsets()), n, strides, at) };
            walk.advance();
            at += n;
            reducer.combine(acc, next)
        })
    };
    // `leaf` reduces a single row, or several short rows sequentially. The recursion of `pairwise` takes about 60 instructions for each leaf.
    let grain = (MAX_SEQUENTIAL_ELEMENTS / n).clamp(1, MAX_SEQUENTIAL_ROWS);
    pairwise(rows, grain, &mut leaf, &|a, b| reducer.combine(a, b))
}
