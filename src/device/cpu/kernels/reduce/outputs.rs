//! The loops of a reduction over its outputs, and over all elements of one output.
//!
//! ```text
//! split the outputs in half, recursively, for threads             (reduce_outputs)
//! for each output                                                 (each; several at a time: module sweep)
//!     split its elements in half, recursively, for threads        (reduce_plan)
//!     for each row of the plan, combined pairwise
//!         fold the row                                            (Reducer::fold_line)
//! ```

use super::erased::{Accs, ErasedReducer, STACK_BYTES, weight, with_accs};
use super::reducer::{advanced, output_and_operands, sum_of};
use super::sweep::{Sweep, fold_pairwise, is_a_few, levels, min_split_rows, sweep, sweep_a_few};
use crate::device::cpu::loops::threads::{enter, join, over_outputs};
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// Maximum number of outputs that [`each`] passes to one call of [`Reducer::fold_lines`](super::reducer::Reducer::fold_lines).
const OUTPUTS_PER_CALL: usize = 16;
/// If the outputs are computed by [`Sweep::Columns`], they are split between threads at multiples of this number, if each has fewer elements
/// than [`min_split_rows`]. Otherwise, they are split at multiples of `max_swept_outputs`, and the elements are split, too.
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
pub(in crate::device::cpu::kernels) unsafe fn reduce_outputs<const K: usize, const P: usize>(
    reducer: &dyn ErasedReducer<K>,
    kept: &Plan<P>,
    reduced: &Plan<K>,
    order: Option<Sweep>,
) {
    let limits = reducer.limits();
    if is_a_few(limits, kept, reduced) {
        match order {
            // SAFETY: the caller ensures the contract, and `is_a_few` the other conditions.
            Some(Sweep::Columns) => return unsafe { sweep_a_few(reducer, kept, reduced) },
            // SAFETY: the caller ensures the contract.
            None => return unsafe { each(reducer, kept, reduced) },
            // Not for single loops.
            Some(Sweep::Rows) => {}
        }
    }
    let reads = reduced.len().max(1).saturating_mul(weight(reducer, kept, reduced));
    let grain = match order {
        Some(Sweep::Columns) if reduced.len() >= min_split_rows(limits) => limits.max_swept_outputs,
        Some(Sweep::Columns) => SWEPT_OUTPUTS_GRAIN.min(limits.max_swept_outputs),
        _ => 1,
    };
    let work = kept.len().saturating_mul(reads).saturating_mul(limits.element_cost_bytes);
    enter(work, || {
        over_outputs(kept, reads, limits.parallel_len, grain, &|part| {
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
unsafe fn each<const K: usize, const P: usize>(
    reducer: &dyn ErasedReducer<K>,
    part: &Plan<P>,
    reduced: &Plan<K>,
) {
    let (n, (so, steps)) = (part.inner_len(), output_and_operands(part.inner_strides()));
    let (count, limits) = (reduced.len(), reducer.limits());
    let one_line = reduced.outer_shape().is_empty() && count > 0 && count < limits.parallel_len;
    let some = if one_line { (STACK_BYTES / limits.acc.size().max(1)).clamp(1, OUTPUTS_PER_CALL) } else { 1 };
    with_accs(reducer, some, &mut |accs| {
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let (o, at) = output_and_operands(walk.offsets());
            walk.advance();
            for first in (0..n).step_by(some) {
                let accs = &mut accs.first(some.min(n - first));
                let at = advanced(at, first, steps);
                if one_line {
                    let lines = sum_of(at, reduced.offsets());
                    // SAFETY: the memory of `accs` is for accumulators of `reducer`.
                    unsafe { reducer.reset(accs) };
                    // SAFETY: `first + accs.len() <= n`, so each line begins at an index of `part`. `reduced` is a single loop, so the line
                    // consists of the `count > 0` elements that `reduced` visits from this index. The caller ensures that they are readable.
                    unsafe { reducer.fold_lines(accs, lines, [count, 0], steps, reduced.inner_strides()) };
                } else {
                    // SAFETY: `first < n`, so this is an index of `part`. The caller ensures that all elements that `reduced` visits from
                    // this index are readable.
                    unsafe { reduce_plan(reducer, accs, at, reduced, 0) };
                }
                // SAFETY: these are the outputs at the same indices of `part`, to which the caller ensures exclusive access.
                unsafe { reducer.put_row(o + first as isize * so, so, accs) };
            }
        }
    });
}

/// Folds all elements that a plan visits into `acc`, a single accumulator, on several threads if there are many. Its previous value is not
/// used. `index` is the index of the first element.
///
/// # Safety
/// The caller must ensure that the memory of `acc` is for an accumulator of `reducer`, and that all elements that the plan visits from the
/// offsets `base` are readable.
unsafe fn reduce_plan<const K: usize>(
    reducer: &dyn ErasedReducer<K>,
    acc: &mut Accs<'_>,
    base: [isize; K],
    plan: &Plan<K>,
    index: usize,
) {
    let limits = reducer.limits();
    if plan.len() >= limits.parallel_len
        && let Some((low, high)) = plan.halves_at(limits.block_len)
    {
        let middle = index + low.len();
        return with_accs(reducer, 1, &mut |other| {
            join(
                // SAFETY: `low` visits elements of `plan`, which the caller ensures are readable.
                || unsafe { reduce_plan(reducer, acc, base, &low, index) },
                // SAFETY: `high` visits elements of `plan`, which the caller ensures are readable.
                || unsafe { reduce_plan(reducer, other, base, &high, middle) },
            );
            // SAFETY: both are accumulators of `reducer`.
            unsafe { reducer.combine_all(acc, other) };
        });
    }
    let (n, strides) = (plan.inner_len(), plan.inner_strides());
    let rows: usize = plan.outer_shape().iter().product();
    if rows == 1 && n > 0 {
        // SAFETY: these are the `n` elements of the plan's only row, which the caller ensures are readable.
        return unsafe { reducer.fold_each(acc, &[sum_of(base, plan.offsets())], n, strides, index) };
    }
    if rows == 0 || n == 0 {
        // SAFETY: the memory of `acc` is for an accumulator of `reducer`.
        return unsafe { reducer.reset(acc) };
    }
    let mut walk = Odometer::outer(plan);
    let mut at = index;
    let mut leaf = |acc: &mut Accs<'_>, count: usize| {
        let mut lines = [[0; K]; MAX_SEQUENTIAL_ROWS];
        for line in &mut lines[..count] {
            *line = sum_of(base, walk.offsets());
            walk.advance();
        }
        // SAFETY: the counts of all calls of `leaf` add up to `rows`, and `walk` advances after each row. So these are rows of `plan`, and the
        // caller ensures that their `n` elements are readable.
        unsafe { reducer.fold_each(acc, &lines[..count], n, strides, at) };
        at += count * n;
    };
    // `leaf` reduces a single row, or several short rows sequentially. The recursion of `fold_pairwise` takes about 60 instructions for each
    // leaf.
    let grain = (MAX_SEQUENTIAL_ELEMENTS / n).clamp(1, MAX_SEQUENTIAL_ROWS);
    with_accs(reducer, levels(rows, grain), &mut |spare| {
        // SAFETY: the memory is for accumulators of `reducer`. `leaf` writes its accumulator.
        unsafe { fold_pairwise(reducer, acc, spare, rows, grain, &mut leaf) };
    });
}
