//! Reductions that skip NaN.

use super::extremes::Best;
use super::rescale;
use crate::device::{CudaSource, Reduction, Scalars};
use crate::element::{Arithmetic, Inexact, RealFloat, Scalar};

/// The sum of the elements that are not NaN, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct NanSum;

impl<T: Inexact> Reduction<T> for NanSum {
    type Acc = T;
    type Output = T;
    const NAME: &'static str = "sum without NaN";
    const FALLIBLE: bool = false;
    const CUDA: CudaSource = CudaSource::builtin(
        "
        typedef T Acc;
        DEV Acc identity() const { return Acc(); }
        DEV Acc fold(Acc acc, T x, u64) const { return is_nan(x) ? acc : acc + x; }
        DEV Acc combine(Acc a, Acc b) const { return a + b; }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }",
    );
    fn identity(&self) -> T {
        T::zero()
    }
    #[inline]
    fn fold(&self, acc: T, x: T, _: usize) -> T {
        acc + if x.has_nan() { T::zero() } else { x }
    }
    #[inline]
    fn combine(&self, a: T, b: T) -> T {
        a + b
    }
    fn finish(&self, acc: T, _: usize) -> Option<T> {
        Some(acc)
    }
}

/// The product of the elements that are not NaN, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct NanProd;

impl<T: Inexact> Reduction<T> for NanProd {
    type Acc = T;
    type Output = T;
    const NAME: &'static str = "product without NaN";
    const FALLIBLE: bool = false;
    const CUDA: CudaSource = CudaSource::builtin(
        "
        typedef T Acc;
        DEV Acc identity() const { return Acc{1}; }
        DEV Acc fold(Acc acc, T x, u64) const { return is_nan(x) ? acc : wrapping_mul(acc, x); }
        DEV Acc combine(Acc a, Acc b) const { return wrapping_mul(a, b); }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }",
    );
    fn identity(&self) -> T {
        T::one()
    }
    #[inline]
    fn fold(&self, acc: T, x: T, _: usize) -> T {
        T::wrapping(Arithmetic::Mul, acc, if x.has_nan() { T::one() } else { x })
    }
    #[inline]
    fn combine(&self, a: T, b: T) -> T {
        T::wrapping(Arithmetic::Mul, a, b)
    }
    fn finish(&self, acc: T, _: usize) -> Option<T> {
        Some(acc)
    }
}

/// The accumulator of [`NanMean`]: a partial sum and the number of its terms.
#[derive(Debug, Clone, Copy)]
pub struct Counted<T> {
    sum: T,
    count: u64,
}

/// The arithmetic mean of the elements that are not NaN, as a reduction; NaN if there are no such elements.
#[derive(Debug, Clone, Copy, Default)]
pub struct NanMean;

impl<T: Inexact> Reduction<T> for NanMean {
    type Acc = Counted<T>;
    type Output = T;
    const NAME: &'static str = "mean without NaN";
    const FALLIBLE: bool = false;
    const CUDA: CudaSource = CudaSource::builtin(
        "
        typedef decltype(re(T())) Part;
        struct Acc { T sum, scaled; u64 count; };
        DEV Acc identity() const { return {T(), T(), 0}; }
        DEV Acc fold(Acc acc, T x, u64) const {
            if (is_nan(x)) return acc;
            return {acc.sum + x, acc.scaled + x * (Part)0x1p-64, acc.count + 1};
        }
        DEV Acc combine(Acc a, Acc b) const {
            return {a.sum + b.sum, a.scaled + b.scaled, a.count + b.count};
        }
        DEV bool finish(Acc acc, u64, R &result) const {
            bool plain = is_finite(acc.sum);
            R mean = unscale(plain ? acc.sum : acc.scaled, (Part)acc.count);
            result = plain ? mean : mean * (Part)0x1p64;
            return true;
        }",
    );
    fn identity(&self) -> Counted<T> {
        Counted { sum: T::zero(), count: 0 }
    }
    #[inline]
    fn fold(&self, acc: Counted<T>, x: T, _: usize) -> Counted<T> {
        let nan = x.has_nan();
        Counted { sum: acc.sum + if nan { T::zero() } else { x }, count: acc.count + u64::from(!nan) }
    }
    #[inline]
    fn combine(&self, a: Counted<T>, b: Counted<T>) -> Counted<T> {
        Counted { sum: a.sum + b.sum, count: a.count + b.count }
    }
    fn finish(&self, acc: Counted<T>, _: usize) -> Option<T> {
        let count = usize::try_from(acc.count).ok()?;
        Some(acc.sum.unscale(Scalar::from_usize(count)))
    }
    const RESCALES: bool = true;
    #[inline(always)]
    fn is_doubtful(&self, mean: T) -> bool {
        !mean.all_finite()
    }
    fn scale(&self, elements: impl Iterator<Item = T>) -> Option<f64> {
        rescale::scale::<T, true>(elements).map(|(by, _)| by)
    }
    fn scaled(&self, x: T, by: f64) -> T {
        rescale::scaled(x, by)
    }
    fn restored(&self, mean: T, by: f64) -> T {
        rescale::restored(mean, by)
    }
}

