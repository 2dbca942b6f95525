//! Counting sorts of elements of one and two bytes.

use super::key::Key;

/// Minimum number of elements of two bytes that are counted. Fewer elements are sorted by comparison.
const COUNTED_WORDS_MIN: usize = 1 << 14;

/// Sorts elements of one byte: counts the elements of each value, and writes each value that number of times.
pub(super) fn count_bytes<T: Key>(x: &mut [T]) {
    // Four tables, because a second addition to the same counter would wait for the store of the first.
    let mut counts = [[0usize; 256]; 4];
    let mut value_of = [T::default(); 256];
    let mut fours = x.chunks_exact(4);
    for four in &mut fours {
        for (counts, &x) in counts.iter_mut().zip(four) {
            counts[x.key() as usize & 255] += 1;
        }
    }
    for &x in fours.remainder() {
        counts[0][x.key() as usize & 255] += 1;
    }
    for &x in x.iter() {
        value_of[x.key() as usize & 255] = x;
    }
    let mut rest = x;
    for (key, &value) in value_of.iter().enumerate() {
        let (run, after) = rest.split_at_mut(counts.iter().map(|counts| counts[key]).sum());
        run.fill(value);
        rest = after;
    }
}

/// Sorts elements of two bytes: by counting if there are many and the counters can be allocated, otherwise by comparison.
pub(super) fn sort_words<T: Key + Ord>(x: &mut [T]) {
    let mut counts = Vec::new();
    if x.len() < COUNTED_WORDS_MIN || counts.try_reserve_exact(1 << 16).is_err() {
        return x.sort_unstable();
    }
    // For each key: the number of elements, and their value.
    counts.resize(1 << 16, (0usize, T::default()));
    for &x in x.iter() {
        let entry = &mut counts[x.key() as usize & 0xffff];
        *entry = (entry.0 + 1, x);
    }
    let mut rest = x;
    for &(count, value) in &counts {
        let (run, after) = rest.split_at_mut(count);
        run.fill(value);
        rest = after;
    }
}
