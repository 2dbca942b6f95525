//! Sorts elements of one and two bytes by counting.

use super::comparison;

/// Minimum number of elements of two bytes that are counted. Fewer elements are sorted by comparison.
const COUNTED_MIN: usize = if cfg!(test) { 1 << 12 } else { 1 << 14 };

/// Writes each value the number of times that `counts` has for it. The counts must add up to the length of `x`.
fn write_runs<T: Copy>(x: &mut [T], values: impl Iterator<Item = T>, counts: impl Iterator<Item = usize>) {
    let mut rest = x;
    for (value, count) in values.zip(counts) {
        let (run, after) = rest.split_at_mut(count);
        run.fill(value);
        rest = after;
    }
}

/// Counts the elements of each value, and writes each value that number of times.
pub(super) fn sort_u8(x: &mut [u8]) {
    let mut totals = [0usize; 256];
    for part in x.chunks(u32::MAX as usize / 2) {
        // Eight tables, because a second addition to the same counter waits for the store of the first.
        let mut counts = [[0u32; 256]; 8];
        let mut eights = part.chunks_exact(8);
        for eight in &mut eights {
            for (counts, &x) in counts.iter_mut().zip(eight) {
                counts[usize::from(x)] += 1;
            }
        }
        for &x in eights.remainder() {
            counts[0][usize::from(x)] += 1;
        }
        for (value, total) in totals.iter_mut().enumerate() {
            *total += counts.iter().map(|counts| counts[value] as usize).sum::<usize>();
        }
    }
    write_runs(x, 0..=u8::MAX, totals.into_iter());
}

/// Sorts by counting if there are many elements and the counters can be allocated, otherwise by comparison.
pub(super) fn sort_u16(x: &mut [u16]) {
    let mut counts: Vec<usize> = Vec::new();
    if x.len() < COUNTED_MIN || counts.try_reserve_exact(1 << 16).is_err() {
        return comparison::sort(x);
    }
    counts.resize(1 << 16, 0);
    for &x in x.iter() {
        counts[usize::from(x)] += 1;
    }
    write_runs(x, 0..=u16::MAX, counts.into_iter());
}
