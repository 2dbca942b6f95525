//! Variance and standard deviation.

use crate::device::lanes::{halve, in_few_lanes};
use crate::device::{CudaSource, Reduction, Scalars};
use crate::element::{CastTo, Inexact, Scalar};
use num_traits::{Float, One, Zero};

/// The count of some elements, their mean, and the sum of their squared distances from the mean. Welford's update (Technometrics 4, 1962)
/// adds an element. The formula of Chan, Golub and LeVeque (Am. Stat. 37, 1983) combines two parts. Both are numerically stable, so one
/// pass over the elements suffices.
#[derive(Debug, Clone, Copy)]
pub struct Moments<F: Scalar> {
    count: F::Magnitude,
    mean: F,
    squares: F::Magnitude,
}

impl<F: Inexact> Moments<F> {
    const fn of_empty(zero: F, real_zero: F::Magnitude) -> Self {
        Moments { count: real_zero, mean: zero, squares: real_zero }
    }

    #[inline]
    fn with(self, x: F) -> Self {
        let count = self.count + F::Magnitude::one();
        let before = x - self.mean;
        let mean = self.mean + before.unscale(count);
        // The product of the differences of `x` from the old mean and from the new mean is negative only if the mean has overflowed.
        // With `abs`, the sum of squares does not become negative.
        let squares = self.squares + Float::abs(before.dot_re(x - mean));
        Moments { count, mean, squares }
    }

    #[inline]
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

    /// Returns the variance; NaN if the divisor is not positive.
    fn variance(self, ddof: usize) -> F::Magnitude {
        let divisor = self.count - F::Magnitude::from_usize(ddof);
        if divisor > F::Magnitude::zero() { self.squares / divisor } else { F::Magnitude::nan() }
    }
}

/// The variance, as a reduction: `Σ|x − mean|² / (n − ddof)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Var {
    /// Delta degrees of freedom: the divisor is the number of elements minus `ddof`.
    pub ddof: usize,
}

/// The standard deviation, as a reduction: the square root of the variance.
#[derive(Debug, Clone, Copy, Default)]
pub struct Std {
    /// Delta degrees of freedom: the divisor is the number of elements minus `ddof`.
    pub ddof: usize,
}

/// The variance of the elements that are not NaN, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct NanVar {
    /// Delta degrees of freedom: the divisor is the number of elements that are not NaN minus `ddof`.
    pub ddof: usize,
}

/// The standard deviation of the elements that are not NaN, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct NanStd {
    /// Delta degrees of freedom: the divisor is the number of elements that are not NaN minus `ddof`.
    pub ddof: usize,
}

/// Returns the moments of a block from the distances to its first element, without a division per element. With `SKIP`, the moments are
/// those of the elements that are not NaN.
///
/// If the first element is far from the mean, digits would cancel in `squares - shift`; then a second pass computes the distances from
/// the mean. If a sum overflows, the function folds the elements one by one.
#[inline(always)]
fn of_block<T: Scalar, const SKIP: bool>(elements: &[T]) -> Moments<T::Float> {
    let nothing = Moments::of_empty(T::Float::zero(), T::Magnitude::zero());
    let skipped = |x: T| SKIP && is_nan(x);
    let Some(&first) = elements.iter().find(|&&x| !skipped(x)) else { return nothing };
    let first = CastTo::<T::Float>::cast_to(first);
    let count = if SKIP { elements.iter().map(|&x| usize::from(!skipped(x))).sum() } else { elements.len() };
    let count = T::Magnitude::from_usize(count);
    let (sum, squares) = distances::<T, SKIP>(elements, first);
    let mean = first + sum.unscale(count);
    let shift = sum.dot_re(sum) / count;
    if !mean.all_finite() || !squares.is_finite() {
        let with = |m: Moments<T::Float>, x: T| if skipped(x) { m } else { m.with(x.cast_to()) };
        return in_few_lanes(elements, nothing, with, Moments::joined);
    }
    // Uses `squares - shift` if at most two bits cancel in this difference.
    let two = T::Magnitude::one() + T::Magnitude::one();
    if shift <= squares - squares / (two * two) {
        return Moments { count, mean, squares: squares - shift };
    }
    Moments { count, mean, squares: distances::<T, SKIP>(elements, mean).1 }
}

