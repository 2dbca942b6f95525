//! Reductions and cumulative operations: implements [`Reduce`] for [`Cpu`].
//!
//! An output is an element of the result. The elements of an output are the elements of the operand that are reduced to it.
//!
//! ```text
//! at most 16 outputs of at most 8 elements each: no plan                            (reduce_a_few)
//! accumulators of more than 1 KiB: on the heap                                      (module boxed)
//! the stride between the elements of one output is smaller than between outputs:    (each, module rows)
//!     for each output
//!         for each block of its elements: fold into several accumulators, then combine these
//! the stride between outputs is smaller, or each output has few elements:           (Sweep::Columns, module columns)
//!     for each block of at most MAX_SWEPT_OUTPUTS outputs
//!         for each row, of one element per output: accs[j] = fold(accs[j], row[j]) for all j
//! the stride between outputs is between the strides of two reduced loops:           (Sweep::Rows, module columns)
//!     for each block of at most MAX_SWEPT_OUTPUTS outputs
//!         for each index of the outer reduced loops
//!             for each output j: fold the elements of the inner reduced loop into accs[j]
//! ```
//!
//! Results that may be wrong, because sums of elements or of squares left the range of numbers, are computed again (module `again`).
//!
//! The results of blocks are combined pairwise, so that the error of a sum grows as O(log n · ε) (Higham, *The accuracy of floating
//! point summation*, SIAM J. Sci. Comput. 14, 1993). Module `boxed` is an exception: it folds long chains one element at a time.
//! How the elements are divided into blocks depends on extents and strides alone. So the bits of a result depend neither on the
//! number of threads nor on the run.

mod again;
mod boxed;
mod columns;
mod gather;
mod rows;
#[cfg(test)]
mod tests;

use crate::device::cpu::loops::threads::{PARALLEL_SUM_LEN, enter, over_outputs};
use crate::device::cpu::memory::scratch::{Side, guaranteed, with_scratch};
use crate::device::cpu::precompiled::precompiled;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::op::reduction::Sum;
use crate::device::{BinaryOp, Operand, Output, Reduce, Reduction, no_result};
use crate::element::DType::{C32, C64, F32, F64};
use crate::element::{Element, Inexact, Scalar};
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::is_contiguous;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use crate::simd::CACHE_LINE_BYTES;
use again::again_in_line;
use columns::{MIN_SPLIT_ROWS, Split, plan_levels, reduce_columns, reduce_rows};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use rows::{fold_rows_each, reduce_few, reduce_plan, reduce_row};

/// Number of elements that one accumulator folds before it is combined with another. Also the maximum number of elements per output
/// for [`reduce_a_few`].
const CHAIN_LEN: usize = 8;
/// `one` and `reduce_plan` fold a row of fewer elements than this into a single accumulator. Several accumulators would take longer,
/// because they have to be combined at the end.
const MAX_SEQUENTIAL_LEN: usize = 16;
/// Number of outputs that `each` passes to one call of [`fold_rows_each`]. Also the maximum number of outputs for [`reduce_a_few`].
const OUTPUTS_PER_CALL: usize = 16;
/// Maximum number of outputs that `sweep` computes together. Longer rows take less time per element, but their accumulators must
/// stay in cache.
const MAX_SWEPT_OUTPUTS: usize = 4096;
/// For [`Sweep::Columns`], the outputs are split between threads at multiples of this number, if each has fewer elements than
/// [`MIN_SPLIT_ROWS`]. Otherwise, they are split at multiples of [`MAX_SWEPT_OUTPUTS`], and the elements are split, too. Memory is
/// read faster in rows of [`MAX_SWEPT_OUTPUTS`] elements than in pieces of this number.
const SWEPT_OUTPUTS_GRAIN: usize = 512;
/// Number of outputs that `sweep` computes together if the allocation of more accumulators fails.
const MIN_SWEPT_OUTPUTS: usize = 64;

