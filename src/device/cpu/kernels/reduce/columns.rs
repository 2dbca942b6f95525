//! Reduces the elements of many outputs at a time, with one accumulator per output. `sweep` of the parent module calls it.
//!
//! A *column* has all elements of one output. A *row* has one element of each output.
//!
//! ```text
//! split the rows in half, recursively, for threads                       (reduce_columns)
//! for each leaf of at most LEAF_ROWS rows, combined pairwise             (fold_pairwise)
//!     for each 8, 3 or 1 rows                                            (fold_rows)
//!         for j in 0..accs.len()
//!             accs[j] = combine(accs[j], fold(.. fold(identity, row0[j]) .., row7[j]))
//! ```
//!
//! If the elements of a row are not contiguous, tiles of 8 rows are gathered first (`fold_rows_apart`). If the stride between
//! columns is at least [`MIN_FAR_BYTES`], [`FAR_ROWS`] rows of a few columns are folded at a time, without gathering (`fold_far_rows`).

use super::gather::{Gathered, gather};
use super::rows::fold_rows_each;
use super::{CHAIN_LEN, HostPtr, enough};
use crate::device::Reduction;
use crate::device::cpu::loops::threads::{join, threads};
use crate::device::cpu::memory::pool::try_reserve;
use crate::element::Element;
use crate::element::lanes::MAX_ROWS;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::simd::kernel;
use core::mem::MaybeUninit;

/// Maximum number of rows that are folded into one set of accumulators. This set is then combined with the set of the adjacent rows.
pub(super) const LEAF_ROWS: usize = 16 * CHAIN_LEN;
/// Size, in bytes, of the rows that [`fold_in_bands`] folds together, if they are at least [`MIN_BAND_ROWS`].
const BAND_BYTES: usize = 128 << 10;
/// Minimum number of rows that [`fold_in_bands`] folds together. With fewer rows, updating the accumulators takes much of the time.
const MIN_BAND_ROWS: usize = 32;
/// [`reduce_columns`] can split at least this many rows between threads.
pub(super) const MIN_SPLIT_ROWS: usize = 2 * LEAF_ROWS;

