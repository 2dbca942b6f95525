//! Reductions with accumulators of more than [`MAX_STACK_BYTES`], called by [`reduce_many`](super::reduce_many). The accumulators
//! are on the heap, and each folds one element after the other.
//!
//! ```text
//! for each output                                                 (each_boxed)
//!     fewer elements than `enough`: fold all of them              (fold_chain)
//!     otherwise: reduce two halves, and combine their results     (fold_plan)
//! ```
//!
//! The other reduction kernels keep tens of accumulators on the stack, and a thread has a stack of 2 MiB by default. In this
//! module, the stack holds only the accumulators that the functions of [`Reduction`] take and return by value.

use super::task::{ReduceTask, enough, plans};
use crate::device::cpu::loops::threads::{PARALLEL_BYTES, enter, join, over_outputs};
use crate::device::cpu::memory::pool::{reserve, try_reserve};
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Operand, Output, Reduction};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use std::sync::{Mutex, PoisonError};

/// Maximum size, in bytes, of an accumulator that the other reduction kernels keep on the stack.
const MAX_STACK_BYTES: usize = 1 << 10;

/// Returns whether the accumulators of `R` are too large for the kernels that keep them on the stack.
pub(super) const fn is_boxed<T: Element, R: Reduction<T>>() -> bool {
    size_of::<R::Acc>() > MAX_STACK_BYTES
}

