//! Reductions as values: identity, fold, combine, finish.

use super::unary::{larger, smaller};
use crate::device::Reduction;
use crate::element::{CastTo, Inexact, RealFloat, RealScalar, Scalar};
use num_traits::{Float, One, Zero};

/// The sum, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum;

impl<T: Scalar> Reduction<T> for Sum {
    type Acc = T::Accumulator;
    type Output = T;
    const NAME: &'static str = "sum";
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
    fn finish(&self, acc: T::Accumulator, _: usize) -> Option<T> {
        let (sum, fits) = T::narrow(acc);
        (fits || !cfg!(debug_assertions)).then_some(sum)
    }
}

/// A product so far: whether it overflowed, and whether an integer factor was zero.
#[derive(Debug, Clone, Copy)]
pub struct Product<A> {
    value: A,
    overflowed: bool,
    zero: bool,
}

/// The product, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prod;

impl<T: Scalar> Reduction<T> for Prod {
    type Acc = Product<T::Accumulator>;
    type Output = T;
    const NAME: &'static str = "product";
    fn identity(&self) -> Self::Acc {
        Product { value: T::one().widen(), overflowed: false, zero: false }
    }
    #[inline]
    fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
        let (value, overflowed) = T::acc_mul(acc.value, x.widen());
        Product {
            value,
            overflowed: acc.overflowed || overflowed,
            zero: acc.zero || (T::INTEGER && x.is_zero()),
        }
    }
    #[inline]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        let (value, overflowed) = T::acc_mul(a.value, b.value);
        Product { value, overflowed: a.overflowed || b.overflowed || overflowed, zero: a.zero || b.zero }
    }
    fn finish(&self, acc: Self::Acc, _: usize) -> Option<T> {
        let (product, fits) = T::narrow(acc.value);
        // A factor of zero makes up for every overflow.
        (acc.zero || (fits && !acc.overflowed) || !cfg!(debug_assertions)).then_some(product)
    }
}

/// The arithmetic mean, as a reduction. Integers are summed exactly and divided as `f64`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean;

impl<T: Scalar> Reduction<T> for Mean {
    type Acc = T::Accumulator;
    type Output = T::Float;
    const NAME: &'static str = "mean";
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
    fn finish(&self, acc: T::Accumulator, count: usize) -> Option<T::Float> {
        Some(T::acc_to_float(acc).unscale(T::Magnitude::from_usize(count)))
    }
}

/// Count, mean and sum of squared distances to it, updated as Welford (Technometrics 4, 1962) and combined as Chan, Golub
/// and LeVeque (Am. Stat. 37, 1983) do: stable in one pass.
#[derive(Debug, Clone, Copy)]
pub struct Moments<F: Scalar> {
    count: F::Magnitude,
    mean: F,
    squares: F::Magnitude,
}

impl<F: Inexact> Moments<F> {
    const fn of_nothing(zero: F, real_zero: F::Magnitude) -> Self {
        Moments { count: real_zero, mean: zero, squares: real_zero }
    }

    #[inline]
    fn with(self, x: F) -> Self {
        let count = self.count + F::Magnitude::one();
        let before = x - self.mean;
        let mean = self.mean + before.unscale(count);
        let squares = self.squares + before.dot_re(x - mean);
        Moments { count, mean, squares }
    }

    fn joined(self, other: Self) -> Self {
        if self.count.is_zero() {
            return other;
        }
        if other.count.is_zero() {
            return self;
        }
        let count = self.count + other.count;
        let apart = other.mean - self.mean;
        let share = other.count / count;
        Moments {
            count,
            mean: self.mean + apart * F::from_magnitude(share),
            squares: self.squares + other.squares + apart.dot_re(apart) * self.count * share,
        }
    }

    /// NaN where `ddof` leaves nothing to divide by.
    fn variance(self, ddof: usize) -> F::Magnitude {
        let divisor = self.count - F::Magnitude::from_usize(ddof);
        if divisor > F::Magnitude::zero() { self.squares / divisor } else { F::Magnitude::nan() }
    }
}

