//! Chooses the pivots of a quicksort and of a selection.
//!
//! A pivot is a key of a sample, which a network sorts. Branches that depend on the keys would be hard to predict for keys that the
//! processor has not sorted before: with medians of nine keys found by scalar comparisons, sorting 1000 and 20,000 such `i64` takes 1.15
//! and 1.1 times as long (Zen 5, AVX-512).

use super::network::{max_small, sort_columns, sort_lanes};
use super::vector::{Isa, Lane, MAX_LANES, Vector};

/// Initial state of the random number generator that chooses the large samples. It is constant, so that the running time does not vary
/// between runs.
pub(super) const SEED: u64 = 0x853c_49e6_748f_ea9b;
/// Number of keys in a large sample.
const LARGE: usize = 64;
/// Minimum number of keys for which a median is estimated from a large sample. Other quantiles are always estimated from a large sample.
const LARGE_MIN: usize = 2048;
/// Number of registers of keys in a small sample.
const ROWS: usize = 5;
/// Number of keys that a slice should have for [`sort_small`](super::network::sort_small), in percent of the maximum. It leaves room for
/// the error of the pivots.
const FILL: usize = 85;

/// Estimates a quantile from [`ROWS`] registers of keys, at regular distances in `x`. Each lane has an estimate of its own: its key number
/// `row`. Returns the estimates in sorted order, and then unspecified keys.
#[inline(always)]
pub(super) fn estimates<I: Isa, T: Lane<I>>(token: I, x: &[T], row: usize) -> [T; MAX_LANES] {
    let step = (x.len() - T::Register::LANES) / (ROWS - 1);
    // A loop and not `array::from_fn`, because a closure would be compiled without the vector instructions of `I`.
    let mut rows = [T::Register::splat(token, T::HIGHEST); ROWS];
    for (i, v) in rows.iter_mut().enumerate() {
        *v = T::Register::load(token, &x[i * step..]);
    }
    sort_columns(&mut rows);
    let mut sorted = [T::HIGHEST; MAX_LANES];
    sort_lanes(rows[row]).store(&mut sorted);
    sorted
}

/// Returns an estimate of the median of a short slice, and whether several estimates are equal to it.
///
/// If the slice should be split into 3 or 5 slices for `sort_small`, returns an estimate of the quantile 1/3 or 2/5 instead, so that
/// these become equally long.
fn of_short<I: Isa, T: Lane<I>>(token: I, x: &[T]) -> (T, bool) {
    // Key `row` of `ROWS` keys estimates the quantile `(row + 1) / (ROWS + 1)`: 1/3 or 1/2. A lower lane than the middle one of the
    // sorted estimates of 1/2 is near the quantile 2/5.
    let middle = T::Register::LANES / 2;
    let (row, lane) = match x.len().div_ceil(max_small::<I, T>() * FILL / 100) {
        3 => (1, middle),
        5 => (2, middle / 2),
        _ => (2, middle),
    };
    let keys = token.estimates(x, row);
    (keys[lane], keys[lane - 1] == keys[lane] && keys[lane + 1] == keys[lane])
}

/// Returns a pivot: approximately key `rank · n` of the sorted keys, where `rank` is from 0 to 1. It is estimated from a sample. For short
/// slices and a `rank` of 1/2, the pivot can have a rank from 1/3 to 1/2 (see [`of_short`]). Also returns whether the sample contains the
/// pivot several times, so that the pivot probably occurs often in `x`.
pub(super) fn choose<I: Isa, T: Lane<I>>(token: I, x: &[T], state: &mut u64, rank: f64) -> (T, bool) {
    let n = x.len();
    if n < LARGE_MIN && rank == 0.5 {
        return of_short(token, x);
    }
    let mut keys = [T::HIGHEST; LARGE];
    let runs = LARGE / 4;
    let stride = n / runs;
    for (i, keys) in keys.chunks_exact_mut(4).enumerate() {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = i * stride + (*state >> 33) as usize % (stride - 3);
        keys.copy_from_slice(&x[at..at + 4]);
    }
    token.sort_small(&mut keys);
    let m = ((LARGE as f64 * rank) as usize).clamp(1, LARGE - 2);
    (keys[m], keys[m - 1] == keys[m] && keys[m + 1] == keys[m])
}

#[cfg(test)]
mod tests {
    use super::super::avx2::Avx2;
    use super::super::avx512::Avx512;
    use super::*;

    #[test]
    fn pivots_of_short_slices_are_near_the_wanted_quantile() {
        fn check<I: Isa>(token: Option<I>)
        where
            i32: Lane<I>,
            i64: Lane<I>,
        {
            let Some(token) = token else { return };
            for n in (257..2048).step_by(31) {
                // The numbers below 2053, a prime, in a scattered order.
                let x: Vec<i64> = (1..=n).map(|i| i * 769 % 2053).collect();
                let few: Vec<i32> = x.iter().map(|&x| x as i32).collect();
                let ranks = [of_short(token, &x).0, i64::from(of_short(token, &few).0)]
                    .map(|pivot| x.iter().filter(|&&x| x < pivot).count() as f64 / n as f64);
                let wanted = [max_small::<I, i64>(), max_small::<I, i32>()].map(|max| {
                    match (n as usize).div_ceil(max * FILL / 100) {
                        3 => 1.0 / 3.0,
                        5 => 0.4,
                        _ => 0.5,
                    }
                });
                for (rank, wanted) in ranks.into_iter().zip(wanted) {
                    assert!((rank - wanted).abs() < 0.25, "rank {rank} instead of {wanted}, {n} keys");
                }
                assert_eq!(of_short(token, &vec![7_i64; n as usize]), (7, true));
                assert!(!of_short(token, &x).1);
            }
        }
        check(Avx2::get());
        check(Avx512::get());
    }
}
