//! Loops that fold contiguous elements into several accumulators, so that the compiler vectorises them for SIMD registers of any
//! width. The reductions call them.

#![forbid(unsafe_code)]

use crate::simd::CACHE_LINE_BYTES;
use crate::simd::{prefetch, prefetches_rows};

/// Number of elements that each accumulator folds in a chain of a long slice. After a chain, the accumulators are combined with the results
/// of the earlier chains. The only chain of a shorter slice has up to twice as many.
const CHAIN_LEN: usize = 8;
/// Number of accumulators for short slices and for large accumulator types.
const MIN_LANES: usize = 8;

/// The blocks in which long rows are folded have this size, in bytes, if a reduction folds them itself (`HAS_FOLD_BLOCK`). It may read a
/// block twice, so a block must fit in L1.
pub(crate) const FOLD_BLOCK_BYTES: usize = 16 << 10;
/// Maximum number of rows that [`fold_many_rows`](crate::device::Reduction::fold_many_rows) folds.
pub(crate) const MAX_ROWS: usize = 255;
/// Prefetch distance, in bytes. With a much shorter distance, norms of elements in L2 are slower; with a much longer one, sums of elements in
/// memory are slower.
const PREFETCH_BYTES: usize = 1 << 10;

/// Prefetches the memory [`PREFETCH_BYTES`] after a row, for loops that only read, if [`prefetches_rows`]. Loops over several rows
/// of a matrix at once do not call it, because they gain nothing.
#[inline(always)]
pub(crate) fn prefetch_after<T>(row: &[T]) {
    for byte in (0..size_of_val(row)).step_by(CACHE_LINE_BYTES) {
        prefetch(row.as_ptr().cast::<u8>().wrapping_add(PREFETCH_BYTES + byte));
    }
}

/// Folds elements in enough accumulators to fill several SIMD registers of any width. `start` is the neutral element of `combine`. If
/// there are at least `far` elements, they are expected to be outside L1, and are prefetched if [`prefetches_rows`].
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
pub(crate) fn in_lanes<T: Copy, A: Copy>(
    elements: &[T],
    far: usize,
    start: A,
    step: impl Fn(A, T) -> A,
    combine: impl Fn(A, A) -> A,
) -> A {
    // With these numbers of accumulators, the compiler vectorises the loop over them. It would unroll a shorter loop fully instead.
    match const { size_of::<A>() } {
        1 => fold_in_lanes::<T, A, 256, 128>(elements, far, start, step, combine),
        2 => fold_in_lanes::<T, A, 128, 64>(elements, far, start, step, combine),
        3..=8 => fold_in_lanes::<T, A, 64, 32>(elements, far, start, step, combine),
        // The compiler does not vectorise a loop over 16 complex numbers.
        9..=16 => fold_in_lanes::<T, A, 32, 32>(elements, far, start, step, combine),
        _ => in_few_lanes(elements, start, step, combine),
    }
}

/// Folds elements, chain by chain, in `LANES` accumulators, or fewer elements in a single chain of `HALF` accumulators: for few
/// elements, `LANES` accumulators are slower, because more results have to be combined.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
fn fold_in_lanes<T: Copy, A: Copy, const LANES: usize, const HALF: usize>(
    elements: &[T],
    far: usize,
    start: A,
    step: impl Fn(A, T) -> A,
    combine: impl Fn(A, A) -> A,
) -> A {
    if elements.len() < 2 * LANES {
        return in_few_lanes(elements, start, step, combine);
    }
    if elements.len() < LANES * CHAIN_LEN {
        return in_a_chain::<T, A, HALF>(elements, start, step, combine);
    }
    let (many, rest) = elements.split_at(elements.len() - elements.len() % LANES);
    let far = elements.len() >= far && prefetches_rows();
    let mut results = [start; LANES];
    for chain in many.chunks(LANES * CHAIN_LEN) {
        let mut accs = [start; LANES];
        for row in chain.chunks_exact(LANES) {
            if far {
                prefetch_after(row);
            }
            for k in 0..LANES {
                accs[k] = step(accs[k], row[k]);
            }
        }
        for k in 0..LANES {
            results[k] = combine(results[k], accs[k]);
        }
    }
    let many = halve(results, &combine);
    if rest.is_empty() { many } else { combine(many, in_few_lanes(rest, start, step, &combine)) }
}

/// Folds elements in a single chain of [`MIN_LANES`] accumulators: for short slices and rare operations.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
pub(crate) fn in_few_lanes<T: Copy, A: Copy>(
    elements: &[T],
    start: A,
    step: impl Fn(A, T) -> A,
    combine: impl Fn(A, A) -> A,
) -> A {
    in_a_chain::<T, A, MIN_LANES>(elements, start, step, combine)
}

/// Folds elements in a single chain of `LANES` accumulators. The elements after the last multiple of `LANES` follow one by one.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
fn in_a_chain<T: Copy, A: Copy, const LANES: usize>(
    elements: &[T],
    start: A,
    step: impl Fn(A, T) -> A,
    combine: impl Fn(A, A) -> A,
) -> A {
    let mut accs = [start; LANES];
    let mut rows = elements.chunks_exact(LANES);
    for row in &mut rows {
        for k in 0..LANES {
            accs[k] = step(accs[k], row[k]);
        }
    }
    let mut acc = halve(accs, combine);
    for &x in rows.remainder() {
        acc = step(acc, x);
    }
    acc
}

/// Combines the upper half of the results with the lower half, until one result is left, and returns it. `LANES` is a power of two.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
pub(crate) fn halve<A: Copy, const LANES: usize>(mut results: [A; LANES], combine: impl Fn(A, A) -> A) -> A {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for k in 0..width {
            results[k] = combine(results[k], results[k + width]);
        }
    }
    results[0]
}

/// Returns the first `n` elements of each row.
#[inline(always)]
pub(crate) fn prefixes<T, const N: usize>(mut rows: [&[T]; N], n: usize) -> [&[T]; N] {
    for row in &mut rows {
        *row = &row[..n];
    }
    rows
}