kernel! {
    /// Folds `count` rows into accumulators: element `j` of each row into `accs[j]`. The elements of a row are contiguous. `stride`
    /// is the stride from each row to the next. `index` is the index of the first row.
    ///
    /// # Safety
    /// The caller must ensure that `count` rows of `accs.len()` elements, with this stride between rows, are readable.
    wide unsafe fn fold_rows[T: Element, R: Reduction<T>][T, R](
        op: &R,
        accs: &mut [R::Acc],
        rows: HostPtr<T>,
        stride: isize,
        count: usize,
        index: usize,
    ) -> () {
        if const { R::FOLDS_MANY_ROWS } {
            // SAFETY: `fold_in_bands` has the contract of `fold_rows`, which the caller ensures.
            return unsafe { fold_in_bands(op, accs, rows, stride, count) };
        }
        let mut first = 0;
        while first < count {
            let (rows, index) = (rows.offset(first as isize * stride), index + first);
            macro_rules! fold {
                ($few:literal) => {
                    // SAFETY: `rows` begins at row `first`, and `first + $few <= count`. So these `$few` rows are among the `count` rows
                    // whose `accs.len()` contiguous elements may be read, as the caller ensures.
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

/// [`fold_rows`] for reductions that fold many rows: those of a band at a time.
///
/// # Safety
/// The contract of [`fold_rows`].
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
unsafe fn fold_in_bands<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    stride: isize,
    count: usize,
) {
    let len = accs.len();
    // `fold_many_rows` may visit a few columns at a time, so a band must stay in cache.
    let band = (BAND_BYTES / (len * size_of::<T>()).max(1)).clamp(MIN_BAND_ROWS, MAX_ROWS);
    for first in (0..count).step_by(band) {
        let mut slices = [const { MaybeUninit::<&[T]>::uninit() }; MAX_ROWS];
        let slices = &mut slices[..band.min(count - first)];
        for (r, slice) in slices.iter_mut().enumerate() {
            let row = rows.offset((first + r) as isize * stride).get();
            // SAFETY: `first + r < count`, so the caller ensures that the `len` elements of this row are contiguous and readable.
            slice.write(unsafe { core::slice::from_raw_parts(row, len) });
        }
        // SAFETY: the loop has just written all of `slices`.
        op.fold_many_rows(accs, unsafe { slices.assume_init_ref() });
    }
}

/// [`fold_rows`] for `COUNT` rows. Each accumulator is loaded and stored once for all these rows. Returns `COUNT`.
///
/// # Safety
/// The contract of [`fold_rows`], for `COUNT` rows.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
unsafe fn fold_few_rows<T: Element, R: Reduction<T>, const COUNT: usize>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    stride: isize,
    index: usize,
) -> usize {
    // SAFETY: the caller ensures that the `accs.len()` elements of each of the `COUNT` rows are contiguous and may be read. The slices are
    // used during this call only.
    op.fold_rows(accs, unsafe { slices::<T, COUNT>(rows, stride, accs.len()) }, index);
    COUNT
}

/// Returns `COUNT` rows of `len` elements as slices.
///
/// # Safety
/// The caller must ensure that the rows' elements are readable and contiguous, as long as the result is used.
#[inline(always)]
unsafe fn slices<'a, T, const COUNT: usize>(rows: HostPtr<T>, stride: isize, len: usize) -> [&'a [T]; COUNT] {
    let mut slices: [&[T]; COUNT] = [&[]; COUNT];
    for (r, slice) in slices.iter_mut().enumerate() {
        // SAFETY: `r < COUNT`; the caller ensures that this row has `len` readable, contiguous elements.
        *slice = unsafe { core::slice::from_raw_parts(rows.offset(r as isize * stride).get(), len) };
    }
    slices
}

/// Returns `COLUMNS` elements of each of `COUNT` rows. `stride` is the stride between rows, `step` between columns.
///
/// # Safety
/// The caller must ensure that these elements are readable.
#[inline(always)]
unsafe fn tile<T: Element, const COUNT: usize, const COLUMNS: usize>(
    rows: HostPtr<T>,
    stride: isize,
    step: isize,
) -> [[T; COLUMNS]; COUNT] {
    // SAFETY: the caller ensures that the element in row 0 and column 0 is readable.
    let mut tile = [[unsafe { *rows.get() }; COLUMNS]; COUNT];
    for (r, row) in tile.iter_mut().enumerate() {
        for (c, element) in row.iter_mut().enumerate() {
            let at = rows.offset(r as isize * stride + c as isize * step);
            // SAFETY: `r < COUNT` and `c < COLUMNS`, so the caller ensures that this element is readable.
            *element = unsafe { *at.get() };
        }
    }
    tile
}

/// Number of columns that [`fold_far_rows`] folds together. Fewer remaining columns are folded one by one.
const FAR_COLUMNS: usize = 8;
/// Number of columns that it folds together if the stride between them is at least [`MIN_DISTANT_BYTES`]. Measured on traces over axes 0 and
/// 2: 4 and 8 columns are slower.
const DISTANT_COLUMNS: usize = 2;
const MIN_DISTANT_BYTES: usize = 2 << 10;
/// Maximum number of rows that one call of [`fold_far_rows`] folds. A multiple of 8, because rows are folded 8 at a time. Measured:
/// traces over axes 0 and 2 are slower with all rows at a time.
const FAR_ROWS: usize = 32;
/// Minimum stride between columns, in bytes, at which they count as far apart. The adjacent cache lines that the hardware
/// prefetches along a row are then not used.
const MIN_FAR_BYTES: usize = 256;

/// [`fold_rows`] for a few columns that are far apart; `step` is the stride between columns. The caller folds several rows of these
/// columns before it folds the next columns, because the hardware prefetches this access pattern well.
///
/// # Safety
/// The contract of [`fold_rows`], with stride `step` between the elements of a row.
unsafe fn fold_far_rows<T: Element, R: Reduction<T>, const COLUMNS: usize>(
    op: &R,
    accs: &mut [R::Acc; COLUMNS],
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
                // SAFETY: `rows` begins at row `first`, and `first + $few <= count`. So the caller ensures that the `COLUMNS` elements of
                // each of these `$few` rows may be read.
                let tile = unsafe { tile::<T, $few, COLUMNS>(rows, stride, step) };
                let mut slices: [&[T]; $few] = [&[]; $few];
                for r in 0..$few {
                    slices[r] = &tile[r];
                }
                op.fold_rows(accs, slices, index);
                $few
            }};
        }
        // Folds 8, 3 or 1 rows at a time, as `fold_rows` does.
        first += match count - first {
            8.. => fold!(8),
            3.. => fold!(3),
            _ => fold!(1),
        };
    }
}

