//! The loops that compute many outputs at a time, with one accumulator per output.
//!
//! A *column* has all elements of one output. A *row* has one element of each output.
//!
//! ```text
//! for each block of at most MAX_SWEPT_OUTPUTS outputs                        (sweep)
//!     split the rows in half, recursively, for threads                       (reduce_columns)
//!     for each leaf of at most LEAF_ROWS rows, combined pairwise             (fold_pairwise)
//!         for each row: accs[j] = fold(accs[j], row[j]) for all j            (Reducer::fold_rows)
//! ```
//!
//! If the inner loop over the elements of an output has the smallest stride, but the stride between outputs is smaller than that of the loop
//! around it ([`Sweep::Rows`]):
//!
//! ```text
//! for each block of at most MAX_SWEPT_OUTPUTS outputs                        (sweep)
//!     for each index of the outer loops, combined pairwise                   (reduce_rows)
//!         for each output j: fold the elements of the inner loop into accs[j] (Reducer::fold_lines)
//! ```

use super::erased::{Accs, ErasedReducer, OwnedAccs, STACK_BYTES, weight, with_accs};
use super::reducer::{Limits, advanced, output_and_operands, sum_of};
use crate::device::cpu::loops::threads::{join, threads};
use crate::device::cpu::memory::scratch::{Side, guaranteed_of, with_memory};
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// An inner loop over fewer rows than this is short: see [`Limits::short_leaf_rows`].
pub(super) const MIN_INNER_ROWS: usize = 8;
/// [`reduce_rows`] folds so many short lines into one set of accumulators, before it combines this set with another.
pub(super) const LINES_PER_LEAF: usize = 8;
/// Number of outputs that [`sweep`] computes together if the allocation of more accumulators fails.
const MIN_SWEPT_OUTPUTS: usize = 64;

/// The order of the loops if several outputs are computed at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::device::cpu::kernels) enum Sweep {
    /// The inner loop is over outputs. Chosen if the stride between outputs is smaller than the stride between the elements of one
    /// output, or if each output has only a few elements.
    Columns,
    /// The inner loop is over a row of elements of one output, and the loop around it is over outputs. Chosen if the stride between
    /// outputs is smaller than the stride between the rows of one output.
    Rows,
}

/// Returns the minimum number of rows that [`reduce_columns`] can split between threads.
pub(super) fn min_split_rows(limits: &Limits) -> usize {
    2 * limits.leaf_rows
}

/// Maximum number of outputs of [`sweep_a_few`].
const MAX_FEW_OUTPUTS: usize = 64;

/// Returns whether there are so few elements that they are not split, and [`sweep_a_few`] can compute the outputs: both plans are single loops, over at most [`MAX_FEW_OUTPUTS`] outputs, and over
/// at most [`Limits::leaf_rows`] rows, and the accumulators fit on the stack.
pub(super) fn is_a_few<const K: usize, const P: usize>(
    limits: &Limits,
    kept: &Plan<P>,
    reduced: &Plan<K>,
) -> bool {
    kept.outer_shape().is_empty()
        && reduced.outer_shape().is_empty()
        && reduced.len() <= limits.leaf_rows
        && kept.inner_len() <= MAX_FEW_OUTPUTS
        && kept.inner_len() * limits.acc.size() <= STACK_BYTES
}

/// Variant of [`sweep`] for a single leaf: its sums need no pairwise combination, so no workspace.
///
/// # Safety
/// The contract of [`reduce_outputs`](super::outputs::reduce_outputs). In addition, [`is_a_few`] must hold.
pub(super) unsafe fn sweep_a_few<const K: usize, const P: usize>(
    reducer: &dyn ErasedReducer<K>,
    kept: &Plan<P>,
    reduced: &Plan<K>,
) {
    let (so, steps) = output_and_operands(kept.inner_strides());
    let (o, at) = output_and_operands(kept.offsets());
    let (rows, strides) = (sum_of(at, reduced.offsets()), reduced.inner_strides());
    with_accs(reducer, kept.inner_len(), &mut |accs| {
        // SAFETY: the memory of `accs` is for accumulators of `reducer`.
        unsafe { reducer.reset(accs) };
        // SAFETY: the rows consist of the elements that `reduced` visits from each index of `kept`. The caller ensures that these are
        // readable.
        unsafe { reducer.fold_rows(accs, rows, steps, strides, [reduced.len(), 0]) };
        // SAFETY: these are all outputs of `kept`, to which the caller ensures exclusive access.
        unsafe { reducer.put_row(o, so, accs) };
    });
}

