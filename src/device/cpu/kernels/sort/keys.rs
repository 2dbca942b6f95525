//! Loops over the keys of elements: unsigned integers that have the order of the elements.

use super::key::Key;
use crate::device::cpu::loops::threads::{join, threads};
use crate::simd::kernel;

kernel! {
    /// Writes the key of each element.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn write_ascending[T: Key][T](x: &[T], out: &mut [u64]) -> () {
        out.iter_mut().zip(x).for_each(|(out, &x)| *out = x.key());
    }
}

kernel! {
    /// Writes the key of each element for a descending sort.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn write_descending[T: Key][T](x: &[T], out: &mut [u64]) -> () {
        out.iter_mut().zip(x).for_each(|(out, &x)| *out = x.descending_key());
    }
}

/// Writes the key of each element.
///
/// # Panics
/// If the lengths differ.
pub(super) fn write<T: Key>(x: &[T], out: &mut [u64], descending: bool) {
    assert_eq!(x.len(), out.len());
    if descending {
        // SAFETY: `write_descending` has no conditions; the macro `kernel!` makes it unsafe.
        unsafe { write_descending(x, out) }
    } else {
        // SAFETY: `write_ascending` has no conditions; the macro `kernel!` makes it unsafe.
        unsafe { write_ascending(x, out) }
    }
}

/// Minimum number of elements along the sorted axis for which a pass over these elements runs in parallel.
pub(super) const PARALLEL_PASS_LEN: usize = 1 << 16;

/// Minimum number of elements that are partitioned on several threads. It is lower in tests, which have fewer elements.
pub(super) const PARALLEL_PARTITION_LEN: usize = if cfg!(test) { 1 << 13 } else { 1 << 18 };

/// Splits `x` if it has at least `enough` elements, calls `f` for the parts in parallel, and combines the results. With one thread, there
/// is no split, so the result must not depend on the split.
pub(super) fn in_parallel<T: Sync, A: Send>(
    x: &[T],
    enough: usize,
    f: &(dyn Fn(&[T]) -> A + Sync),
    combine: &(dyn Fn(A, A) -> A + Sync),
) -> A {
    if x.len() < enough || threads() == 1 {
        return f(x);
    }
    let (low, high) = x.split_at(x.len() / 2);
    let (low, high) = join(|| in_parallel(low, enough, f, combine), || in_parallel(high, enough, f, combine));
    combine(low, high)
}

/// Splits `x` into parts, and calls `f` with each part and the index of its first element. The calls run in parallel if there are many
/// elements. `first` is the index of the first element of `x`.
pub(super) fn in_parts(x: &mut [u64], first: usize, f: &(dyn Fn(&mut [u64], usize) + Sync)) {
    if x.len() < PARALLEL_PASS_LEN || threads() == 1 {
        return f(x, first);
    }
    let half = x.len() / 2;
    let (low, high) = x.split_at_mut(half);
    join(|| in_parts(low, first, f), || in_parts(high, first + half, f));
}

kernel! {
    /// Returns the least key, the greatest one, and the bits in which any two of the keys differ.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn bounds_of[][](x: &[u64]) -> (u64, u64, u64) {
        let first = x.first().map_or(0, |&x| x);
        x.iter().fold((u64::MAX, 0, 0), |(low, high, differing), &key| {
            (low.min(key), high.max(key), differing | (key ^ first))
        })
    }
}

/// Returns the least key, the greatest one, and the bits in which any two of the keys differ.
pub(super) fn bounds(x: &[u64]) -> (u64, u64, u64) {
    in_parallel(
        x,
        PARALLEL_PASS_LEN,
        // SAFETY: `bounds_of` has no conditions; the macro `kernel!` makes it unsafe.
        &|x| unsafe { bounds_of(x) },
        // Merges the results of two parts of `x`. The bits that differ within a part are in its `differing`. Every other bit is the same
        // in all keys of the part. So the bits that differ between two parts are found by comparing one key of each, here the least.
        &|(low, high, differing), (other_low, other_high, other_differing)| {
            (low.min(other_low), high.max(other_high), differing | other_differing | (low ^ other_low))
        },
    )
}

kernel! {
    /// Replaces keys by words. See [`Words`].
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn make_words[][](x: &mut [u64], first: u64, words: Words) -> () {
        let Words { least, equal_low, dropped, index_bits } = words;
        for (i, x) in (first..).zip(x) {
            *x = ((*x - least) >> equal_low >> dropped) << index_bits | i;
        }
    }
}

/// The parameters of words of 64 bits. The word of a key is `((key - least) >> equal_low >> dropped) << index_bits | index`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// The least key.
    pub(super) least: u64,
    /// The number of low bits that are the same in all keys.
    pub(super) equal_low: u32,
    /// The number of further low bits that are left out because they do not fit in a word.
    pub(super) dropped: u32,
    /// The number of bits of an index.
    pub(super) index_bits: u32,
}

impl Words {
    /// Replaces keys by their words. The first key has index `first`.
    pub(super) fn replace(self, x: &mut [u64], first: usize) {
        // SAFETY: `make_words` has no conditions; the macro `kernel!` makes it unsafe.
        unsafe { make_words(x, first as u64, self) }
    }
    /// Returns the upper part of a key's word, including the `dropped` bits that the word itself leaves out.
    pub(super) fn upper(self, key: u64) -> u64 {
        (key - self.least) >> self.equal_low
    }
}

kernel! {
    /// Sets the bits to zero that are not in `mask`.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn mask_bits[][](x: &mut [u64], mask: u64) -> () {
        x.iter_mut().for_each(|x| *x &= mask);
    }
}

/// Replaces words by their indices, which are their low `index_bits` bits.
pub(super) fn replace_by_indices(x: &mut [u64], index_bits: u32) {
    // SAFETY: `mask_bits` has no conditions; the macro `kernel!` makes it unsafe.
    unsafe { mask_bits(x, (1 << index_bits) - 1) }
}

kernel! {
    /// Returns whether any two adjacent words are equal apart from their `low` lowest bits.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn equal_neighbours_of[][](x: &[u64], low: u32) -> bool {
        x.iter().zip(x.get(1..).unwrap_or_default()).fold(false, |found, (a, b)| found | ((a ^ b) >> low == 0))
    }
}

/// Returns whether any two adjacent words are equal apart from their `low` lowest bits.
pub(super) fn equal_neighbours(x: &[u64], low: u32) -> bool {
    // SAFETY: `equal_neighbours_of` has no conditions; the macro `kernel!` makes it unsafe.
    unsafe { equal_neighbours_of(x, low) }
}

kernel! {
    /// Returns whether any key is less than or equal to `limit`.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn any_up_to_of[][](x: &[u64], limit: u64) -> bool {
        x.iter().fold(false, |found, &x| found | (x <= limit))
    }
}

/// Returns whether any key is less than or equal to `limit`.
pub(super) fn any_up_to(x: &[u64], limit: u64) -> bool {
    // SAFETY: `any_up_to_of` has no conditions; the macro `kernel!` makes it unsafe.
    unsafe { any_up_to_of(x, limit) }
}