impl<T: Element, R: Reduction<T>> ReduceTask<'_, T, R> {
    /// Computes all outputs. If it returns an error, nothing has been written.
    ///
    /// # Errors
    /// If the allocation of the accumulators for one thread fails.
    #[inline(never)]
    pub(super) fn over_boxed(
        &self,
        out: &Output<'_, R::Output, Cpu>,
        a: &Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        let (kept, reduced) = plans(out.strides(), a.shape(), a.strides(), R::USES_INDEX);
        if kept.len() == 0 {
            return Ok(());
        }
        let needed = needed::<T, R>(&reduced);
        let mut accs = Vec::new();
        reserve(&mut accs, needed)?;
        self.fill(&mut accs, needed);
        let shared = Mutex::new(accs);
        // `Reduction::fold` takes and returns the accumulator by value, so each element costs two copies of an accumulator.
        let (reads, cost) = (self.count.max(1), 2 * size_of::<R::Acc>());
        enter(kept.len().saturating_mul(reads).saturating_mul(cost), || {
            over_outputs(&kept, reads, (2 * PARALLEL_BYTES).div_ceil(cost), 1, &|part| match self
                .identities(needed)
            {
                // SAFETY: `part` visits the kept axes, and `reduced` the reduced axes. So all elements that are read belong to the operand,
                // and `Operand` guarantees that they are readable. `Output` guarantees exclusive access to the outputs, and parts have
                // different outputs.
                Some(mut own) => unsafe { self.each_boxed(part, &reduced, &mut own, true) },
                None => {
                    // The allocation failed, so threads take turns with one workspace. `each_boxed` must not call `join` while this
                    // thread holds the lock: `join` could run another part on this thread, which would deadlock.
                    let mut accs = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    // SAFETY: `part` visits the kept axes, and `reduced` the reduced axes, so `Operand` guarantees that the elements may be
                    // read. `Output` guarantees exclusive access to the outputs, and different parts have different outputs.
                    unsafe { self.each_boxed(part, &reduced, &mut accs, false) }
                }
            });
        });
        Ok(())
    }

    /// Returns `len` accumulators that hold the identity, or `None` if the allocation fails.
    fn identities(&self, len: usize) -> Option<Vec<R::Acc>> {
        let mut memory = Vec::new();
        try_reserve(&mut memory, len).then_some(())?;
        self.fill(&mut memory, len);
        Some(memory)
    }

    /// Computes the outputs of `part`, one after the other. `accs` is workspace of [`needed`] accumulators. If `threads`, a
    /// reduction of many elements runs on several threads.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * Access to the outputs that `part` visits is exclusive.
    /// * For each index of `part`, all elements that `reduced` visits, relative to that index, are readable.
    unsafe fn each_boxed(&self, part: &Plan<2>, reduced: &Plan<1>, accs: &mut [R::Acc], threads: bool) {
        let (n, [so, sk]) = (part.inner_len(), part.inner_strides());
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, k] = walk.offsets();
            walk.advance();
            for i in 0..n as isize {
                let from = self.from.offset(k + i * sk);
                // SAFETY: `i < n`, so `from` is the element at an index of `part`. The caller ensures that all elements that `reduced`
                // visits from there may be read.
                unsafe { self.fold_plan(accs, from, reduced, 0, threads) };
                // SAFETY: `o + i * so` is the offset of the output at the same index of `part`. The caller ensures exclusive access to this
                // output.
                unsafe { self.finish_into(o + i * so, &accs[0]) };
            }
        }
    }

    /// Reduces all elements that a plan visits into `accs[0]`. `accs` has [`needed`] accumulators; all but the first are
    /// workspace. `index` is the index of the first element.
    ///
    /// # Safety
    /// The caller must ensure that all elements that the plan visits from `base` are readable.
    unsafe fn fold_plan(
        &self,
        accs: &mut [R::Acc],
        base: HostPtr<T>,
        plan: &Plan<1>,
        index: usize,
        threads: bool,
    ) {
        let Some((low, high)) = halves::<T, R>(plan) else {
            self.reset(&mut accs[0]);
            // SAFETY: `fold_chain` has the contract of `fold_plan`: the elements that `plan` visits from `base` may be read. The caller of
            // `fold_plan` ensures this.
            return unsafe { self.fold_chain(&mut accs[0], base, plan, index) };
        };
        let middle = index + low.len();
        let own = if threads { self.identities(needed::<T, R>(&high)) } else { None };
        if let Some(mut others) = own {
            join(
                // SAFETY: `low` visits only elements that `plan` visits from `base`. The caller of this function ensures that these may be
                // read.
                || unsafe { self.fold_plan(accs, base, &low, index, threads) },
                // SAFETY: `high` visits only elements that `plan` visits from `base`. The caller of this function ensures that these may be
                // read.
                || unsafe { self.fold_plan(&mut others, base, &high, middle, threads) },
            );
            return self.combine_into(&mut accs[0], &others[0]);
        }
        // SAFETY: `low` visits only elements that `plan` visits from `base`. The caller of this function ensures that these may be read.
        unsafe { self.fold_plan(accs, base, &low, index, threads) };
        let (acc, others) = accs.split_at_mut(1);
        // SAFETY: `high` visits only elements that `plan` visits from `base`. The caller of this function ensures that these may be read.
        unsafe { self.fold_plan(others, base, &high, middle, threads) };
        self.combine_into(&mut acc[0], &others[0]);
    }

    /// Folds all elements that a plan visits into one accumulator, one after the other. `index` is the index of the first element.
    ///
    /// # Safety
    /// The contract of [`fold_plan`](ReduceTask::fold_plan).
    unsafe fn fold_chain(&self, acc: &mut R::Acc, base: HostPtr<T>, plan: &Plan<1>, mut index: usize) {
        let (n, [stride]) = (plan.inner_len(), plan.inner_strides());
        let mut walk = Odometer::outer(plan);
        for _ in 0..plan.outer_shape().iter().product() {
            let row = base.offset(walk.offsets()[0]);
            walk.advance();
            for i in 0..n as isize {
                // SAFETY: `plan` visits this element, so the caller ensures that it may be read.
                let x = unsafe { *row.offset(i * stride).get() };
                self.fold_into(acc, x, index);
                index += 1;
            }
        }
    }

    // Each method of `Reduction` is called from a separate small function that is never inlined, so at most one stack frame with
    // accumulators exists at a time. Otherwise the frame of each recursive call of `fold_plan` would hold several.

    #[inline(never)]
    fn reset(&self, acc: &mut R::Acc) {
        *acc = self.op.identity();
    }

    #[inline(never)]
    fn fold_into(&self, acc: &mut R::Acc, x: T, index: usize) {
        *acc = self.op.fold(*acc, x, index);
    }

    #[inline(never)]
    fn combine_into(&self, acc: &mut R::Acc, other: &R::Acc) {
        *acc = self.op.combine(*acc, *other);
    }

    /// Writes the result for an accumulator to the output at offset `at`.
    ///
    /// # Safety
    /// The contract of [`put`](ReduceTask::put).
    #[inline(never)]
    unsafe fn finish_into(&self, at: isize, acc: &R::Acc) {
        // SAFETY: `put` requires that `at` is the offset of an element of the output, and exclusive access to that element. The caller of
        // `finish_into` ensures both.
        unsafe { self.put(at, acc) };
    }

    #[inline(never)]
    fn fill(&self, accs: &mut Vec<R::Acc>, len: usize) {
        accs.resize_with(len, || self.op.identity());
    }
}

/// Returns the two halves of a reduction if it is large enough for two threads. The split, and so the result, does not depend on
/// the number of threads.
fn halves<T: Element, R: Reduction<T>>(plan: &Plan<1>) -> Option<(Plan<1>, Plan<1>)> {
    let enough = enough::<T, R>();
    if plan.len() >= enough { plan.halves_at(enough / 2) } else { None }
}

/// Returns the number of accumulators that `fold_plan` needs for a plan on one thread: one, and another for each level of the
/// recursion.
fn needed<T: Element, R: Reduction<T>>(plan: &Plan<1>) -> usize {
    match halves::<T, R>(plan) {
        Some((low, high)) => needed::<T, R>(&low).max(1 + needed::<T, R>(&high)),
        None => 1,
    }
}