/// Computes the outputs of `part`, up to [`Limits::max_swept_outputs`] at a time.
///
/// # Safety
/// The contract of [`reduce_outputs`](super::outputs::reduce_outputs), for the outputs of `part`.
pub(super) unsafe fn sweep<const K: usize, const P: usize>(
    reducer: &dyn ErasedReducer<K>,
    part: &Plan<P>,
    reduced: &Plan<K>,
    order: Sweep,
) {
    let (n, (so, steps)) = (part.inner_len(), output_and_operands(part.inner_strides()));
    let limits = reducer.limits();
    let weight = weight(reducer, part, reduced);
    // The outputs of the inner loop are split into blocks of about equal width.
    let block = n.div_ceil(n.div_ceil(limits.max_swept_outputs).max(1)).next_multiple_of(8);
    // Each block needs one set of accumulators for its results, and another set for each level of the recursion.
    let levels = match splits(limits, block.min(n) * weight, reduced) {
        false if !limits.rounds && order == Sweep::Columns => 1,
        splits => 1 + plan_levels(limits, reduced, splits),
    };
    // The number of outputs that are computed together if the allocation fails. It is less than `MIN_SWEPT_OUTPUTS` only if there
    // are fewer outputs, or if the accumulators are larger than those of this crate's own reductions.
    let few = MIN_SWEPT_OUTPUTS.min(guaranteed_of(limits.acc) / levels).min(n);
    let all = block.min(n);
    with_memory(Side::Sums, limits.acc, all * levels, few * levels, &mut |memory, room| {
        // SAFETY: `with_memory` provides exclusive access to aligned memory for `room` accumulators.
        let mut memory = unsafe { Accs::new(memory, room, limits.acc) };
        let width = if room == all * levels { block } else { few };
        let (mut accs, mut spare) = memory.split_at(width.min(n));
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let (o, at) = output_and_operands(walk.offsets());
            walk.advance();
            // Loops with `while`, because `step_by` begins with a division, which takes as long as the sums of a few terms.
            let mut start = 0;
            while start < n {
                let end = n.min(start + block);
                // If the allocation failed, a block is computed in parts of `width` outputs. How a sum is split depends on the number
                // of outputs in the block, and not on `width`. So the results have the same bits in both cases.
                let split = Split::new((end - start) * weight);
                let mut first = start;
                while first < end {
                    let accs = &mut accs.first(width.min(end - first));
                    let base = advanced(at, first, steps);
                    match order {
                        // SAFETY: `first + accs.len() <= n`, so the `accs.len()` columns begin at indices of `part`. The caller ensures
                        // that all elements that `reduced` visits from each of these indices are readable.
                        Sweep::Columns => unsafe {
                            reduce_columns(reducer, accs, &mut spare, base, steps, reduced, split)
                        },
                        // SAFETY: `first + accs.len() <= n`, so the `accs.len()` columns begin at indices of `part`. The caller ensures
                        // that all elements that `reduced` visits from each of these indices are readable.
                        Sweep::Rows => unsafe {
                            reduce_rows(reducer, accs, &mut spare, base, steps, reduced)
                        },
                    }
                    // SAFETY: `first + accs.len() <= n`, so these are outputs that `part` visits. The caller ensures exclusive access to
                    // them.
                    unsafe { reducer.put_row(o + first as isize * so, so, accs) };
                    first += width;
                }
                start += block;
            }
        }
    });
}

