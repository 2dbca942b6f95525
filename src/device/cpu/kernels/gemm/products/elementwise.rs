//! Elementwise products: sums of one term for each output.

use super::finish::Finish;
use super::pairs::PairTask;
use super::sums::Sums;
use super::zipped::{ANY_STRIDE, CONTIGUOUS, REPEATED, Zipped};
use crate::device::cpu::HostPtr;
use crate::element::Scalar;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use core::sync::atomic::Ordering;

/// Computes the outputs that a plan visits. Each sum has a single term.
///
/// # Safety
/// The caller must ensure that the plan visits elements of the output, to which access is exclusive, and readable elements of
/// the operands.
pub(super) unsafe fn products<T: Scalar, S: Sums<T>, const LANES: usize>(
    task: &PairTask<T, S, LANES>,
    plan: &Plan<3>,
) {
    let (n, [so, sa, sb]) = (plan.inner_len(), plan.inner_strides());
    if n == 0 {
        return;
    }
    let mut walk = Odometer::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        let [o, i, j] = walk.offsets();
        walk.advance();
        let (a, b) = (task.a.offset(i), task.b.offset(j));
        if so == 1 {
            // SAFETY: `so` is 1, so `plan` visits `n` contiguous elements of the output from offset `o` on. The caller ensures
            // exclusive access to them. The elements of a buffer are initialised.
            let out = unsafe { core::slice::from_raw_parts_mut(task.out.offset(o).get(), n) };
            macro_rules! products {
                ($a:ident $b:ident) => {
                    // SAFETY: the inner loop of `plan` visits `out.len()` elements of each operand, which the caller ensures are
                    // readable. None of them is in `out`, because access to the output is exclusive. The match below selects `$a` and
                    // `$b` so that each is `ANY_STRIDE` or its operand's stride, `sa` or `sb`.
                    unsafe { product_row::<T, S, $a, $b>(out, a, b, [sa, sb], &task.finishing) }
                };
            }
            let exact = match [sa, sb] {
                [1, 1] => products!(CONTIGUOUS CONTIGUOUS),
                [1, 0] => products!(CONTIGUOUS REPEATED),
                [0, 1] => products!(REPEATED CONTIGUOUS),
                _ => products!(ANY_STRIDE ANY_STRIDE),
            };
            if !exact {
                task.inexact.store(true, Ordering::Relaxed);
            }
        } else {
            let pair = Zipped::<T, ANY_STRIDE, ANY_STRIDE>::new(a, b, [sa, sb]);
            for i in 0..n {
                // SAFETY: `i < n`, so `plan` visits element `i` of both operands. The caller ensures that these elements are readable.
                let (x, y) = unsafe { pair.at(i) };
                // SAFETY: `i < n`, so `plan` visits the output at this offset. The caller ensures exclusive access to it.
                unsafe { task.put(o + i as isize * so, S::widen(S::product(x, y))) };
            }
        }
    }
}

/// Computes one contiguous row of outputs, each a sum of a single product. Returns `false` if an integer overflowed.
///
/// # Safety
/// The caller must ensure:
/// * `out.len()` elements from `a` and from `b`, with strides `steps`, are readable, and none of them is in `out`.
/// * `steps[0]` is `A` and `steps[1]` is `B`, unless these constants are [`ANY_STRIDE`].
#[inline(always)]
unsafe fn product_row<T: Scalar, S: Sums<T>, const A: isize, const B: isize>(
    out: &mut [T],
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    finishing: &Finish<T>,
) -> bool {
    let pair = Zipped::<T, A, B>::new(a, b, steps);
    let finishing = *finishing;
    let mut all_exact = true;
    let mut put = |to: &mut T, i: usize, old: Option<T>| {
        // SAFETY: `i < out.len()`, and the caller ensures that `out.len()` elements of each operand are readable.
        let (x, y) = unsafe { pair.at(i) };
        let (value, exact) = S::finish(S::widen(S::product(x, y)), &finishing, old);
        *to = value;
        all_exact &= exact;
    };
    if finishing.reads_old {
        for (i, to) in out.iter_mut().enumerate() {
            put(to, i, Some(*to));
        }
    } else {
        for (i, to) in out.iter_mut().enumerate() {
            put(to, i, None);
        }
    }
    all_exact
}