/// Combines the results of `n > 0` consecutive items pairwise. `leaf(count)` returns the result of the next `count <= grain` items.
///
/// ```text
/// n <= grain:  leaf(n)
/// otherwise:   combine(pairwise(low), pairwise(n - low)), where low is n / 2, rounded up to a multiple of grain
/// ```
// The closures are trait objects, so that the recursion is compiled once for each `A`.
pub(super) fn pairwise<A>(
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

/// Returns the minimum number of elements that are split between two threads. It is smaller for reductions that do much work per
/// element: those that use the index or have large accumulators, unless they fold whole blocks (`HAS_FOLD_BLOCK`). The speed of
/// all other reductions is limited by memory, and reading less than 4 MiB takes less time than waking a thread.
const fn enough<T: Element, R: Reduction<T>>() -> usize {
    if !R::HAS_FOLD_BLOCK && (R::USES_INDEX || size_of::<R::Acc>() > 2 * size_of::<T>()) {
        2 * PARALLEL_SUM_LEN
    } else {
        (4 << 20) / size_of::<T>()
    }
}

/// Returns the cost of reading one element, relative to the cost of reading a contiguous element. If every element is in another cache
/// line, because both inner strides are at least a line, reading it costs as much as reading all bytes up to the next element, but not
/// more than [`MAX_ELEMENT_COST_BYTES`].
fn weight<T>(kept: &Plan<2>, reduced: &Plan<1>) -> usize {
    let stride = kept.inner_strides()[1].unsigned_abs().min(reduced.inner_strides()[0].unsigned_abs());
    match stride.saturating_mul(size_of::<T>()) {
        bytes @ CACHE_LINE_BYTES.. => bytes.min(MAX_ELEMENT_COST_BYTES) / size_of::<T>(),
        _ => 1,
    }
}

/// See [`weight`]. The processor fetches cache lines in pairs.
const MAX_ELEMENT_COST_BYTES: usize = 128;

/// A reduction and its operands, shared by all threads.
struct ReduceTask<'a, T: Element, R: Reduction<T>> {
    op: &'a R,
    from: HostPtr<T>,
    to: HostPtr<R::Output>,
    /// The number of elements reduced for each output.
    count: usize,
    /// Set if [`Reduction::finish`] returned `None` for an output: its result is not representable.
    failed: AtomicBool,
    /// Set if [`Reduction::is_doubtful`] returned `true` for an output.
    doubtful: AtomicBool,
}

