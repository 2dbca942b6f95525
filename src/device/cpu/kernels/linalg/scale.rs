//! Scaling of matrices by powers of two.

use super::workspace::column;
use super::{Failure, Field};
use crate::element::RealFloat;
use faer::MatMut;
use num_traits::{Float, ToPrimitive, Zero};

/// Two to the power of an integer.
#[derive(Debug, Clone, Copy)]
pub(super) struct PowerOfTwo(i32);

impl PowerOfTwo {
    /// Returns two factors whose product is the power: for elements near the limits of the type, the power itself is out of range.
    fn factors<R: RealFloat>(self) -> [R; 2] {
        let two = R::from_f64(2.0);
        [self.0 / 2, self.0 - self.0 / 2].map(|exponent| Float::powi(two, exponent))
    }

    pub(super) fn inverse(self) -> Self {
        PowerOfTwo(-self.0)
    }

    /// Returns the square root. The exponent must be even.
    pub(super) fn square_root(self) -> Self {
        debug_assert!(self.0 % 2 == 0);
        PowerOfTwo(self.0 / 2)
    }

    /// Returns `x` times the power.
    pub(super) fn times<R: RealFloat>(self, x: R) -> R {
        let [first, second] = self.factors();
        x * first * second
    }

    /// Multiplies all elements of a matrix of the workspace.
    pub(super) fn scale<T: Field>(self, mut a: MatMut<'_, T>) {
        if self.0 == 0 {
            return;
        }
        let [first, second] = self.factors();
        for j in 0..a.ncols() {
            for x in column(a.as_mut(), j) {
                *x = T::mul_pow2_impl(&T::mul_pow2_impl(x, &first), &second);
            }
        }
    }
}

/// Multiplies the elements by the power of two for which the largest part of an element is about 1, and returns the inverse of this power.
/// A matrix of zeros is unchanged. If `even`, the exponent is even.
///
/// # Errors
/// If an element is not finite. The elements are then unchanged.
pub(super) fn normalise<T: Field>(mut a: MatMut<'_, T>, even: bool) -> Result<PowerOfTwo, Failure> {
    let zero = <T::Magnitude as Zero>::zero();
    let mut largest = zero;
    // Products of finite numbers with 0 are 0. A NaN or an infinity makes this sum NaN.
    let mut check = zero;
    for j in 0..a.ncols() {
        for x in column(a.as_mut(), j).iter() {
            let (re, im) = (T::real_part_impl(x), T::imag_part_impl(x));
            largest = Float::max(largest, Float::max(Float::abs(re), Float::abs(im)));
            check += re * zero + im * zero;
        }
    }
    if Float::is_nan(check) {
        return Err(Failure::NotFinite);
    }
    if largest == zero {
        return Ok(PowerOfTwo(0));
    }
    let exponent =
        Float::floor(Float::log2(largest)).to_i32().expect("a finite number has a small logarithm");
    let of_a = PowerOfTwo(if even { exponent & !1 } else { exponent });
    of_a.inverse().scale(a);
    Ok(of_a)
}
