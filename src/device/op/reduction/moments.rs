//! Variance and standard deviation.

use super::rescale;
use crate::device::op::visitor::{REAL, ReductionVisitor, visit_common};
use crate::device::{CudaSource, Reduction, Scalars};
use crate::element::lanes::{halve, in_few_lanes};
use crate::element::{CastTo, Inexact, RealFloat, Scalar};
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

/// [`Var`] or [`Std`], so that both have one set of kernels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    ddof: usize,
    /// Whether the result is the standard deviation.
    root: bool,
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

/// Returns whether the squares of the distances may have left the range of numbers. Squares that underflow do not change a variance that is
/// representable, but its root.
#[inline(always)]
fn is_doubtful<M: RealFloat>(result: M, root: bool) -> bool {
    // From here on, the variance is so far from the smallest numbers that rounded squares do not matter.
    let least = if !root {
        M::zero()
    } else if size_of::<M>() == 4 {
        M::from_f64(f64::from_bits((1023 - 50) << 52))
    } else {
        M::from_f64(f64::from_bits((1023 - 480) << 52))
    };
    !(result >= least && result <= M::max_value())
}

/// The squares of distances on devices that do not read the elements again: as they are, and multiplied by these numbers.
fn bind_scales<M: RealFloat>(bind: &mut Scalars) {
    let two = |n: i32| Float::powi(M::one() + M::one(), n);
    let [least, up, down] = if size_of::<M>() == 4 { [-100, 96, -90] } else { [-960, 600, -600] };
    bind.scalar("least", two(least));
    bind.scalar("up", two(up));
    bind.scalar("down", two(down));
}

macro_rules! moments {
    ($($Op:ident, $name:literal, $bound:ident, skip $skip:literal, root $root:expr;)*) => {$(
        impl<T: $bound> Reduction<T> for $Op {
            type Acc = Moments<T::Float>;
            type Output = T::Magnitude;
            const NAME: &'static str = $name;
            const FALLIBLE: bool = false;
            // `mean` is a quarter of the mean, so that no distance overflows.
            const CUDA: CudaSource = CudaSource::builtin(concat!("
                typedef Floating<T> Float;
                struct Acc { R count; Float mean; R small, squares, big; };
                DEV Acc identity() const { return {R(), Float(), R(), R(), R()}; }
                DEV Acc fold(Acc acc, T x, u64) const {
                    if (", $skip, " && is_nan(x)) return acc;
                    R count = acc.count + 1;
                    Float quarter = (Float)x * (R)0.25;
                    Float before = quarter - acc.mean;
                    Float mean = acc.mean + unscale(before, count);
                    Float after = quarter - mean;
                    return {count, mean, acc.small + modulus(dot_re(before * up, after * up)),
                            acc.squares + modulus(dot_re(before, after)),
                            acc.big + modulus(dot_re(before * down, after * down))};
                }
                DEV Acc combine(Acc a, Acc b) const {
                    if (a.count == 0) return b;
                    if (b.count == 0) return a;
                    R count = a.count + b.count, share = b.count / count, weight = a.count * share;
                    Float apart = b.mean - a.mean, more = apart * up, less = apart * down;
                    return {count, a.mean + apart * share, a.small + b.small + dot_re(more, more) * weight,
                            a.squares + b.squares + dot_re(apart, apart) * weight,
                            a.big + b.big + dot_re(less, less) * weight};
                }
                DEV bool finish(Acc acc, u64, R &result) const {
                    R divisor = acc.count - (R)ddof, zero = 0;
                    if (!(divisor > 0)) {
                        result = zero / zero;
                        return true;
                    }
                    bool fits = is_finite(acc.squares), ordinary = fits && acc.squares >= least;
                    R by = ordinary ? (R)1 : fits ? up : down;
                    R variance = (ordinary ? acc.squares : fits ? acc.small : acc.big) / divisor;
                    result = root ? sqrt(variance) * 4 / by : variance * 16 / by / by;
                    return true;
                }"));
            fn scalars(&self, bind: &mut Scalars) {
                bind.scalar("ddof", self.ddof as u64);
                bind.scalar("root", u64::from($root(*self)));
                bind_scales::<T::Magnitude>(bind);
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
                let variance = acc.variance(self.ddof);
                Some(if $root(*self) { Float::sqrt(variance) } else { variance })
            }
            const RESCALES: bool = !T::INTEGER;
            #[inline(always)]
            fn is_doubtful(&self, result: T::Magnitude) -> bool {
                is_doubtful(result, $root(*self))
            }
            #[inline]
            fn visit<V: ReductionVisitor<T>>(&self, arguments: V::Arguments<T::Magnitude>) -> V::Result<T::Magnitude> {
                if const { $skip } {
                    return V::any(self, arguments);
                }
                visit_common::<T, _, V, REAL>(&Spread { ddof: self.ddof, root: $root(*self) }, arguments)
            }
            fn scale(&self, elements: impl Iterator<Item = T>) -> Option<f64> {
                rescale::scale::<T, $skip>(elements).and_then(|(by, differ)| differ.then_some(by))
            }
            fn scaled(&self, x: T, by: f64) -> T {
                rescale::scaled(x, by)
            }
            fn restored(&self, result: T::Magnitude, by: f64) -> T::Magnitude {
                let result = rescale::restored(result, by);
                if $root(*self) { result } else { rescale::restored(result, by) }
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
    Var, "variance", Scalar, skip false, root |_: Var| false;
    Std, "standard deviation", Scalar, skip false, root |_: Std| true;
    Spread, "variance or standard deviation", Scalar, skip false, root |spread: Spread| spread.root;
    NanVar, "variance without NaN", Inexact, skip true, root |_: NanVar| false;
    NanStd, "standard deviation without NaN", Inexact, skip true, root |_: NanStd| true;
}
