//! Kernels for lines: each reduces elements of one output, with one stride.
//!
//! ```text
//! fewer than MAX_SEQUENTIAL_LEN elements: fold them in a single accumulator    (reduce_few)
//! for each block of at most 32 KiB, combined pairwise                          (reduce_row)
//!     gather the block, if that is faster                                      (reduce_apart)
//!     for i in 0..n: accs[i % LANES] = fold(accs[i % LANES], x[i])             (reduce_block, in_lanes; reduce_strided)
//!     combine accs
//! ```

use super::gather::Gathered;
use super::outputs::pairwise;
use crate::device::Reduction;
use crate::device::cpu::HostPtr;
use crate::device::cpu::loops::pack::gather;
use crate::element::Element;
use crate::element::lanes::{FOLD_BLOCK_BYTES, halve, in_lanes};
use crate::simd::{halves_registers, kernel};

/// A line of fewer elements than this is folded into a single accumulator. Several accumulators would take longer, because they have to be
/// combined at the end.
const MAX_SEQUENTIAL_LEN: usize = 16;

/// Returns the number of elements in a contiguous block of 32 KiB, or of [`FOLD_BLOCK_BYTES`] if the reduction has its own `fold_block`.
pub(super) const fn block<T: Element, R: Reduction<T>>() -> usize {
    (if R::HAS_FOLD_BLOCK { FOLD_BLOCK_BYTES } else { 32 << 10 }) / size_of::<T>()
}

/// Folds contiguous elements into `acc`, in several accumulators. If the reduction uses the index, or has its own `fold_block`, calls
/// [`Reduction::fold_block`] instead. `index` is the index of the first element.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
fn fold<T: Element, R: Reduction<T>>(op: &R, acc: R::Acc, elements: &[T], index: usize) -> R::Acc {
    if const { R::HAS_FOLD_BLOCK || R::USES_INDEX } {
        return op.fold_block(acc, elements, index);
    }
    let far = const { block::<T, R>() };
    let folded = in_lanes(elements, far, op.identity(), |acc, x| op.fold(acc, x, 0), |a, b| op.combine(a, b));
    op.combine(acc, folded)
}

/// Returns whether `n` contiguous elements are folded in registers of 32 bytes although the processor has registers of 64: if they fill a
/// block, and the processor halves wide registers (measured: sums and extremes of elements in memory are then faster). This excludes
/// reductions that need more instructions without AVX-512, such as norms. On processors that do not halve wide registers, these registers
/// are faster: more loads are in flight at a time.
#[allow(dead_code)] // Builds without kernels for registers of 64 bytes do not call it.
fn is_narrow<T: Element, R: Reduction<T>>(n: usize) -> bool {
    R::LIMITED_BY_MEMORY && n >= const { block::<T, R>() } && halves_registers()
}

kernel! {
    /// Folds the contiguous elements of a block into `acc`. `index` is the index of the block's first element.
    ///
    /// # Safety
    /// The caller must ensure that `block` is aligned and not null, and that its `n` elements are readable.
    wide if (!is_narrow::<T, R>(n)) unsafe fn reduce_block[T: Element, R: Reduction<T>][T, R](
        op: &R,
        acc: R::Acc,
        block: HostPtr<T>,
        n: usize,
        index: usize,
    ) -> R::Acc {
        // SAFETY: the caller ensures that `block` is aligned and not null, and that its `n` contiguous elements are readable.
        fold(op, acc, unsafe { core::slice::from_raw_parts(block.get(), n) }, index)
    } else {
        // SAFETY: the caller ensures that `block` is aligned and not null, and that its `n` contiguous elements are readable.
        fold_out_of_line(op, acc, unsafe { core::slice::from_raw_parts(block.get(), n) }, index)
    }
}

/// [`fold`] as a function that both kernels call on processors without AVX2.
#[inline(never)]
#[allow(dead_code)] // Builds without kernels for AVX2 do not call it.
fn fold_out_of_line<T: Element, R: Reduction<T>>(
    op: &R,
    acc: R::Acc,
    elements: &[T],
    index: usize,
) -> R::Acc {
    fold(op, acc, elements, index)
}

