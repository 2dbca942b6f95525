//! Reductions and cumulative operations: implements [`Reduce`] for [`Cpu`].
//!
//! An output is an element of the result. The elements of an output are the elements of the operand that are reduced to it.
//!
//! ```text
//! at most 16 outputs of at most 8 elements each: no plan                            (module few)
//! accumulators of more than 1 KiB: on the heap                                      (module boxed)
//! the stride between the elements of one output is smaller than between outputs:    (module outputs)
//!     for each output
//!         for each block of its elements: fold into several accumulators, then combine these
//! the stride between outputs is smaller, or each output has few elements:           (Sweep::Columns, module sweep)
//!     for each block of at most MAX_SWEPT_OUTPUTS outputs
//!         for each row, of one element per output: accs[j] = fold(accs[j], row[j]) for all j
//! the stride between outputs is between the strides of two reduced loops:           (Sweep::Rows, module sweep)
//!     for each block of at most MAX_SWEPT_OUTPUTS outputs
//!         for each index of the outer reduced loops
//!             for each output j: fold the elements of the inner reduced loop into accs[j]
//! ```
//!
//! These loops are written for any operands with kernels that fold lines and rows: the trait [`Reducer`]. They are compiled once, because they
//! call these kernels through a trait object (module `erased`). Reductions of one operand implement the trait in module `task`, with the
//! kernels of `rows` and `columns`. Sums of products implement it in `gemm::products`.
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
mod common;
mod erased;
mod few;
mod gather;
mod outputs;
mod reducer;
mod rows;
mod scan;
mod sweep;
mod task;
#[cfg(test)]
pub(super) mod tests;

pub(super) use few::{MAX_UNPLANNED_LEN, MAX_UNPLANNED_OUTPUTS};
pub(super) use outputs::{pairwise, reduce_outputs};
pub(super) use reducer::{Limits, Reducer, advanced};
pub(super) use sweep::Sweep;

use crate::device::cpu::Cpu;
use crate::device::{BinaryOp, Operand, Output, Reduce, Reduction, no_result};
use crate::element::Element;
use crate::error::Error;
use crate::layout::broadcast::same;
use common::ManyOutputs;
use task::ReduceTask;

/// Computes all outputs of a reduction of any size. Out of line, so that little code is inlined into callers of [`Reduce::reduce`].
#[inline(never)]
fn reduce_many<T: Element, R: Reduction<T>>(
    op: &R,
    out: Output<'_, R::Output, Cpu>,
    a: Operand<'_, T, Cpu>,
) -> Result<(), Error> {
    let mut task = ReduceTask::new(op, &out, &a);
    if const { boxed::is_boxed::<T, R>() } {
        task.over_boxed(&out, &a)?;
    } else {
        task.over(&out, &a);
    }
    if const { R::RESCALES } && *task.doubtful.get_mut() {
        task.all_again(&out, &a);
    }
    if task.failed.into_inner() { Err(no_result::<T, R>(&a.shape()[out.shape().len()..])) } else { Ok(()) }
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
        match few::reduce_a_few(op, &out, &a) {
            Some(true) => Ok(()),
            Some(false) => Err(no_result::<T, R>(&a.shape()[out.shape().len()..])),
            None => op.visit::<ManyOutputs>((out, a)),
        }
    }

    fn scan<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        scan::scan(op, &out, &a)
    }
}
