//! Reductions: independent accumulators within blocks, blocks combined pairwise, so that the error grows as O(log n · ε)
//! (Higham, *The accuracy of floating point summation*, SIAM J. Sci. Comput. 14, 1993). Blocks are cut by lengths alone:
//! the result depends neither on the number of threads nor on the run.

use super::threads::{GRAIN, join, over_outputs};
use super::{Cpu, HostPtr};
use crate::device::{BinaryOp, Operand, Output, Reduce, Reduction};
use crate::element::Element;
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;

/// Independent accumulators of a block: enough to hide the latency of an addition and to fill vector registers.
const LANES: usize = 16;
/// Elements of a block: each accumulator takes eight of them.
const BLOCK: usize = 8 * LANES;
/// Outputs that are swept together where they lie more densely than what is reduced.
const COLUMNS: usize = 32;
/// Rows that such a sweep adds one after the other before it combines pairwise.
const ROWS: usize = 8;

/// Combines the results of `n > 0` steps pairwise; `leaf(count)` does the next `count <= grain` of them.
pub(super) fn pairwise<A>(
    n: usize,
    grain: usize,
    leaf: &mut impl FnMut(usize) -> A,
    combine: &impl Fn(A, A) -> A,
) -> A {
    if n <= grain {
        return leaf(n);
    }
    let low = (n / 2).next_multiple_of(grain);
    let a = pairwise(low, grain, leaf, combine);
    let b = pairwise(n - low, grain, leaf, combine);
    combine(a, b)
}

/// Reduces `n` elements, `stride` apart.
///
/// # Safety
/// All `n` may be read.
unsafe fn run<T: Element, R: Reduction<T>>(
    op: &R,
    base: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    let mut at = 0;
    let mut leaf = |count: usize| {
        let (ptr, first) = (base.offset(at as isize * stride).get(), index + at);
        at += count;
        if R::ORDERED || count < 2 * LANES {
            let mut acc = op.identity();
            for i in 0..count {
                // SAFETY: `at + i < n`; the caller vouches for the elements.
                acc = op.fold(acc, unsafe { *ptr.offset(i as isize * stride) }, first + i);
            }
            return acc;
        }
        let mut lanes = [op.identity(); LANES];
        let whole = count - count % LANES;
        if stride == 1 {
            // SAFETY: `count` elements side by side, which the caller vouches for.
            let block = unsafe { core::slice::from_raw_parts(ptr, count) };
            for (step, chunk) in block[..whole].chunks_exact(LANES).enumerate() {
                for (lane, (acc, &x)) in lanes.iter_mut().zip(chunk).enumerate() {
                    *acc = op.fold(*acc, x, first + step * LANES + lane);
                }
            }
        } else {
            for i in (0..whole).step_by(LANES) {
                for (lane, acc) in lanes.iter_mut().enumerate() {
                    // SAFETY: `i + lane < count`; the caller vouches for the elements.
                    let x = unsafe { *ptr.offset((i + lane) as isize * stride) };
                    *acc = op.fold(*acc, x, first + i + lane);
                }
            }
        }
        for i in whole..count {
            // SAFETY: `i < count`; the caller vouches for the elements.
            let x = unsafe { *ptr.offset(i as isize * stride) };
            lanes[i - whole] = op.fold(lanes[i - whole], x, first + i);
        }
        let mut width = LANES;
        while width > 1 {
            width /= 2;
            for lane in 0..width {
                lanes[lane] = op.combine(lanes[lane], lanes[lane + width]);
            }
        }
        lanes[0]
    };
    if n == 0 {
        return op.identity();
    }
    pairwise(n, BLOCK, &mut leaf, &|a, b| op.combine(a, b))
}

