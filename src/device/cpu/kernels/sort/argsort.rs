//! Finds the indices that sort a line, and the indices of the greatest elements of a line. Elements are compared by their keys.

use super::argsort_short_keys;
use super::erased::AnySlice;
use super::lines::scratch;
use super::numbers::Numbers;
use super::parallel::{PARALLEL_PASS_LEN, in_parts};
use super::words::{Bounds, Words, any_up_to, first_run, replace_by_indices, sort_words};
use crate::device::cpu::loops::threads::{join, threads};
use crate::device::cpu::memory::pool::reserve;
use crate::element::DType;
use crate::error::Error;

/// Number of elements of a block in [`write_keys`]. Its keys fit in the L1 cache. Chosen by the rows `argsort` of
/// `benches/peers/src/rows/everyday/order.rs`: smaller blocks are slower.
const KEYS_BLOCK: usize = 2048;
/// Number of elements of a block in [`Candidates::up_to`].
const BLOCK: usize = 256;
/// In [`Candidates::up_to`], the elements of a part of a block are visited one by one only if a vectorised loop finds keys up to the limit
/// among them.
const PART: usize = 32;

/// Writes the keys of the elements, of which there must be at least one, and returns their bounds.
fn write_keys(x: AnySlice<'_>, out: &mut [u64], descending: bool) -> Bounds {
    if out.len() >= PARALLEL_PASS_LEN && threads() > 1 {
        let half = out.len() / 2;
        let (low, high) = out.split_at_mut(half);
        let (low, high) = join(
            || write_keys(x.part(0, half), low, descending),
            || write_keys(x.part(half, high.len()), high, descending),
        );
        return low.and(high);
    }
    let mut bounds: Option<Bounds> = None;
    for (i, out) in out.chunks_mut(KEYS_BLOCK).enumerate() {
        x.part(i * KEYS_BLOCK, out.len()).write_keys(out, descending);
        let of_block = Bounds::of(out);
        bounds = Some(bounds.map_or(of_block, |bounds| bounds.and(of_block)));
    }
    bounds.expect("there is at least one element")
}

/// Writes the indices that sort the line. Elements that are equal keep their order, and NaN is last.
///
/// Sorts words of 63 bits. The low `b` bits of a word are an index, and its high `63 - b` bits are the key minus the least key, without
/// the low bits that are the same in all keys. If a difference needs more bits, its word has only the highest of them. Another sort then
/// orders each run of words with equal high bits by the keys. Words are less than 2⁶³, so that they can be sorted as signed numbers, too.
///
/// Lines of some hundred to 2¹⁶ elements are sorted by shorter words if possible, see module [`argsort_short_keys`].
///
/// # Errors
/// If an allocation fails.
pub(super) fn argsort(
    x: AnySlice<'_>,
    out: &mut [i64],
    descending: bool,
    buffers: &mut argsort_short_keys::Buffers,
) -> Result<(), Error> {
    let n = x.len();
    assert_eq!(out.len(), n);
    if n == 0 {
        return Ok(());
    }
    // SAFETY: `u64` has the size and alignment of `i64`, and every bit pattern is valid for both. `out` is exclusively borrowed, and its
    // length is passed.
    let out: &mut [u64] = unsafe { core::slice::from_raw_parts_mut(out.as_mut_ptr().cast(), out.len()) };
    let bounds = write_keys(x, out, descending);
    if out.is_sorted() {
        (0..).zip(out).for_each(|(i, out)| *out = i);
        return Ok(());
    }
    let b = usize::BITS - (n - 1).leading_zeros();
    let sort_run = |run: &mut [u64]| sort_run(x, run, b, descending);
    if argsort_short_keys::sort(x.dtype(), out, bounds, b, buffers, &sort_run)? {
        return Ok(());
    }
    let words = Words::new(bounds, b);
    in_parts(out, 0, &|out, first| words.replace(out, first));
    sort_words(out);
    if words.dropped > 0 {
        over_repeated(out, b, &sort_run);
    }
    in_parts(out, 0, &|out, _| replace_by_indices(out, b));
    Ok(())
}

/// Sorts words by the keys of their elements, whose indices are their `b` low bits. Elements with equal keys keep their order: their
/// indices must be in ascending order. The other bits of the words become unspecified.
fn sort_run(x: AnySlice<'_>, run: &mut [u64], b: u32, descending: bool) {
    let indices = (1 << b) - 1;
    let Some(bounds) = x.bounds_of_unsorted(run, indices, descending) else { return };
    let words = Words::new(bounds, b);
    for word in run.iter_mut() {
        let index = *word & indices;
        *word = words.word(x.key(index as usize, descending), index);
    }
    sort_words(run);
    if words.dropped > 0 {
        over_repeated(run, b, &|run| sort_run(x, run, b, descending));
    }
}

/// Calls `f` with each run of two or more words that are equal apart from their `low` lowest bits, in parallel if there are many words. The
/// words must be sorted.
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
    let mut others = x;
    while let Some(run) = first_run(others, low) {
        let (before, after) = others.split_at_mut(run.end);
        f(&mut before[run.start..]);
        others = after;
    }
}

/// Number of keys in the sample of [`probable_limit`]. It is smaller in tests, whose lines are shorter.
const SAMPLE: usize = if cfg!(test) { 64 } else { 1 << 10 };
/// Minimum number of elements of a line for a sample. Each sampled key stands for at least this number of elements.
const MIN_PER_SAMPLE: usize = 8;

