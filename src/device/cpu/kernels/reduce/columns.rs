//! Many outputs at a time: rows are folded into as many accumulators as they have elements.

use super::gather::{Gathered, gather};
use super::rows::fold_rows_each;
use super::{CHAIN_LEN, HostPtr, enough};
use crate::device::Reduction;
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::memory::pool::has_room;
use crate::device::cpu::simd::kernel;
use crate::element::Element;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// Chains of rows that are folded into the accumulators one after the other.
const CHAINS: usize = 16;

kernel! {
    /// Folds rows into accumulators: element `j` of each row into the `j`th. Elements lie side by side, rows `stride` apart.
    ///
    /// # Safety
    /// `count` rows of as many elements as there are accumulators may be read.
    wide unsafe fn fold_rows[T: Element, R: Reduction<T>][T, R](
        op: &R,
        accs: &mut [R::Acc],
        rows: HostPtr<T>,
        stride: isize,
        count: usize,
        index: usize,
    ) -> () {
        let mut first = 0;
        while first < count {
            let (rows, index) = (rows.offset(first as isize * stride), index + first);
            macro_rules! fold {
                ($few:literal) => {
                    // SAFETY: some of the rows that the caller vouches for.
                    unsafe { fold_few_rows::<T, R, $few>(op, accs, rows, stride, index) }
                };
            }
            first += match count - first {
                8.. => fold!(8),
                3.. => fold!(3),
                _ => fold!(1),
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
    stride: isize,
    index: usize,
) -> usize {
    let rows = core::array::from_fn::<&[T], COUNT, _>(|r| {
        // SAFETY: the caller's.
        unsafe { core::slice::from_raw_parts(rows.offset(r as isize * stride).get(), accs.len()) }
    });
    op.fold_rows(accs, rows, index);
    COUNT
}

/// The same for rows whose elements are `step` apart: tiles of a few rows are brought together.
///
/// # Safety
/// As [`fold_rows`].
unsafe fn fold_rows_apart<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    step: isize,
    stride: isize,
    count: usize,
    index: usize,
) {
    const ROWS: usize = 8;
    let mut memory = Gathered::new();
    let (gathered, width) = (memory.address::<T>(), const { Gathered::room::<T>() / ROWS });
    for first in (0..count).step_by(ROWS) {
        let some = ROWS.min(count - first);
        for (tile, accs) in accs.chunks_mut(width).enumerate() {
            let from = rows.offset(first as isize * stride + (tile * width) as isize * step);
            for row in 0..some {
                let (from, to) = (from.offset(row as isize * stride), gathered.wrapping_add(row * width));
                // SAFETY: a row of what the caller vouches for, and room for it.
                unsafe { gather(from, accs.len(), step, to) };
            }
            // SAFETY: the rows that were gathered.
            unsafe { fold_rows(op, accs, HostPtr::new(gathered), width as isize, some, index + first) };
        }
    }
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

/// Accumulators for another thread, if there is memory for them: next to its work it is little.
fn identities<T: Element, R: Reduction<T>>(op: &R, len: usize) -> Option<Vec<R::Acc>> {
    let mut memory = Vec::new();
    has_room(&mut memory, len).then_some(())?;
    memory.resize(len, op.identity());
    Some(memory)
}

/// How often [`fold_pairwise`] cuts so many rows in two.
pub(super) fn levels(rows: usize, grain: usize) -> usize {
    rows.div_ceil(grain).next_power_of_two().ilog2() as usize
}

kernel! {
    /// Combines each accumulator with its counterpart.
    ///
    /// # Safety
    /// There is nothing to heed.
    wide unsafe fn combine_all[T: Element, R: Reduction<T>][T, R](op: &R, accs: &mut [R::Acc], others: &[R::Acc]) -> () {
        for (acc, &other) in accs.iter_mut().zip(others) {
            *acc = op.combine(*acc, other);
        }
    }
}

fn combine_into<T: Element, R: Reduction<T>>(op: &R, accs: &mut [R::Acc], others: &[R::Acc]) {
    // SAFETY: there is nothing to heed.
    unsafe { combine_all::<T, R>(op, accs, others) }
}

/// Reduces the elements that a plan visits from each of as many places as there are accumulators, `step` apart. `spare` is
/// memory to work in: as many accumulators for each of the plan's [`levels`] above a chain. The first element of each place has
/// this `index`; how sums are cut depends on how many places there are at a time where there is memory enough, `places`.
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
    [index, places]: [usize; 2],
) {
    if plan.len().saturating_mul(places) >= enough::<T, R>()
        && let Some((low, high)) = plan.halves_at(CHAIN_LEN * CHAINS)
    {
        let middle = index + low.len();
        let needed = accs.len() * (1 + levels(high.len(), CHAIN_LEN));
        if let Some(mut memory) = identities(op, needed) {
            let (others, more) = memory.split_at_mut(accs.len());
            join(
                // SAFETY: the halves visit what the whole does.
                || unsafe { reduce_columns(op, accs, spare, base, step, &low, [index, places]) },
                // SAFETY: as above.
                || unsafe { reduce_columns(op, others, more, base, step, &high, [middle, places]) },
            );
            return combine_into(op, accs, others);
        }
        // One half after the other: what is there is enough for all uneven cuts.
        if needed <= spare.len() {
            // SAFETY: as above.
            unsafe { reduce_columns(op, accs, spare, base, step, &low, [index, places]) };
            let (others, more) = spare.split_at_mut(accs.len());
            // SAFETY: as above.
            unsafe { reduce_columns(op, others, more, base, step, &high, [middle, places]) };
            return combine_into(op, accs, others);
        }
    }
    accs.fill(op.identity());
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    let (mut inner, mut index) = (0, index);
    // The plan's own inner loop joins the others here: a row is what lies across, over the columns.
    let mut leaf = |accs: &mut [R::Acc], mut count: usize| {
        while count > 0 {
            let run = count.min(n - inner);
            let rows = base.offset(walk.offsets()[0] + inner as isize * stride);
            match step {
                // SAFETY: the inner loop of the plan has these rows, and the caller vouches for them.
                1 => unsafe { fold_rows(op, accs, rows, stride, run, index) },
                // SAFETY: as above.
                _ => unsafe { fold_rows_apart(op, accs, rows, step, stride, run, index) },
            }
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
    let grain = if n < CHAIN_LEN { CHAIN_LEN } else { CHAIN_LEN * CHAINS };
    // Positions do not round, and most rows hold nothing better than the ones before.
    let grain = if const { R::BLOCKS && R::ORDERED } { usize::MAX } else { grain };
    fold_pairwise(op, accs, spare, plan.len(), grain, &mut leaf);
}

/// The same where the rows of neighbouring places lie side by side, each with its elements: rows are reduced one after the
/// other, so that memory is read in sequence.
///
/// # Safety
/// As [`reduce_columns`].
pub(super) unsafe fn reduce_rows<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    spare: &mut [R::Acc],
    base: HostPtr<T>,
    step: isize,
    plan: &Plan<1>,
) {
    accs.fill(op.identity());
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    let mut index = 0;
    let mut leaf = |accs: &mut [R::Acc], count: usize| {
        for _ in 0..count {
            let rows = base.offset(walk.offsets()[0]);
            // SAFETY: a row of the plan, from each place.
            unsafe { fold_rows_each(op, accs, rows, [n, index], [step, stride]) };
            index += n;
            walk.advance();
        }
    };
    let rows = plan.outer_shape().iter().product();
    fold_pairwise(op, accs, spare, rows, CHAIN_LEN, &mut leaf);
}