#[inline(always)]
fn is_nan<T: Scalar>(x: T) -> bool {
    CastTo::<T::Float>::cast_to(x).has_nan()
}

/// Returns the sum of the distances from a number, and the sum of their squares. With `SKIP`, the distance of a NaN is 0.
#[inline(always)]
fn distances<T: Scalar, const SKIP: bool>(elements: &[T], from: T::Float) -> (T::Float, T::Magnitude) {
    const LANES: usize = 32;
    const ROWS: usize = 8;
    let (zero, real_zero) = (T::Float::zero(), T::Magnitude::zero());
    let distance = |x: T| if SKIP && is_nan(x) { zero } else { CastTo::<T::Float>::cast_to(x) - from };
    let (mut sums, mut squares) = ([zero; LANES], [real_zero; LANES]);
    let mut tiles = elements.chunks_exact(LANES * ROWS);
    for tile in &mut tiles {
        for k in 0..LANES {
            let (mut sum, mut square) = (zero, real_zero);
            for r in 0..ROWS {
                let apart = distance(tile[r * LANES + k]);
                (sum, square) = (sum + apart, square + apart.dot_re(apart));
            }
            (sums[k], squares[k]) = (sums[k] + sum, squares[k] + square);
        }
    }
    let mut rows = tiles.remainder().chunks_exact(LANES);
    for row in &mut rows {
        for k in 0..LANES {
            let apart = distance(row[k]);
            (sums[k], squares[k]) = (sums[k] + apart, squares[k] + apart.dot_re(apart));
        }
    }
    for (k, &x) in rows.remainder().iter().enumerate() {
        let apart = distance(x);
        (sums[k], squares[k]) = (sums[k] + apart, squares[k] + apart.dot_re(apart));
    }
    (halve(sums, |a, b| a + b), halve(squares, |a, b| a + b))
}

/// Joins the moments of each column of `N` rows to the accumulator of that column, in two passes over the rows: means, then
/// squares.
#[inline(always)]
fn join_rows<T: Scalar, const N: usize>(accs: &mut [Moments<T::Float>], rows: [&[T]; N]) {
    // Enough columns that the compiler vectorises the loops instead of unrolling them.
    const COLUMNS: usize = 64;
    let n = accs.len();
    let rows = rows.map(|row| &row[..n]);
    let (zero, real_zero) = (T::Float::zero(), T::Magnitude::zero());
    let count = T::Magnitude::from_usize(N);
    let mut first = 0;
    while first + COLUMNS <= n {
        let (mut means, mut squares) = ([zero; COLUMNS], [real_zero; COLUMNS]);
        let some = rows.map(|row| &row[first..first + COLUMNS]);
        for k in 0..COLUMNS {
            let at = |r: usize| CastTo::<T::Float>::cast_to(some[r][k]);
            let off = (1..N).fold(zero, |sum, r| sum + (at(r) - at(0)));
            means[k] = at(0) + off.unscale(count);
            squares[k] = (0..N).fold(real_zero, |sum, r| {
                let off = at(r) - means[k];
                sum + off.dot_re(off)
            });
        }
        let accs = &mut accs[first..first + COLUMNS];
        let before = accs[0].count;
        // The sum of a column may overflow although its mean is representable. Welford's update computes the mean without this sum.
        if !means.iter().fold(true, |all, mean| all & mean.all_finite()) {
            for (k, acc) in accs.iter_mut().enumerate() {
                *acc = some.iter().fold(*acc, |acc, row| acc.with(row[k].cast_to()));
            }
        } else if before.is_zero() {
            for (k, acc) in accs.iter_mut().enumerate() {
                *acc = Moments { count, mean: means[k], squares: squares[k] };
            }
        } else {
            // All columns have the same count, so one division serves all of them.
            let share = count / (before + count);
            let (weight, part) = (before * share, T::Float::from_magnitude(share));
            for (k, acc) in accs.iter_mut().enumerate() {
                let apart = means[k] - acc.mean;
                acc.mean += apart * part;
                acc.squares += squares[k] + apart.dot_re(apart) * weight;
                acc.count = before + count;
            }
        }
        first += COLUMNS;
    }
    for (j, acc) in accs.iter_mut().enumerate().skip(first) {
        *acc = rows.iter().fold(*acc, |acc, row| acc.with(row[j].cast_to()));
    }
}

