//! Numbers of several matrices, one in each lane of a vector register. So several small matrices are decomposed at once: see module
//! [`jacobi`](super::jacobi). A lane's results do not depend on the other lanes.

use super::Field;
use super::workspace::column;
use crate::element::RealFloat;
use faer::MatMut;
use num_traits::Float;

/// Returns the number of matrices that are decomposed at once. The numbers of all lanes have 64 bytes, or twice as many if they are complex.
pub(super) const fn count<T: Field>() -> usize {
    64 / size_of::<T::Magnitude>()
}

/// The largest result of [`count`].
pub(super) const MAX_LANES: usize = count::<f32>();

/// Calls `$f::<$T, P, L>`, where `L` is 1 if `$one` is true, and otherwise [`count::<$T>()`](count).
macro_rules! in_lanes {
    ($one:expr, $f:ident::<$T:ident>($($argument:expr),* $(,)?)) => {
        if const { $T::COMPLEX } {
            if $one {
                $f::<$T, 2, 1>($($argument),*)
            } else if const { lanes::count::<$T>() == 16 } {
                $f::<$T, 2, 16>($($argument),*)
            } else {
                $f::<$T, 2, 8>($($argument),*)
            }
        } else if $one {
            $f::<$T, 1, 1>($($argument),*)
        } else if const { lanes::count::<$T>() == 16 } {
            $f::<$T, 1, 16>($($argument),*)
        } else {
            $f::<$T, 1, 8>($($argument),*)
        }
    };
}
pub(super) use in_lanes;

/// One number of each of `L` matrices. `P` is the number of parts: 1 for real numbers. For complex numbers it is 2, and the real parts
/// come first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes<R, const P: usize, const L: usize>([[R; L]; P]);

impl<R: RealFloat, const P: usize, const L: usize> Lanes<R, P, L> {
    pub(super) fn zero() -> Self {
        Lanes([[R::zero(); L]; P])
    }

    pub(super) fn real(numbers: [R; L]) -> Self {
        let mut lanes = Self::zero();
        lanes.0[0] = numbers;
        lanes
    }

    /// Sets the number in a lane.
    pub(super) fn set<T: Field<Magnitude = R>>(&mut self, lane: usize, x: T) {
        self.0[0][lane] = T::real_part_impl(&x);
        if P > 1 {
            self.0[1][lane] = T::imag_part_impl(&x);
        }
    }

    /// Returns the number in a lane. Negative zeros become positive, because a rotation that leaves a lane unchanged can change the sign
    /// of a zero.
    pub(super) fn get<T: Field<Magnitude = R>>(&self, lane: usize) -> T {
        let part = |k: usize| self.0.get(k).map_or(R::zero(), |part| part[lane] + R::zero());
        T::from_complex(T::complex(part(0), part(1)))
    }

    #[inline(always)]
    pub(super) fn real_parts(self) -> [R; L] {
        self.0[0]
    }

    #[inline(always)]
    pub(super) fn conj(mut self) -> Self {
        if P > 1 {
            self.0[1] = self.0[1].map(|im| -im);
        }
        self
    }

    /// Returns the squares of the absolute values.
    #[inline(always)]
    pub(super) fn squares(self) -> [R; L] {
        let of_re = map(self.0[0], self.0[0], |re, _| re * re);
        if P > 1 { map(of_re, self.0[1], |square, im| square + im * im) } else { of_re }
    }

    /// Returns the absolute values. They must be less than 2¹⁰. Those below the smallest normal number can become 0.
    #[inline(always)]
    pub(super) fn sizes(self) -> [R; L] {
        if P == 1 {
            return self.0[0].map(Float::abs);
        }
        // The squares of the scaled parts neither overflow nor underflow.
        let up = Float::recip(Float::sqrt(R::min_positive_value())) * R::from_f64(2f64.powi(-11));
        let squares = self.times([up; L]).squares();
        squares.map(|square| Float::sqrt(square) * Float::recip(up))
    }