impl<T: Element, R: Reduction<T>> ReduceTask<'_, T, R> {
    /// Writes the result for an accumulator to the output at offset `at`. If the result is not representable, sets `failed`
    /// instead.
    ///
    /// # Safety
    /// The caller must ensure that `at` is the offset of an element of the output, and exclusive access to that element.
    #[inline]
    unsafe fn put(&self, at: isize, acc: R::Acc) {
        let result = self.op.finish(acc, self.count);
        // SAFETY: the caller ensures that `at` is the offset of an element of the output, and exclusive access to that element.
        if unsafe { self.put_result(at, result) } {
            self.doubtful.store(true, Ordering::Relaxed);
        }
    }

    /// Writes a result of [`Reduction::finish`]. Returns whether it is doubtful. The accumulator is not an argument, because it may take half
    /// of the stack.
    ///
    /// # Safety
    /// The contract of [`put`](ReduceTask::put).
    #[inline(always)]
    unsafe fn put_result(&self, at: isize, result: Option<R::Output>) -> bool {
        match result {
            Some(value) => {
                // SAFETY: the caller ensures that `at` is the offset of an element of the output, and exclusive access to that element.
                unsafe { *self.to.offset(at).get() = value };
                (const { R::RESCALES }) && self.op.is_doubtful(value)
            }
            None => {
                self.failed.store(true, Ordering::Relaxed);
                false
            }
        }
    }

    /// Writes the results for several accumulators. The first output is at offset `at`, and `step` is the stride between outputs.
    ///
    /// # Safety
    /// The contract of [`put`](ReduceTask::put), for each of these `accs.len()` outputs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn put_row(&self, at: isize, step: isize, accs: &[R::Acc]) {
        let mut doubtful = false;
        for (i, &acc) in accs.iter().enumerate() {
            // SAFETY: `i < accs.len()`, so this is the offset of one of the outputs, to which the caller ensures exclusive access.
            doubtful |= unsafe { self.put_result(at + i as isize * step, self.op.finish(acc, self.count)) };
        }
        if doubtful {
            self.doubtful.store(true, Ordering::Relaxed);
        }
    }

    /// Computes the outputs of `part`, one after the other.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * Access to the outputs that `part` visits is exclusive.
    /// * `reduced` visits `count` elements. From each index of `part`, all of these elements are readable.
    unsafe fn each(&self, part: &Plan<2>, reduced: &Plan<1>) {
        let (n, [so, sk]) = (part.inner_len(), part.inner_strides());
        let one_row = reduced.outer_shape().is_empty() && self.count < enough::<T, R>();
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, k] = walk.offsets();
            walk.advance();
            if one_row {
                let stride = reduced.inner_strides()[0];
                let rows = self.from.offset(k + reduced.offsets()[0]);
                let mut accs = [self.op.identity(); OUTPUTS_PER_CALL];
                for first in (0..n).step_by(OUTPUTS_PER_CALL) {
                    let accs = &mut accs[..OUTPUTS_PER_CALL.min(n - first)];
                    accs.fill(self.op.identity());
                    let rows = rows.offset(first as isize * sk);
                    // SAFETY: `first + accs.len() <= n`, so each row begins at an index of `part`. `reduced` is a single loop, so the row
                    // consists of the `count` elements that `reduced` visits from this index. The caller ensures that they are readable.
                    unsafe { fold_rows_each(self.op, accs, rows, [self.count, 0], [sk, stride]) };
                    // SAFETY: these are the outputs at the same indices of `part`, to which the caller ensures exclusive access.
                    unsafe { self.put_row(o + first as isize * so, so, accs) };
                }
                continue;
            }
            for i in 0..n as isize {
                let from = self.from.offset(k + i * sk);
                // SAFETY: `i < n`, so `from` is at an index of `part`. The caller ensures that all elements that `reduced` visits from this
                // index are readable.
                let acc = unsafe { reduce_plan::<T, R>(self.op, from, reduced, 0) };
                // SAFETY: this is the output at the same index of `part`, to which the caller ensures exclusive access.
                unsafe { self.put(o + i * so, acc) };
            }
        }
    }

    /// Computes the outputs of `part`, up to [`MAX_SWEPT_OUTPUTS`] at a time. `sweep` is the order of the loops.
    ///
    /// # Safety
    /// The contract of [`each`](ReduceTask::each).
    unsafe fn sweep(&self, part: &Plan<2>, reduced: &Plan<1>, sweep: Sweep) {
        let (n, [so, sk]) = (part.inner_len(), part.inner_strides());
        let weight = weight::<T>(part, reduced);
        // The outputs of the inner loop are split into blocks of about equal width.
        let block = n.div_ceil(n.div_ceil(MAX_SWEPT_OUTPUTS).max(1)).next_multiple_of(8);
        // Each block needs one set of accumulators for its results, and another set for each level of the recursion.
        let levels = match Split::new(block.min(n) * weight).splits::<T, R>(reduced) {
            // Only `reduce_columns` folds all rows into one set of accumulators.
            false if const { R::FOLDS_MANY_ROWS } && sweep == Sweep::Columns => 1,
            splits => 1 + plan_levels(reduced, splits),
        };
        // The number of outputs that are computed together if the allocation fails. It is less than `MIN_SWEPT_OUTPUTS` only if there
        // are fewer outputs, or if the accumulators are larger than those of this crate's own reductions.
        let few = MIN_SWEPT_OUTPUTS.min(guaranteed::<R::Acc>() / levels).min(n);
        let all = block.min(n);
        with_scratch(Side::Sums, all * levels, few * levels, |memory: *mut R::Acc, room| {
            // SAFETY: `with_scratch` provides exclusive access to `room` aligned values. They may be uninitialised, because the
            // slice is of `MaybeUninit`.
            let memory =
                unsafe { core::slice::from_raw_parts_mut(memory.cast::<MaybeUninit<R::Acc>>(), room) };
            memory.fill(MaybeUninit::new(self.op.identity()));
            let width = if room == all * levels { block } else { few };
            // SAFETY: `fill` has initialised all values.
            let (accs, spare) = unsafe { memory.assume_init_mut() }.split_at_mut(width.min(n));
            let mut walk = Odometer::outer(part);
            for _ in 0..part.outer_shape().iter().product() {
                let [o, k] = walk.offsets();
                walk.advance();
                for start in (0..n).step_by(block) {
                    let end = n.min(start + block);
                    // If the allocation failed, a block is computed in parts of `width` outputs. How a sum is split depends on the number
                    // of outputs in the block, and not on `width`. So the results have the same bits in both cases.
                    let split = Split::new((end - start) * weight);
                    for first in (start..end).step_by(width) {
                        let accs = &mut accs[..width.min(end - first)];
                        let base = self.from.offset(k + first as isize * sk);
                        match sweep {
                            // SAFETY: `first + accs.len() <= n`, so the `accs.len()` columns begin at indices of `part`. The caller ensures
                            // that all elements that `reduced` visits from each of these indices are readable.
                            Sweep::Columns => unsafe {
                                reduce_columns(self.op, accs, spare, base, sk, reduced, split)
                            },
                            // SAFETY: `first + accs.len() <= n`, so the `accs.len()` columns begin at indices of `part`. The caller ensures
                            // that all elements that `reduced` visits from each of these indices are readable.
                            Sweep::Rows => unsafe {
                                reduce_rows::<T, R>(self.op, accs, spare, base, sk, reduced)
                            },
                        }
                        match so {
                            // The stride is passed as a constant, so that the compiler vectorises the loop.
                            // SAFETY: `first + accs.len() <= n`, so these are outputs that `part` visits; their stride `so` is 1. The caller
                            // ensures exclusive access to them.
                            1 => unsafe { self.put_row(o + first as isize, 1, accs) },
                            // SAFETY: `first + accs.len() <= n`, so these are outputs that `part` visits. The caller ensures exclusive access
                            // to them.
                            _ => unsafe { self.put_row(o + first as isize * so, so, accs) },
                        }
                    }
                }
            }
        });
    }

    /// Plans the loops and computes all outputs, on several threads if there are many elements.
    fn over(&mut self, out: &Output<'_, R::Output, Cpu>, a: &Operand<'_, T, Cpu>) {
        let (kept_shape, shape) = a.shape().split_at(out.shape().len());
        let (_, strides) = a.strides().split_at(out.shape().len());
        // If a few contiguous elements are reduced to a single output, planning would take longer than the reduction.
        let contiguous = || {
            is_contiguous(shape, strides, true) || (!R::USES_INDEX && is_contiguous(shape, strides, false))
        };
        if kept_shape.is_empty() && self.count < enough::<T, R>() && contiguous() {
            // SAFETY: the operand is contiguous, so these are its `count` elements, which `Operand` guarantees to be readable.
            let acc = unsafe { reduce_line(self.op, self.from, self.count, 1) };
            // SAFETY: the output has one element, to which `Output` guarantees exclusive access.
            return unsafe { self.put(0, acc) };
        }
        let (kept, reduced) = self.plans(out, a);
        let reads = self.count.max(1).saturating_mul(weight::<T>(&kept, &reduced));
        let enough = enough::<T, R>();
        let sweep = Sweep::choose(&kept, &reduced);
        let grain = match sweep {
            Some(Sweep::Columns) if reduced.len() >= MIN_SPLIT_ROWS => MAX_SWEPT_OUTPUTS,
            Some(Sweep::Columns) => SWEPT_OUTPUTS_GRAIN,
            _ => 1,
        };
        let job = &*self;
        let work = kept.len().saturating_mul(reads).saturating_mul((4 << 20) / enough);
        enter(work, || {
            over_outputs(&kept, reads, enough, grain, &|part| {
                // `Sweep::Rows` gains nothing if the inner loop has a single output. For such a part, `each` can split the elements
                // of the output between threads.
                match sweep.filter(|&sweep| sweep == Sweep::Columns || part.inner_len() != 1) {
                    // SAFETY: `part` visits the kept axes, and `reduced` the reduced axes. So all elements that are read belong to the
                    // operand, and `Operand` guarantees that they are readable. `Output` guarantees exclusive access to the outputs, and
                    // parts have different outputs.
                    Some(sweep) => unsafe { job.sweep(part, &reduced, sweep) },
                    // SAFETY: `part` visits the kept axes, and `reduced` the reduced axes. So `Operand` guarantees that all elements that
                    // are read are readable. `Output` guarantees exclusive access to the outputs, and parts have different outputs.
                    None => unsafe { job.each(part, &reduced) },
                }
            });
        });
    }

    /// Returns the plan of the outputs, and the plan of the elements of each output. If a kept axis is reversed, changes `from` and
    /// `to` to the elements at the new index 0.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn plans(&mut self, out: &Output<'_, R::Output, Cpu>, a: &Operand<'_, T, Cpu>) -> (Plan<2>, Plan<1>) {
        let (kept_shape, shape) = a.shape().split_at(out.shape().len());
        let (kept_strides, strides) = a.strides().split_at(out.shape().len());
        let reduced = match (shape, strides) {
            (&[n], &[stride]) if stride >= 0 => Plan::line(n, [stride]),
            _ if R::USES_INDEX => Plan::ordered(shape, [strides]),
            _ => Plan::unordered(shape, [strides]),
        };
        let (mut to, mut from) = ([0; MAX_RANK], [0; MAX_RANK]);
        let (to, from) = (&mut to[..kept_shape.len()], &mut from[..kept_shape.len()]);
        to.copy_from_slice(out.strides());
        from.copy_from_slice(kept_strides);
        self.read_forwards(kept_shape, to, from);
        let kept = match (kept_shape, &*to, &*from) {
            (&[n], &[to], &[from]) => Plan::line(n, [to, from]),
            _ => Plan::unordered_by(kept_shape, [to, from], 1),
        };
        (kept, reduced)
    }

    /// Reverses each kept axis whose stride in the operand is negative, so that the operand is read forwards. The output may then
    /// be written backwards. This matters less, because the output has fewer elements than the operand.
    fn read_forwards(&mut self, shape: &[usize], to: &mut [isize], from: &mut [isize]) {
        for ((&n, to), from) in shape.iter().zip(to).zip(from) {
            if *from < 0 && n > 0 {
                let last = n as isize - 1;
                (self.to, self.from) = (self.to.offset(*to * last), self.from.offset(*from * last));
                (*to, *from) = (-*to, -*from);
            }
        }
    }
}

