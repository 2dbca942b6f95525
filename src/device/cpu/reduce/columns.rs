//! Many outputs at a time: rows are folded into as many accumulators as they have elements.

use super::rows::{halve, reduce_row};
use super::{CHAIN, CHAINS, HostPtr, enough};
use crate::device::Reduction;
use crate::device::cpu::simd::kernel;
use crate::device::cpu::threads::join;
use crate::element::Element;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;

kernel! {
    /// Folds rows into accumulators: element `j` of each row into the `j`th. Elements are `step` apart, rows `stride`.
    ///
    /// # Safety
    /// `count` rows of as many elements as there are accumulators may be read.
    unsafe fn fold_rows[T: Element, R: Reduction<T>][T, R](
        op: &R,
        accs: &mut [R::Acc],
        rows: HostPtr<T>,
        step: isize,
        stride: isize,
        count: usize,
        index: usize,
    ) -> () {
        let mut first = 0;
        while first < count {
            let (rows, index) = (rows.offset(first as isize * stride), index + first);
            // SAFETY: some of the rows that the caller vouches for.
            first += unsafe {
                match (step, count - first) {
                    (1, 8..) => fold_few_rows::<T, R, 8>(op, accs, rows, 1, stride, index),
                    (1, 3..) => fold_few_rows::<T, R, 3>(op, accs, rows, 1, stride, index),
                    (1, _) => fold_few_rows::<T, R, 1>(op, accs, rows, 1, stride, index),
                    (_, 3..) => fold_few_rows::<T, R, 3>(op, accs, rows, step, stride, index),
                    (_, _) => fold_few_rows::<T, R, 1>(op, accs, rows, step, stride, index),
                }
            };
        }
    }
}

/// The same for so few rows that each accumulator is loaded and stored once. Returns how many.
///
/// # Safety
/// As [`fold_rows`], for `COUNT` rows.
#[inline(always)]
unsafe fn fold_few_rows<T: Element, R: Reduction<T>, const COUNT: usize>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    step: isize,
    stride: isize,
    index: usize,
) -> usize {
    let rows: [HostPtr<T>; COUNT] = core::array::from_fn(|r| rows.offset(r as isize * stride));
    for (j, to) in accs.iter_mut().enumerate() {
        let mut acc = op.identity();
        for (r, row) in rows.iter().enumerate() {
            // SAFETY: `j` is one of the row's elements.
            acc = op.fold(acc, unsafe { *row.get().offset(j as isize * step) }, index + r);
        }
        *to = op.combine(*to, acc);
    }
    COUNT
}

/// Folds `rows` rows into accumulators that nothing was folded into yet: `leaf` folds the next `grain`, and what it made of
/// them is combined pairwise. `spare` has as many accumulators for each level of [`levels`].
fn fold_pairwise<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    spare: &mut [R::Acc],
    rows: usize,
    grain: usize,
    leaf: &mut impl FnMut(&mut [R::Acc], usize),
) {
    if rows <= grain {
        return leaf(accs, rows);
    }
    let low = (rows / 2).next_multiple_of(grain);
    fold_pairwise(op, accs, spare, low, grain, leaf);
    let (others, spare) = spare.split_at_mut(accs.len());
    others.fill(op.identity());
    fold_pairwise(op, others, spare, rows - low, grain, leaf);
    combine_into(op, accs, others);
}

/// How often [`fold_pairwise`] cuts so many rows in two.
pub(super) fn levels(rows: usize, grain: usize) -> usize {
    rows.div_ceil(grain).next_power_of_two().ilog2() as usize
}

fn combine_into<T: Element, R: Reduction<T>>(op: &R, accs: &mut [R::Acc], others: &[R::Acc]) {
    for (acc, &other) in accs.iter_mut().zip(others) {
        *acc = op.combine(*acc, other);
    }
}

/// Reduces the elements that a plan visits from each of as many places as there are accumulators, `step` apart. `spare` is
/// memory to work in: as many accumulators for each of the plan's [`levels`] above a chain.
///
/// # Safety
/// All elements that the plan visits from each place may be read.
pub(super) unsafe fn reduce_columns<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    spare: &mut [R::Acc],
    base: HostPtr<T>,
    step: isize,
    plan: &Plan<1>,
    index: usize,
) {
    if plan.len().saturating_mul(accs.len()) >= enough::<T, R>()
        && let Some((low, high)) = plan.halves_at(CHAIN * CHAINS)
    {
        let middle = index + low.len();
        // For another thread; next to so much work it is nothing.
        let mut memory = vec![op.identity(); accs.len() * (1 + levels(high.len(), CHAIN))];
        let (others, more) = memory.split_at_mut(accs.len());
        join(
            // SAFETY: the halves visit what the whole does.
            || unsafe { reduce_columns(op, accs, spare, base, step, &low, index) },
            // SAFETY: as above.
            || unsafe { reduce_columns(op, others, more, base, step, &high, middle) },
        );
        return combine_into(op, accs, others);
    }
    accs.fill(op.identity());
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Walk::outer(plan);
    let (mut inner, mut index) = (0, index);
    // The plan's own inner loop joins the others here: a row is what lies across, over the columns.
    let mut leaf = |accs: &mut [R::Acc], mut count: usize| {
        while count > 0 {
            let run = count.min(n - inner);
            let rows = base.offset(walk.offsets()[0] + inner as isize * stride);
            // SAFETY: the inner loop of the plan has these rows, and the caller vouches for them.
            unsafe { fold_rows(op, accs, rows, step, stride, run, index) };
            index += run;
            count -= run;
            inner += run;
            if inner == n {
                inner = 0;
                walk.advance();
            }
        }
    };
    // Where the inner loop is shorter than a chain, so are the chains.
    let grain = if n < CHAIN { CHAIN } else { CHAIN * CHAINS };
    fold_pairwise(op, accs, spare, plan.len(), grain, &mut leaf);
}

/// The same where the rows of neighbouring places lie side by side, each with its elements: rows are reduced one after the
/// other, so that memory is read in sequence.
///
/// # Safety
/// As [`reduce_columns`].
pub(super) unsafe fn reduce_rows<T: Element, R: Reduction<T>, const LANES: usize, const FEW: usize>(
    op: &R,
    accs: &mut [R::Acc],
    spare: &mut [R::Acc],
    base: HostPtr<T>,
    step: isize,
    plan: &Plan<1>,
) {
    accs.fill(op.identity());
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Walk::outer(plan);
    let mut index = 0;
    let mut leaf = |accs: &mut [R::Acc], count: usize| {
        for _ in 0..count {
            let rows = base.offset(walk.offsets()[0]);
            for (j, acc) in accs.iter_mut().enumerate() {
                // SAFETY: a row of the plan, from place `j` on.
                let row = unsafe {
                    reduce_row::<T, R, LANES, FEW>(op, rows.offset(j as isize * step), n, stride, index)
                };
                *acc = op.combine(*acc, halve::<T, R, FEW, 1>(op, row)[0]);
            }
            index += n;
            walk.advance();
        }
    };
    let rows = plan.outer_shape().iter().product();
    fold_pairwise(op, accs, spare, rows, CHAIN, &mut leaf);
}
