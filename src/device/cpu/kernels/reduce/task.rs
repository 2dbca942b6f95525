//! Reductions of a single operand: the operand and output of a [`Reduction`], and how its loops are planned.

use super::columns::fold_rows;
use super::erased::ErasedReducer;
use super::outputs::reduce_outputs;
use super::reducer::{Limits, Reducer};
use super::rows::{block, fold_rows_each, reduce_line, reduce_one_line};
use super::sweep::Sweep;
use crate::device::cpu::loops::threads::PARALLEL_SUM_LEN;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Operand, Output, Reduction};
use crate::element::Element;
use crate::layout::is_contiguous;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use crate::simd::CACHE_LINE_BYTES;
use core::alloc::Layout;
use core::sync::atomic::{AtomicBool, Ordering};

/// Number of rows that are folded into one accumulator before it is combined with another.
pub(super) const CHAIN_LEN: usize = 8;

/// Returns the minimum number of elements that are split between two threads. It is smaller for reductions that do much work per
/// element: those that use the index or have large accumulators, unless they fold whole blocks (`HAS_FOLD_BLOCK`). The speed of
/// all other reductions is limited by memory, and reading less than 4 MiB takes less time than waking a thread.
pub(super) const fn enough<T: Element, R: Reduction<T>>() -> usize {
    if !R::HAS_FOLD_BLOCK && (R::USES_INDEX || size_of::<R::Acc>() > 2 * size_of::<T>()) {
        2 * PARALLEL_SUM_LEN
    } else {
        PARALLEL_BYTES / size_of::<T>()
    }
}

/// See [`enough`].
const PARALLEL_BYTES: usize = 4 << 20;
/// See [`Reducer::weight`]. The processor fetches cache lines in pairs.
const MAX_ELEMENT_COST_BYTES: usize = 128;

/// A reduction and its operands, shared by all threads.
pub(super) struct ReduceTask<'a, T: Element, R: Reduction<T>> {
    pub(super) op: &'a R,
    pub(super) from: HostPtr<T>,
    to: HostPtr<R::Output>,
    /// The number of elements reduced for each output.
    pub(super) count: usize,
    /// Set if [`Reduction::finish`] returned `None` for an output: its result is not representable.
    pub(super) failed: AtomicBool,
    /// Set if [`Reduction::is_doubtful`] returned `true` for an output.
    pub(super) doubtful: AtomicBool,
}

impl<'a, T: Element, R: Reduction<T>> ReduceTask<'a, T, R> {
    pub(super) fn new(op: &'a R, out: &Output<'_, R::Output, Cpu>, a: &Operand<'_, T, Cpu>) -> Self {
        ReduceTask {
            op,
            from: a.ptr(),
            to: out.ptr(),
            count: a.shape()[out.shape().len()..].iter().product(),
            failed: AtomicBool::new(false),
            doubtful: AtomicBool::new(false),
        }
    }

    /// Writes the result for an accumulator to the output at offset `at`. If the result is not representable, sets `failed`
    /// instead.
    ///
    /// # Safety
    /// The caller must ensure that `at` is the offset of an element of the output, and exclusive access to that element.
    #[inline]
    pub(super) unsafe fn put(&self, at: isize, acc: &R::Acc) {
        // SAFETY: `put_row` has the contract of this function for one output.
        unsafe { Reducer::put_row(self, at, 1, core::slice::from_ref(acc)) };
    }

    /// Plans the loops and computes all outputs, on several threads if there are many elements.
    pub(super) fn over(&self, out: &Output<'_, R::Output, Cpu>, a: &Operand<'_, T, Cpu>) {
        let (kept_shape, shape) = a.shape().split_at(out.shape().len());
        let (_, strides) = a.strides().split_at(out.shape().len());
        // If a few contiguous elements are reduced to a single output, planning would take longer than the reduction.
        let contiguous = || {
            is_contiguous(shape, strides, true) || (!R::USES_INDEX && is_contiguous(shape, strides, false))
        };
        if kept_shape.is_empty() && self.count < enough::<T, R>() && contiguous() {
            // SAFETY: the operand is contiguous, so these are its `count` elements, which `Operand` guarantees to be readable.
            let acc = unsafe { reduce_one_line(self.op, self.from, self.count, 1) };
            // SAFETY: the output has one element, to which `Output` guarantees exclusive access.
            return unsafe { self.put(0, &acc) };
        }
        // SAFETY: `Operand` guarantees that its elements are readable, and `Output` exclusive access to the outputs, which are distinct.
        unsafe { reduce_planned(self, out.strides(), a.shape(), a.strides(), R::USES_INDEX) };
    }
}

/// Plans the loops of a reduction and computes all outputs. `ordered` is whether the elements of one output are visited in their order.
///
/// # Safety
/// The caller must ensure that the elements of this shape with these strides are readable, and exclusive access to the outputs with the
/// strides `out`, which must be distinct.
unsafe fn reduce_planned(
    reducer: &dyn ErasedReducer<1>,
    out: &[isize],
    shape: &[usize],
    strides: &[isize],
    ordered: bool,
) {
    let (kept, reduced) = plans(out, shape, strides, ordered);
    // SAFETY: `kept` visits the kept axes, and `reduced` the reduced axes. So all elements that are read belong to the operand, and the
    // caller ensures that they are readable, and exclusive access to the outputs.
    unsafe { reduce_outputs(reducer, &kept, &reduced, order(&kept, &reduced)) };
}