/// The order of the loops if several outputs are computed at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sweep {
    /// The inner loop is over outputs. Chosen if the stride between outputs is smaller than the stride between the elements of one
    /// output, or if each output has only a few elements.
    Columns,
    /// The inner loop is over a row of elements of one output, and the loop around it is over outputs. Chosen if the stride between
    /// outputs is smaller than the stride between the rows of one output.
    Rows,
}

impl Sweep {
    /// Returns the order of the loops, or `None` if outputs are computed one after the other.
    fn choose(kept: &Plan<2>, reduced: &Plan<1>) -> Option<Sweep> {
        let ([_, sk], [sr]) = (kept.inner_strides(), reduced.inner_strides());
        if kept.inner_len() < 2 || sk == 0 {
            return None;
        }
        let few = reduced.len() < 8 && reduced.len() < kept.inner_len();
        // With `sr == 0`, an inner loop over the elements of one output would read the same element repeatedly. An inner loop over outputs
        // reads different elements.
        if few || sr == 0 || sk.unsigned_abs() < sr.unsigned_abs() {
            return Some(Sweep::Columns);
        }
        let [outer] = *reduced.outer_strides().last()?;
        (sk.unsigned_abs() < outer.unsigned_abs() && reduced.len() > 0).then_some(Sweep::Rows)
    }
}

