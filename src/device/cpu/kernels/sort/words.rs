//! Words of 64 bits, each of which holds high bits of a key and the index of an element: to sort them sorts the indices by the keys. Also
//! loops over such words.

use super::key::Key;
use super::numbers::Numbers;
use crate::simd::kernel;
use core::ops::Range;
use num_traits::PrimInt;

/// The extremes of several keys, and the bits in which any two of them differ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) least: u64,
    pub(super) greatest: u64,
    pub(super) differing: u64,
}

kernel! {
    /// Returns the bounds of keys, of which there must be at least one.
    wide fn bounds_of[][](x: &[u64]) -> Bounds {
        // AVX2 compares signed numbers only.
        let signed = |key: u64| (key ^ 1 << 63).cast_signed();
        let first = x[0];
        let start = (signed(first), signed(first), 0);
        let (least, greatest, differing) = x.iter().fold(start, |(least, greatest, differing), &key| {
            (least.min(signed(key)), greatest.max(signed(key)), differing | (key ^ first))
        });
        let key = |signed: i64| signed.cast_unsigned() ^ 1 << 63;
        Bounds { least: key(least), greatest: key(greatest), differing }
    }
}

impl Bounds {
    /// Returns the bounds of keys, of which there must be at least one.
    pub(super) fn of(x: &[u64]) -> Bounds {
        bounds_of(x)
    }
    /// Returns the bounds of two groups of keys together.
    pub(super) fn and(self, other: Bounds) -> Bounds {
        // Bits that differ within a group are in its `differing`. Every other bit is the same in all keys of the group. So the bits that
        // differ between two groups are found by comparing one key of each, here the least.
        let between = self.least ^ other.least;
        Bounds {
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            differing: self.differing | other.differing | between,
        }
    }
}

/// Returns the bounds of the keys of some elements, or `None` if their keys are sorted. The index of an element consists of the bits of its
/// word that are in the mask `indices`.
#[inline]
pub(super) fn bounds_of_unsorted<T: Key>(
    x: &[T],
    words: &[u64],
    indices: u64,
    descending: bool,
) -> Option<Bounds> {
    let key = |word: u64| {
        let x = x[(word & indices) as usize];
        if descending { x.descending_key() } else { x.key() }
    };
    let first = key(*words.first()?);
    let mut bounds = Bounds { least: first, greatest: first, differing: 0 };
    let (mut previous, mut sorted) = (first, true);
    for &word in words {
        let key = key(word);
        sorted &= previous <= key;
        previous = key;
        bounds.least = bounds.least.min(key);
        bounds.greatest = bounds.greatest.max(key);
        bounds.differing |= key ^ first;
    }
    (!sorted).then_some(bounds)
}

kernel! {
    /// Replaces keys by words. See [`Words`].
    wide fn make_words[][](x: &mut [u64], first: u64, words: Words) -> () {
        for (i, x) in (first..).zip(x) {
            *x = words.word(*x, i);
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
    /// Returns the parameters of words of at most 63 bits for keys with the given bounds, which must contain two different keys.
    #[inline]
    pub(super) fn new(bounds: Bounds, index_bits: u32) -> Self {
        let Bounds { least, greatest, differing } = bounds;
        let equal_low = differing.trailing_zeros();
        let significant = 64 - (greatest - least).leading_zeros() - equal_low;
        Words { least, equal_low, dropped: (significant + index_bits).saturating_sub(63), index_bits }
    }
    /// Replaces keys by their words. The first key has index `first`.
    pub(super) fn replace(self, x: &mut [u64], first: usize) {
        make_words(x, first as u64, self);
    }
    /// Returns the word of a key and an index.
    #[inline(always)]
    pub(super) fn word(self, key: u64, index: u64) -> u64 {
        ((key - self.least) >> self.equal_low >> self.dropped) << self.index_bits | index
    }
}

/// Sorts words, which are less than 2⁶³.
#[inline]
pub(super) fn sort_words(x: &mut [u64]) {
    // SAFETY: `i64` has the size and alignment of `u64`, and all bits are valid for both. `x` is exclusively borrowed.
    let signed = unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) };
    i64::sort_numbers(signed);
}

kernel! {
    /// Sets the bits to zero that are not in `mask`.
    wide fn mask_bits[][](x: &mut [u64], mask: u64) -> () {
        x.iter_mut().for_each(|x| *x &= mask);
    }
}

/// Replaces words by their indices, which are their low `index_bits` bits.
#[inline]
pub(super) fn replace_by_indices(x: &mut [u64], index_bits: u32) {
    mask_bits(x, (1 << index_bits) - 1);
}

/// Number of words that [`first_run`] visits one by one, if a run may begin soon.
const FEW: usize = 8;
/// Number of words of a chunk in [`first_run`].
const CHUNK: usize = 64;

kernel! {
    /// Returns the index of the first word that is equal to the next one apart from their `low` lowest bits.
    wide fn first_repeated[T: PrimInt][T](x: &[T], low: usize) -> Option<usize> {
        let repeats = |x: &[T]| (x[0] ^ x[1]) >> low == T::zero();
        let mut first = x.len().min(FEW);
        if let Some(found) = x[..first].windows(2).position(repeats) {
            return Some(found);
        }
        first = first.saturating_sub(1);
        while let Some(chunk) = x.get(first..first + CHUNK + 1)
            && !chunk.iter().zip(&chunk[1..]).fold(false, |found, (&a, &b)| found | ((a ^ b) >> low == T::zero()))
        {
            first += CHUNK;
        }
        x[first..].windows(2).position(repeats).map(|found| first + found)
    }
}

/// Returns the first run of two or more words that are equal apart from their `low` lowest bits.
#[inline]
pub(super) fn first_run<T: PrimInt>(x: &[T], low: u32) -> Option<Range<usize>> {
    let low = low as usize;
    let first = first_repeated(x, low)?;
    let len = x[first..].iter().take_while(|&&y| (y ^ x[first]) >> low == T::zero()).count();
    Some(first..first + len)
}

kernel! {
    /// Returns whether any key is less than or equal to `limit`.
    wide pub(super) fn any_up_to[][](x: &[u64], limit: u64) -> bool {
        x.iter().fold(false, |found, &x| found | (x <= limit))
    }
}
