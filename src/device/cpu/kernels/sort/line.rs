//! Sorts, partitions and selects in one contiguous line. NaN is last, in ascending and in descending order. Sorts are stable.
//!
//! The kernels of [`Key`] compare by `<`, and can change the signs of zeros. So this module first moves NaN to the end. If a zero is
//! negative, it saves the zeros in their order, and writes them back after the kernel. No other elements are equal but differ in their
//! bits, so the result is that of a stable sort.

use super::key::{
    Key, PARALLEL_PASS_LEN, WordsOf, and, any_from, bounds, equal_neighbours, sort_words, specials, words,
};
use crate::device::cpu::loops::threads::{join, threads};
use crate::device::via_host::zeros;
use crate::error::Error;

/// Number of elements that a vectorised loop tests before the elements are visited one by one.
const BLOCK: usize = 256;

/// Moves NaN to the end, in their order. Returns the number of other elements. If any zero is negative, also returns all zeros in their
/// order, otherwise an empty vector.
fn set_aside<T: Key>(x: &mut [T]) -> Result<(usize, Vec<T>), Error> {
    let (nan, negative) = specials(x);
    let is_zero = |x: &T| *x == T::default();
    let mut noted = Vec::new();
    if negative {
        noted = zeros(x.iter().filter(|x| is_zero(x)).count())?;
        noted.iter_mut().zip(x.iter().filter(|x| is_zero(x))).for_each(|(to, &x)| *to = x);
    }
    let mut n = x.len();
    if nan {
        let mut aside: Vec<T> = zeros(x.iter().filter(|x| x.is_nan()).count())?;
        let (mut to, mut found) = (0, 0);
        for i in 0..x.len() {
            if x[i].is_nan() {
                aside[found] = x[i];
                found += 1;
            } else {
                x[to] = x[i];
                to += 1;
            }
        }
        x[to..].copy_from_slice(&aside);
        n = to;
    }
    Ok((n, noted))
}

/// Sorts a line by a stable sort, with NaN last.
///
/// # Errors
/// If an allocation fails.
pub(super) fn sort<T: Key>(x: &mut [T], descending: bool) -> Result<(), Error> {
    let (n, noted) = set_aside(x)?;
    let x = &mut x[..n];
    T::sort(x);
    if descending {
        x.reverse();
    }
    let zero = T::default();
    let at = if noted.is_empty() {
        0
    } else if descending {
        x.partition_point(|&x| x > zero)
    } else {
        x.partition_point(|&x| x < zero)
    };
    x[at..at + noted.len()].copy_from_slice(&noted);
    Ok(())
}

/// Moves element `k` of the sorted line to index `k`, elements that are not greater before it, and elements that are not less after it.
/// Returns the number of elements that are not NaN.
///
/// # Errors
/// If an allocation fails.
pub(super) fn partition<T: Key>(x: &mut [T], k: usize) -> Result<usize, Error> {
    let (n, noted) = set_aside(x)?;
    let x = &mut x[..n];
    if k < n {
        T::select(x, k);
        x.iter_mut().filter(|x| **x == T::default()).zip(&noted).for_each(|(to, &zero)| *to = zero);
    }
    Ok(n)
}

/// Writes the indices that sort the line. Elements that are equal keep their order.
///
/// Sorts words of 64 bits. The low `b` bits of a word are an index, and its high `64 - b` bits are the key minus the least key. If these
/// differences need more bits, words have only their highest bits. A second sort then orders each run of words with equal high bits by
/// the bits that were left out.
pub(super) fn argsort<T: Key>(x: &[T], out: &mut [i64], descending: bool) {
    let n = x.len();
    assert_eq!(out.len(), n);
    let indices = 0i64..;
    if x.is_sorted_by_key(|x| x.directed_key(descending)) {
        return indices.zip(out).for_each(|(i, out)| *out = i);
    }
    // The second sort needs space for an index and for the bits that were left out, of which there are up to `b`. So `b` is at most 32.
    if n as u64 >= 1 << 32 {
        indices.zip(out.iter_mut()).for_each(|(i, out)| *out = i);
        return out.sort_unstable_by_key(|&i| (x[i as usize].directed_key(descending), i));
    }
    // SAFETY: `u64` has the size and alignment of `i64`, and all bits are valid for both. `out` is exclusively borrowed.
    let out: &mut [u64] = unsafe { core::slice::from_raw_parts_mut(out.as_mut_ptr().cast(), n) };
    let b = usize::BITS - (n - 1).leading_zeros();
    let (least, greatest, differing) = bounds(x, descending);
    // Number of low bits that are the same in all keys. It is large if floating-point elements have integer values.
    let equal_low = differing.trailing_zeros();
    let significant = 64 - (greatest - least).leading_zeros() - equal_low;
    let dropped = (significant + b).saturating_sub(64);
    let of = WordsOf { descending, least, equal_low, dropped, index_bits: b };
    words(x, out, 0, of);
    sort_words(out);
    let index_mask = (1 << b) - 1;
    if dropped > 0 {
        over_repeated(out, b, &|run| {
            let low_mask = (1 << dropped) - 1;
            for out in run.iter_mut() {
                let i = *out & index_mask;
                *out = (of.key(x[i as usize]) & low_mask) << b | i;
            }
            if !run.is_sorted() {
                sort_words(run);
            }
        });
    }
    and(out, index_mask);
}