/// [`fold_rows`] for columns that are far apart; `step` is the stride between columns. Calls [`fold_far_rows`] for [`FAR_ROWS`] rows of
/// `COLUMNS` columns at a time.
///
/// # Safety
/// The contract of [`fold_rows`], with stride `step` between the elements of a row.
unsafe fn fold_bands<T: Element, R: Reduction<T>, const COLUMNS: usize>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    step: isize,
    stride: isize,
    count: usize,
    index: usize,
) {
    let (chunks, rest) = accs.as_chunks_mut();
    let at = |first: usize, column: usize| rows.offset(first as isize * stride + column as isize * step);
    for first in (0..count).step_by(FAR_ROWS) {
        let (some, index) = (FAR_ROWS.min(count - first), index + first);
        for (k, accs) in chunks.iter_mut().enumerate() {
            let rows = at(first, k * COLUMNS);
            // SAFETY: `first + some <= count`, so these are `some` of the `count` rows, in the columns of `accs`. The caller ensures that
            // their elements may be read.
            unsafe { fold_far_rows::<T, R, COLUMNS>(op, accs, rows, step, stride, some, index) };
        }
        for (k, acc) in rest.iter_mut().enumerate() {
            let rows = at(first, chunks.len() * COLUMNS + k);
            // SAFETY: `first + some <= count`, so these are `some` of the `count` rows, in the column of `acc`. The caller ensures that
            // its elements may be read.
            unsafe { fold_far_rows(op, core::array::from_mut(acc), rows, step, stride, some, index) };
        }
    }
}

/// [`fold_rows`] for rows whose elements have stride `step`. Gathers tiles of a few rows, then folds them.
///
/// # Safety
/// The contract of [`fold_rows`], with stride `step` between the elements of a row.
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
                // SAFETY: `first + row < count`, so the caller ensures that the elements of this row may be read. `memory` has space for
                // `ROWS` rows of `width` elements; `row < ROWS`, and `accs.len() <= width`. `memory` is a local variable, so it does not
                // overlap the row.
                unsafe { gather(from, accs.len(), step, to) };
            }
            // SAFETY: the loop has just written `some` rows of `accs.len()` contiguous elements to `memory`, which begins at `gathered`.
            // The stride between these rows is `width`.
            unsafe { fold_rows(op, accs, HostPtr::new(gathered), width as isize, some, index + first) };
        }
    }
}

/// Folds `rows` rows into `accs`, which must hold the identity. Combines the results of leaves pairwise. `leaf(accs, count)` folds
/// the next `count <= grain` rows. `spare` is workspace: `accs.len()` accumulators for each of the [`levels`] of the recursion.
fn fold_pairwise<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    spare: &mut [R::Acc],
    rows: usize,
    grain: usize,
    leaf: &mut dyn FnMut(&mut [R::Acc], usize),
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