/// Returns the plan of the outputs, whose strides are `out`, and the plan of the elements of each output. `shape` and `strides` are those
/// of the operand. `ordered` is whether the elements of one output are visited in their order.
#[inline]
pub(super) fn plans(out: &[isize], shape: &[usize], strides: &[isize], ordered: bool) -> (Plan<2>, Plan<1>) {
    let (kept_shape, shape) = shape.split_at(out.len());
    let (kept_strides, strides) = strides.split_at(out.len());
    let reduced = match (shape, strides) {
        (&[n], &[stride]) if stride >= 0 => Plan::line(n, [stride]),
        _ if ordered => Plan::ordered(shape, [strides]),
        _ => Plan::unordered(shape, [strides]),
    };
    let (mut to, mut from) = ([0; MAX_RANK], [0; MAX_RANK]);
    let (to, from) = (&mut to[..kept_shape.len()], &mut from[..kept_shape.len()]);
    to.copy_from_slice(out);
    from.copy_from_slice(kept_strides);
    let first = read_forwards(kept_shape, to, from);
    let mut kept = match (kept_shape, &*to, &*from) {
        (&[n], &[to], &[from]) => Plan::line(n, [to, from]),
        _ => Plan::unordered_by(kept_shape, [to, from], 1),
    };
    kept.move_first(first);
    (kept, reduced)
}

/// Reverses each kept axis whose stride in the operand is negative, so that the operand is read forwards, and returns the offsets of the
/// elements at the new index 0. The output may then be written backwards. This matters less, because the output has fewer elements than
/// the operand.
fn read_forwards(shape: &[usize], to: &mut [isize], from: &mut [isize]) -> [isize; 2] {
    let mut first = [0; 2];
    for ((&n, to), from) in shape.iter().zip(to).zip(from) {
        if *from < 0 && n > 0 {
            let last = n as isize - 1;
            first = [first[0] + *to * last, first[1] + *from * last];
            (*to, *from) = (-*to, -*from);
        }
    }
    first
}

/// Returns the order of the loops, or `None` if outputs are computed one after the other.
fn order(kept: &Plan<2>, reduced: &Plan<1>) -> Option<Sweep> {
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

impl<T: Element, R: Reduction<T>> Reducer<1> for ReduceTask<'_, T, R> {
    type Acc = R::Acc;
    const LIMITS: Limits = Limits {
        acc: Layout::new::<R::Acc>(),
        parallel_len: enough::<T, R>(),
        element_cost_bytes: PARALLEL_BYTES / enough::<T, R>(),
        block_len: block::<T, R>(),
        max_swept_outputs: 4096,
        leaf_rows: 16 * CHAIN_LEN,
        short_leaf_rows: CHAIN_LEN,
        // Results that are indices, and sums of integers, have no rounding errors.
        rounds: !(R::HAS_FOLD_BLOCK && R::USES_INDEX || R::FOLDS_MANY_ROWS),
    };

    #[inline(always)]
    fn identity(&self) -> R::Acc {
        self.op.identity()
    }

    #[inline(always)]
    fn combine(&self, a: R::Acc, b: R::Acc) -> R::Acc {
        self.op.combine(a, b)
    }

    /// If every element is in another cache line, because both inner strides are at least a line, reading it costs as much as reading all
    /// bytes up to the next element, but not more than [`MAX_ELEMENT_COST_BYTES`].
    fn weight(&self, [kept]: [isize; 1], [reduced]: [isize; 1]) -> usize {
        let stride = kept.unsigned_abs().min(reduced.unsigned_abs());
        match stride.saturating_mul(size_of::<T>()) {
            bytes @ CACHE_LINE_BYTES.. => bytes.min(MAX_ELEMENT_COST_BYTES) / size_of::<T>(),
            _ => 1,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn fold_line(&self, [at]: [isize; 1], n: usize, [stride]: [isize; 1], index: usize) -> R::Acc {
        // SAFETY: the caller ensures that the `n` elements are readable. `n` is not zero, so the address of the first one is aligned and
        // not null.
        unsafe { reduce_line(self.op, self.from.offset(at), n, stride, index) }
    }

    #[inline]
    unsafe fn fold_lines(
        &self,
        accs: &mut [R::Acc],
        [at]: [isize; 1],
        lengths: [usize; 2],
        [step]: [isize; 1],
        [stride]: [isize; 1],
    ) {
        // SAFETY: the caller ensures that the lines have at least one element, and that all elements are readable. So the addresses of the
        // lines are aligned and not null.
        unsafe { fold_rows_each(self.op, accs, self.from.offset(at), lengths, [step, stride]) }
    }

    #[inline]
    unsafe fn fold_rows(
        &self,
        accs: &mut [R::Acc],
        [at]: [isize; 1],
        [step]: [isize; 1],
        [stride]: [isize; 1],
        rows: [usize; 2],
    ) {
        // SAFETY: the caller ensures that these rows are readable.
        unsafe { fold_rows(self.op, accs, self.from.offset(at), [step, stride], rows) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn put_row(&self, at: isize, step: isize, accs: &[R::Acc]) {
        // Local variables, because a store to an output could change the fields of `self`, as far as the compiler knows.
        let (op, to, count) = (self.op, self.to.offset(at), self.count);
        let (mut failed, mut doubtful) = (false, false);
        for (i, &acc) in accs.iter().enumerate() {
            match op.finish(acc, count) {
                Some(value) => {
                    // SAFETY: `i < accs.len()`, so this is one of the outputs, to which the caller ensures exclusive access.
                    unsafe { *to.offset(i as isize * step).get() = value };
                    doubtful |= (const { R::RESCALES }) && op.is_doubtful(value);
                }
                None => failed = true,
            }
        }
        if failed {
            self.failed.store(true, Ordering::Relaxed);
        }
        if doubtful {
            self.doubtful.store(true, Ordering::Relaxed);
        }
    }
}