/// Calls `f` with each run of two or more words that are equal apart from their `low` lowest bits, in parallel if there are many words.
/// The words are sorted.
fn over_repeated(x: &mut [u64], low: u32, f: &(dyn Fn(&mut [u64]) + Sync)) {
    if x.len() >= PARALLEL_PASS_LEN && threads() > 1 {
        let middle = x.len() / 2;
        let high = x[middle] >> low;
        let middle = x.partition_point(|x| x >> low < high);
        if middle > 0 {
            let (x, others) = x.split_at_mut(middle);
            join(|| over_repeated(x, low, f), || over_repeated(others, low, f));
            return;
        }
    }
    let mut first = 0;
    while first < x.len() {
        let mut end = x.len().min(first + BLOCK);
        if equal_neighbours(&x[first..x.len().min(end + 1)], low) {
            let high = x[end - 1] >> low;
            end += x[end..].partition_point(|x| x >> low == high);
            for run in x[first..end].chunk_by_mut(|a, b| a >> low == b >> low).filter(|run| run.len() > 1) {
                f(run);
            }
        }
        first = end;
    }
}

/// Writes the indices of the first elements for which `is_wanted` returns `true`, until `to` is full. Returns their number. Skips
/// blocks for which `has_any` returns `false`.
fn collect<T: Key>(
    x: &[T],
    to: &mut [i64],
    has_any: impl Fn(&[T]) -> bool,
    is_wanted: impl Fn(T) -> bool,
) -> usize {
    let (mut found, mut first) = (0, 0);
    for block in x.chunks(BLOCK) {
        if has_any(block) {
            for (i, &x) in (first..).zip(block) {
                if found == to.len() {
                    return found;
                }
                to[found] = i;
                found += usize::from(is_wanted(x));
            }
        }
        first += block.len() as i64;
    }
    found
}

/// Writes the `values.len()` greatest elements, the greatest first, and their indices. NaN is last. Elements that are equal are in the
/// order of their indices. `scratch` has the length of `x`.
///
/// # Errors
/// If an allocation fails.
pub(super) fn top<T: Key>(
    x: &[T],
    values: &mut [T],
    indices: &mut [i64],
    scratch: &mut [T],
) -> Result<(), Error> {
    let (n, k) = (x.len(), values.len());
    if k == 0 {
        return Ok(());
    }
    scratch.copy_from_slice(x);
    let numbers = n - scratch.iter().filter(|x| x.is_nan()).count();
    let mut candidates: Vec<i64> = zeros(k)?;
    if k >= numbers {
        let found = collect(x, &mut candidates, |_| true, |x| !x.is_nan());
        collect(x, &mut candidates[found..], |_| true, |x| x.is_nan());
    } else {
        partition(scratch, numbers - k)?;
        let threshold = scratch[numbers - k];
        let has_any = |x: &[T]| any_from(x, threshold);
        let found = collect(x, &mut candidates, has_any, |x| x > threshold);
        collect(x, &mut candidates[found..], has_any, |x| x == threshold);
    }
    candidates.sort_unstable();
    let mut keys: Vec<T> = zeros(k)?;
    keys.iter_mut().zip(&candidates).for_each(|(key, &i)| *key = x[i as usize]);
    argsort(&keys, indices, true);
    for (value, index) in values.iter_mut().zip(indices) {
        let candidate = *index as usize;
        (*value, *index) = (keys[candidate], candidates[candidate]);
    }
    Ok(())
}

/// Moves the first element of each run of equal elements of a sorted line to the front, and returns the number of runs. All NaN count as
/// equal.
pub(super) fn remove_repeated<T: Key>(x: &mut [T]) -> usize {
    let numbers = x.partition_point(|x| !x.is_nan());
    let found = T::remove_repeated(&mut x[..numbers]);
    match x.get(numbers) {
        Some(&nan) => {
            x[found] = nan;
            found + 1
        }
        None => found,
    }
}
