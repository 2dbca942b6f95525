//! Minimum and maximum, and their indices.

use crate::device::op::binary::{larger, smaller};
use crate::device::op::visitor::{INTEGER, REAL, visit_as_common};
use crate::device::{CudaSource, Reduction, Scalars};
use crate::element::lanes::{FOLD_BLOCK_BYTES, prefetch_after, prefixes};
use crate::element::{Ordered, RealScalar};
use crate::simd::prefetches_rows;

/// Returns the element that `beats` all other elements, or NaN if an element is NaN. Returns `start` for zero elements.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
pub(super) fn extreme<T: Ordered>(elements: &[T], start: T, beats: impl Fn(T, T) -> bool) -> T {
    let (best, nan) = match const { size_of::<T>() } {
        1 if elements.len() < 512 => extreme_in::<T, 16>(elements, start, beats),
        1 => extreme_in::<T, 256>(elements, start, beats),
        _ if elements.len() < 128 => extreme_in::<T, 8>(elements, start, beats),
        _ => extreme_in::<T, 32>(elements, start, beats),
    };
    // Comparisons ignore a NaN, but a sum with a NaN is NaN. The sum of infinities may be NaN too, so the elements are searched.
    if nan { first_nan(elements).map_or(best, |at| elements[at]) } else { best }
}

/// Returns the index of the first NaN.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
#[allow(clippy::eq_op, reason = "only NaN differs from itself")]
fn first_nan<T: Ordered>(elements: &[T]) -> Option<usize> {
    elements.iter().position(|x| x != x)
}

/// Returns whether one of the sums is NaN. A lane of the first half is tested together with one of the second half: the compiler tests
/// neighbours in pairs otherwise, for which it shuffles all elements on their way into the sums.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
#[allow(clippy::eq_op, reason = "only NaN differs from itself")]
fn any_nan<T: Ordered, const LANES: usize>(sums: &[T; LANES]) -> bool {
    let (low, high) = sums.split_at(LANES / 2);
    low.iter().zip(high).fold(false, |nan, (x, y)| nan | ((x != x) | (y != y)))
}

/// Returns the element that `beats` all other elements, ignoring NaN, and whether a sum of elements is NaN, as it is if an element is NaN.
/// If the type has no NaN, nothing is summed. Uses `LANES` accumulators.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
#[allow(clippy::eq_op, reason = "only NaN differs from itself")]
fn extreme_in<T: Ordered, const LANES: usize>(
    elements: &[T],
    start: T,
    beats: impl Fn(T, T) -> bool,
) -> (T, bool) {
    let better = |x: T, y: T| if beats(x, y) { x } else { y };
    let add = T::add_nan;
    let (mut best, mut sum) = ([start; LANES], [T::default(); LANES]);
    let far = size_of_val(elements) >= FOLD_BLOCK_BYTES && prefetches_rows();
    // If the last step has fewer elements than the others, it overlaps the step before: repeated elements change neither the extreme nor
    // whether the sum is NaN.
    let step = 2 * LANES;
    let end = if elements.len() < step { 0 } else { elements.len() };
    let mut at = 0;
    while at < end {
        let pair = &elements[at.min(end - step)..][..step];
        if far {
            prefetch_after(pair);
        }
        let (xs, ys) = pair.split_at(LANES);
        if const { T::HAS_NAN && size_of::<T>() == 8 && LANES >= 32 } {
            // The compiler reads each half before the other one. In memory, reading the two alternately would take longer, because the
            // processor prefetches less.
            for row in [xs, ys] {
                for k in 0..LANES {
                    best[k] = better(row[k], best[k]);
                    sum[k] = add(sum[k], row[k]);
                }
            }
        } else {
            for k in 0..LANES {
                let (x, y) = (xs[k], ys[k]);
                best[k] = better(better(x, y), best[k]);
                sum[k] = add(sum[k], add(x, y));
            }
        }
        at += step;
    }
    // Combines the upper half of the lanes with the lower half, so that each step is vectorised.
    let mut lanes = LANES;
    while lanes > 1 {
        lanes /= 2;
        for k in 0..lanes {
            best[k] = better(best[k], best[k + lanes]);
        }
    }
    let (mut best, mut nan) = (best[0], any_nan(&sum));
    for &x in &elements[end..] {
        (best, nan) = (better(x, best), nan | (x != x));
    }
    (best, nan)
}

/// Skips whole blocks of `LEN` elements, up to the first block with an element for which `here` is true. Returns the number of elements
/// that were skipped.
#[inline(always)]
fn skip<T: Ordered, const LEN: usize>(elements: &[T], here: impl Fn(T) -> bool) -> usize {
    let mut at = 0;
    for block in elements.chunks_exact(LEN) {
        let mut found = false;
        for &x in block {
            found |= here(x);
        }
        if found {
            break;
        }
        at += LEN;
    }
    at
}