    #[inline(always)]
    pub(super) fn times(mut self, by: [R; L]) -> Self {
        for part in &mut self.0 {
            *part = map(*part, by, |x, by| x * by);
        }
        self
    }

    #[inline(always)]
    pub(super) fn over(mut self, by: [R; L]) -> Self {
        for part in &mut self.0 {
            *part = map(*part, by, |x, by| x / by);
        }
        self
    }

    /// Returns `conj(self) · other`.
    #[inline(always)]
    pub(super) fn conj_times(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        let mut product = Self::zero();
        if P == 1 {
            product.0[0] = map(a[0], b[0], |a, b| a * b);
        } else {
            product.0[0] = map(map(a[0], b[0], |a, b| a * b), map(a[1], b[1], |a, b| a * b), |x, y| x + y);
            product.0[1] = map(map(a[0], b[1], |a, b| a * b), map(a[1], b[0], |a, b| a * b), |x, y| x - y);
        }
        product
    }

    #[inline(always)]
    pub(super) fn plus(mut self, other: Self) -> Self {
        for (part, other) in self.0.iter_mut().zip(&other.0) {
            *part = map(*part, *other, |x, y| x + y);
        }
        self
    }

    #[inline(always)]
    pub(super) fn minus(mut self, other: Self) -> Self {
        for (part, other) in self.0.iter_mut().zip(&other.0) {
            *part = map(*part, *other, |x, y| x - y);
        }
        self
    }

    /// Returns `other` in the lanes where `left < right`, and `self` in the others.
    #[inline(always)]
    pub(super) fn replaced(mut self, left: [R; L], right: [R; L], other: Self) -> Self {
        for (part, other) in self.0.iter_mut().zip(&other.0) {
            *part = where_less(left, right, *other, *part);
        }
        self
    }
}

/// Copies a matrix to a lane. The elements are in column-major order.
pub(super) fn scatter<T: Field, const P: usize, const L: usize>(
    mut a: MatMut<'_, T>,
    lane: usize,
    to: &mut [Lanes<T::Magnitude, P, L>],
) {
    for (j, to) in to.chunks_exact_mut(a.nrows()).enumerate() {
        to.iter_mut().zip(column(a.as_mut(), j)).for_each(|(to, x)| to.set(lane, *x));
    }
}

/// Copies a matrix from a lane.
pub(super) fn gather<T: Field, const P: usize, const L: usize>(
    mut to: MatMut<'_, T>,
    lane: usize,
    from: &[Lanes<T::Magnitude, P, L>],
) {
    for (j, from) in from.chunks_exact(to.nrows()).enumerate() {
        column(to.as_mut(), j).iter_mut().zip(from).for_each(|(x, from)| *x = from.get(lane));
    }
}

// In these functions, each loop computes one array, so that the compiler vectorises it.

#[inline(always)]
pub(super) fn map<R: RealFloat, const L: usize>(a: [R; L], b: [R; L], f: impl Fn(R, R) -> R) -> [R; L] {
    let mut results = a;
    for (x, y) in results.iter_mut().zip(&b) {
        *x = f(*x, *y);
    }
    results
}

/// Returns `yes` in the lanes where `left < right`, and `no` in the others.
#[inline(always)]
pub(super) fn where_less<R: RealFloat, const L: usize>(
    left: [R; L],
    right: [R; L],
    yes: [R; L],
    no: [R; L],
) -> [R; L] {
    let mut results = no;
    for lane in 0..L {
        results[lane] = if left[lane] < right[lane] { yes[lane] } else { no[lane] };
    }
    results
}

/// Returns whether `left < right` in any lane.
#[inline(always)]
pub(super) fn any_less<R: RealFloat, const L: usize>(left: [R; L], right: [R; L]) -> bool {
    left.iter().zip(&right).fold(false, |any, (left, right)| any | (left < right))
}
