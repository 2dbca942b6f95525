//! Quicksort and selection with SIMD registers.
//!
//! ```text
//! sort(x):
//!     at most 16 registers: sort_small
//!     more than about 2 · log2(n) nested partitions, so the pivots are bad: a sort without SIMD
//!     otherwise: partition at the median of a sample
//!                if the sample has the pivot several times, or no key is less than it: partition the other keys by <=,
//!                    and leave the keys equal to the pivot where they are
//!                sort both parts, in parallel if they are large
//! ```

use super::network::{max_small, sort_small};
use super::parallel::{PARALLEL_PARTITION_LEN, PARALLEL_SORT_LEN};
use super::pivot::SEED;
use super::{chunks, comparison, pivot};
use crate::device::cpu::loops::threads::{join, threads};
use crate::simd::vector::{OrderedVector, SimdKernel, Vector};

/// Greatest number of registers that one step of the partition reads.
const MAX_STEP: usize = 8;

/// Returns the number of registers that one step of the partition reads.
///
/// From which side a step reads depends on the keys, so the processor often predicts it wrongly. Long steps make this less frequent. But
/// steps of 128 keys, eight registers of 16 keys, are slower for keys that do not fit in the cache.
const fn step<V: Vector>() -> usize {
    if V::LANES > 8 { MAX_STEP / 2 } else { MAX_STEP }
}

/// Reads [`step`] registers, and repeats the first one in the rest of the array.
#[inline(always)]
fn read<V: OrderedVector>(isa: V::Isa, x: &[V::Lane]) -> [V; MAX_STEP] {
    let mut v = [V::from_slice(isa, x); MAX_STEP];
    for (i, v) in v.iter_mut().take(step::<V>()).enumerate() {
        *v = V::from_slice(isa, &x[i * V::LANES..]);
    }
    v
}

/// [`partition`], compiled for the instruction set of the caller.
///
/// First copies the last keys, which do not fill a [`step`], to an array. Then reads the first and the last step of the other keys. So
/// there is room on both sides to write the keys that are read next. The keys that were read first are written last.
#[inline(always)]
fn partition_within<V: OrderedVector, const OR_EQUAL: bool>(
    isa: V::Isa,
    x: &mut [V::Lane],
    pivot: V::Lane,
) -> usize {
    let lanes = V::LANES;
    let registers = step::<V>();
    let step = registers * lanes;
    let n = x.len();
    let rest = n % step;
    let end = n - rest;
    assert!(end >= 2 * step);
    let all = ((1u64 << lanes) - 1) as u32;
    let by = V::filled(isa, pivot);
    let goes_left = |v: V| if OR_EQUAL { !by.less(v) & all } else { v.less(by) };

    let mut held = [V::HIGHEST; 64];
    held[..rest].copy_from_slice(&x[end..]);
    let first = read::<V>(isa, &x[..step]);
    let last = read::<V>(isa, &x[end - step..end]);
    // The next keys are written from `left` on and before `right`. The keys `from .. to` are still to be read.
    let (mut left, mut right) = (0, n);
    let (mut from, mut to) = (step, end - step);
    while from < to {
        let at = if from - left <= right - to {
            from += step;
            from - step
        } else {
            to -= step;
            to
        };
        // Each side now has room for `step` keys. Before the keys at `at` were read, both sides together had room for `2 * step + rest`
        // keys, so the side with more room had room for at least `step`. On the other side, reading frees the room of `step` keys.
        for v in read::<V>(isa, &x[at..at + step]).into_iter().take(registers) {
            let bits = goes_left(v);
            let count = bits.count_ones() as usize;
            // SAFETY: `count` bits are set. Each side had room for the registers of a step, and fewer have been written since. So
            // each side has room for one register: `left + lanes <= from` and `to + lanes <= right`. With `from <= to`, `right - left`
            // is at least `2 * lanes`. `right` does not exceed the length.
            unsafe { v.store_parted(x, left, right, bits, count) };
            left += count;
            right -= lanes - count;
        }
    }
    // Each key of the slice has now been written to its side, or is in `first`, `last` or `held`.
    let whole = held[..rest].chunks_exact(lanes);
    let keys = whole.remainder();
    if !keys.is_empty() {
        let v = V::from_short_slice(isa, keys);
        let (bits, of) = (goes_left(v), (1 << keys.len()) - 1);
        let (low, high) = (bits & of, !bits & of);
        let (count, others) = (low.count_ones() as usize, high.count_ones() as usize);
        v.compress(low).to_short_slice(&mut x[left..left + count]);
        v.compress(high).to_short_slice(&mut x[right - others..right]);
        left += count;
        right -= others;
    }
    let ends = first.into_iter().take(registers).chain(last.into_iter().take(registers));
    for v in ends.chain(whole.map(|keys| V::from_slice(isa, keys))) {
        let bits = goes_left(v);
        let count = bits.count_ones() as usize;
        // SAFETY: `count` bits are set. `right - left` is the number of keys that are not yet written: those of this register and of
        // zero or more others, so a multiple of `lanes`. `right` does not exceed the length.
        unsafe { v.store_parted(x, left, right, bits, count) };
        left += count;
        right -= lanes - count;
    }
    left
}

