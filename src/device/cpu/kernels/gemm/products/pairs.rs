//! Sums of products as reductions of pairs: the operands, the output and the kernels, for the loops in `kernels::reduce`.

use super::finish::Finish;
use super::lines::dot;
use super::sums::{CHAIN_LEN, Sums};
use super::zipped::Rows;
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::reduce::{Limits, Reducer, advanced};
use crate::device::cpu::loops::threads::PARALLEL_SUM_LEN;
use crate::element::Scalar;
use core::alloc::Layout;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of outputs that are computed together. Their accumulators and some rows of both operands fit in L1.
pub(super) const MAX_SWEPT_OUTPUTS: usize = 256;

/// The addresses of the operands, the scaling factors, and whether a result overflowed. Shared by all threads. Lines are summed in
/// `LANES` accumulators.
pub(super) struct PairTask<T: Scalar, S, const LANES: usize> {
    pub(super) a: HostPtr<T>,
    pub(super) b: HostPtr<T>,
    pub(super) out: HostPtr<T>,
    pub(super) finishing: Finish<T>,
    pub(super) inexact: AtomicBool,
    pub(super) sums: PhantomData<fn() -> S>,
}

impl<T: Scalar, S: Sums<T>, const LANES: usize> PairTask<T, S, LANES> {
    /// Writes the result for a sum to the output at offset `at`. Sets `inexact` if an integer overflowed.
    ///
    /// # Safety
    /// The caller must ensure that `at` is the offset of an element of the output, and exclusive access to that element.
    #[inline(always)]
    pub(super) unsafe fn put(&self, at: isize, sum: S::Sum) {
        // SAFETY: `Finish::put` requires an element of the output to which access is exclusive. The caller ensures that `at` is the offset
        // of such an element.
        if !unsafe { S::put(sum, &self.finishing, self.out.offset(at)) } {
            self.inexact.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the addresses of the elements of both operands at these offsets.
    #[inline(always)]
    fn factors(&self, [i, j]: [isize; 2]) -> (HostPtr<T>, HostPtr<T>) {
        (self.a.offset(i), self.b.offset(j))
    }
}

impl<T: Scalar, S: Sums<T>, const LANES: usize> Reducer<2> for PairTask<T, S, LANES> {
    type Acc = S::Sum;
    const LIMITS: Limits = Limits {
        acc: Layout::new::<S::Sum>(),
        parallel_len: 2 * PARALLEL_SUM_LEN,
        element_cost_bytes: 2 * size_of::<T>(),
        block_len: LANES * CHAIN_LEN,
        max_swept_outputs: MAX_SWEPT_OUTPUTS,
        leaf_rows: CHAIN_LEN,
        short_leaf_rows: CHAIN_LEN,
        rounds: !T::INTEGER,
    };

    #[inline(always)]
    fn identity(&self) -> S::Sum {
        S::widen(S::zero())
    }

    #[inline(always)]
    fn combine(&self, a: S::Sum, b: S::Sum) -> S::Sum {
        S::merge(a, b)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn fold_line(&self, at: [isize; 2], n: usize, strides: [isize; 2], _: usize) -> S::Sum {
        let (a, b) = self.factors(at);
        // SAFETY: the caller ensures that the `n` elements of both operands are readable.
        unsafe { dot::<T, S, LANES>(a, b, strides, n) }
    }

    #[inline]
    unsafe fn fold_lines(
        &self,
        sums: &mut [S::Sum],
        at: [isize; 2],
        [n, _]: [usize; 2],
        steps: [isize; 2],
        strides: [isize; 2],
    ) {
        for (j, sum) in sums.iter_mut().enumerate() {
            let (a, b) = self.factors(advanced(at, j, steps));
            // SAFETY: `j < sums.len()`, and the caller ensures that the `n` elements of this line are readable in both operands.
            *sum = S::merge(*sum, unsafe { dot::<T, S, LANES>(a, b, strides, n) });
        }
    }

    #[inline]
    unsafe fn fold_rows(
        &self,
        sums: &mut [S::Sum],
        at: [isize; 2],
        steps: [isize; 2],
        strides: [isize; 2],
        [count, _]: [usize; 2],
    ) {
        let (a, b) = self.factors(at);
        // SAFETY: the caller ensures that these rows are readable in both operands.
        unsafe { S::add_rows(sums, Rows { a, b, steps, strides }, count) };
    }

    #[inline(always)]
    unsafe fn put_row(&self, at: isize, step: isize, sums: &[S::Sum]) {
        for (k, &sum) in sums.iter().enumerate() {
            // SAFETY: `k < sums.len()`, so this is the offset of one of the outputs, to which the caller ensures exclusive access.
            unsafe { self.put(at + k as isize * step, sum) };
        }
    }
}
