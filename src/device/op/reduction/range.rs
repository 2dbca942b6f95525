//! The difference between the maximum and the minimum, for the method `ptp`.

use super::extremes::extreme;
use crate::device::op::binary::{larger, smaller};
use crate::device::{CudaSource, Reduction, Scalars};
use crate::element::{Arithmetic, RealScalar};

/// The difference between the largest and the smallest element, as a reduction. NaN if an element is NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct PeakToPeak;

impl<T: RealScalar> Reduction<T> for PeakToPeak {
    /// The largest and the smallest element so far.
    type Acc = (T, T);
    type Output = T;
    const NAME: &'static str = "range";
    const DEFINED_ON_EMPTY: bool = false;
    const FALLIBLE: bool = T::INTEGER && cfg!(debug_assertions);
    const CUDA: CudaSource = CudaSource::builtin(if cfg!(debug_assertions) {
        "
        struct Acc { T high, low; };
        DEV Acc identity() const { return {lowest, highest}; }
        DEV Acc fold(Acc acc, T x, u64) const { return combine(acc, {x, x}); }
        DEV Acc combine(Acc a, Acc b) const { return {larger(a.high, b.high), smaller(a.low, b.low)}; }
        DEV bool finish(Acc acc, u64, R &result) const {
            result = wrapping_sub(acc.high, acc.low);
            return !INTEGER<T> || fits_sub(acc.high, acc.low);
        }"
    } else {
        "
        struct Acc { T high, low; };
        DEV Acc identity() const { return {lowest, highest}; }
        DEV Acc fold(Acc acc, T x, u64) const { return combine(acc, {x, x}); }
        DEV Acc combine(Acc a, Acc b) const { return {larger(a.high, b.high), smaller(a.low, b.low)}; }
        DEV bool finish(Acc acc, u64, R &result) const {
            result = wrapping_sub(acc.high, acc.low);
            return true;
        }"
    });
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("lowest", T::LOWEST);
        bind.scalar("highest", T::HIGHEST);
    }
    fn identity(&self) -> (T, T) {
        (T::LOWEST, T::HIGHEST)
    }
    #[inline]
    fn fold(&self, (high, low): (T, T), x: T, _: usize) -> (T, T) {
        (larger(high, x), smaller(low, x))
    }
    #[inline]
    fn combine(&self, a: (T, T), b: (T, T)) -> (T, T) {
        (larger(a.0, b.0), smaller(a.1, b.1))
    }
    fn finish(&self, (high, low): (T, T), count: usize) -> Option<T> {
        let fits = !cfg!(debug_assertions) || !T::INTEGER || T::fits(Arithmetic::Sub, high, low);
        (count > 0 && fits).then(|| T::wrapping(Arithmetic::Sub, high, low))
    }
    const HAS_FOLD_BLOCK: bool = true;
    #[inline(always)]
    fn fold_block(&self, (high, low): (T, T), elements: &[T], _: usize) -> (T, T) {
        let (most, least) =
            (extreme(elements, T::LOWEST, |x, y| x > y), extreme(elements, T::HIGHEST, |x, y| x < y));
        (larger(high, most), smaller(low, least))
    }
}
