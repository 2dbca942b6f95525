//! Chooses the pivots of a quicksort and of a selection.
//!
//! A pivot is a key of a sample, which a network sorts. Scalar comparisons would need branches, which are hard to predict for keys that the
//! processor has not sorted before.

use super::network::{MAX_LANES, max_small, sort_columns, sort_lanes, sort_small};
use crate::simd::vector::{OrderedVector, SimdKernel};

/// Initial state of the random number generator that chooses the large samples. It is constant, so that the running time does not vary
/// between runs.
pub(super) const SEED: u64 = 0x853c_49e6_748f_ea9b;
/// Number of keys in a large sample.
const LARGE: usize = 64;
/// Minimum number of keys for which a median is estimated from a large sample. Other quantiles are always estimated from a large sample.
const LARGE_MIN: usize = 2048;
/// Number of registers of keys in a small sample.
const ROWS: usize = 5;
/// Number of keys that a slice should have for [`sort_small`], in percent of the maximum. It leaves room for
/// the error of the pivots.
const FILL: usize = 85;

/// See [`estimates`].
struct Estimates<'a, V: OrderedVector> {
    isa: V::Isa,
    x: &'a [V::Lane],
    row: usize,
}

impl<V: OrderedVector> SimdKernel<V, [V::Lane; MAX_LANES]> for Estimates<'_, V> {
    #[inline(always)]
    unsafe fn run(self) -> [V::Lane; MAX_LANES] {
        let step = (self.x.len() - V::LANES) / (ROWS - 1);
        let mut rows = [V::filled(self.isa, V::HIGHEST); ROWS];
        for (i, v) in rows.iter_mut().enumerate() {
            *v = V::from_slice(self.isa, &self.x[i * step..]);
        }
        sort_columns(&mut rows);
        let mut sorted = [V::HIGHEST; MAX_LANES];
        sort_lanes(rows[self.row]).to_slice(&mut sorted);
        sorted
    }
}

/// Estimates a quantile from [`ROWS`] registers of keys, at regular distances in `x`. Each lane has an estimate of its own: its key number
/// `row`. Returns the estimates in sorted order, and then unspecified keys.
fn estimates<V: OrderedVector>(isa: V::Isa, x: &[V::Lane], row: usize) -> [V::Lane; MAX_LANES] {
    // SAFETY: `isa` exists, so the processor has the instruction set. `Estimates::run` has no other conditions.
    unsafe { V::within(Estimates::<V> { isa, x, row }) }
}

/// Returns an estimate of the median of a short slice, and whether several estimates are equal to it.
///
/// If the slice should be split into 3 or 5 slices for `sort_small`, returns an estimate of the quantile 1/3 or 2/5 instead, so that
/// these become equally long.
fn of_short<V: OrderedVector>(isa: V::Isa, x: &[V::Lane]) -> (V::Lane, bool) {
    // Key `row` of `ROWS` keys estimates the quantile `(row + 1) / (ROWS + 1)`: 1/3 or 1/2. A lower lane than the middle one of the
    // sorted estimates of 1/2 is near the quantile 2/5.
    let middle = V::LANES / 2;
    let (row, lane) = match x.len().div_ceil(max_small::<V>() * FILL / 100) {
        3 => (1, middle),
        5 => (2, middle / 2),
        _ => (2, middle),
    };
    let keys = estimates::<V>(isa, x, row);
    (keys[lane], keys[lane - 1] == keys[lane] && keys[lane + 1] == keys[lane])
}

/// Returns a pivot: approximately key `rank · n` of the sorted keys, where `rank` is from 0 to 1. It is estimated from a sample. For short
/// slices and a `rank` of 1/2, the pivot can have a rank from 1/3 to 1/2 (see [`of_short`]). Also returns whether the sample contains the
/// pivot several times, so that the pivot probably occurs often in `x`.
pub(super) fn choose<V: OrderedVector>(
    isa: V::Isa,
    x: &[V::Lane],
    state: &mut u64,
    rank: f64,
) -> (V::Lane, bool) {
    let n = x.len();
    if n < LARGE_MIN && rank == 0.5 {
        return of_short::<V>(isa, x);
    }
    let mut keys = [V::HIGHEST; LARGE];
    let runs = LARGE / 4;
    let stride = n / runs;
    for (i, keys) in keys.chunks_exact_mut(4).enumerate() {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = i * stride + (*state >> 33) as usize % (stride - 3);
        keys.copy_from_slice(&x[at..at + 4]);
    }
    sort_small::<V>(isa, &mut keys);
    let m = ((LARGE as f64 * rank) as usize).clamp(1, LARGE - 2);
    (keys[m], keys[m - 1] == keys[m] && keys[m + 1] == keys[m])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::avx2::{I32x8, I64x4};
    use crate::simd::avx512::{I32x16, I64x8};
    use crate::simd::vector::Isa;

    #[test]
    fn pivots_of_short_slices_are_near_the_wanted_quantile() {
        fn check<V: OrderedVector>(of: impl Fn(i64) -> V::Lane) {
            let Some(isa) = V::Isa::new() else { return };
            for n in (257..2048).step_by(31) {
                // The numbers below 2053, a prime, in a scattered order.
                let x: Vec<V::Lane> = (1..=n).map(|i| of(i * 769 % 2053)).collect();
                let (pivot, repeated) = of_short::<V>(isa, &x);
                let rank = x.iter().filter(|&&x| x < pivot).count() as f64 / n as f64;
                let wanted = match (n as usize).div_ceil(max_small::<V>() * FILL / 100) {
                    3 => 1.0 / 3.0,
                    5 => 0.4,
                    _ => 0.5,
                };
                assert!((rank - wanted).abs() < 0.25, "rank {rank} instead of {wanted}, {n} keys");
                assert!(!repeated);
                assert!(of_short::<V>(isa, &vec![of(7); n as usize]) == (of(7), true));
            }
        }
        check::<I64x4>(|x| x);
        check::<I64x8>(|x| x);
        check::<I32x8>(|x| x as i32);
        check::<I32x16>(|x| x as i32);
    }
}