/// Returns `len` accumulators that hold the identity, for another thread. Returns `None` if the allocation fails. The allocation
/// takes little time compared to the thread's work.
fn identities<T: Element, R: Reduction<T>>(op: &R, len: usize) -> Option<Vec<R::Acc>> {
    let mut memory = Vec::new();
    try_reserve(&mut memory, len).then_some(())?;
    memory.resize(len, op.identity());
    Some(memory)
}

/// Returns the maximum recursion depth of [`fold_pairwise`] for this number of rows.
pub(super) fn levels(rows: usize, grain: usize) -> usize {
    rows.div_ceil(grain).next_power_of_two().ilog2() as usize
}

/// Returns the maximum recursion depth of [`reduce_columns`] and [`reduce_rows`] for `plan`: the number of sets of accumulators that they
/// need as workspace. `splits` is whether [`reduce_columns`] splits the plan.
pub(super) fn plan_levels(plan: &Plan<1>, splits: bool) -> usize {
    match plan.outer_shape() {
        // The rows of a single loop are split at multiples of `LEAF_ROWS` only.
        [] => levels(plan.len(), LEAF_ROWS),
        // Each of several loops may be split down to single rows.
        _ if splits => plan.shape().iter().map(|&n| levels(n, 1)).sum(),
        _ => levels(plan.len(), CHAIN_LEN),
    }
}

kernel! {
    /// Combines each accumulator with the one at the same index of `others`.
    ///
    /// # Safety
    /// There are no conditions. The function is `unsafe` because [`kernel!`] makes every kernel `unsafe`.
    wide unsafe fn combine_all[T: Element, R: Reduction<T>][T, R](op: &R, accs: &mut [R::Acc], others: &[R::Acc]) -> () {
        for (acc, &other) in accs.iter_mut().zip(others) {
            *acc = op.combine(*acc, other);
        }
    }
}

/// The safe form of [`combine_all`].
fn combine_into<T: Element, R: Reduction<T>>(op: &R, accs: &mut [R::Acc], others: &[R::Acc]) {
    // SAFETY: `combine_all` has no conditions.
    unsafe { combine_all::<T, R>(op, accs, others) }
}

/// The rows of [`reduce_columns`], and how it splits them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    /// The index of the first row.
    index: usize,
    /// The number of columns that are reduced together if no allocation fails, times the [`weight`](super::weight) of an element. Whether
    /// the rows are split depends on this number and not on the number of accumulators, so the bits are the same if an allocation fails.
    places: usize,
    /// How many of the nested splits may run their halves on two threads. The other splits need no allocation. The bits do not depend on
    /// this number.
    joins: u32,
}

impl Split {
    /// Returns whether [`reduce_columns`] splits `plan`, if it has more than [`LEAF_ROWS`] rows or several loops.
    pub(super) fn splits<T: Element, R: Reduction<T>>(self, plan: &Plan<1>) -> bool {
        plan.len().saturating_mul(self.places) >= enough::<T, R>()
    }

