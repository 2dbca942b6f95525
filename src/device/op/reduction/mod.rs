//! Reductions as values, each defined by its identity, fold, combine and finish functions.

mod extremes;
mod finite;
mod moments;
mod nan;
mod norm;
mod range;
pub(crate) mod rescale;
mod widened;

pub use extremes::{ArgMax, ArgMin, Best, Max, Min};
pub(crate) use finite::AllFinite;
// Other builds do not name it.
#[cfg(any(test, not(debug_assertions)))]
pub(crate) use moments::Spread;
pub use moments::{Moments, NanStd, NanVar, Std, Var};
pub use nan::{Counted, NanArgMax, NanArgMin, NanMax, NanMean, NanMin, NanProd, NanSum};
pub use norm::Norm;
pub use range::PeakToPeak;
pub use widened::{ProdAs, SumAs};

use crate::device::op::visitor::{ALWAYS, BOOL, COMPLEX, INTEGER, REAL, visit_as_common};
use crate::device::{CudaSource, Reduction};
use crate::element::lanes::{FOLD_BLOCK_BYTES, in_lanes};
use crate::element::{Inexact, Scalar, Totals, sum_of_parts};

/// The sum, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum;

// `Totals` has the accumulators. Integers of up to 32 bits are summed in 64 bits, in every build, so that an overflow is detected. Rows and
// blocks are first summed in narrow types: see `element::blocks`.

impl<T: Scalar> Reduction<T> for Sum {
    type Acc = <T::Totals as Totals<T>>::Sum;
    type Output = T;
    const NAME: &'static str = "sum";
    const FALLIBLE: bool = T::SUMS_CHECKED;
    const CUDA: CudaSource = CudaSource::builtin(if T::SUMS_CHECKED {
        "
        typedef Accumulator<T> Acc;
        DEV Acc identity() const { return Acc(); }
        DEV Acc fold(Acc acc, T x, u64) const { return wrapping_add(acc, (Acc)x); }
        DEV Acc combine(Acc a, Acc b) const { return wrapping_add(a, b); }
        DEV bool finish(Acc acc, u64, R &result) const { return narrow<R>(acc, result); }"
    } else {
        "
        typedef T Acc;
        DEV Acc identity() const { return Acc(); }
        DEV Acc fold(Acc acc, T x, u64) const { return wrapping_add(acc, x); }
        DEV Acc combine(Acc a, Acc b) const { return wrapping_add(a, b); }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }"
    });
    #[inline]
    fn identity(&self) -> Self::Acc {
        T::Totals::term(T::zero())
    }
    #[inline]
    fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
        T::Totals::add(acc, T::Totals::term(x))
    }
    #[inline]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        T::Totals::add(a, b)
    }
    const HAS_FOLD_BLOCK: bool = <T::Totals as Totals<T>>::HAS_BLOCKS;
    const FOLDS_MANY_ROWS: bool = <T::Totals as Totals<T>>::HAS_BLOCKS;
    #[inline(always)]
    fn fold_block(&self, acc: Self::Acc, elements: &[T], _: usize) -> Self::Acc {
        T::Totals::add(acc, T::Totals::sum_block(elements))
    }
    #[inline(always)]
    fn fold_many_rows(&self, accs: &mut [Self::Acc], rows: &[&[T]]) {
        T::Totals::sum_rows(accs, rows);
    }
    #[inline]
    fn finish(&self, acc: Self::Acc, count: usize) -> Option<T> {
        let (sum, fits) = T::Totals::sum(acc);
        (fits && count as u64 <= T::Totals::MAX_TERMS).then_some(sum)
    }
    visit_as_common!(T, REAL | COMPLEX | INTEGER | ALWAYS);
}

/// The product, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prod;

