//! Many elements to one: several accumulators take the elements of a block in turn.

use super::gather::{Gathered, gather};
use super::{CHAIN_LEN, HostPtr, enough, pairwise};
use crate::device::Reduction;
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::simd::kernel;
use crate::device::lanes::in_lanes;
use crate::element::Element;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// Elements of a block. A block with a way of its own may be read twice, and the first-level cache is to hold it meanwhile.
const fn block<T: Element, R: Reduction<T>>() -> usize {
    (if R::BLOCKS { 16 << 10 } else { 32 << 10 }) / size_of::<T>()
}

/// Folds elements that lie side by side.
#[inline(always)]
fn fold<T: Element, R: Reduction<T>>(op: &R, acc: R::Acc, elements: &[T], index: usize) -> R::Acc {
    if const { R::BLOCKS || R::ORDERED } {
        return op.fold_block(acc, elements, index);
    }
    let folded = in_lanes(elements, op.identity(), |acc, x| op.fold(acc, x, 0), |a, b| op.combine(a, b));
    op.combine(acc, folded)
}

kernel! {
    /// Reduces the elements of a block, which lie side by side.
    ///
    /// # Safety
    /// All `n` may be read.
    wide unsafe fn reduce_block[T: Element, R: Reduction<T>][T, R](
        op: &R,
        acc: R::Acc,
        block: HostPtr<T>,
        n: usize,
        index: usize,
    ) -> R::Acc {
        // SAFETY: the caller's.
        fold(op, acc, unsafe { core::slice::from_raw_parts(block.get(), n) }, index)
    }
}

kernel! {
    /// Folds blocks, each of elements that lie side by side, into an accumulator of its own. Blocks begin `step` apart.
    ///
    /// # Safety
    /// All `n` elements of as many blocks as there are accumulators may be read.
    wide unsafe fn fold_blocks[T: Element, R: Reduction<T>][T, R](
        op: &R,
        accs: &mut [R::Acc],
        blocks: HostPtr<T>,
        n: usize,
        step: isize,
        index: usize,
    ) -> () {
        for (j, acc) in accs.iter_mut().enumerate() {
            let block = blocks.offset(j as isize * step).get();
            // SAFETY: the caller's.
            *acc = fold(op, *acc, unsafe { core::slice::from_raw_parts(block, n) }, index);
        }
    }
}

/// Folds rows, each of `n` elements `stride` apart, into an accumulator of its own. Rows begin `step` apart.
///
/// # Safety
/// All elements of as many rows as there are accumulators may be read.
pub(super) unsafe fn fold_rows_each<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    [n, index]: [usize; 2],
    [step, stride]: [isize; 2],
) {
    if stride == 1 && n <= const { block::<T, R>() } {
        // Rows can be so short that a call for each takes as long.
        // SAFETY: the caller's.
        return unsafe { fold_blocks(op, accs, rows, n, step, index) };
    }
    for (j, acc) in accs.iter_mut().enumerate() {
        // SAFETY: the caller's, for one of the rows.
        let row = unsafe { reduce_row(op, rows.offset(j as isize * step), n, stride, index) };
        *acc = op.combine(*acc, row);
    }
}

/// The same for a block of elements `stride` apart.
///
/// # Safety
/// All `n` may be read, and no more are there than can be [gathered](Gathered).
unsafe fn reduce_apart<T: Element, R: Reduction<T>>(
    op: &R,
    acc: R::Acc,
    block: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    if !R::ORDERED && stride.unsigned_abs() * size_of::<T>() >= MIN_LATENCY_STRIDE {
        // SAFETY: the caller's.
        return op.combine(acc, unsafe { reduce_far(op, block, n, stride, index) });
    }
    let mut memory = Gathered::new();
    let gathered = memory.address();
    // SAFETY: the caller's; there is room for so many.
    unsafe { gather(block, n, stride, gathered) };
    // SAFETY: all `n` have been gathered.
    unsafe { reduce_block::<T, R>(op, acc, HostPtr::new(gathered), n, index) }
}

/// Smallest stride, in bytes, at which every element has its own cache line, and latency dominates. Gathering first would keep fewer
/// loads in flight.
const MIN_LATENCY_STRIDE: usize = 64;