/// Reduces `n` elements with stride `stride` to a single accumulator.
///
/// # Safety
/// The caller must ensure that the `n` elements are readable, and that `row` is aligned and not null.
#[inline(never)]
unsafe fn reduce_line<T: Element, R: Reduction<T>>(
    op: &R,
    row: HostPtr<T>,
    n: usize,
    stride: isize,
) -> R::Acc {
    match n {
        // SAFETY: the caller ensures that the `n` elements are readable.
        ..MAX_SEQUENTIAL_LEN => unsafe { reduce_few(op, row, n, stride, 0) },
        // SAFETY: the caller ensures that the `n` elements are readable, and that `row` is aligned and not null.
        _ => unsafe { reduce_row::<T, R>(op, row, n, stride, 0) },
    }
}

/// Computes a few outputs of a few elements each, or one output of more elements, without a plan, because planning would take longer.
/// Returns whether all results are representable. Returns `None` and writes nothing in these cases:
/// * There are more than [`OUTPUTS_PER_CALL`] outputs. Or there is a kept axis, and more than [`CHAIN_LEN`] elements per output.
/// * The elements are enough for several threads.
/// * There are several kept axes, or several reduced axes.
/// * The accumulators belong on the heap: see module `boxed`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn reduce_a_few<T: Element, R: Reduction<T>>(
    op: &R,
    out: &Output<'_, R::Output, Cpu>,
    a: &Operand<'_, T, Cpu>,
) -> Option<bool> {
    let (kept, reduced) = a.shape().split_at(out.shape().len());
    if const { boxed::is_boxed::<T, R>() } || kept.len() > 1 || reduced.len() > 1 {
        return None;
    }
    let (kept_strides, strides) = a.strides().split_at(out.shape().len());
    let (outputs, count) = (kept.first().map_or(1, |&n| n), reduced.first().map_or(1, |&n| n));
    let first = |strides: &[isize]| strides.first().copied().unwrap_or(0);
    let (to, from, stride) = (first(out.strides()), first(kept_strides), first(strides));
    if outputs > OUTPUTS_PER_CALL || count > CHAIN_LEN {
        if !kept.is_empty() || count >= enough::<T, R>() {
            return None;
        }
        let value = if const { is_precompiled::<T, R>() } {
            // SAFETY: these are all elements of the operand, which `Operand` guarantees to be readable. Its address is aligned and not null.
            Some(unsafe { sum_of_line::<T, R::Output>()(a.ptr(), count, stride) })
        } else {
            // SAFETY: these are all elements of the operand, which `Operand` guarantees to be readable. Its address is aligned and not null.
            let value = op.finish(unsafe { reduce_line(op, a.ptr(), count, stride) }, count);
            match value {
                Some(value) if const { R::RESCALES } && op.is_doubtful(value) => {
                    // SAFETY: these are all elements of the operand, which `Operand` guarantees to be readable.
                    Some(unsafe { again_in_line(op, value, a.ptr(), count, stride) })
                }
                value => value,
            }
        };
        // SAFETY: the output has one element, to which `Output` guarantees exclusive access.
        return Some(value.map(|value| unsafe { *out.ptr().get() = value }).is_some());
    }
    let mut fits = true;
    for i in 0..outputs as isize {
        // SAFETY: `i` is less than the extent of the kept axis, or 0 if there is none. `count` is the extent of the reduced axis,
        // or 1 if there is none. So these are elements of the operand, which `Operand` guarantees to be readable.
        let acc = unsafe { reduce_few(op, a.ptr().offset(i * from), count, stride, 0) };
        match op.finish(acc, count) {
            Some(mut value) => {
                if const { R::RESCALES } && op.is_doubtful(value) {
                    // SAFETY: these are elements of the operand, as above.
                    value = unsafe { again_in_line(op, value, a.ptr().offset(i * from), count, stride) };
                }
                // SAFETY: `i` is less than the extent of the output's axis, or 0 if there is none. `Output` guarantees exclusive access
                // to this element.
                unsafe { *out.ptr().offset(i * to).get() = value };
            }
            None => fits = false,
        }
    }
    Some(fits)
}