macro_rules! moments {
    ($($Op:ident, $name:literal, $bound:ident, skip $skip:literal, $cuda:literal, |$variance:ident| $finish:expr;)*) => {$(
        impl<T: $bound> Reduction<T> for $Op {
            type Acc = Moments<T::Float>;
            type Output = T::Magnitude;
            const NAME: &'static str = $name;
            const FALLIBLE: bool = false;
            const CUDA: CudaSource = CudaSource::builtin(concat!("
                typedef Floating<T> Float;
                struct Acc { R count; Float mean; R squares; };
                DEV Acc identity() const { return {R(), Float(), R()}; }
                DEV Acc fold(Acc acc, T x, u64) const {
                    if (", $skip, " && is_nan(x)) return acc;
                    R count = acc.count + 1;
                    Float before = (Float)x - acc.mean;
                    Float mean = acc.mean + unscale(before, count);
                    return {count, mean, acc.squares + modulus(dot_re(before, (Float)x - mean))};
                }
                DEV Acc combine(Acc a, Acc b) const {
                    if (a.count == 0) return b;
                    if (b.count == 0) return a;
                    R count = a.count + b.count, share = b.count / count;
                    Float apart = b.mean - a.mean;
                    R between = dot_re(apart, apart) * a.count * share;
                    return {count, a.mean + apart * share, a.squares + b.squares + between};
                }
                DEV bool finish(Acc acc, u64, R &result) const {
                    R divisor = acc.count - (R)ddof, zero = 0;
                    R variance = divisor > 0 ? acc.squares / divisor : zero / zero;
                    result = ", $cuda, ";
                    return true;
                }"));
            fn scalars(&self, bind: &mut Scalars) {
                bind.scalar("ddof", self.ddof as u64);
            }
            fn identity(&self) -> Self::Acc {
                Moments::of_empty(T::Float::zero(), T::Magnitude::zero())
            }
            #[inline]
            fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
                if $skip && is_nan(x) { acc } else { acc.with(x.cast_to()) }
            }
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                a.joined(b)
            }
            fn finish(&self, acc: Self::Acc, _: usize) -> Option<T::Magnitude> {
                let $variance = acc.variance(self.ddof);
                Some($finish)
            }
            const HAS_FOLD_BLOCK: bool = true;
            #[inline(always)]
            fn fold_block(&self, acc: Self::Acc, elements: &[T], _: usize) -> Self::Acc {
                acc.joined(of_block::<T, $skip>(elements))
            }
            #[inline(always)]
            fn fold_rows<const N: usize>(&self, accs: &mut [Self::Acc], rows: [&[T]; N], index: usize) {
                if !$skip {
                    return join_rows(accs, rows);
                }
                for row in rows {
                    for (acc, &x) in accs.iter_mut().zip(row) {
                        *acc = self.fold(*acc, x, index);
                    }
                }
            }
        }
    )*};
}
moments! {
    Var, "variance", Scalar, skip false, "variance", |variance| variance;
    Std, "standard deviation", Scalar, skip false, "sqrt(variance)", |variance| Float::sqrt(variance);
    NanVar, "variance without NaN", Inexact, skip true, "variance", |variance| variance;
    NanStd, "standard deviation without NaN", Inexact, skip true, "sqrt(variance)", |variance| Float::sqrt(variance);
}
