//! Scaling of matrices by powers of two, and the check that all elements are finite.

use super::workspace::column;
use super::{Failure, Field};
use crate::element::{RealFloat, exponent_of};
use crate::simd::kernel;
use core::ops::Range;
use faer::MatMut;
use num_traits::{Float, Zero};

/// Two to the power of an integer.
#[derive(Debug, Clone, Copy)]
pub(super) struct PowerOfTwo(i32);

impl PowerOfTwo {
    pub(super) const ONE: PowerOfTwo = PowerOfTwo(0);

    /// Returns factors of type `R` whose product is this power. The power itself may exceed the range of `R` if it is to scale elements
    /// that are close to the largest or the smallest number of `R`.
    fn factors<R: RealFloat>(self) -> impl Iterator<Item = R> {
        let largest = exponent_of(<R as Float>::max_value()) - 1;
        let parts = if self.0 == 0 { 0 } else { self.0.abs() / largest + 1 };
        (0..parts).map(move |k| {
            let exponent = self.0 * (k + 1) / parts - self.0 * k / parts;
            Float::powi(R::from_f64(2.0), exponent)
        })
    }

    pub(super) fn is_one(self) -> bool {
        self.0 == 0
    }

    /// Returns this power divided by another.
    pub(super) fn divided_by(self, by: Self) -> Self {
        PowerOfTwo(self.0 - by.0)
    }

    /// Returns the square root. The exponent must be even.
    pub(super) fn square_root(self) -> Self {
        debug_assert!(self.0 % 2 == 0);
        PowerOfTwo(self.0 / 2)
    }

    /// Returns a number times this power.
    pub(super) fn times<T: Field>(self, x: T) -> T {
        self.factors::<T::Magnitude>().fold(x, |x, factor| T::mul_pow2_impl(&x, &factor))
    }

    /// Multiplies real numbers.
    pub(super) fn scale_real<R: RealFloat>(self, elements: &mut [R]) {
        for factor in self.factors::<R>() {
            elements.iter_mut().for_each(|x| *x *= factor);
        }
    }

    /// Multiplies numbers.
    pub(super) fn scale_all<T: Field>(self, elements: &mut [T]) {
        for factor in self.factors::<T::Magnitude>() {
            elements.iter_mut().for_each(|x| *x = T::mul_pow2_impl(x, &factor));
        }
    }

    /// Multiplies all elements of a matrix of the workspace by this power.
    pub(super) fn scale<T: Field>(self, a: MatMut<'_, T>) {
        self.scale_used(a, Used::All);
    }

    /// Multiplies the used elements of a matrix of the workspace by this power.
    fn scale_used<T: Field>(self, mut a: MatMut<'_, T>, used: Used) {
        let m = a.nrows();
        for factor in self.factors::<T::Magnitude>() {
            for j in 0..a.ncols() {
                let elements = &mut column(a.as_mut(), j)[used.rows(j, m)];
                elements.iter_mut().for_each(|x| *x = T::mul_pow2_impl(x, &factor));
            }
        }
    }
}

/// The elements that a decomposition uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Used {
    All,
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
}

impl Used {
    /// Returns the used rows of column `j`, which has `rows` elements.
    fn rows(self, j: usize, rows: usize) -> Range<usize> {
        match self {
            Used::All => 0..rows,
            Used::Lower => j.min(rows)..rows,
            Used::Upper => 0..rows.min(j + 1),
        }
    }
}

/// Multiplies the used elements by a power of two. On return, the largest magnitude of the real and imaginary parts of the used elements
/// is at least 1 and less than 2. Returns the inverse of this power. If all used elements are 0, the power is 1.
///
/// # Errors
/// If an element is not finite, whether it is used or not. The elements are then unchanged.
pub(super) fn normalise<T: Field>(mut a: MatMut<'_, T>, used: Used) -> Result<PowerOfTwo, Failure> {
    let of_a = PowerOfTwo(exponent_or_zero(largest(a.as_mut(), used)?));
    PowerOfTwo::ONE.divided_by(of_a).scale_used(a, used);
    Ok(of_a)
}

/// Variant of [`normalise`] for algorithms that need scaling only if the largest element is extreme: see [`moderate_exponent`]. The
/// returned power has an even exponent.
///
/// A matrix without an extreme element is not scaled, because scaling can make its smallest elements 0. For example,
/// `diag(1e-200, 1e200)` would become singular.
///
/// # Errors
/// As for [`normalise`].
pub(super) fn moderate<T: Field>(mut a: MatMut<'_, T>, used: Used) -> Result<PowerOfTwo, Failure> {
    let of_a = moderate_power::<T>(largest(a.as_mut(), used)?);
    PowerOfTwo::ONE.divided_by(of_a).scale_used(a, used);
    Ok(of_a)
}