/// See [`partition`].
struct Partition<'a, V: OrderedVector, const OR_EQUAL: bool> {
    isa: V::Isa,
    x: &'a mut [V::Lane],
    pivot: V::Lane,
}

impl<V: OrderedVector, const OR_EQUAL: bool> SimdKernel<V, usize> for Partition<'_, V, OR_EQUAL> {
    #[inline(always)]
    unsafe fn run(self) -> usize {
        partition_within::<V, OR_EQUAL>(self.isa, self.x, self.pivot)
    }
}

/// Moves the keys less than `pivot` to the front; if `OR_EQUAL`, also the keys equal to it. Returns their number.
fn partition<V: OrderedVector, const OR_EQUAL: bool>(
    isa: V::Isa,
    x: &mut [V::Lane],
    pivot: V::Lane,
) -> usize {
    // SAFETY: `isa` exists, so the processor has the instruction set. `Partition::run` has no other conditions.
    unsafe { V::within(Partition::<V, OR_EQUAL> { isa, x, pivot }) }
}

/// Partitions `x`, which must have more than [`max_small`] keys. Returns `(less, end)`: keys `..less` are less than the pivot, keys
/// `less..end` are equal to it, and keys `end..` are not less than it; some of them may be equal to it, too. If `CHUNKED`, uses
/// [`chunks::partition`] for [`PARALLEL_PARTITION_LEN`] keys or more.
fn split<V: OrderedVector, const CHUNKED: bool>(
    isa: V::Isa,
    x: &mut [V::Lane],
    state: &mut u64,
    rank: f64,
) -> (usize, usize) {
    let (pivot, repeated) = pivot::choose::<V>(isa, x, state, rank);
    let chunked = |x: &[V::Lane]| CHUNKED && x.len() >= PARALLEL_PARTITION_LEN;
    let less = if chunked(x) {
        chunks::partition(x, &|x| partition::<V, false>(isa, x, pivot))
    } else {
        partition::<V, false>(isa, x, pivot)
    };
    if !(repeated || less == 0) || x.len() - less < 2 * step::<V>() * V::LANES {
        return (less, less);
    }
    let others = &mut x[less..];
    let equal = if chunked(others) {
        chunks::partition(others, &|x| partition::<V, true>(isa, x, pivot))
    } else {
        partition::<V, true>(isa, others, pivot)
    };
    (less, less + equal)
}