/// Replaces `accs` by the results of `rows` rows. Combines the results of leaves pairwise. `leaf(accs, count)` replaces `accs` by the
/// results of the next `count <= grain` rows. `spare` is workspace: `accs.len()` accumulators for each of the [`levels`] of the recursion.
///
/// # Safety
/// The caller must ensure that the memory of `accs` and `spare` is for accumulators of `reducer`, and that `leaf` writes all accumulators.
pub(super) unsafe fn fold_pairwise<const K: usize>(
    reducer: &dyn ErasedReducer<K>,
    accs: &mut Accs<'_>,
    spare: &mut Accs<'_>,
    rows: usize,
    grain: usize,
    leaf: &mut dyn FnMut(&mut Accs<'_>, usize),
) {
    if rows <= grain {
        return leaf(accs, rows);
    }
    let low = (rows / 2).next_multiple_of(grain);
    // SAFETY: the caller ensures the contract.
    unsafe { fold_pairwise(reducer, accs, spare, low, grain, leaf) };
    let (mut others, mut spare) = spare.split_at(accs.len());
    // SAFETY: the caller ensures the contract.
    unsafe { fold_pairwise(reducer, &mut others, &mut spare, rows - low, grain, leaf) };
    // SAFETY: both calls above have written their accumulators.
    unsafe { reducer.combine_all(accs, &mut others) };
}

/// Returns the maximum recursion depth of [`fold_pairwise`] for this number of rows.
pub(super) fn levels(rows: usize, grain: usize) -> usize {
    rows.div_ceil(grain).next_power_of_two().ilog2() as usize
}

/// Returns the maximum recursion depth of [`reduce_columns`] and [`reduce_rows`] for `plan`: the number of sets of accumulators that they
/// need as workspace. `splits` is whether [`reduce_columns`] splits the plan.
pub(super) fn plan_levels<const K: usize>(limits: &Limits, plan: &Plan<K>, splits: bool) -> usize {
    match plan.outer_shape() {
        // The rows of a single loop are split at multiples of `leaf_rows` only.
        [] => levels(plan.len(), limits.leaf_rows),
        // Each of several loops may be split down to single rows.
        _ if splits => plan.shape().iter().map(|&n| levels(n, 1)).sum(),
        _ => levels(plan.len(), limits.short_leaf_rows.min(LINES_PER_LEAF)),
    }
}

/// The rows of [`reduce_columns`], and how it splits them.
#[derive(Debug, Clone, Copy)]
struct Split {
    /// The index of the first row.
    index: usize,
    /// The number of columns that are reduced together if no allocation fails, times the [`weight`] of an element. Whether
    /// the rows are split depends on this number and not on the number of accumulators, so the bits are the same if an allocation fails.
    places: usize,
    /// How many of the nested splits may run their halves on two threads. The other splits need no allocation. The bits do not depend on
    /// this number.
    joins: u32,
}

/// Returns whether [`reduce_columns`] splits `plan`, if it has more than [`Limits::leaf_rows`] rows or several loops. `places` is the
/// number of that name of [`Split`].
fn splits<const K: usize>(limits: &Limits, places: usize, plan: &Plan<K>) -> bool {
    plan.len().saturating_mul(places) >= limits.parallel_len
}

impl Split {
    /// Returns the value for all rows. Chooses `joins` such that each thread of the pool gets at least four parts, which balances the load.
    fn new(places: usize) -> Split {
        let joins = match threads() {
            1 => 0,
            threads => (8 * threads - 1).ilog2(),
        };
        Split { index: 0, places, joins }
    }
}

/// Reduces column `j` into `accs[j]`, for each accumulator. `plan` visits the elements of one column. Previous values of `accs` are
/// not used.
///
/// * `base` are the offsets of the first element of the column of `accs[0]`. `steps` are the strides from each column to the next.
/// * `spare` is workspace: `accs.len()` accumulators for each of the [`plan_levels`].
/// * `split` has the index of each column's first element, and says how to split the rows.
///
/// # Safety
/// The caller must ensure that the memory of `accs` and `spare` is for accumulators of `reducer`, and that, for each column, all elements that
/// the plan visits are readable.
unsafe fn reduce_columns<const K: usize>(
    reducer: &dyn ErasedReducer<K>,
    accs: &mut Accs<'_>,
    spare: &mut Accs<'_>,
    base: [isize; K],
    steps: [isize; K],
    plan: &Plan<K>,
    split: Split,
) {
    let limits = reducer.limits();
    if splits(limits, split.places, plan)
        && let Some((low, high)) = plan.halves_at(limits.leaf_rows)
    {
        let needed = accs.len() * (1 + plan_levels(limits, &high, splits(limits, split.places, &high)));
        // Halves that no other thread computes allocate nothing: the allocations would take a large part of the time of a sum.
        let parallel = split.joins > 0;
        let split = Split { joins: split.joins.saturating_sub(1), ..split };
        let upper = Split { index: split.index + low.len(), ..split };
        if parallel && let Some(mut memory) = OwnedAccs::new(reducer, needed) {
            let mut memory = memory.borrow();
            let (mut others, mut more) = memory.split_at(accs.len());
            join(
                // SAFETY: `low` visits only elements that `plan` visits. The caller of this function ensures that these may be read in each
                // column.
                || unsafe { reduce_columns(reducer, accs, spare, base, steps, &low, split) },
                // SAFETY: `high` visits only elements that `plan` visits. The caller of this function ensures that these may be read in
                // each column.
                || unsafe { reduce_columns(reducer, &mut others, &mut more, base, steps, &high, upper) },
            );
            // SAFETY: both calls above have written their accumulators.
            return unsafe { reducer.combine_all(accs, &mut others) };
        }
        // Compute one half after the other on this thread, with accumulators from `spare`.
        // SAFETY: `low` visits only elements that `plan` visits. The caller of this function ensures that these may be read in each column.
        unsafe { reduce_columns(reducer, accs, spare, base, steps, &low, split) };
        let (mut others, mut more) = spare.split_at(accs.len());
        // SAFETY: `high` visits only elements that `plan` visits. The caller of this function ensures that these may be read in each column.
        unsafe { reduce_columns(reducer, &mut others, &mut more, base, steps, &high, upper) };
        // SAFETY: both calls above have written their accumulators.
        return unsafe { reducer.combine_all(accs, &mut others) };
    }
    let (n, strides) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    let (mut inner, mut index) = (0, split.index);
    // All loops of the plan, including the inner one, are over rows. So `n` is a number of rows, and `strides` the strides between them.
    let mut leaf = |accs: &mut Accs<'_>, mut count: usize| {
        // SAFETY: the memory of `accs` is for accumulators of `reducer`.
        unsafe { reducer.reset(accs) };
        while count > 0 {
            let run = count.min(n - inner);
            let rows = advanced(sum_of(base, walk.offsets()), inner, strides);
            // SAFETY: `inner + run <= n`, so `rows` addresses `run` rows of the inner loop of `plan`, in the columns of `accs`. The caller of
            // this function ensures that these elements may be read.
            unsafe { reducer.fold_rows(accs, rows, steps, strides, [run, index]) };
            index += run;
            count -= run;
            inner += run;
            if inner == n {
                inner = 0;
                walk.advance();
            }
        }
    };
    // The number of rows that one call of `leaf` folds.
    let grain = match () {
        // A single fold over all rows is faster: few rows have an element that replaces the extremum found so far, and sums are combined less
        // often.
        () if !limits.rounds => usize::MAX,
        () if n < MIN_INNER_ROWS => limits.short_leaf_rows,
        () => limits.leaf_rows,
    };
    // SAFETY: the memory is for accumulators of `reducer`. `leaf` writes all of its accumulators.
    unsafe { fold_pairwise(reducer, accs, spare, plan.len(), grain, &mut leaf) };
}