/// Returns the power by which [`moderate`] divides a matrix with this largest element.
fn moderate_power<T: Field>(largest: T::Magnitude) -> PowerOfTwo {
    let limit = exponent_of(<T::Magnitude as Float>::max_value());
    PowerOfTwo(moderate_exponent(exponent_or_zero(largest), limit))
}

fn exponent_or_zero<R: RealFloat>(x: R) -> i32 {
    if x == R::zero() { 0 } else { exponent_of(x) }
}

/// If the largest element of the matrix is extreme, divides each column by a power of two, as [`moderate`] does for the whole matrix. Writes
/// the powers to `of_columns`.
///
/// # Errors
/// As for [`normalise`].
pub(super) fn moderate_extreme_columns<T: Field>(
    mut a: MatMut<'_, T>,
    of_columns: &mut [PowerOfTwo],
) -> Result<(), Failure> {
    if moderate_power::<T>(largest(a.as_mut(), Used::All)?).is_one() {
        of_columns.fill(PowerOfTwo::ONE);
        return Ok(());
    }
    moderate_columns(a, of_columns)
}

/// Divides each column by a power of two, as [`moderate`] does for the whole matrix. Writes the powers to `of_columns`.
///
/// # Errors
/// As for [`normalise`].
pub(super) fn moderate_columns<T: Field>(
    mut a: MatMut<'_, T>,
    of_columns: &mut [PowerOfTwo],
) -> Result<(), Failure> {
    for (j, of_column) in of_columns.iter_mut().enumerate() {
        *of_column = moderate(a.as_mut().subcols_mut(j, 1), Used::All)?;
    }
    Ok(())
}

/// Divides the used elements of each row, and then of each column, by a power of two. In the result, the largest magnitude of the real and
/// imaginary parts of each column that is not 0 is between 1 and 2, and that of each row is at least 1. Writes the powers to `of_rows` and
/// `of_columns`. The elements must be finite.
pub(super) fn equilibrate<T: Field>(
    mut a: MatMut<'_, T>,
    used: Used,
    of_rows: &mut [PowerOfTwo],
    of_columns: &mut [PowerOfTwo],
) {
    let n = a.nrows();
    let size = |x: &T| {
        let [re, im] = [T::real_part_impl(x), T::imag_part_impl(x)].map(Float::abs);
        if re > im { re } else { im }
    };
    let power = |largest: T::Magnitude| PowerOfTwo(exponent_or_zero(largest));
    for (i, of_row) in of_rows.iter_mut().enumerate() {
        let of_used = (0..n).filter(|&j| used.rows(j, n).contains(&i)).map(|j| size(&a[(i, j)]));
        *of_row = power(of_used.fold(T::Magnitude::zero(), Float::max));
    }
    for (j, of_column) in of_columns.iter_mut().enumerate() {
        let rows = used.rows(j, n);
        let elements = &mut column(a.as_mut(), j)[rows.clone()];
        for (x, of_row) in elements.iter_mut().zip(&of_rows[rows]) {
            *x = PowerOfTwo::ONE.divided_by(*of_row).times(*x);
        }
        *of_column = power(elements.iter().map(size).fold(T::Magnitude::zero(), Float::max));
        PowerOfTwo::ONE.divided_by(*of_column).scale_all(elements);
    }
}

/// Returns the exponent of the power of two by which [`moderate`] divides a matrix. `exponent` is that of the largest element, and `limit`
/// the largest exponent of the type. The result is even, and 0 unless `exponent` is near a limit of the type.
///
/// Small matrices are multiplied so that the largest element is about 1, which does not change the digits of any element. Large matrices are
/// divided only as far as it is necessary for sums and quotients not to overflow, so that as few small elements as possible become 0.
pub(in crate::device) fn moderate_exponent(exponent: i32, limit: i32) -> i32 {
    // Elements can grow by this power of two in a decomposition.
    const GROWTH: i32 = 16;
    if exponent < -(limit / 4 * 3) {
        exponent & !1
    } else if exponent > limit - GROWTH {
        (exponent - (limit - GROWTH) + 1) & !1
    } else {
        0
    }
}