/// The variance, as a reduction: `Σ|x − mean|² / (n − ddof)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Var {
    /// What the divisor lacks of the number of elements.
    pub ddof: usize,
}

/// The standard deviation, as a reduction: the square root of the variance.
#[derive(Debug, Clone, Copy, Default)]
pub struct Std {
    /// What the divisor lacks of the number of elements.
    pub ddof: usize,
}

macro_rules! moments {
    ($($Op:ident, $name:literal, |$variance:ident| $finish:expr;)*) => {$(
        impl<T: Scalar> Reduction<T> for $Op {
            type Acc = Moments<T::Float>;
            type Output = T::Magnitude;
            const NAME: &'static str = $name;
            fn identity(&self) -> Self::Acc {
                Moments::of_nothing(T::Float::zero(), T::Magnitude::zero())
            }
            #[inline]
            fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
                acc.with(x.cast_to())
            }
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                a.joined(b)
            }
            fn finish(&self, acc: Self::Acc, _: usize) -> Option<T::Magnitude> {
                let $variance = acc.variance(self.ddof);
                Some($finish)
            }
        }
    )*};
}
moments! {
    Var, "variance", |variance| variance;
    Std, "standard deviation", |variance| Float::sqrt(variance);
}

/// The Euclidean norm, as a reduction, without overflow or underflow in between: tiny, ordinary and huge parts are squared
/// in scales of their own (Blue, ACM TOMS 4, 1978; Anderson, ACM TOMS 44, 2017, as in LAPACK 3.10).
#[derive(Debug, Clone, Copy)]
pub struct Norm<M> {
    tiny: M,
    huge: M,
    scale_up: M,
    scale_down: M,
}

impl<M: RealFloat> Default for Norm<M> {
    fn default() -> Self {
        let two = |n: i32| Float::powi(M::one() + M::one(), n);
        // The exponents follow from the precision and the range of the type.
        let [tiny, huge, up, down] =
            if size_of::<M>() == 4 { [-63, 52, 75, -76] } else { [-511, 486, 537, -538] };
        Norm { tiny: two(tiny), huge: two(huge), scale_up: two(up), scale_down: two(down) }
    }
}

impl<M: RealFloat> Norm<M> {
    #[inline]
    fn add(&self, [small, medium, big]: [M; 3], x: M) -> [M; 3] {
        let x = Float::abs(x);
        let (up, down) = (x * self.scale_up, x * self.scale_down);
        if x > self.huge {
            [small, medium, big + down * down]
        } else if x < self.tiny {
            [small + up * up, medium, big]
        } else {
            [small, medium + x * x, big]
        }
    }

    fn root(&self, [small, medium, big]: [M; 3]) -> M {
        let zero = M::zero();
        // NaN lands in the middle; it counts wherever the middle is looked at.
        let has_medium = medium > zero || Float::is_nan(medium);
        if big > zero {
            let medium = if has_medium { (medium * self.scale_down) * self.scale_down } else { zero };
            Float::sqrt(big + medium) / self.scale_down
        } else if small > zero {
            let (small, medium) = (Float::sqrt(small) / self.scale_up, Float::sqrt(medium));
            if has_medium { Float::hypot(small, medium) } else { small }
        } else {
            Float::sqrt(medium)
        }
    }
}

impl<T: Scalar> Reduction<T> for Norm<T::Magnitude> {
    type Acc = [T::Magnitude; 3];
    type Output = T::Magnitude;
    const NAME: &'static str = "norm";
    fn identity(&self) -> Self::Acc {
        [T::Magnitude::zero(); 3]
    }
    #[inline]
    fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
        let acc = self.add(acc, x.re().cast_to());
        if T::COMPLEX { self.add(acc, x.im().cast_to()) } else { acc }
    }
    #[inline]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
    }
    fn finish(&self, acc: Self::Acc, _: usize) -> Option<T::Magnitude> {
        Some(self.root(acc))
    }
}

