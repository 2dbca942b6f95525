//! The accumulators of sums of products, and their arithmetic: the trait [`Sums`]. Modules `unchecked` and `integers` implement it.

use super::finish::Finish;
use super::zipped::Rows;
use crate::device::cpu::HostPtr;
use crate::element::Scalar;

/// Number of products that one accumulator adds before it is combined with another.
pub(super) const CHAIN_LEN: usize = 32;

/// The types of accumulators, and their arithmetic.
pub(super) trait Sums<T: Scalar> {
    /// The sum of at most [`CHAIN_LEN`] products. It may be narrower than `Sum`, so that more lanes fit in a register.
    type Lane: Copy;
    type Sum: Copy + Send + Sync;
    /// Maximum number of terms of a sum that never overflows. Broadcast operands can have more terms.
    const MAX_TERMS: u64 = u64::MAX;
    fn zero() -> Self::Lane;
    fn product(x: T, y: T) -> Self::Lane;
    /// Returns `sum + x · y`.
    fn add(sum: Self::Lane, x: T, y: T) -> Self::Lane;
    fn widen(lane: Self::Lane) -> Self::Sum;
    fn merge(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Sums the products `from..to` in `LANES` accumulators: product `from + i` in accumulator `i % LANES`. `LANES` divides `to - from`, and
    /// there are at most [`CHAIN_LEN`] products for each accumulator. `pair(i)` has the factors of product `i`.
    #[inline(always)]
    fn lanes<const LANES: usize>(
        from: usize,
        to: usize,
        pair: impl Fn(usize) -> (T, T),
    ) -> [Self::Sum; LANES] {
        let mut sums = [Self::zero(); LANES];
        for i in (from..to).step_by(LANES) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (x, y) = pair(i + lane);
                *sum = Self::add(*sum, x, y);
            }
        }
        let mut wide = [Self::widen(Self::zero()); LANES];
        for lane in 0..LANES {
            wide[lane] = Self::widen(sums[lane]);
        }
        wide
    }
    /// Returns the sum of `n <= LANES * CHAIN_LEN` products as four partial sums. `pair(i)` has the factors of product `i`.
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [Self::Sum; 4] {
        let (whole, fours) = (n - n % LANES, n - n % 4);
        let mut many = Self::lanes::<LANES>(0, whole, &pair);
        let four = Self::lanes::<4>(whole, fours, &pair);
        let [one] = Self::lanes::<1>(fours, n, &pair);
        let mut width = LANES;
        while width > 4 {
            width /= 2;
            for lane in 0..width {
                many[lane] = Self::merge(many[lane], many[lane + width]);
            }
        }
        let mut sums = four;
        for lane in 0..4 {
            sums[lane] = Self::merge(many[lane], four[lane]);
        }
        sums[0] = Self::merge(sums[0], one);
        sums
    }
    /// Adds `count` products to a sum, at most [`CHAIN_LEN`]. `pair(k)` has the factors of the product `k`.
    #[inline(always)]
    fn add_some(sum: Self::Sum, count: usize, pair: impl Fn(usize) -> (T, T)) -> Self::Sum {
        let mut lane = Self::zero();
        // A loop over indices, because an array iterator would be compiled again for each kernel.
        let mut k = 0;
        while k < count {
            let (x, y) = pair(k);
            lane = Self::add(lane, x, y);
            k += 1;
        }
        Self::merge(sum, Self::widen(lane))
    }
    /// Adds the products of `count` rows to sums.
    ///
    /// # Safety
    /// The caller must ensure that `count` rows of `sums.len()` elements are readable.
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize);
    /// Returns the result to write, and `false` if an integer overflowed. `old` is the previous value, or `None` if it is not
    /// read.
    fn finish(sum: Self::Sum, finishing: &Finish<T>, old: Option<T>) -> (T, bool);
    /// Computes the result for a sum and writes it to `to`. Returns `false` if an integer overflowed.
    ///
    /// # Safety
    /// The caller must ensure that `to` is an element of the output, and exclusive access to it.
    #[inline(always)]
    unsafe fn put(sum: Self::Sum, finishing: &Finish<T>, to: HostPtr<T>) -> bool {
        // SAFETY: the caller ensures that `to` is an element of the output and that access to it is exclusive.
        let old = finishing.reads_old.then(|| unsafe { *to.get() });
        let (value, exact) = Self::finish(sum, finishing, old);
        // SAFETY: the caller ensures that `to` is an element of the output and that access to it is exclusive.
        unsafe { *to.get() = value };
        exact
    }
}
