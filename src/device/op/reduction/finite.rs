//! Whether all elements are finite.

use crate::device::{CudaSource, Reduction};
use crate::element::Inexact;

/// Whether no element is infinite or NaN, as a reduction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AllFinite;

impl<T: Inexact> Reduction<T> for AllFinite {
    type Acc = bool;
    type Output = bool;
    const NAME: &'static str = "all finite";
    const FALLIBLE: bool = false;
    const CUDA: CudaSource = CudaSource::builtin(
        "
        typedef bool Acc;
        DEV Acc identity() const { return true; }
        DEV Acc fold(Acc acc, T x, u64) const { return acc && is_finite(x); }
        DEV Acc combine(Acc a, Acc b) const { return a && b; }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }",
    );
    fn identity(&self) -> bool {
        true
    }
    #[inline]
    fn fold(&self, acc: bool, x: T, _: usize) -> bool {
        acc & x.all_finite()
    }
    #[inline]
    fn combine(&self, a: bool, b: bool) -> bool {
        a & b
    }
    fn finish(&self, acc: bool, _: usize) -> Option<bool> {
        Some(acc)
    }
}