/// Checks that all elements are finite.
///
/// # Errors
/// If an element is not finite.
pub(super) fn check_finite<T: Field>(a: MatMut<'_, T>) -> Result<(), Failure> {
    largest(a, Used::All).map(|_| ())
}

/// Returns the largest magnitude of the real and imaginary parts of the used elements.
///
/// # Errors
/// If an element is not finite, whether it is used or not.
fn largest<T: Field>(a: MatMut<'_, T>, used: Used) -> Result<T::Magnitude, Failure> {
    if a.nrows() < 8 {
        // With 8 lanes, half or more of the only chunk of such a short column could be padding.
        // SAFETY: `largest_in_lanes` has no conditions.
        unsafe { largest_in_lanes::<T, 4>(a, used) }
    } else {
        // SAFETY: `largest_in_lanes` has no conditions.
        unsafe { largest_in_lanes::<T, 8>(a, used) }
    }
}

kernel! {
    /// Implements [`largest`] with `LANES` lanes.
    ///
    /// # Safety
    /// There are no conditions.
    unsafe fn largest_in_lanes[T: Field, const LANES: usize][T, LANES](
        a: MatMut<'_, T>,
        used: Used,
    ) -> Result<T::Magnitude, Failure> {
        let (mut a, mut in_use, mut unused) = (a, Largest::<_, LANES>::new(), Largest::<_, LANES>::new());
        let m = a.nrows();
        for j in 0..a.ncols() {
            let elements = column(a.as_mut(), j);
            if used == Used::All {
                in_use.include(elements);
                continue;
            }
            let rows = used.rows(j, m);
            in_use.include(&elements[rows.clone()]);
            unused.include(&elements[..rows.start]);
            unused.include(&elements[rows.end..]);
        }
        unused.get()?;
        in_use.get()
    }
}

/// The maximum of magnitudes, computed in several lanes, so that the compiler can vectorise the loop.
#[derive(Clone, Copy)]
struct Largest<R, const LANES: usize> {
    largest: [R; LANES],
    /// Sums of the numbers multiplied by 0: NaN if a number is NaN or infinite, otherwise 0.
    check: [R; LANES],
}

impl<R: RealFloat, const LANES: usize> Largest<R, LANES> {
    fn new() -> Self {
        Largest { largest: [R::zero(); LANES], check: [R::zero(); LANES] }
    }

    #[inline(always)]
    fn include<T: Field + crate::element::Scalar<Magnitude = R>>(&mut self, elements: &[T]) {
        let (chunks, rest) = elements.as_chunks();
        // The compiler keeps a local copy in vector registers.
        let mut all = *self;
        for chunk in chunks {
            all = all.with(chunk);
        }
        if !rest.is_empty() {
            // The rest is padded with zeros, which change neither the maximum nor the check.
            all = all.with(&core::array::from_fn(|lane| rest.get(lane).copied().unwrap_or_else(T::zero)));
        }
        *self = all;
    }

    /// Includes one element in each lane.
    #[inline(always)]
    fn with<T: Field + crate::element::Scalar<Magnitude = R>>(self, chunk: &[T; LANES]) -> Self {
        let all = self.with_real(chunk.each_ref().map(T::real_part_impl));
        if T::COMPLEX { all.with_real(chunk.each_ref().map(T::imag_part_impl)) } else { all }
    }

    /// Includes one real number in each lane.
    // Each of the two loops updates one array only, and the `if` selects a value that is always stored. Otherwise the compiler does not
    // vectorise the loops.
    #[inline(always)]
    fn with_real(mut self, numbers: [R; LANES]) -> Self {
        for (largest, x) in self.largest.iter_mut().zip(numbers) {
            let size = Float::abs(x);
            *largest = if size > *largest { size } else { *largest };
        }
        for (check, x) in self.check.iter_mut().zip(numbers) {
            *check += x * R::zero();
        }
        self
    }

    fn get(&self) -> Result<R, Failure> {
        let zero = R::zero();
        if Float::is_nan(self.check.iter().fold(zero, |sum, &x| sum + x)) {
            return Err(Failure::NotFinite);
        }
        Ok(self.largest.iter().fold(zero, |largest, &x| Float::max(largest, x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_in_range_and_multiply_to_the_power() {
        for e in [0i32, 1, -1, 1022, 1023, -1022, -1023, -1074, 2097, -2097] {
            let exponents: Vec<i32> = PowerOfTwo(e).factors::<f64>().map(exponent_of).collect();
            assert_eq!(exponents.iter().sum::<i32>(), e);
            assert!(exponents.iter().all(|part| part.abs() <= 1022));
        }
    }
}