impl<T: Scalar> Reduction<T> for Prod {
    type Acc = <T::Totals as Totals<T>>::Product;
    type Output = T;
    const NAME: &'static str = "product";
    const FALLIBLE: bool = T::SUMS_CHECKED;
    const CUDA: CudaSource = CudaSource::builtin(match (T::SUMS_CHECKED, size_of::<T>()) {
        (false, _) => {
            "
            typedef T Acc;
            DEV Acc identity() const { return Acc{1}; }
            DEV Acc fold(Acc acc, T x, u64) const { return wrapping_mul(acc, x); }
            DEV Acc combine(Acc a, Acc b) const { return wrapping_mul(a, b); }
            DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }"
        }
        // As on the host, the product is an `f64`, and NaN stands for zero.
        (true, ..8) => {
            "
            typedef f64 Acc;
            DEV Acc identity() const { return 1; }
            DEV Acc fold(Acc acc, T x, u64) const { return acc * (f64)x; }
            DEV Acc combine(Acc a, Acc b) const { return a * b; }
            DEV bool finish(Acc acc, u64, R &result) const {
                result = saturated<R>(acc);
                return acc != acc || (f64)result == acc;
            }"
        }
        (true, _) => {
            "
            typedef Accumulator<T> Wide;
            struct Acc { Wide value; bool overflowed, zero; };
            DEV Acc identity() const { return {Wide{1}, false, false}; }
            DEV Acc combine(Acc a, Acc b) const {
                Acc to;
                bool beyond = checked_mul(a.value, b.value, to.value);
                to.overflowed = a.overflowed || b.overflowed || beyond;
                to.zero = a.zero || b.zero;
                return to;
            }
            DEV Acc fold(Acc acc, T x, u64) const { return combine(acc, {(Wide)x, false, x == T()}); }
            DEV bool finish(Acc acc, u64, R &result) const {
                bool fits = narrow<R>(acc.value, result);
                if (acc.zero) result = R();
                return acc.zero || (fits && !acc.overflowed);
            }"
        }
    });
    #[inline]
    fn identity(&self) -> Self::Acc {
        T::Totals::factor(T::one())
    }
    #[inline]
    fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
        T::Totals::multiply(acc, T::Totals::factor(x))
    }
    #[inline]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        T::Totals::multiply(a, b)
    }
    const HAS_FOLD_BLOCK: bool = <T::Totals as Totals<T>>::HAS_BLOCKS;
    #[inline(always)]
    fn fold_block(&self, acc: Self::Acc, elements: &[T], _: usize) -> Self::Acc {
        T::Totals::multiply_block(acc, elements)
    }
    #[inline]
    fn finish(&self, acc: Self::Acc, _: usize) -> Option<T> {
        let (product, fits) = T::Totals::product(acc);
        fits.then_some(product)
    }
    visit_as_common!(T, REAL);
}

/// The arithmetic mean, as a reduction. Integers are summed exactly and divided as `f64`. The mean of finite numbers is finite, even if their
/// sum is not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean;

impl<T: Scalar> Reduction<T> for Mean {
    type Acc = T::Accumulator;
    type Output = T::Float;
    const NAME: &'static str = "mean";
    const FALLIBLE: bool = false;
    // A device does not read the elements again. So it also sums the elements divided by 2^64.
    const CUDA: CudaSource = CudaSource::builtin(if T::INTEGER {
        "
        typedef Accumulator<T> Acc;
        DEV Acc identity() const { return Acc(); }
        DEV Acc fold(Acc acc, T x, u64) const { return wrapping_add(acc, (Acc)x); }
        DEV Acc combine(Acc a, Acc b) const { return wrapping_add(a, b); }
        DEV bool finish(Acc acc, u64 count, R &result) const {
            result = unscale((R)acc, (decltype(re(R())))count);
            return true;
        }"
    } else {
        "
        typedef decltype(re(T())) Part;
        struct Acc { T sum, scaled; };
        DEV Acc identity() const { return {T(), T()}; }
        DEV Acc fold(Acc acc, T x, u64) const { return {acc.sum + x, acc.scaled + x * (Part)0x1p-64}; }
        DEV Acc combine(Acc a, Acc b) const { return {a.sum + b.sum, a.scaled + b.scaled}; }
        DEV bool finish(Acc acc, u64 count, R &result) const {
            bool plain = is_finite(acc.sum);
            R mean = unscale(plain ? acc.sum : acc.scaled, (Part)count);
            result = plain ? mean : mean * (Part)0x1p64;
            return true;
        }"
    });
    fn identity(&self) -> T::Accumulator {
        T::zero().widen()
    }
    #[inline]
    fn fold(&self, acc: T::Accumulator, x: T, _: usize) -> T::Accumulator {
        T::acc_add(acc, x.widen())
    }
    #[inline]
    fn combine(&self, a: T::Accumulator, b: T::Accumulator) -> T::Accumulator {
        T::acc_add(a, b)
    }
    // If accumulators are wider than elements, a vector register holds fewer accumulators. So `acc_sum` first sums parts of a block in
    // narrow types: see `element::blocks`. Elements of 4 bytes are added to their accumulators directly.
    const HAS_FOLD_BLOCK: bool = T::INTEGER && size_of::<T>() != 4;
    #[inline(always)]
    fn fold_block(&self, acc: T::Accumulator, elements: &[T], _: usize) -> T::Accumulator {
        T::acc_add(acc, T::acc_sum(elements))
    }
    fn finish(&self, acc: T::Accumulator, count: usize) -> Option<T::Float> {
        Some(T::acc_to_float(acc).unscale(T::Magnitude::from_usize(count)))
    }
    const RESCALES: bool = !T::INTEGER;
    #[inline(always)]
    fn is_doubtful(&self, mean: T::Float) -> bool {
        !mean.all_finite()
    }
    fn scale(&self, elements: impl Iterator<Item = T>) -> Option<f64> {
        rescale::scale::<T, false>(elements).map(|(by, _)| by)
    }
    fn scaled(&self, x: T, by: f64) -> T {
        rescale::scaled(x, by)
    }
    fn restored(&self, mean: T::Float, by: f64) -> T::Float {
        rescale::restored(mean, by)
    }
    visit_as_common!(T, REAL);
}