/// Returns the index of the first element equal to `value`, or of the first NaN if `value` is NaN.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
#[allow(clippy::eq_op, reason = "only NaN differs from itself")]
fn position<T: Ordered>(elements: &[T], value: T) -> Option<usize> {
    let here = |x: T| if value == value { x == value } else { x != x };
    // Skips whole blocks of constant length, whose comparisons are vectorised, then searches element by element.
    let at = skip::<T, 64>(elements, here);
    let at = at + skip::<T, 8>(&elements[at..], here);
    elements[at..].iter().position(|&x| here(x)).map(|k| at + k)
}

/// The length from which on the index of an extreme is searched after the extreme is known.
const LONG: usize = 128;

/// If there are fewer than [`LONG`] elements, and enough for whole vectors: returns the element that `beats` all other elements, or the
/// first NaN, and its index. If several elements are equal, the index is that of the first.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
fn extreme_of_few<T: Ordered>(elements: &[T], start: T, beats: impl Fn(T, T) -> bool) -> Option<(T, usize)> {
    match const { size_of::<T>() } {
        // For elements of one byte, a search is faster: a register has many of them.
        1 => None,
        _ if elements.len() >= LONG => None,
        2 if elements.len() < 16 => extreme_with_index::<T, u16, 8>(elements, start, beats),
        2 => extreme_with_index::<T, u16, 16>(elements, start, beats),
        4 if elements.len() < 16 => extreme_with_index::<T, u32, 8>(elements, start, beats),
        4 => extreme_with_index::<T, u32, 16>(elements, start, beats),
        _ => extreme_with_index::<T, u64, 8>(elements, start, beats),
    }
}

/// [`extreme_of_few`] with `LANES` accumulators, each with the first index of its extreme. A search for the index would have branches that
/// depend on the data, which is slower for short rows. Indices `I` have the size of the elements, so that the compiler uses the same masks
/// for both.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
fn extreme_with_index<T: Ordered, I: Index, const LANES: usize>(
    elements: &[T],
    start: T,
    beats: impl Fn(T, T) -> bool,
) -> Option<(T, usize)> {
    let last = elements.len().checked_sub(LANES)?;
    let add = T::add_nan;
    // `from[k] + k` is the index of `best[k]`.
    let (mut best, mut from, mut sum) = ([start; LANES], [I::from(0); LANES], [T::default(); LANES]);
    for at in (0..elements.len()).step_by(LANES) {
        // The last step overlaps the step before, if it would have fewer elements. Repeated elements do not beat themselves.
        let at = at.min(last);
        let (xs, first) = (&elements[at..][..LANES], I::from(at as u8));
        for k in 0..LANES {
            let beats = beats(xs[k], best[k]);
            best[k] = if beats { xs[k] } else { best[k] };
            from[k] = if beats { first } else { from[k] };
            sum[k] = add(sum[k], xs[k]);
        }
    }
    let mut extremes = best;
    let mut lanes = LANES;
    while lanes > 1 {
        lanes /= 2;
        for k in 0..lanes {
            let (x, y) = (extremes[k], extremes[k + lanes]);
            extremes[k] = if beats(x, y) { x } else { y };
        }
    }
    let value = extremes[0];
    // As in `extreme`, a sum is NaN if one of its elements is NaN.
    if any_nan(&sum)
        && let Some(at) = first_nan(elements)
    {
        return Some((elements[at], at));
    }
    let mut indices = [I::from(u8::MAX); LANES];
    for k in 0..LANES {
        indices[k] = if best[k] == value { from[k] + I::from(k as u8) } else { indices[k] };
    }
    let first = indices.into_iter().fold(I::from(u8::MAX), I::min);
    Some((value, first.into() as usize))
}

/// An unsigned integer for indices below [`LONG`].
trait Index: Copy + Ord + From<u8> + Into<u64> + core::ops::Add<Output = Self> {}
impl<I: Copy + Ord + From<u8> + Into<u64> + core::ops::Add<Output = I>> Index for I {}