/// Reduces elements that are far from each other, where they are: in several accumulators, chain by chain.
///
/// # Safety
/// All `n` may be read.
unsafe fn reduce_far<T: Element, R: Reduction<T>>(
    op: &R,
    block: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    const LANES: usize = 8;
    const CHAIN: usize = 8 * LANES;
    // SAFETY: below `n`, where it is called; the rest is the caller's.
    let element = |i: usize| unsafe { *block.offset(i as isize * stride).get() };
    let whole = n - n % LANES;
    let mut results = [op.identity(); LANES];
    for chain in (0..whole).step_by(CHAIN) {
        let mut accs = [op.identity(); LANES];
        for first in (chain..whole.min(chain + CHAIN)).step_by(LANES) {
            for (lane, acc) in accs.iter_mut().enumerate() {
                *acc = op.fold(*acc, element(first + lane), index + first + lane);
            }
        }
        for (result, acc) in results.iter_mut().zip(accs) {
            *result = op.combine(*result, acc);
        }
    }
    let rest = (whole..n).fold(op.identity(), |acc, i| op.fold(acc, element(i), index + i));
    results.into_iter().fold(rest, |a, b| op.combine(a, b))
}

/// Reduces `n` elements, `stride` apart, block by block.
///
/// # Safety
/// All `n` may be read.
#[inline]
pub(super) unsafe fn reduce_row<T: Element, R: Reduction<T>>(
    op: &R,
    row: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    let one = |acc: R::Acc, row: HostPtr<T>, n: usize, index: usize| {
        match stride {
            // SAFETY: the whole row, or a part of it.
            1 => unsafe { reduce_block::<T, R>(op, acc, row, n, index) },
            // SAFETY: as above; blocks of such rows are no longer than what can be gathered.
            _ => unsafe { reduce_apart::<T, R>(op, acc, row, n, stride, index) },
        }
    };
    let block = const { block::<T, R>() };
    let block = if stride == 1 { block } else { block.min(Gathered::room::<T>()) };
    if n <= block {
        return one(op.identity(), row, n, index);
    }
    let mut at = 0;
    let mut next = |acc: R::Acc, count: usize| {
        let first = at;
        at += count;
        one(acc, row.offset(first as isize * stride), count, index + first)
    };
    if const { R::BLOCKS && R::ORDERED } {
        // Positions do not round, and a block that holds nothing better than the ones before is soon done.
        let blocks = (0..n).step_by(block).map(|first| block.min(n - first));
        return blocks.fold(op.identity(), &mut next);
    }
    pairwise(n, block, &mut |count| next(op.identity(), count), &|a, b| op.combine(a, b))
}

/// Reduces a few elements, `stride` apart, one after the other.
///
/// # Safety
/// All `n` may be read.
#[inline]
pub(super) unsafe fn reduce_few<T: Element, R: Reduction<T>>(
    op: &R,
    row: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    (0..n).fold(op.identity(), |acc, i| {
        // SAFETY: `i < n`; the caller vouches for the elements.
        op.fold(acc, unsafe { *row.offset(i as isize * stride).get() }, index + i)
    })
}

/// Reduces everything that a plan visits.
///
/// # Safety
/// All elements that the plan visits from `base` may be read.
pub(super) unsafe fn reduce_plan<T: Element, R: Reduction<T>>(
    op: &R,
    base: HostPtr<T>,
    plan: &Plan<1>,
    index: usize,
) -> R::Acc {
    if plan.len() >= enough::<T, R>()
        && let Some((low, high)) = plan.halves_at(const { block::<T, R>() })
    {
        let middle = index + low.len();
        let (a, b) = join(
            // SAFETY: the halves visit what the whole does.
            || unsafe { reduce_plan::<T, R>(op, base, &low, index) },
            // SAFETY: as above.
            || unsafe { reduce_plan::<T, R>(op, base, &high, middle) },
        );
        return op.combine(a, b);
    }
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let rows: usize = plan.outer_shape().iter().product();
    if rows == 0 || n == 0 {
        return op.identity();
    }
    if rows == 1 {
        let row = base.offset(plan.offsets()[0]);
        // SAFETY: one row is all there is.
        return unsafe { reduce_row::<T, R>(op, row, n, stride, index) };
    }
    let mut walk = Odometer::outer(plan);
    let mut at = index;
    let mut leaf = |count: usize| {
        (0..count).fold(op.identity(), |acc, _| {
            let row = base.offset(walk.offsets()[0]);
            let next = match n {
                // SAFETY: a row of the plan.
                ..super::MAX_SEQUENTIAL_LEN => unsafe { reduce_few(op, row, n, stride, at) },
                // SAFETY: as above.
                _ => unsafe { reduce_row::<T, R>(op, row, n, stride, at) },
            };
            walk.advance();
            at += n;
            op.combine(acc, next)
        })
    };
    // Short rows one after the other.
    pairwise(rows, (CHAIN_LEN * 4 / n).clamp(1, CHAIN_LEN), &mut leaf, &|a, b| op.combine(a, b))
}
