//! Many elements to one: several accumulators take the elements of a block in turn.

use super::{CHAIN, CHAINS, HostPtr, enough, pairwise};
use crate::device::Reduction;
use crate::device::cpu::simd::kernel;
use crate::device::cpu::threads::join;
use crate::element::Element;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;
use core::ops::Range;

/// Elements that each of so many accumulators takes one after the other. Few accumulators make do with fewer blocks: they are
/// there for positions and integers, which do not round.
const fn chain(lanes: usize) -> usize {
    if lanes < 8 { 16 * CHAIN } else { CHAIN }
}

/// Elements of a block.
const fn block(lanes: usize) -> usize {
    lanes * chain(lanes) * CHAINS
}

kernel! {
    /// Reduces the elements of a block, `stride` apart, to the `FEW` results that its one is made of.
    ///
    /// # Safety
    /// All `n` may be read.
    unsafe fn reduce_block[T: Element, R: Reduction<T>, const LANES: usize, const FEW: usize][T, R, LANES, FEW](
        op: &R,
        block: HostPtr<T>,
        n: usize,
        stride: isize,
        index: usize,
    ) -> [R::Acc; FEW] {
        // SAFETY: the caller's. A stride that the compiler knows makes a loop of its own.
        unsafe {
            match stride {
                1 => reduce_lanes::<T, R, LANES, FEW>(op, block, n, 1, index),
                _ => reduce_lanes::<T, R, LANES, FEW>(op, block, n, stride, index),
            }
        }
    }
}

/// The same for any stride: what is left over after `LANES` accumulators goes to `FEW` others, and then to a single one.
///
/// # Safety
/// All `n` may be read.
#[inline(always)]
unsafe fn reduce_lanes<T: Element, R: Reduction<T>, const LANES: usize, const FEW: usize>(
    op: &R,
    block: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> [R::Acc; FEW] {
    let (many, few) = (n - n % LANES, n - n % FEW);
    // SAFETY: all of these are below `n`.
    let (lanes, rest, [last]) = unsafe {
        (
            fold_in_turn::<T, R, LANES>(op, block, 0..many, stride, index),
            fold_in_turn::<T, R, FEW>(op, block, many..few, stride, index),
            fold_in_turn::<T, R, 1>(op, block, few..n, stride, index),
        )
    };
    let mut results = combine_each(op, halve::<T, R, LANES, FEW>(op, lanes), rest);
    results[FEW - 1] = op.combine(results[FEW - 1], last);
    results
}

/// Folds some of the elements into so many accumulators in turn, chain by chain.
///
/// # Safety
/// All of them may be read.
#[inline(always)]
unsafe fn fold_in_turn<T: Element, R: Reduction<T>, const LANES: usize>(
    op: &R,
    block: HostPtr<T>,
    range: Range<usize>,
    stride: isize,
    index: usize,
) -> [R::Acc; LANES] {
    let mut results = [op.identity(); LANES];
    let mut from = range.start;
    while from < range.end {
        let to = range.end.min(from + LANES * chain(LANES));
        let mut accs = [op.identity(); LANES];
        for first in (from..to).step_by(LANES) {
            for (lane, acc) in accs.iter_mut().enumerate() {
                let i = first + lane;
                // SAFETY: the range is a multiple of `LANES` long; the caller vouches for its elements.
                *acc = op.fold(*acc, unsafe { *block.get().offset(i as isize * stride) }, index + i);
            }
        }
        results = combine_each(op, results, accs);
        from = to;
    }
    results
}

/// Each result with its counterpart.
#[inline(always)]
fn combine_each<T: Element, R: Reduction<T>, const FEW: usize>(
    op: &R,
    mut a: [R::Acc; FEW],
    b: [R::Acc; FEW],
) -> [R::Acc; FEW] {
    for (a, b) in a.iter_mut().zip(b) {
        *a = op.combine(*a, b);
    }
    a
}

/// Reduces `n` elements, `stride` apart, block by block.
///
/// # Safety
/// All `n` may be read.
pub(super) unsafe fn reduce_row<T: Element, R: Reduction<T>, const LANES: usize, const FEW: usize>(
    op: &R,
    row: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> [R::Acc; FEW] {
    let mut at = 0;
    let mut leaf = |count: usize| {
        let (at_block, first) = (row.offset(at as isize * stride), index + at);
        at += count;
        // SAFETY: a part of the row.
        unsafe { reduce_block::<T, R, LANES, FEW>(op, at_block, count, stride, first) }
    };
    if n <= block(LANES) {
        return leaf(n);
    }
    pairwise(n, block(LANES), &mut leaf, &|a, b| combine_each(op, a, b))
}

/// Combines the upper half of `FROM` results with the lower one until `TO` are left.
#[inline(always)]
pub(super) fn halve<T: Element, R: Reduction<T>, const FROM: usize, const TO: usize>(
    op: &R,
    mut results: [R::Acc; FROM],
) -> [R::Acc; TO] {
    let mut width = FROM;
    while width > TO {
        width /= 2;
        for k in 0..width {
            results[k] = op.combine(results[k], results[k + width]);
        }
    }
    core::array::from_fn(|k| results[k])
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
) -> R::Acc {
    (0..n).fold(op.identity(), |acc, i| {
        // SAFETY: `i < n`; the caller vouches for the elements.
        op.fold(acc, unsafe { *row.offset(i as isize * stride).get() }, i)
    })
}

/// Reduces everything that a plan visits.
///
/// # Safety
/// All elements that the plan visits from `base` may be read.
pub(super) unsafe fn reduce_plan<T: Element, R: Reduction<T>, const LANES: usize, const FEW: usize>(
    op: &R,
    base: HostPtr<T>,
    plan: &Plan<1>,
    index: usize,
) -> [R::Acc; FEW] {
    if plan.len() >= enough::<T, R>()
        && let Some((low, high)) = plan.halves_at(block(LANES))
    {
        let middle = index + low.len();
        let (a, b) = join(
            // SAFETY: the halves visit what the whole does.
            || unsafe { reduce_plan::<T, R, LANES, FEW>(op, base, &low, index) },
            // SAFETY: as above.
            || unsafe { reduce_plan::<T, R, LANES, FEW>(op, base, &high, middle) },
        );
        return combine_each(op, a, b);
    }
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let rows: usize = plan.outer_shape().iter().product();
    if rows == 0 || n == 0 {
        return [op.identity(); FEW];
    }
    if rows == 1 {
        let row = base.offset(plan.offsets()[0]);
        // SAFETY: one row is all there is.
        return unsafe { reduce_row::<T, R, LANES, FEW>(op, row, n, stride, index) };
    }
    let mut walk = Walk::outer(plan);
    let mut at = index;
    let mut leaf = |count: usize| {
        let mut results = [op.identity(); FEW];
        for _ in 0..count {
            let row = base.offset(walk.offsets()[0]);
            // SAFETY: a row of the plan.
            let others = unsafe { reduce_row::<T, R, LANES, FEW>(op, row, n, stride, at) };
            results = combine_each(op, results, others);
            walk.advance();
            at += n;
        }
        results
    };
    // Short rows one after the other.
    pairwise(rows, (CHAIN * CHAINS / n).clamp(1, CHAIN), &mut leaf, &|a, b| combine_each(op, a, b))
}
