//! Reduces to many outputs at a time: rows are folded into accumulators, one for each element of a row.

use super::gather::{Gathered, gather};
use super::rows::fold_rows_each;
use super::{CHAIN_LEN, HostPtr, enough};
use crate::device::Reduction;
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::memory::pool::has_room;
use crate::element::Element;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::simd::kernel;

/// Chains of rows that are folded into the accumulators one after the other.
const CHAINS: usize = 16;

kernel! {
    /// Folds `count` rows into accumulators: element `j` of each row into `accs[j]`. Rows are contiguous; `stride` is that
    /// between rows.
    ///
    /// # Safety
    /// The caller must ensure that `count` rows of `accs.len()` elements, with these strides, are readable.
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
                    // SAFETY: `first + $few <= count`, so these are rows that the caller ensures are readable.
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

/// [`fold_rows`] for `COUNT` rows, so few that each accumulator is loaded and stored once. Returns `COUNT`.
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
        // SAFETY: `r < COUNT`; the caller ensures that this row has `accs.len()` readable, contiguous elements.
        unsafe { core::slice::from_raw_parts(rows.offset(r as isize * stride).get(), accs.len()) }
    });
    op.fold_rows(accs, rows, index);
    COUNT
}

/// Columns that are folded together if they are far apart.
const FAR_COLUMNS: usize = 4;
/// Columns at least this many bytes apart are far apart: neighbouring cache lines are not used soon, and prefetching them is wasted.
pub(super) const MIN_FAR_BYTES: usize = 256;
/// With more rows, reading them one after the other is faster, however far apart the columns are.
const MAX_FAR_ROWS: usize = 128;

/// [`fold_rows`] for a few columns that are far apart. All rows of these columns are read before other columns. The processor prefetches
/// that: a trace over axes 0 and 2 of 64 x 2048 x 64 elements takes 2.5 times as long row by row.
///
/// # Safety
/// As [`fold_rows`], with stride `step` between the elements of a row.
unsafe fn fold_far_rows<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc; FAR_COLUMNS],
    rows: HostPtr<T>,
    step: isize,
    stride: isize,
    count: usize,
    index: usize,
) {
    let mut first = 0;
    while first < count {
        let (rows, index) = (rows.offset(first as isize * stride), index + first);
        macro_rules! fold {
            ($few:literal) => {{
                let tile: [[T; FAR_COLUMNS]; $few] = core::array::from_fn(|r| {
                    core::array::from_fn(|c| {
                        let at = rows.offset(r as isize * stride + c as isize * step);
                        // SAFETY: `first + r < count`: one of the rows that the caller ensures are readable, and one of its columns.
                        unsafe { *at.get() }
                    })
                });
                op.fold_rows(accs, tile.each_ref().map(|row| &row[..]), index);
                $few
            }};
        }
        // As `fold_rows` splits them.
        first += match count - first {
            8.. => fold!(8),
            3.. => fold!(3),
            _ => fold!(1),
        };
    }
}

/// [`fold_rows`] for rows whose elements have stride `step`: gathers tiles of a few rows.
///
/// # Safety
/// As [`fold_rows`], with this stride between the elements of a row.
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
    let (gathered, widest) = (memory.address::<T>(), const { Gathered::room::<T>() / ROWS });
    // Far columns: all rows of a few of them at a time.
    let far = step.unsigned_abs() * size_of::<T>() >= MIN_FAR_BYTES;
    let (width, height) = if far { (8.min(widest), count) } else { (widest, ROWS) };
    for top in (0..count).step_by(height) {
        for (tile, accs) in accs.chunks_mut(width).enumerate() {
            for first in (top..count.min(top + height)).step_by(ROWS) {
                let some = ROWS.min(count - first);
                let from = rows.offset(first as isize * stride + (tile * width) as isize * step);
                for row in 0..some {
                    let (from, to) = (from.offset(row as isize * stride), gathered.wrapping_add(row * width));
                    // SAFETY: `first + row < count`, and the chunk is a part of the row, so the caller ensures that it is readable.
                    // It has at most `width` elements, and `row < ROWS`, so its copy fits in `memory`.
                    unsafe { gather(from, accs.len(), step, to) };
                }
                // SAFETY: `some` rows of `accs.len()` elements, `width` apart, were just gathered.
                unsafe { fold_rows(op, accs, HostPtr::new(gathered), width as isize, some, index + first) };
            }
        }
    }
}

/// Folds `rows` rows into accumulators that hold the identity: `leaf(accs, count)` folds the next `count <= grain` rows, and the
/// results are combined pairwise. `spare` has `accs.len()` accumulators for each of the [`levels`].
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

/// Returns accumulators for another thread, `None` if the allocation fails. Compared to the thread's work, their cost is small.
fn identities<T: Element, R: Reduction<T>>(op: &R, len: usize) -> Option<Vec<R::Acc>> {
    let mut memory = Vec::new();
    has_room(&mut memory, len).then_some(())?;
    memory.resize(len, op.identity());
    Some(memory)
}

