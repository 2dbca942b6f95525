//! The Euclidean norm.

use crate::device::op::visitor::{COMPLEX, REAL, visit_as_common};
use crate::device::{CudaSource, Reduction, Scalars};
use crate::element::lanes::{FOLD_BLOCK_BYTES, in_few_lanes, in_lanes};
use crate::element::{CastTo, RealFloat, Scalar};
use num_traits::{Float, Zero};

/// The Euclidean norm, as a reduction without intermediate overflow or underflow. Tiny, medium and huge values are squared with
/// different scales and summed separately (Blue, ACM TOMS 4, 1978; Anderson, ACM TOMS 44, 2017, as in LAPACK 3.10).
#[derive(Debug, Clone, Copy)]
pub struct Norm<M> {
    tiny: M,
    huge: M,
    scale_up: M,
    scale_down: M,
    /// If a sum of unscaled squares is between `least` and `most`, no underflow or overflow has made it inaccurate, and many such sums can
    /// be added without overflow.
    least: M,
    most: M,
}

impl<M: RealFloat> Default for Norm<M> {
    fn default() -> Self {
        let two = |n: i32| Float::powi(M::one() + M::one(), n);
        // The exponents follow from the precision and the exponent range of the type.
        let [tiny, huge, up, down] =
            if size_of::<M>() == 4 { [-63, 52, 75, -76] } else { [-511, 486, 537, -538] };
        let [least, most] = if size_of::<M>() == 4 { [-100, 90] } else { [-960, 900] };
        Norm {
            tiny: two(tiny),
            huge: two(huge),
            scale_up: two(up),
            scale_down: two(down),
            least: two(least),
            most: two(most),
        }
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

    /// Returns whether a sum of unscaled squares is as accurate as one of scaled squares.
    #[inline]
    fn ordinary(&self, squares: M) -> bool {
        squares >= self.least && squares <= self.most
    }

    fn root(&self, [small, medium, big]: [M; 3]) -> M {
        let zero = M::zero();
        // A NaN is neither tiny nor huge, so it is in `medium`; `has_medium` lets it reach the result in all branches.
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

#[inline(always)]
fn square<T: Scalar>(x: T) -> T::Magnitude {
    let (re, im): (T::Magnitude, T::Magnitude) = (x.re().cast_to(), x.im().cast_to());
    if T::COMPLEX { re * re + im * im } else { re * re }
}

impl<T: Scalar> Reduction<T> for Norm<T::Magnitude> {
    type Acc = [T::Magnitude; 3];
    type Output = T::Magnitude;
    const NAME: &'static str = "norm";
    const FALLIBLE: bool = false;
    const CUDA: CudaSource = CudaSource::builtin("
        struct Acc { R small, medium, big; };
        DEV Acc identity() const { return {0, 0, 0}; }
        DEV void add(Acc &acc, R x) const {
            x = x < 0 ? -x : x;
            R up = x * scale_up, down = x * scale_down;
            if (x > huge) acc.big += down * down;
            else if (x < tiny) acc.small += up * up;
            else acc.medium += x * x;
        }
        template <class P> DEV void add_parts(Acc &acc, P x) const { add(acc, (R)x); }
        template <class P> DEV void add_parts(Acc &acc, Complex<P> x) const { add(acc, x.re); add(acc, x.im); }
        DEV Acc fold(Acc acc, T x, u64) const { add_parts(acc, x); return acc; }
        DEV Acc combine(Acc a, Acc b) const { return {a.small + b.small, a.medium + b.medium, a.big + b.big}; }
        DEV bool finish(Acc acc, u64, R &result) const {
            R medium = acc.medium;
            bool has_medium = medium > 0 || medium != medium;
            if (acc.big > 0) {
                result = sqrt(acc.big + (has_medium ? (medium * scale_down) * scale_down : 0)) / scale_down;
            } else if (acc.small > 0) {
                R small = sqrt(acc.small) / scale_up, share = small / sqrt(medium);
                result = !has_medium ? small : sqrt(medium) * sqrt(1 + share * share);
            } else {
                result = sqrt(medium);
            }
            return true;
        }");
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("tiny", self.tiny);
        bind.scalar("huge", self.huge);
        bind.scalar("scale_up", self.scale_up);
        bind.scalar("scale_down", self.scale_down);
    }
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
    visit_as_common!(T, REAL | COMPLEX);
    const HAS_FOLD_BLOCK: bool = true;
    #[inline(always)]
    fn fold_block(&self, acc: Self::Acc, elements: &[T], _: usize) -> Self::Acc {
        let zero = T::Magnitude::zero();
        let far = const { FOLD_BLOCK_BYTES / size_of::<T>() };
        let squares = in_lanes(elements, far, zero, |sum, x| sum + square(x), |a, b| a + b);
        if self.ordinary(squares) {
            return [acc[0], acc[1] + squares, acc[2]];
        }
        if elements.iter().all(T::is_zero) {
            return acc;
        }
        let fold = |acc, x| Reduction::<T>::fold(self, acc, x, 0);
        let combine = |a, b| Reduction::<T>::combine(self, a, b);
        combine(acc, in_few_lanes(elements, [zero; 3], fold, combine))
    }
    #[inline(always)]
    fn fold_rows<const N: usize>(&self, accs: &mut [Self::Acc], rows: [&[T]; N], index: usize) {
        // Enough columns that the compiler vectorises the loops instead of unrolling them.
        const COLUMNS: usize = 64;
        const FEW_COLUMNS: usize = 8;
        let (blocks, rest) = accs.as_chunks_mut();
        for (b, accs) in blocks.iter_mut().enumerate() {
            self.fold_columns(accs, rows.map(|row| columns::<T, COLUMNS>(row, b * COLUMNS)), index);
        }
        let first = blocks.len() * COLUMNS;
        let (blocks, rest) = rest.as_chunks_mut();
        for (b, accs) in blocks.iter_mut().enumerate() {
            let rows = rows.map(|row| columns::<T, FEW_COLUMNS>(row, first + b * FEW_COLUMNS));
            if !self.fold_medium(accs, rows) {
                for (k, acc) in accs.iter_mut().enumerate() {
                    *acc = rows.iter().fold(*acc, |acc, row| self.fold(acc, row[k], index));
                }
            }
        }
        let first = first + blocks.len() * FEW_COLUMNS;
        for (j, acc) in rest.iter_mut().enumerate() {
            *acc = rows.iter().fold(*acc, |acc, row| self.fold(acc, row[first + j], index));
        }
    }
}

/// Returns the elements of `row` from `first` on, as an array: the compiler then vectorises loops over them without a remainder.
#[inline(always)]
fn columns<T, const COLUMNS: usize>(row: &[T], first: usize) -> &[T; COLUMNS] {
    row[first..].first_chunk().expect("a row has an element for each accumulator")
}

impl<M: RealFloat> Norm<M> {
    /// Folds the elements of each column: sums their squares without scales, and repeats the columns whose sum may be inaccurate.
    #[inline(always)]
    fn fold_columns<T: Scalar<Magnitude = M>, const COLUMNS: usize, const N: usize>(
        &self,
        accs: &mut [[M; 3]; COLUMNS],
        rows: [&[T; COLUMNS]; N],
        index: usize,
    ) {
        let mut sums = [M::zero(); COLUMNS];
        for k in 0..COLUMNS {
            sums[k] = rows.iter().fold(M::zero(), |sum, row| sum + square(row[k]));
        }
        if sums.iter().fold(true, |all, &sum| all & self.ordinary(sum)) {
            for (acc, sum) in accs.iter_mut().zip(sums) {
                acc[1] += sum;
            }
            return;
        }
        for (k, acc) in accs.iter_mut().enumerate() {
            if self.ordinary(sums[k]) {
                acc[1] += sums[k];
            } else if rows.iter().any(|row| !row[k].is_zero()) {
                *acc = rows.iter().fold(*acc, |acc, row| Reduction::<T>::fold(self, acc, row[k], index));
            }
        }
    }

    /// Folds the elements of each column as [`Reduction::fold`] does, one after the other, if all of them are zero or summed without a
    /// scale. Otherwise, returns `false` and leaves `accs` unchanged.
    #[inline(always)]
    fn fold_medium<T: Scalar<Magnitude = M>, const COLUMNS: usize, const N: usize>(
        &self,
        accs: &mut [[M; 3]; COLUMNS],
        rows: [&[T; COLUMNS]; N],
    ) -> bool {
        let mut sums = accs.map(|acc| acc[1]);
        let mut all = true;
        let mut add = |sum: &mut M, x: M| {
            let x = Float::abs(x);
            // NaN is neither tiny nor huge.
            let scaled = (x > self.huge) | ((x < self.tiny) & (x != M::zero()));
            all &= !scaled;
            *sum += x * x;
        };
        for row in rows {
            for (sum, x) in sums.iter_mut().zip(row) {
                add(sum, x.re().cast_to());
                if T::COMPLEX {
                    add(sum, x.im().cast_to());
                }
            }
        }
        if all {
            for (acc, sum) in accs.iter_mut().zip(sums) {
                acc[1] = sum;
            }
        }
        all
    }
}
