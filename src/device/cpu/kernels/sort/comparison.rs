//! Sorts and selects numbers, none of which is NaN, by the standard library. The other modules call it for types and processors without a
//! faster algorithm, and for keys with bad pivots.

#[cfg(feature = "rayon")]
use super::parallel::PARALLEL_SORT_LEN;
#[cfg(feature = "rayon")]
use crate::device::cpu::loops::threads::threads;
use core::cmp::Ordering;

/// Compares two numbers. The first comparison comes first, because the standard library only asks whether `a` is less.
#[inline(always)]
fn compare<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    if a < b {
        Ordering::Less
    } else if a > b {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

/// Sorts the numbers. If there are several threads and many numbers, rayon sorts them. The signs of zeros can change.
pub(super) fn sort<T: PartialOrd + Send>(x: &mut [T]) {
    #[cfg(feature = "rayon")]
    if x.len() >= PARALLEL_SORT_LEN && threads() > 1 {
        use rayon::slice::ParallelSliceMut;
        return x.par_sort_unstable_by(|a, b| compare(a, b));
    }
    x.sort_unstable_by(|a, b| compare(a, b));
}

/// Moves the number that sorting would put at index `k` to this index. No number before it is then greater, and no number after it is
/// less.
pub(super) fn select<T: PartialOrd>(x: &mut [T], k: usize) {
    x.select_nth_unstable_by(k, |a, b| compare(a, b));
}