macro_rules! extremes {
    ($($Op:ident, $name:literal, $start:ident, $pick:ident, $beats:tt, $doc:literal;)*) => {$(
        #[doc = concat!($doc, ", as a reduction. NaN if there is one.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: RealScalar> Reduction<T> for $Op {
            type Acc = T;
            type Output = T;
            const NAME: &'static str = $name;
            const DEFINED_ON_EMPTY: bool = false;
            const FALLIBLE: bool = false;
            const CUDA: CudaSource = CudaSource::builtin(concat!("
                typedef T Acc;
                DEV Acc identity() const { return start; }
                DEV Acc fold(Acc acc, T x, u64) const { return x ", stringify!($beats), " acc || x != x ? x : acc; }
                DEV Acc combine(Acc a, Acc b) const { return fold(a, b, 0); }
                DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }"));
            fn scalars(&self, bind: &mut Scalars) {
                bind.scalar("start", T::$start);
            }
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
            const HAS_FOLD_BLOCK: bool = true;
            const LIMITED_BY_MEMORY: bool = true;
            #[cfg_attr(any(test, not(debug_assertions)), inline(always))]
            fn fold_block(&self, acc: T, elements: &[T], _: usize) -> T {
                $pick(acc, extreme(elements, T::$start, |x, y| x $beats y))
            }
            visit_as_common!(T, REAL | INTEGER);
        }
    )*};
}
extremes! {
    Max, "maximum", LOWEST, larger, >, "The largest element";
    Min, "minimum", HIGHEST, smaller, <, "The smallest element";
}

/// The largest or smallest value so far, and its index.
#[derive(Debug, Clone, Copy)]
pub struct Best<T> {
    pub(super) value: T,
    /// The index of the value; `usize::MAX` before the first element.
    pub(super) index: usize,
}

macro_rules! positions {
    ($($Op:ident, $name:literal, $start:ident, $pick:ident, $beats:tt, $doc:literal;)*) => {$(
        #[doc = concat!("The index of the first ", $doc, " element, as a reduction; of the first NaN, if there is one.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: Ordered> Reduction<T> for $Op {
            type Acc = Best<T>;
            type Output = i64;
            const NAME: &'static str = $name;
            const USES_INDEX: bool = true;
            const DEFINED_ON_EMPTY: bool = false;
            const FALLIBLE: bool = false;
            // Partial results are combined in any order. So `combine` keeps the smaller index if two values are equal or both are NaN.
            const CUDA: CudaSource = CudaSource::builtin(concat!("
                struct Acc { T value; u64 index; };
                static const u64 none = ~0ull;
                DEV Acc identity() const { return {start, none}; }
                DEV Acc fold(Acc acc, T x, u64 index) const { return combine(acc, {x, index}); }
                DEV Acc combine(Acc a, Acc b) const {
                    bool nan = a.value != a.value, other = b.value != b.value;
                    bool better = nan != other ? other : b.value ", stringify!($beats), " a.value;
                    bool equal = nan ? other : b.value == a.value;
                    return better || (equal && b.index < a.index) ? b : a;
                }
                DEV bool finish(Acc acc, u64, R &result) const { result = (R)acc.index; return true; }"));
            fn scalars(&self, bind: &mut Scalars) {
                bind.scalar("start", T::$start);
            }
            fn identity(&self) -> Best<T> {
                Best { value: T::$start, index: usize::MAX }
            }
            #[inline]
            fn fold(&self, acc: Self::Acc, x: T, index: usize) -> Self::Acc {
                if Self::improves(acc, x) { Best { value: x, index } } else { acc }
            }
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                if b.index != usize::MAX && Self::improves(a, b.value) { b } else { a }
            }
            fn finish(&self, acc: Self::Acc, _: usize) -> Option<i64> {
                i64::try_from(acc.index).ok()
            }
            const HAS_FOLD_BLOCK: bool = true;
            const LIMITED_BY_MEMORY: bool = true;
            #[cfg_attr(any(test, not(debug_assertions)), inline(always))]
            fn fold_block(&self, acc: Self::Acc, elements: &[T], index: usize) -> Self::Acc {
                if let Some((value, at)) = extreme_of_few(elements, T::$start, |x, y| x $beats y) {
                    return if Self::improves(acc, value) { Best { value, index: index + at } } else { acc };
                }
                // Finds the best value of the block without indices, and searches for its index only if it improves the result.
                let best = extreme(elements, T::$start, |x, y| x $beats y);
                if !Self::improves(acc, best) {
                    return acc;
                }
                position(elements, best).map_or(acc, |at| Best { value: best, index: index + at })
            }
            #[cfg_attr(any(test, not(debug_assertions)), inline(always))]
            fn fold_rows<const N: usize>(&self, accs: &mut [Self::Acc], rows: [&[T]; N], index: usize) {
                let rows = prefixes(rows, accs.len());
                let whole = self.fold_columns::<T, N, 32>(accs, rows, 0, index);
                let whole = self.fold_columns::<T, N, 4>(accs, rows, whole, index);
                for (j, acc) in accs.iter_mut().enumerate().skip(whole) {
                    for (r, row) in rows.iter().enumerate() {
                        *acc = self.fold(*acc, row[j], index + r);
                    }
                }
            }
            visit_as_common!(T, REAL);
        }

        impl $Op {
            /// Folds rows into the accumulators from `first` on, `COLUMNS` at a time. Returns the index after the last accumulator
            /// that it has updated.
            #[cfg_attr(any(test, not(debug_assertions)), inline(always))]
            #[allow(clippy::eq_op, reason = "only NaN differs from itself")]
            fn fold_columns<T: Ordered, const N: usize, const COLUMNS: usize>(
                &self,
                accs: &mut [Best<T>],
                rows: [&[T]; N],
                first: usize,
                index: usize,
            ) -> usize {
                let end = accs.len() - (accs.len() - first) % COLUMNS;
                for first in (first..end).step_by(COLUMNS) {
                    let mut rows = rows;
                    for row in &mut rows {
                        *row = &row[first..first + COLUMNS];
                    }
                    let accs = &mut accs[first..first + COLUMNS];
                    let mut best = [T::$start; COLUMNS];
                    for k in 0..COLUMNS {
                        for row in &rows {
                            best[k] = $pick(best[k], row[k]);
                        }
                    }
                    let (mut improved, mut any) = ([false; COLUMNS], false);
                    for k in 0..COLUMNS {
                        improved[k] = Self::improves(accs[k], best[k]);
                        any |= improved[k];
                    }
                    if !any {
                        continue;
                    }
                    // Searches column by column, because few columns improve. Selects instead of branches find the first row that has the
                    // best value. If the best value is NaN, this is the first NaN.
                    for k in (0..COLUMNS).filter(|&k| improved[k]) {
                        let at = (0..N).rev().fold(N, |at, r| {
                            let x = rows[r][k];
                            if (x == best[k]) | (x != x) { r } else { at }
                        });
                        accs[k] = Best { value: best[k], index: index + at };
                    }
                }
                end
            }

            /// Returns whether a later value replaces the accumulated one.
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "only NaN differs from itself")]
            fn improves<T: Ordered>(acc: Best<T>, x: T) -> bool {
                (x $beats acc.value) | ((x != x) & (acc.value == acc.value)) | (acc.index == usize::MAX)
            }
        }
    )*};
}
positions! {
    ArgMax, "index of the maximum", LOWEST, larger, >, "largest";
    ArgMin, "index of the minimum", HIGHEST, smaller, <, "smallest";
}