/// Reduces everything that a plan visits to one value.
///
/// # Safety
/// All elements that the plan visits from `base` may be read.
unsafe fn reduce_one<T: Element, R: Reduction<T>>(
    op: &R,
    base: HostPtr<T>,
    plan: &Plan<1>,
    index: usize,
) -> R::Acc {
    if plan.len() >= 2 * GRAIN
        && let Some((low, high)) = plan.halves_at(BLOCK)
    {
        let middle = index + low.len();
        let (a, b) = join(
            // SAFETY: the halves visit what the whole does.
            || unsafe { reduce_one(op, base, &low, index) },
            // SAFETY: as above.
            || unsafe { reduce_one(op, base, &high, middle) },
        );
        return op.combine(a, b);
    }
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let rows: usize = plan.outer_shape().iter().product();
    if rows == 0 || n == 0 {
        return op.identity();
    }
    if rows == 1 {
        // SAFETY: one row is all there is.
        return unsafe { run(op, base.offset(plan.offsets()[0]), n, stride, index) };
    }
    let mut walk = Walk::outer(plan);
    let mut at = index;
    let mut leaf = |count: usize| {
        let mut acc = None;
        for _ in 0..count {
            // SAFETY: a row of the plan.
            let row = unsafe { run(op, base.offset(walk.offsets()[0]), n, stride, at) };
            acc = Some(acc.map_or(row, |acc| op.combine(acc, row)));
            walk.advance();
            at += n;
        }
        acc.expect("a leaf has at least one row")
    };
    pairwise(rows, (2 * LANES / n).max(1), &mut leaf, &|a, b| op.combine(a, b))
}