kernel! {
    /// Folds each block of `n` contiguous elements into its own accumulator. `step` is the stride between the first elements of
    /// adjacent blocks. Each block's first element has index `index`.
    ///
    /// # Safety
    /// The caller must ensure that the `n` elements of each of `accs.len()` blocks are readable, and that the blocks' addresses
    /// are aligned and not null.
    wide if (!is_narrow::<T, R>(accs.len() * n)) unsafe fn fold_blocks[T: Element, R: Reduction<T>][T, R](
        op: &R,
        accs: &mut [R::Acc],
        blocks: HostPtr<T>,
        n: usize,
        step: isize,
        index: usize,
    ) -> () {
        for (j, acc) in accs.iter_mut().enumerate() {
            let block = blocks.offset(j as isize * step).get();
            // SAFETY: `j < accs.len()`. The caller ensures that the `n` elements of this block are readable, and that `block` is aligned
            // and not null.
            *acc = fold(op, *acc, unsafe { core::slice::from_raw_parts(block, n) }, index);
        }
    } else {
        for (j, acc) in accs.iter_mut().enumerate() {
            let block = blocks.offset(j as isize * step).get();
            // SAFETY: `j < accs.len()`. The caller ensures that the `n` elements of this block are readable, and that `block` is aligned
            // and not null.
            *acc = fold_out_of_line(op, *acc, unsafe { core::slice::from_raw_parts(block, n) }, index);
        }
    }
}

/// Folds each row into its own accumulator. A row has `n` elements with stride `stride`. `step` is the stride between the first elements
/// of adjacent rows. Each row's first element has index `index`.
///
/// # Safety
/// The caller must ensure that the `n` elements of each of `accs.len()` rows are readable, and that the rows' addresses are
/// aligned and not null.
pub(super) unsafe fn fold_rows_each<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    [n, index]: [usize; 2],
    [step, stride]: [isize; 2],
) {
    if stride == 1 && n <= const { block::<T, R>() } {
        // One call of a kernel folds all rows, because a call for each row would take as long as folding a short row.
        // SAFETY: `fold_blocks` has this function's contract for rows with unit stride.
        return unsafe { fold_blocks(op, accs, rows, n, step, index) };
    }
    for (j, acc) in accs.iter_mut().enumerate() {
        // SAFETY: `j < accs.len()`. The caller ensures that the `n` elements of this row are readable, and that its address is aligned and
        // not null.
        let row = unsafe { reduce_row(op, rows.offset(j as isize * step), n, stride, index) };
        *acc = op.combine(*acc, row);
    }
}

/// Variant of [`reduce_block`] for elements with stride `stride`. Gathers the elements first if the reduction uses the index, or has its
/// own `fold_block` and the elements are not far apart.
///
/// For other reductions, gathering takes longer than folding the elements one by one (measured on sums of every second
/// element).
///
/// # Safety
/// The caller must ensure that the `n` elements are readable, and that `n` is at most [`Gathered::room`].
unsafe fn reduce_apart<T: Element, R: Reduction<T>>(
    op: &R,
    acc: R::Acc,
    block: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    let far = stride.unsigned_abs() * size_of::<T>() >= MIN_LATENCY_STRIDE;
    if const { !R::USES_INDEX } && (const { !R::HAS_FOLD_BLOCK } || far) {
        // SAFETY: the caller ensures that the `n` elements are readable.
        return op.combine(acc, unsafe { reduce_strided(op, block, n, stride) });
    }
    let mut memory = Gathered::new();
    let gathered = memory.address::<T>();
    // SAFETY: the caller ensures that the `n` elements are readable. `n` is at most `Gathered::room`, so they fit in `memory`. `memory` is
    // a local variable, so it does not overlap them, and `address` returns an aligned address.
    unsafe { gather(size_of::<T>(), block.get().cast(), stride, gathered.cast(), n) };
    // SAFETY: `gather` has just written the `n` elements at `gathered`, which is aligned and not null.
    unsafe { reduce_block::<T, R>(op, acc, HostPtr::new(gathered), n, index) }
}

/// Minimum stride, in bytes, from which on a reduction with its own `fold_block` does not gather the elements either. Every element then has
/// its own cache line, so latency dominates. Gathering the elements first would keep fewer loads in flight.
const MIN_LATENCY_STRIDE: usize = 64;