/// Computes all outputs of a reduction of any size. Out of line, so that little code is inlined into callers of [`Reduce::reduce`].
#[inline(never)]
fn reduce_many<T: Element, R: Reduction<T>>(
    op: &R,
    out: Output<'_, R::Output, Cpu>,
    a: Operand<'_, T, Cpu>,
) -> Result<(), Error> {
    let count = a.shape()[out.shape().len()..].iter().product();
    let mut job = ReduceTask {
        op,
        from: a.ptr(),
        to: out.ptr(),
        count,
        failed: AtomicBool::new(false),
        doubtful: AtomicBool::new(false),
    };
    if const { boxed::is_boxed::<T, R>() } {
        job.over_boxed(&out, &a)?;
    } else {
        job.over(&out, &a);
    }
    if const { R::RESCALES } && *job.doubtful.get_mut() {
        job.all_again(&out, &a);
    }
    if job.failed.into_inner() { Err(no_result::<T, R>(&a.shape()[out.shape().len()..])) } else { Ok(()) }
}

/// Returns whether a reduction is a sum of floating-point or complex numbers. This crate compiles the kernels of these sums once, because
/// programs with contractions need them. Kernels for integers are not included, because they would make the build of this crate longer.
const fn is_precompiled<T: Element, R: Reduction<T>>() -> bool {
    R::IS_SUM && matches!(T::DTYPE, F32 | F64 | C32 | C64)
}