macro_rules! extremes {
    ($($Op:ident, $name:literal, $beats:tt, $doc:literal;)*) => {$(
        #[doc = concat!($doc, " of the elements that are not NaN, as a reduction; NaN if there are no such elements.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        // NaN is the identity: every other element replaces it.
        impl<T: RealFloat> Reduction<T> for $Op {
            type Acc = T;
            type Output = T;
            const NAME: &'static str = $name;
            const DEFINED_ON_EMPTY: bool = false;
            const FALLIBLE: bool = false;
            const CUDA: CudaSource = CudaSource::builtin(concat!("
                typedef T Acc;
                DEV Acc identity() const { T zero = 0; return zero / zero; }
                DEV Acc fold(Acc acc, T x, u64) const { return x ", stringify!($beats), " acc || acc != acc ? x : acc; }
                DEV Acc combine(Acc a, Acc b) const { return fold(a, b, 0); }
                DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }"));
            fn identity(&self) -> T {
                T::nan()
            }
            #[inline]
            fn fold(&self, acc: T, x: T, _: usize) -> T {
                if (x $beats acc) | acc.is_nan() { x } else { acc }
            }
            #[inline]
            fn combine(&self, a: T, b: T) -> T {
                if (b $beats a) | a.is_nan() { b } else { a }
            }
            fn finish(&self, acc: T, count: usize) -> Option<T> {
                (count > 0).then_some(acc)
            }
        }
    )*};
}
extremes! {
    NanMax, "maximum without NaN", >, "The largest";
    NanMin, "minimum without NaN", <, "The smallest";
}

macro_rules! positions {
    ($($Op:ident, $name:literal, $beats:tt, $doc:literal;)*) => {$(
        #[doc = concat!("The index of the first ", $doc, ", ignoring NaN, as a reduction; undefined if all elements are NaN.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: RealFloat> Reduction<T> for $Op {
            type Acc = Best<T>;
            type Output = i64;
            const NAME: &'static str = $name;
            const USES_INDEX: bool = true;
            const DEFINED_ON_EMPTY: bool = false;
            const UNDEFINED: Option<&'static str> =
                Some("all elements along the reduced axes are NaN; replace NaN first, e.g. with `nan_to_num`");
            // Partial results are combined in any order. So `combine` keeps the smaller index if two values are equal.
            const CUDA: CudaSource = CudaSource::builtin(concat!("
                struct Acc { T value; u64 index; };
                static const u64 none = ~0ull;
                DEV Acc identity() const { return {start, none}; }
                DEV Acc fold(Acc acc, T x, u64 index) const { return is_nan(x) ? acc : combine(acc, {x, index}); }
                DEV Acc combine(Acc a, Acc b) const {
                    bool better = b.value ", stringify!($beats), " a.value;
                    return better || (b.value == a.value && b.index < a.index) ? b : a;
                }
                DEV bool finish(Acc acc, u64, R &result) const { result = (R)acc.index; return acc.index != none; }"));
            fn scalars(&self, bind: &mut Scalars) {
                bind.scalar("start", self.start::<T>());
            }
            fn identity(&self) -> Best<T> {
                Best { value: self.start::<T>(), index: usize::MAX }
            }
            #[inline]
            fn fold(&self, acc: Self::Acc, x: T, index: usize) -> Self::Acc {
                // The first element that is not NaN replaces the identity, even if it equals the identity's value, an infinity. Both
                // comparisons with NaN are false, so NaN is skipped.
                let better = (x $beats acc.value) | ((x == acc.value) & (acc.index == usize::MAX));
                if better { Best { value: x, index } } else { acc }
            }
            #[inline]
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                let better = (b.value $beats a.value) | ((b.value == a.value) & (b.index < a.index));
                if better { b } else { a }
            }
            fn finish(&self, acc: Self::Acc, _: usize) -> Option<i64> {
                // On 32-bit targets, `usize::MAX` is an `i64`, too.
                (acc.index != usize::MAX).then_some(acc.index as i64)
            }
        }

        impl $Op {
            /// Returns the value of the identity: the infinity that every other number replaces.
            fn start<T: RealFloat>(&self) -> T {
                if T::infinity() $beats T::neg_infinity() { T::neg_infinity() } else { T::infinity() }
            }
        }
    )*};
}
positions! {
    NanArgMax, "index of the maximum without NaN", >, "maximum";
    NanArgMin, "index of the minimum without NaN", <, "minimum";
}