/// Reduces elements with any stride, without gathering them, for reductions that do not use the index. `LANES` accumulators fold a chain of
/// `CHAIN` consecutive elements. After each chain, they are combined with the results of the earlier chains.
///
/// # Safety
/// The caller must ensure that the `n` elements are readable.
unsafe fn reduce_strided<T: Element, R: Reduction<T>>(
    op: &R,
    block: HostPtr<T>,
    n: usize,
    stride: isize,
) -> R::Acc {
    const LANES: usize = 8;
    const CHAIN: usize = 8 * LANES;
    // Loops with `while`, because `step_by` begins with a division, and many rows are short.
    let (mut from, mut left) = (block, n);
    let mut results = [op.identity(); LANES];
    while left >= LANES {
        let mut accs = [op.identity(); LANES];
        let mut chain = left.min(CHAIN);
        left -= chain - chain % LANES;
        while chain >= LANES {
            for (lane, acc) in accs.iter_mut().enumerate() {
                // SAFETY: at least `LANES` elements are left from `from` on, and the caller ensures that all elements are readable.
                *acc = op.fold(*acc, unsafe { *from.offset(lane as isize * stride).get() }, 0);
            }
            from = from.offset(LANES as isize * stride);
            chain -= LANES;
        }
        for (result, acc) in results.iter_mut().zip(accs) {
            *result = op.combine(*result, acc);
        }
    }
    (0..left).fold(halve(results, |a, b| op.combine(a, b)), |acc, i| {
        // SAFETY: `left` elements are left from `from` on, and the caller ensures that all elements are readable.
        op.fold(acc, unsafe { *from.offset(i as isize * stride).get() }, 0)
    })
}

/// Reduces `n` elements with stride `stride`, block by block. `index` is the index of the first element.
///
/// # Safety
/// The caller must ensure that the `n` elements are readable, and that `row` is aligned and not null.
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
            // SAFETY: the calls below pass the row or a part of it. The caller ensures that its elements are readable, and that
            // their addresses are aligned and not null.
            1 => unsafe { reduce_block::<T, R>(op, acc, row, n, index) },
            // SAFETY: the calls below pass the row or a part of it, whose elements the caller ensures are readable. They pass at most
            // `block` elements. The stride is not 1, so `block` is at most `Gathered::room`.
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
    if const { R::HAS_FOLD_BLOCK && R::USES_INDEX } {
        // Results that are indices have no rounding errors, so they need no pairwise combination. A single fold over all blocks is
        // faster: `fold_block` searches for an index only in blocks that improve the result so far, and usually few do.
        let blocks = (0..n).step_by(block).map(|first| block.min(n - first));
        return blocks.fold(op.identity(), &mut next);
    }
    pairwise(n, block, &mut |count| next(op.identity(), count), &|a, b| op.combine(a, b))
}

/// Reduces `n` elements with stride `stride`: a few in a single accumulator, and more in several. `index` is the index of the first element.
///
/// # Safety
/// The contract of [`reduce_row`].
#[inline]
pub(super) unsafe fn reduce_line<T: Element, R: Reduction<T>>(
    op: &R,
    row: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    match n {
        // SAFETY: the caller ensures that the `n` elements are readable.
        ..MAX_SEQUENTIAL_LEN => unsafe { reduce_few(op, row, n, stride, index) },
        // SAFETY: the caller ensures that the `n` elements are readable, and that `row` is aligned and not null.
        _ => unsafe { reduce_row::<T, R>(op, row, n, stride, index) },
    }
}

/// Reduces a few elements with stride `stride` in one accumulator. `index` is the index of the first element.
///
/// # Safety
/// The caller must ensure that the `n` elements are readable.
#[inline]
pub(super) unsafe fn reduce_few<T: Element, R: Reduction<T>>(
    op: &R,
    row: HostPtr<T>,
    n: usize,
    stride: isize,
    index: usize,
) -> R::Acc {
    (0..n).fold(op.identity(), |acc, i| {
        // SAFETY: `i < n`, and the caller ensures that the `n` elements are readable.
        op.fold(acc, unsafe { *row.offset(i as isize * stride).get() }, index + i)
    })
}

/// Reduces `n` elements with stride `stride` to an accumulator. Out of line, so that callers stay small.
///
/// # Safety
/// The caller must ensure that the `n` elements are readable, and that `line` is aligned and not null.
#[inline(never)]
pub(super) unsafe fn reduce_one_line<T: Element, R: Reduction<T>>(
    op: &R,
    line: HostPtr<T>,
    n: usize,
    stride: isize,
) -> R::Acc {
    // SAFETY: `reduce_line` has the contract of this function.
    unsafe { reduce_line(op, line, n, stride, 0) }
}