fn quick<V: OrderedVector>(isa: V::Isa, mut x: &mut [V::Lane], state: &mut u64, mut splits: u32) {
    while x.len() > max_small::<V>() {
        if splits == 0 {
            // Many pivots were bad. The sort without SIMD takes O(n log n) in the worst case, which bounds the time.
            return comparison::sort(x);
        }
        splits -= 1;
        let (less, end) = split::<V, false>(isa, x, state, 0.5);
        // Both parts are shorter than `x`. The low part does not contain the pivot. If it is empty, `split` has partitioned by <=, so
        // the high part does not contain the pivot either.
        let (low, high) = x.split_at_mut(end);
        let low = &mut low[..less];
        if low.len() < high.len() {
            quick::<V>(isa, low, state, splits);
            x = high;
        } else {
            quick::<V>(isa, high, state, splits);
            x = low;
        }
    }
    sort_small::<V>(isa, x);
}

fn quick_parallel<V: OrderedVector>(isa: V::Isa, x: &mut [V::Lane], mut state: u64, splits: u32) {
    if x.len() < PARALLEL_SORT_LEN || splits == 0 {
        return quick::<V>(isa, x, &mut state, splits);
    }
    let (less, end) = split::<V, true>(isa, x, &mut state, 0.5);
    let (low, high) = x.split_at_mut(end);
    join(
        || quick_parallel::<V>(isa, &mut low[..less], state, splits - 1),
        || quick_parallel::<V>(isa, high, !state, splits - 1),
    );
}

/// Returns the number of nested partitions after which the pivots are considered bad.
fn max_splits(n: usize) -> u32 {
    2 * (usize::BITS - n.leading_zeros()) + 4
}

/// Returns `true` if the keys are sorted or strictly decreasing. Reverses decreasing keys, so they are sorted then.
fn sort_monotonic<T: PartialOrd>(x: &mut [T]) -> bool {
    if x.is_sorted() {
        return true;
    }
    let falls = x.is_sorted_by(|a, b| a > b);
    if falls {
        x.reverse();
    }
    falls
}

/// Sorts keys, none of which is NaN. The signs of zeros can change.
pub(super) fn sort<V: OrderedVector>(isa: V::Isa, x: &mut [V::Lane]) {
    if x.len() > max_small::<V>() && sort_monotonic(x) {
        return;
    }
    if x.len() >= PARALLEL_SORT_LEN && threads() > 1 {
        quick_parallel::<V>(isa, x, SEED, max_splits(x.len()));
    } else {
        quick::<V>(isa, x, &mut { SEED }, max_splits(x.len()));
    }
}

/// Moves the key that sorting would put at index `k` to this index. No key before it is then greater, and no key after it is less. The
/// arrangement of the keys does not depend on the number of threads.
pub(super) fn select<V: OrderedVector>(isa: V::Isa, mut x: &mut [V::Lane], mut k: usize) {
    let (mut state, mut splits) = (SEED, max_splits(x.len()));
    while x.len() > max_small::<V>() && splits > 0 {
        splits -= 1;
        // `rank` is the relative rank of the wanted key, and `aim` that of the pivot: slightly farther from the nearer end of the slice. So
        // the wanted key is probably in the part between this end and the pivot.
        let rank = k as f64 / x.len() as f64;
        let aim = if rank < 0.5 { rank + 0.06 } else { rank - 0.06 };
        let (less, end) = split::<V, true>(isa, x, &mut state, aim.clamp(0.02, 0.98));
        if k < less {
            x = &mut x[..less];
        } else if k < end {
            return;
        } else {
            x = &mut x[end..];
            k -= end;
        }
    }
    quick::<V>(isa, x, &mut state, splits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::avx2::I64x4;
    use crate::simd::avx512::I64x8;
    use crate::simd::vector::Isa;

    #[test]
    fn bad_pivots_end_in_a_sort_by_comparison() {
        fn check<V: OrderedVector<Lane = i64>>() {
            let Some(isa) = V::Isa::new() else { return };
            for splits in 0..4 {
                let mut x: Vec<i64> = (0..3000).map(|i| i * 7919 % 3001).collect();
                let mut expected = x.clone();
                expected.sort();
                quick::<V>(isa, &mut x, &mut { SEED }, splits);
                assert_eq!(x, expected);
            }
        }
        check::<I64x4>();
        check::<I64x8>();
    }
}
