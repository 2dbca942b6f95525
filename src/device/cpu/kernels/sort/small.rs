//! Sorts elements of one and two bytes: by counting, or by comparison if there are few.

use super::repeated;

/// Minimum number of elements of two bytes that are counted. Fewer elements are sorted by comparison.
const COUNTED_MIN: usize = 1 << 14;

/// Moves the element that sorting would put at index `k` to this index. No element before it is then greater, and no element after it is
/// less.
pub(super) fn select_by_comparison<T: Ord>(x: &mut [T], k: usize) {
    x.select_nth_unstable(k);
}

/// Moves the first element of each run of equal elements of a sorted line to the front, and returns the number of runs.
pub(super) fn remove_repeated<T: Copy + PartialOrd>(x: &mut [T]) -> usize {
    repeated::remove_from(x, 1, 1)
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
    let mut rest = x;
    for value in 0..=u8::MAX {
        let (run, after) = rest.split_at_mut(totals[usize::from(value)]);
        run.fill(value);
        rest = after;
    }
}

/// Sorts the elements, as selection is not faster than counting.
pub(super) fn select_u8(x: &mut [u8], _: usize) {
    sort_u8(x);
}

/// Sorts by counting if there are many elements and the counters can be allocated, otherwise by comparison.
pub(super) fn sort_u16(x: &mut [u16]) {
    let mut counts: Vec<usize> = Vec::new();
    if x.len() < COUNTED_MIN || counts.try_reserve_exact(1 << 16).is_err() {
        return x.sort_unstable();
    }
    counts.resize(1 << 16, 0);
    for &x in x.iter() {
        counts[usize::from(x)] += 1;
    }
    let mut rest = x;
    for (value, &count) in (0..=u16::MAX).zip(&counts) {
        let (run, after) = rest.split_at_mut(count);
        run.fill(value);
        rest = after;
    }
}

/// Variant of [`select_by_comparison`] for elements of type `u16`.
pub(super) fn select_u16(x: &mut [u16], k: usize) {
    select_by_comparison(x, k);
}

/// Defines functions for signed integers by those for unsigned ones.
macro_rules! signed {
    ($($I:ident as $U:ident: $as_unsigned:ident, $sort:ident $sort_unsigned:ident, $select:ident $select_unsigned:ident;)*) => {$(
        /// Inverts the sign bit of each element, so that the elements have the same order as unsigned integers. Calls `f`, and inverts
        /// the bits again.
        fn $as_unsigned(x: &mut [$I], f: impl FnOnce(&mut [$U])) {
            let flip = |x: &mut [$I]| x.iter_mut().for_each(|x| *x ^= $I::MIN);
            flip(x);
            // SAFETY: the unsigned type has the size and alignment of the signed one, and all bits are valid for both. `x` is exclusively
            // borrowed.
            f(unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) });
            flip(x);
        }
        /// Sorts the elements.
        pub(super) fn $sort(x: &mut [$I]) {
            $as_unsigned(x, $sort_unsigned);
        }
        /// Moves the element that sorting would put at index `k` to this index. No element before it is then greater, and no element after
        /// it is less.
        pub(super) fn $select(x: &mut [$I], k: usize) {
            $as_unsigned(x, |x| $select_unsigned(x, k));
        }
    )*};
}
signed! {
    i8 as u8: as_unsigned8, sort_i8 sort_u8, select_i8 select_u8;
    i16 as u16: as_unsigned16, sort_i16 sort_u16, select_i16 select_u16;
}
