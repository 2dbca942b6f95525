//! The kernel of dot products: each sums the products of a line, whose elements have one stride in each operand.
//!
//! ```text
//! for each block of LANES · CHAIN_LEN products, combined pairwise    (dot_blocks)
//!     sums[p % LANES] += a[p] · b[p] for all p of the block          (dot_block, Sums::block)
//!     combine the sums to four                                       (a vector register of them)
//! combine the four sums
//! ```

use super::sums::{CHAIN_LEN, Sums};
use super::zipped::{ANY_STRIDE, Zipped};
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::reduce::pairwise;
use crate::element::Scalar;
use crate::simd::kernel;

/// Returns the sum of `n` products. Blocks of `LANES · CHAIN_LEN` products are combined pairwise.
///
/// # Safety
/// The caller must ensure that `n` elements from `a` and from `b`, with strides `steps`, are readable.
pub(super) unsafe fn dot<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> S::Sum {
    if n < 4 {
        // As in `block`, these products have one accumulator. The calls below would take longer than the sum.
        let pair = Zipped::<T, ANY_STRIDE, ANY_STRIDE>::new(a, b, steps);
        // SAFETY: `add_some` asks for elements before `n` only. The caller ensures that `n` elements of both operands are readable.
        return S::add_some(S::widen(S::zero()), n, |i| unsafe { pair.at(i) });
    }
    let [w, x, y, z] = if n <= LANES * CHAIN_LEN {
        // SAFETY: `dot_one_block` has the contract of `dot`: `n` elements of each operand are readable. The caller ensures this.
        unsafe { dot_one_block::<T, S, LANES>(a, b, steps, n) }
    } else {
        // SAFETY: `dot_blocks` has the contract of `dot`: `n` elements of each operand are readable. The caller ensures this.
        unsafe { dot_blocks::<T, S, LANES>(a, b, steps, n) }
    };
    S::merge(S::merge(w, x), S::merge(y, z))
}

/// Returns the sum of several blocks as four partial sums.
///
/// # Safety
/// The contract of [`dot`].
#[inline(never)]
unsafe fn dot_blocks<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> [S::Sum; 4] {
    let mut at = 0;
    let mut leaf = |count: usize| {
        let (a, b) = (a.offset(at * steps[0]), b.offset(at * steps[1]));
        at += count as isize;
        // SAFETY: the counts of all calls of `leaf` add up to `n`. So the `count` elements from `a` and from `b` are among the `n` elements
        // of each operand. The caller ensures that these are readable.
        unsafe { dot_one_block::<T, S, LANES>(a, b, steps, count) }
    };
    let merge = |mut a: [S::Sum; 4], b: [S::Sum; 4]| {
        for k in 0..4 {
            a[k] = S::merge(a[k], b[k]);
        }
        a
    };
    pairwise(n, LANES * CHAIN_LEN, &mut leaf, &merge)
}

/// Calls the instance of [`dot_block`] for the strides `steps`.
///
/// # Safety
/// The contract of [`dot`].
// If this function was inlined, the sums would be copied right after they are written, which takes longer than a short block.
#[inline(never)]
unsafe fn dot_one_block<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> [S::Sum; 4] {
    match steps {
        // SAFETY: `dot_block` requires the contract of `dot`, which the caller ensures. It also requires that both `steps` are `STEP`:
        // here, both are 1.
        [1, 1] => unsafe { dot_block::<T, S, LANES, 1>(a, b, steps, n) },
        // SAFETY: `dot_block` requires the contract of `dot`, which the caller ensures. With `ANY_STRIDE`, `steps` may have any values.
        _ => unsafe { dot_block::<T, S, LANES, ANY_STRIDE>(a, b, steps, n) },
    }
}

kernel! {
    /// Returns the sum of a block as four partial sums. They fill a vector register, so that combining blocks is vectorised.
    ///
    /// # Safety
    /// The contract of [`dot`]. In addition, both `steps` must be `STEP`, unless `STEP` is [`ANY_STRIDE`].
    wide if (const { T::SUMS_CHECKED }) unsafe fn dot_block[T: Scalar, S: Sums<T>, const LANES: usize, const STEP: isize][T, S, LANES, STEP](
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        n: usize,
    ) -> [S::Sum; 4] {
        let pair = Zipped::<T, STEP, STEP>::new(a, b, steps);
        // SAFETY: `block` asks for elements before `n` only. The caller ensures that `n` elements of both operands are readable.
        S::block::<LANES>(n, |i| unsafe { pair.at(i) })
    } else {
        // SAFETY: `dot_any_block` requires the contract of `dot`, which the caller ensures.
        unsafe { dot_any_block::<T, S, LANES>(a, b, steps, n) }
    }
}

/// [`dot_block`] for any strides.
///
/// # Safety
/// The contract of [`dot`].
#[inline(never)]
#[allow(dead_code)] // Builds that compile a single level do not call it.
unsafe fn dot_any_block<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> [S::Sum; 4] {
    let pair = Zipped::<T, ANY_STRIDE, ANY_STRIDE>::new(a, b, steps);
    // SAFETY: `block` asks for elements before `n` only. The caller ensures that `n` elements of both operands are readable.
    S::block::<LANES>(n, |i| unsafe { pair.at(i) })
}