/// Reduces the elements that a plan visits from each of up to [`COLUMNS`] places, `step` apart, all at once.
///
/// # Safety
/// All elements that the plan visits from each place may be read.
unsafe fn reduce_columns<T: Element, R: Reduction<T>>(
    op: &R,
    base: HostPtr<T>,
    columns: usize,
    step: isize,
    plan: &Plan<1>,
) -> [R::Acc; COLUMNS] {
    // The plan's own inner loop joins the others here: a row is what lies across, over the columns.
    let mut walk = Walk::outer(plan);
    let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
    let (mut inner, mut index) = (0, 0);
    let mut leaf = |count: usize| {
        let mut acc = [op.identity(); COLUMNS];
        for _ in 0..count {
            let row = base.offset(walk.offsets()[0] + inner as isize * stride).get();
            if step == 1 {
                // SAFETY: `columns` places side by side, which the caller vouches for.
                let row = unsafe { core::slice::from_raw_parts(row, columns) };
                for (acc, &x) in acc.iter_mut().zip(row) {
                    *acc = op.fold(*acc, x, index);
                }
            } else {
                for (k, acc) in acc.iter_mut().enumerate().take(columns) {
                    // SAFETY: `k < columns`; the caller vouches for the places.
                    *acc = op.fold(*acc, unsafe { *row.offset(k as isize * step) }, index);
                }
            }
            index += 1;
            inner += 1;
            if inner == n {
                inner = 0;
                walk.advance();
            }
        }
        acc
    };
    let combine = |mut a: [R::Acc; COLUMNS], b: [R::Acc; COLUMNS]| {
        for (a, b) in a.iter_mut().zip(b).take(columns) {
            *a = op.combine(*a, b);
        }
        a
    };
    match plan.len() {
        0 => [op.identity(); COLUMNS],
        rows => pairwise(rows, ROWS, &mut leaf, &combine),
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Reduce<T> for Cpu {
    fn reduce<R: Reduction<T>>(
        &self,
        op: &R,
        out: Output<'_, R::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        let kept_rank = out.shape().len();
        assert_eq!(out.shape(), &a.shape()[..kept_rank], "the leading axes are the output's");
        let (kept_shape, reduced_shape) = a.shape().split_at(kept_rank);
        let (kept_strides, reduced_strides) = a.strides().split_at(kept_rank);
        let reduced = if R::ORDERED {
            Plan::ordered(reduced_shape, [reduced_strides])
        } else {
            Plan::unordered(reduced_shape, [reduced_strides])
        };
        let kept = Plan::unordered_by(kept_shape, [out.strides(), kept_strides], 1);
        let count: usize = reduced_shape.iter().product();
        let (to, from) = (out.ptr(), a.ptr());
        let [so, sk] = kept.inner_strides();
        let failed = core::sync::atomic::AtomicBool::new(false);
        let put = |at: isize, acc: R::Acc| match op.finish(acc, count) {
            // SAFETY: `at` is where the kept plan has an index of the output, which is ours alone to write.
            Some(value) => unsafe { *to.offset(at).get() = value },
            None => failed.store(true, core::sync::atomic::Ordering::Relaxed),
        };
        // Sweep over several outputs at once where they lie closer together than what is reduced.
        let across =
            kept.inner_len() > 1 && sk != 0 && sk.unsigned_abs() < reduced.inner_strides()[0].unsigned_abs();
        let part = |part: &Plan<2>| {
            let n = part.inner_len();
            let mut walk = Walk::outer(part);
            for _ in 0..part.outer_shape().iter().product() {
                let [o, k] = walk.offsets();
                walk.advance();
                if across {
                    for first in (0..n).step_by(COLUMNS) {
                        let columns = COLUMNS.min(n - first);
                        let base = from.offset(k + first as isize * sk);
                        // SAFETY: each place is an index of the kept axes; from there the reduced plan visits indices of
                        // the operand.
                        let accs = unsafe { reduce_columns(op, base, columns, sk, &reduced) };
                        for (i, &acc) in accs.iter().enumerate().take(columns) {
                            put(o + (first + i) as isize * so, acc);
                        }
                    }
                } else {
                    for i in 0..n as isize {
                        // SAFETY: as above, for one place.
                        let acc = unsafe { reduce_one(op, from.offset(k + i * sk), &reduced, 0) };
                        put(o + i * so, acc);
                    }
                }
            }
        };
        over_outputs(&kept, count.max(1), COLUMNS, &part);
        if failed.into_inner() {
            return Err(Error::Arithmetic {
                op: "reduce",
                dtype: <R::Output as Element>::DTYPE.name(),
                values: format!("the {} of elements of shape {reduced_shape:?}", R::NAME),
            });
        }
        Ok(())
    }

    fn scan<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        assert_eq!(out.shape(), a.shape(), "operands of one shape");
        let Some((&n, lines)) = out.shape().split_last() else {
            return Err(Error::AxisOutOfRange { op: "accumulate", axis: 0, shape: vec![] });
        };
        if n == 0 {
            return Ok(());
        }
        let last = lines.len();
        let plan = Plan::unordered(lines, [&out.strides()[..last], &a.strides()[..last]]);
        let (so, sa) = (out.strides()[last], a.strides()[last]);
        let (to, from) = (out.ptr(), a.ptr());
        let [step_to, step_from] = plan.inner_strides();
        let mut walk = Walk::outer(&plan);
        for _ in 0..plan.outer_shape().iter().product() {
            let [o, k] = walk.offsets();
            walk.advance();
            for line in 0..plan.inner_len() as isize {
                let (to, from) = (to.offset(o + line * step_to), from.offset(k + line * step_from));
                let mut acc = None;
                for i in 0..n as isize {
                    // SAFETY: a line of both operands, along the last axis; the output is ours alone to write.
                    let x = unsafe { *from.offset(i * sa).get() };
                    let next = match acc {
                        None => x,
                        Some(acc) if F::CHECKED && !op.defined(acc, x) => {
                            return Err(Error::Arithmetic {
                                op: F::NAME,
                                dtype: T::DTYPE.name(),
                                values: op.operands(acc, x),
                            });
                        }
                        Some(acc) => op.apply(acc, x),
                    };
                    acc = Some(next);
                    // SAFETY: as above.
                    unsafe { *to.offset(i * so).get() = next };
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairwise_visits_each_step_once_and_in_sequence() {
        for n in 1..70 {
            let mut next = 0;
            let mut leaf = |count: usize| {
                assert!(count <= 8 && count > 0);
                next += count;
                (next - count..next).collect::<Vec<_>>()
            };
            let seen = pairwise(n, 8, &mut leaf, &|mut a, b| {
                a.extend(b);
                a
            });
            assert_eq!(seen, (0..n).collect::<Vec<_>>());
        }
    }
}