/// Returns a limit up to which there are probably at least `k` keys, and not many more. The sample consists of elements
/// at regular distances. Returns the greatest key, up to which all keys are, for short lines and large `k`.
fn probable_limit(x: AnySlice<'_>, k: usize, descending: bool) -> u64 {
    let step = x.len() / SAMPLE;
    // `k` keys are expected to have this number of keys in the sample, with a variance of at most this number. Four standard deviations
    // more, and a few keys for small numbers, are seldom too few.
    let expected = k as f64 * SAMPLE as f64 / x.len() as f64;
    let rank = (expected + 4.0 * expected.sqrt()) as usize + 8;
    if step < MIN_PER_SAMPLE || rank > SAMPLE / 2 {
        return u64::MAX;
    }
    let mut sample: [u64; SAMPLE] = core::array::from_fn(|i| x.key(i * step, descending));
    u64::select_number(&mut sample, rank - 1);
    sample[..rank].iter().fold(0, |a, &b| a.max(b))
}

/// Some elements of a line, in the order of their indices.
#[derive(Default)]
struct Candidates {
    /// The keys of the sort: if it is descending, the greatest elements have the least keys.
    keys: Vec<u64>,
    indices: Vec<i64>,
}

impl Candidates {
    /// Returns the elements with keys less than `limit`, and at least the first `k` elements with keys equal to it. Others are not among the
    /// `k` elements with the least keys, so lines of many equal elements have few candidates. `first` is the index of the first element of
    /// `x`. Long lines are searched in parallel.
    ///
    /// # Errors
    /// If an allocation fails.
    fn up_to(
        limit: u64,
        k: usize,
        x: AnySlice<'_>,
        first: usize,
        descending: bool,
    ) -> Result<Candidates, Error> {
        if x.len() >= PARALLEL_PASS_LEN && threads() > 1 {
            let half = x.len() / 2;
            let (low, high) = (x.part(0, half), x.part(half, x.len() - half));
            let (low, high) = join(
                || Candidates::up_to(limit, k, low, first, descending),
                || Candidates::up_to(limit, k, high, first + half, descending),
            );
            let (mut low, high) = (low?, high?);
            low.reserve(high.keys.len())?;
            low.keys.extend_from_slice(&high.keys);
            low.indices.extend_from_slice(&high.indices);
            return Ok(low);
        }
        let (mut found, mut block) = (Candidates::default(), [0; BLOCK]);
        // The greatest key of further candidates, and the number of candidates whose key is `limit`.
        let (mut bound, mut at_limit) = (limit, 0);
        for start in (0..x.len()).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(x.len() - start)];
            x.part(start, block.len()).write_keys(block, descending);
            for (start, part) in (first + start..).step_by(PART).zip(block.chunks(PART)) {
                if !any_up_to(part, bound) {
                    continue;
                }
                found.reserve(PART)?;
                for (i, &key) in (start..).zip(part).filter(|&(_, &key)| key <= bound) {
                    found.keys.push(key);
                    found.indices.push(i as i64);
                    at_limit += usize::from(key == limit);
                }
                if at_limit >= k {
                    // If the limit is the least key, there are no further candidates.
                    let Some(less) = limit.checked_sub(1) else { return Ok(found) };
                    bound = less;
                }
            }
        }
        Ok(found)
    }

    /// Reserves capacity for `more` additional elements, and doubles the capacity if it does not suffice.
    fn reserve(&mut self, more: usize) -> Result<(), Error> {
        if self.keys.capacity() - self.keys.len() < more {
            let more = more.max(self.keys.len());
            reserve(&mut self.keys, more)?;
            reserve(&mut self.indices, more)?;
        }
        Ok(())
    }

    /// Keeps the `k` elements with the least keys. Of equal keys, keeps the first ones.
    ///
    /// # Errors
    /// If an allocation fails.
    fn keep_least(&mut self, k: usize) -> Result<(), Error> {
        let mut keys: Vec<u64> = scratch(1, self.keys.len())?;
        keys.copy_from_slice(&self.keys);
        u64::select_number(&mut keys, k - 1);
        // The elements to keep are those whose keys are less than the limit, and the first `at_limit` ones whose keys are equal to it.
        let limit = keys[..k].iter().fold(0, |a, &b| a.max(b));
        let mut at_limit = keys[..k].iter().filter(|&&key| key == limit).count();
        let mut kept = 0;
        for i in 0..self.keys.len() {
            let key = self.keys[i];
            let keeps = key < limit || (key == limit && at_limit > 0);
            at_limit -= usize::from(keeps && key == limit);
            if keeps {
                (self.keys[kept], self.indices[kept]) = (key, self.indices[i]);
                kept += 1;
            }
        }
        self.keys.truncate(k);
        self.indices.truncate(k);
        Ok(())
    }
}

/// Writes the indices of the first `out.len()` elements in sorted order: of the greatest ones if `descending`, otherwise of the smallest
/// ones. NaN is last. Elements that are equal are in the order of their indices.
///
/// Reads the line once, and keeps the elements that are not greater than a limit found in a sample. If these are too few, keeps all elements.
///
/// # Errors
/// If an allocation fails.
pub(super) fn top(x: AnySlice<'_>, out: &mut [i64], descending: bool) -> Result<(), Error> {
    let k = out.len();
    if k == 0 {
        return Ok(());
    }
    let mut found = Candidates::up_to(probable_limit(x, k, descending), k, x, 0, descending)?;
    if found.keys.len() < k {
        found = Candidates::up_to(u64::MAX, k, x, 0, descending)?;
    }
    if found.keys.len() > k {
        found.keep_least(k)?;
    }
    argsort(
        AnySlice::from_bits(DType::U64, &found.keys),
        out,
        false,
        &mut argsort_short_keys::Buffers::default(),
    )?;
    out.iter_mut().for_each(|i| *i = found.indices[*i as usize]);
    Ok(())
}