#[cfg(test)]
mod tests {
    use super::{ArgMax, ArgMin};
    use crate::device::Reduction;
    use crate::element::Ordered;

    /// Returns the index of the first NaN, or of the first element that no other element `beats`.
    fn first<T: Ordered>(elements: &[T], beats: impl Fn(T, T) -> bool) -> Option<usize> {
        let nan = elements.iter().position(|x| x.partial_cmp(x).is_none());
        nan.or_else(|| elements.iter().position(|&x| !elements.iter().any(|&y| beats(y, x))))
    }

    /// Checks rows of each length up to 140 with elements of `values`, which repeat, and rows with one element that differs.
    fn check<T: Ordered>(values: &[T]) {
        let mut state = 7u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for length in 1..=140 {
            for row in 0..12 {
                let mut elements: Vec<T> = (0..length).map(|_| values[below(values.len())]).collect();
                if row % 2 == 0 {
                    elements.fill(values[row / 2 % values.len()]);
                    elements[below(length)] = values[below(values.len())];
                }
                // The first index is 3.
                let max = ArgMax.fold_block(ArgMax.identity(), &elements, 3).index;
                let min = ArgMin.fold_block(ArgMin.identity(), &elements, 3).index;
                let expected = [first(&elements, |x, y| x > y), first(&elements, |x, y| x < y)];
                assert_eq!([max, min].map(Some), expected.map(|at| at.map(|at| at + 3)), "{elements:?}");
            }
        }
    }

    #[test]
    fn indices_of_rows_of_each_length() {
        check(&[0.5, -1.0, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 3.0]);
        check(&[0.5, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN]);
        check(&[0.5, -1.0, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 3.0]);
        check(&[f32::NEG_INFINITY, f32::NAN]);
        check(&[i64::MIN, i64::MAX, -1, 0, 1]);
        check(&[u64::MIN, u64::MAX, 1 << 63, 5]);
        check(&[i32::MIN, i32::MAX, -1, 0, 1]);
        check(&[i16::MIN, i16::MAX, -1, 0, 1]);
        check(&[u16::MIN, u16::MAX, 5]);
        check(&[i8::MIN, i8::MAX, -1, 0, 1]);
        check(&[u8::MIN, u8::MAX, 5]);
        check(&[false, true]);
    }
}