/// Returns how many times [`fold_pairwise`] splits this number of rows in half: its recursion depth.
pub(super) fn levels(rows: usize, grain: usize) -> usize {
    rows.div_ceil(grain).next_power_of_two().ilog2() as usize
}

kernel! {
    /// Combines each accumulator with the other one at its index.
    ///
    /// # Safety
    /// There are no conditions: it is `unsafe` because every [`kernel!`] is.
    wide unsafe fn combine_all[T: Element, R: Reduction<T>][T, R](op: &R, accs: &mut [R::Acc], others: &[R::Acc]) -> () {
        for (acc, &other) in accs.iter_mut().zip(others) {
            *acc = op.combine(*acc, other);
        }
    }
}

fn combine_into<T: Element, R: Reduction<T>>(op: &R, accs: &mut [R::Acc], others: &[R::Acc]) {
    // SAFETY: `combine_all` has no conditions.
    unsafe { combine_all::<T, R>(op, accs, others) }
}

/// Reduces, for each accumulator, the elements that a plan visits. `base` is the first column, the start for `accs[0]`; `step` is
/// the stride from each column to the next. `spare` is workspace: `accs.len()` accumulators for each of the plan's [`levels`]
/// above a chain. `index` is that of each column's first element. `places` is the number of columns that are reduced together if
/// memory suffices, times the [`weight`](super::weight) of an element: how sums are split depends on it, not on `accs.len()`.
///
/// # Safety
/// The caller must ensure that, for each column, all elements that the plan visits are readable.
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
                // SAFETY: `low` visits elements of `plan`, which the caller ensures are readable.
                || unsafe { reduce_columns(op, accs, spare, base, step, &low, [index, places]) },
                // SAFETY: as for `low`.
                || unsafe { reduce_columns(op, others, more, base, step, &high, [middle, places]) },
            );
            return combine_into(op, accs, others);
        }
        // One half after the other: `spare` is large enough for uneven halves.
        if needed <= spare.len() {
            // SAFETY: `low` visits elements of `plan`, which the caller ensures are readable.
            unsafe { reduce_columns(op, accs, spare, base, step, &low, [index, places]) };
            let (others, more) = spare.split_at_mut(accs.len());
            // SAFETY: as for `low`.
            unsafe { reduce_columns(op, others, more, base, step, &high, [middle, places]) };
            return combine_into(op, accs, others);
        }
    }
    accs.fill(op.identity());
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    let (mut inner, mut index) = (0, index);
    // A row has one element of each column. All loops of the plan, the inner one too, run over rows.
    let far = step.unsigned_abs() * size_of::<T>() >= MIN_FAR_BYTES && plan.len() <= MAX_FAR_ROWS;
    let mut leaf = |accs: &mut [R::Acc], mut count: usize| {
        while count > 0 {
            let run = count.min(n - inner);
            let rows = base.offset(walk.offsets()[0] + inner as isize * stride);
            let (near, accs) = if far { accs.as_chunks_mut() } else { (&mut [][..], &mut *accs) };
            let rest = near.len() * FAR_COLUMNS;
            for (k, accs) in near.iter_mut().enumerate() {
                let rows = rows.offset((k * FAR_COLUMNS) as isize * step);
                // SAFETY: `inner + run <= n`, so these are `run` rows of the plan's inner loop, and the columns of these
                // accumulators, which the caller ensures are readable.
                unsafe { fold_far_rows(op, accs, rows, step, stride, run, index) };
            }
            let rows = rows.offset(rest as isize * step);
            match step {
                // SAFETY: `inner + run <= n`, so these are `run` rows of the plan's inner loop, one element per column, which the
                // caller ensures are readable; they are contiguous, as `step` is 1.
                1 => unsafe { fold_rows(op, accs, rows, stride, run, index) },
                // SAFETY: as for `step` 1, with elements `step` apart.
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
    // If the inner loop is shorter than a chain, a leaf is a single chain.
    let grain = if n < CHAIN_LEN { CHAIN_LEN } else { CHAIN_LEN * CHAINS };
    // Indices do not round, and most rows have no element that replaces an earlier result.
    let grain = if const { R::BLOCKS && R::ORDERED } { usize::MAX } else { grain };
    fold_pairwise(op, accs, spare, plan.len(), grain, &mut leaf);
}

/// [`reduce_columns`] for rows of neighbouring outputs that are adjacent in memory: rows are reduced one after the other, so
/// memory is read in order.
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
            // SAFETY: `rows` rows are folded in all, so this is a row of the plan; the caller ensures that its `n` elements are
            // readable for each output.
            unsafe { fold_rows_each(op, accs, rows, [n, index], [step, stride]) };
            index += n;
            walk.advance();
        }
    };
    let rows = plan.outer_shape().iter().product();
    fold_pairwise(op, accs, spare, rows, CHAIN_LEN, &mut leaf);
}