macro_rules! extremes {
    ($($Op:ident, $name:literal, $start:ident, $pick:ident, $doc:literal;)*) => {$(
        #[doc = concat!($doc, ", as a reduction. NaN if there is one.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: RealScalar> Reduction<T> for $Op {
            type Acc = T;
            type Output = T;
            const NAME: &'static str = $name;
            const OF_NOTHING: bool = false;
            fn identity(&self) -> T {
                T::$start
            }
            #[inline]
            fn fold(&self, acc: T, x: T, _: usize) -> T {
                $pick(acc, x)
            }
            #[inline]
            fn combine(&self, a: T, b: T) -> T {
                $pick(a, b)
            }
            fn finish(&self, acc: T, count: usize) -> Option<T> {
                (count > 0).then_some(acc)
            }
        }
    )*};
}
extremes! {
    Max, "maximum", LOWEST, larger, "The largest element";
    Min, "minimum", HIGHEST, smaller, "The smallest element";
}

macro_rules! positions {
    ($($Op:ident, $name:literal, $beats:tt, $doc:literal;)*) => {$(
        #[doc = concat!("Where the ", $doc, " element is, as a reduction: the first one, or the first NaN if there is one.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: RealScalar> Reduction<T> for $Op {
            type Acc = Option<(T, usize)>;
            type Output = i64;
            const NAME: &'static str = $name;
            const ORDERED: bool = true;
            const OF_NOTHING: bool = false;
            fn identity(&self) -> Self::Acc {
                None
            }
            #[inline]
            fn fold(&self, acc: Self::Acc, x: T, index: usize) -> Self::Acc {
                self.combine_of::<T>(acc, Some((x, index)))
            }
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                self.combine_of::<T>(a, b)
            }
            fn finish(&self, acc: Self::Acc, _: usize) -> Option<i64> {
                acc.and_then(|(_, index)| i64::try_from(index).ok())
            }
        }

        impl $Op {
            /// The earlier one, unless the later one is better.
            #[inline]
            #[allow(clippy::eq_op, reason = "only NaN differs from itself")]
            fn combine_of<T: RealScalar>(
                &self,
                early: Option<(T, usize)>,
                late: Option<(T, usize)>,
            ) -> Option<(T, usize)> {
                match (early, late) {
                    (Some((a, _)), Some((b, _))) if b $beats a || (b != b && a == a) => late,
                    (Some(_), _) => early,
                    (None, _) => late,
                }
            }
        }
    )*};
}
positions! {
    ArgMax, "position of the maximum", >, "largest";
    ArgMin, "position of the minimum", <, "smallest";
}

/// Whether all elements are `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct All;
/// Whether an element is `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Any;

macro_rules! quantifiers {
    ($($Op:ident, $name:literal, $neutral:literal, $combine:tt;)*) => {$(
        impl Reduction<bool> for $Op {
            type Acc = bool;
            type Output = bool;
            const NAME: &'static str = $name;
            fn identity(&self) -> bool {
                $neutral
            }
            fn fold(&self, acc: bool, x: bool, _: usize) -> bool {
                acc $combine x
            }
            fn combine(&self, a: bool, b: bool) -> bool {
                a $combine b
            }
            fn finish(&self, acc: bool, _: usize) -> Option<bool> {
                Some(acc)
            }
        }
    )*};
}
quantifiers! {
    All, "conjunction", true, &;
    Any, "disjunction", false, |;
}

/// How many elements are `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count;

impl Reduction<bool> for Count {
    type Acc = usize;
    type Output = i64;
    const NAME: &'static str = "count";
    fn identity(&self) -> usize {
        0
    }
    fn fold(&self, acc: usize, x: bool, _: usize) -> usize {
        acc + usize::from(x)
    }
    fn combine(&self, a: usize, b: usize) -> usize {
        a + b
    }
    fn finish(&self, acc: usize, _: usize) -> Option<i64> {
        i64::try_from(acc).ok()
    }
}