/// Variant of [`reduce_columns`] for [`Sweep::Rows`]. For each run of the plan's inner loop, the function folds the line that the run visits
/// in every column, one column after the other. These lines are close in memory, so memory is read in order.
///
/// # Safety
/// The contract of [`reduce_columns`]. In addition, the plan must visit at least one element.
unsafe fn reduce_rows<const K: usize>(
    reducer: &dyn ErasedReducer<K>,
    accs: &mut Accs<'_>,
    spare: &mut Accs<'_>,
    base: [isize; K],
    steps: [isize; K],
    plan: &Plan<K>,
) {
    let (n, strides) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    let mut index = 0;
    let mut leaf = |accs: &mut Accs<'_>, count: usize| {
        // SAFETY: the memory of `accs` is for accumulators of `reducer`.
        unsafe { reducer.reset(accs) };
        for _ in 0..count {
            let lines = sum_of(base, walk.offsets());
            // SAFETY: all calls of `leaf` together visit each position of `walk` once. So `lines` is the first element of a line of `plan`.
            // The caller of this function ensures that the line's `n > 0` elements may be read in each column.
            unsafe { reducer.fold_lines(accs, lines, [n, index], steps, strides) };
            index += n;
            walk.advance();
        }
    };
    let lines = plan.outer_shape().iter().product();
    // SAFETY: the memory is for accumulators of `reducer`. `leaf` writes all of its accumulators.
    unsafe { fold_pairwise(reducer, accs, spare, lines, LINES_PER_LEAF, &mut leaf) };
}