    /// Returns the value for all rows. Chooses `joins` such that each thread of the pool gets at least four parts, which balances the load.
    pub(super) fn new(places: usize) -> Split {
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
/// * `base` is the first element of the column of `accs[0]`. `step` is the stride from each column to the next.
/// * `spare` is workspace: `accs.len()` accumulators for each of the [`plan_levels`].
/// * `split` has the index of each column's first element, and says how to split the rows.
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
    split: Split,
) {
    if split.splits::<T, R>(plan)
        && let Some((low, high)) = plan.halves_at(LEAF_ROWS)
    {
        let needed = accs.len() * (1 + plan_levels(&high, split.splits::<T, R>(&high)));
        // Halves that no other thread computes allocate nothing: the allocations would take a large part of the time of a sum.
        let parallel = split.joins > 0;
        let split = Split { joins: split.joins.saturating_sub(1), ..split };
        let upper = Split { index: split.index + low.len(), ..split };
        if parallel && let Some(mut memory) = identities(op, needed) {
            let (others, more) = memory.split_at_mut(accs.len());
            join(
                // SAFETY: `low` visits only elements that `plan` visits. The caller of this function ensures that these may be read in each
                // column.
                || unsafe { reduce_columns(op, accs, spare, base, step, &low, split) },
                // SAFETY: `high` visits only elements that `plan` visits. The caller of this function ensures that these may be read in
                // each column.
                || unsafe { reduce_columns(op, others, more, base, step, &high, upper) },
            );
            return combine_into(op, accs, others);
        }
        // Compute one half after the other on this thread, with accumulators from `spare`.
        // SAFETY: `low` visits only elements that `plan` visits. The caller of this function ensures that these may be read in each column.
        unsafe { reduce_columns(op, accs, spare, base, step, &low, split) };
        let (others, more) = spare.split_at_mut(accs.len());
        // SAFETY: `high` visits only elements that `plan` visits. The caller of this function ensures that these may be read in each column.
        unsafe { reduce_columns(op, others, more, base, step, &high, upper) };
        return combine_into(op, accs, others);
    }
    accs.fill(op.identity());
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    let (mut inner, mut index) = (0, split.index);
    // All loops of the plan, including the inner one, are over rows. So `n` is a number of rows, and `stride` the stride between
    // them.
    let apart = step.unsigned_abs() * size_of::<T>();
    let mut leaf = |accs: &mut [R::Acc], mut count: usize| {
        while count > 0 {
            let run = count.min(n - inner);
            let rows = base.offset(walk.offsets()[0] + inner as isize * stride);
            match step {
                // SAFETY: `inner + run <= n`, so `rows` addresses `run` rows of the inner loop of `plan`, in the columns of `accs`. The
                // caller of this function ensures that these elements may be read. The elements of a row are contiguous: `step` is 1.
                1 => unsafe { fold_rows(op, accs, rows, stride, run, index) },
                // SAFETY: `rows` addresses `run` rows, as above, whose elements may be read. The elements of a row have stride `step`.
                _ if apart >= MIN_DISTANT_BYTES => unsafe {
                    fold_bands::<T, R, DISTANT_COLUMNS>(op, accs, rows, step, stride, run, index)
                },
                // SAFETY: `rows` addresses `run` rows, as above, whose elements may be read. The elements of a row have stride `step`.
                _ if apart >= MIN_FAR_BYTES => unsafe {
                    fold_bands::<T, R, FAR_COLUMNS>(op, accs, rows, step, stride, run, index)
                },
                // SAFETY: `rows` addresses `run` rows, as above, whose elements may be read. The elements of a row have stride `step`.
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
    // The number of rows that one call of `leaf` folds: fewer if the inner loop is short.
    let grain = if n < CHAIN_LEN { CHAIN_LEN } else { LEAF_ROWS };
    // Results that are indices, and sums of integers, have no rounding errors, so they need no pairwise combination. A single fold over all
    // rows is faster: few rows have an element that replaces the extremum found so far, and sums are combined less often.
    let grain =
        if const { R::HAS_FOLD_BLOCK && R::USES_INDEX || R::FOLDS_MANY_ROWS } { usize::MAX } else { grain };
    fold_pairwise(op, accs, spare, plan.len(), grain, &mut leaf);
}

/// Variant of [`reduce_columns`] for [`Sweep::Rows`](super::Sweep). In this function, a *row* consists of the elements that one run of
/// the plan's inner loop visits in one column. For each run, the function folds the row of every column, one after the other. These
/// rows are close in memory, so memory is read in order.
///
/// # Safety
/// The contract of [`reduce_columns`].
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
            // SAFETY: all calls of `leaf` together visit each position of `walk` once. So `rows` is the first element of a row of `plan`.
            // The caller of this function ensures that the row's `n` elements may be read in each column. Addresses of elements are aligned
            // and not null.
            unsafe { fold_rows_each(op, accs, rows, [n, index], [step, stride]) };
            index += n;
            walk.advance();
        }
    };
    let rows = plan.outer_shape().iter().product();
    fold_pairwise(op, accs, spare, rows, CHAIN_LEN, &mut leaf);
}