/// Whether all elements are `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct All;
/// Whether at least one element is `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Any;

macro_rules! quantifiers {
    ($($Op:ident, $name:literal, $neutral:literal, $combine:tt;)*) => {$(
        impl Reduction<bool> for $Op {
            type Acc = bool;
            type Output = bool;
            const NAME: &'static str = $name;
            const FALLIBLE: bool = false;
            const CUDA: CudaSource = CudaSource::builtin(concat!("
                typedef bool Acc;
                DEV Acc identity() const { return ", $neutral, "; }
                DEV Acc fold(Acc acc, T x, u64) const { return acc ", stringify!($combine), " x; }
                DEV Acc combine(Acc a, Acc b) const { return a ", stringify!($combine), " b; }
                DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }"));
            fn identity(&self) -> bool {
                $neutral
            }
            #[inline]
            fn fold(&self, acc: bool, x: bool, _: usize) -> bool {
                acc $combine x
            }
            fn combine(&self, a: bool, b: bool) -> bool {
                a $combine b
            }
            fn finish(&self, acc: bool, _: usize) -> Option<bool> {
                Some(acc)
            }
            const HAS_FOLD_BLOCK: bool = true;
            #[inline(always)]
            fn fold_block(&self, acc: bool, elements: &[bool], _: usize) -> bool {
                let start = u8::from($neutral);
                let bytes = in_lanes(elements, FOLD_BLOCK_BYTES, start, |a, x| a $combine u8::from(x), |a, b| a $combine b);
                acc $combine (bytes != 0)
            }
            visit_as_common!(bool, BOOL);
        }
    )*};
}
quantifiers! {
    All, "all", true, &;
    Any, "any", false, |;
}

/// The number of elements that are `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count;

impl Reduction<bool> for Count {
    type Acc = usize;
    type Output = i64;
    const NAME: &'static str = "count";
    const FALLIBLE: bool = false;
    const CUDA: CudaSource = CudaSource::builtin(
        "
        typedef u64 Acc;
        DEV Acc identity() const { return 0; }
        DEV Acc fold(Acc acc, T x, u64) const { return acc + (x ? 1 : 0); }
        DEV Acc combine(Acc a, Acc b) const { return a + b; }
        DEV bool finish(Acc acc, u64, R &result) const { result = (R)acc; return true; }",
    );
    fn identity(&self) -> usize {
        0
    }
    fn fold(&self, acc: usize, x: bool, _: usize) -> usize {
        acc + usize::from(x)
    }
    const HAS_FOLD_BLOCK: bool = true;
    #[inline(always)]
    fn fold_block(&self, acc: usize, elements: &[bool], _: usize) -> usize {
        acc + sum_of_parts::<_, u8, usize>(elements, u8::from)
    }
    fn combine(&self, a: usize, b: usize) -> usize {
        a + b
    }
    fn finish(&self, acc: usize, _: usize) -> Option<i64> {
        i64::try_from(acc).ok()
    }
    visit_as_common!(bool, BOOL);
}