/// A function that reduces elements of type `T` to results of type `U`.
type Many<T, U> = fn(Output<'_, U, Cpu>, Operand<'_, T, Cpu>) -> Result<(), Error>;
type Sums<T> = Many<T, T>;

/// Returns [`reduce_many`] for a sum that [`is_precompiled`].
#[inline]
fn sums<T: Element, U: Element>() -> Many<T, U> {
    fn sum<T: Scalar>(out: Output<'_, T, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
        reduce_many(&Sum, out, a)
    }
    let sums = precompiled!(T: Inexact, Sums, fn sum(out: Output<'_, S, Cpu>, a: Operand<'_, S, Cpu>) -> Result<(), Error>);
    let found = (&sums as &dyn core::any::Any).downcast_ref::<Many<T, U>>();
    *found.expect("a sum has the type of its terms")
}

/// A function that reduces elements with a stride to a result of type `U`. Its contract is that of [`reduce_line`].
type Line<T, U> = unsafe fn(HostPtr<T>, usize, isize) -> U;
type SumOfLine<T> = Line<T, T>;

/// Returns [`reduce_line`] for a sum that [`is_precompiled`].
#[inline]
fn sum_of_line<T: Element, U: Element>() -> Line<T, U> {
    /// # Safety
    /// The contract of [`reduce_line`].
    unsafe fn sum<T: Inexact>(row: HostPtr<T>, n: usize, stride: isize) -> T {
        // SAFETY: the caller ensures the conditions of `reduce_line`.
        Sum.finish(unsafe { reduce_line(&Sum, row, n, stride) }, n)
            .expect("sums of inexact numbers are representable")
    }
    let sum =
        precompiled!(T: Inexact, SumOfLine, unsafe fn sum(row: HostPtr<S>, n: usize, stride: isize) -> S);
    let found = (&sum as &dyn core::any::Any).downcast_ref::<Line<T, U>>();
    *found.expect("a sum has the type of its terms")
}

#[diagnostic::do_not_recommend]
impl<T: Element> Reduce<T> for Cpu {
    // Always inlined: for few elements and a known rank, passing the operands to a function would take longer than the reduction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reduce<R: Reduction<T>>(
        &self,
        op: &R,
        out: Output<'_, R::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        assert!(
            a.shape().split_at_checked(out.shape().len()).is_some_and(|(kept, _)| same(out.shape(), kept)),
            "the leading axes must have the shape of the output"
        );
        match reduce_a_few(op, &out, &a) {
            Some(true) => Ok(()),
            Some(false) => Err(no_result::<T, R>(&a.shape()[out.shape().len()..])),
            None if const { is_precompiled::<T, R>() } => sums::<T, R::Output>()(out, a),
            None => reduce_many(op, out, a),
        }
    }

    fn scan<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
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
        let mut walk = Odometer::outer(&plan);
        for _ in 0..plan.outer_shape().iter().product() {
            let [o, k] = walk.offsets();
            walk.advance();
            for line in 0..plan.inner_len() as isize {
                let (to, from) = (to.offset(o + line * step_to), from.offset(k + line * step_from));
                let mut acc = None;
                for i in 0..n as isize {
                    // SAFETY: the plan visits the indices of all axes but the last one, and `i` is less than the extent of the last
                    // one. So this is an element of the operand, which `Operand` guarantees to be readable.
                    let x = unsafe { *from.offset(i * sa).get() };
                    let next = match acc {
                        None => x,
                        Some(acc) if F::CHECKED && !op.is_defined(acc, x) => {
                            return Err(Error::Arithmetic {
                                op: F::NAME,
                                dtype: T::DTYPE.name(),
                                values: op.operands(acc, x),
                            });
                        }
                        Some(acc) => op.apply(acc, x),
                    };
                    acc = Some(next);
                    // SAFETY: this is the output's element at the same index, to which `Output` guarantees exclusive access.
                    unsafe { *to.offset(i * so).get() = next };
                }
            }
        }
        Ok(())
    }
}
