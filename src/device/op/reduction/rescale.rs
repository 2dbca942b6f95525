//! Scales elements by a power of two, for reductions whose result is in range although a sum of the elements or of their squares is not.

use crate::element::{CastTo, Inexact, RealScalar, Scalar};

/// Returns the greatest power of two that is not greater than `peak`, which must be positive and finite.
pub(super) fn power_of_two(peak: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    let bits = peak.to_bits();
    let power =
        if bits & EXPONENT == 0 { 1 << (u64::BITS - 1 - bits.leading_zeros()) } else { bits & EXPONENT };
    f64::from_bits(power)
}

/// Returns the power of two by which to divide the elements, so that the part of greatest modulus becomes at least 1 and less than 2, and
/// whether the elements differ. With `SKIP`, elements that are NaN are ignored.
///
/// Returns `None` if the elements are zero or not finite: another scale does not change the result then.
pub(crate) fn scale<T: Scalar, const SKIP: bool>(elements: impl Iterator<Item = T>) -> Option<(f64, bool)> {
    let (mut peak, mut first, mut differ) = (0f64, None, false);
    for x in elements {
        let float = CastTo::<T::Float>::cast_to(x);
        if !float.all_finite() {
            if SKIP && float.has_nan() {
                continue;
            }
            return None;
        }
        let (re, im): (T::Magnitude, T::Magnitude) = (x.re().cast_to(), x.im().cast_to());
        peak = peak.max(re.in_f64().abs()).max(im.in_f64().abs());
        differ |= *first.get_or_insert(x) != x;
    }
    (peak > 0.0).then(|| (power_of_two(peak), differ))
}

/// Returns `x / by`. `by` is a power of two.
pub(super) fn scaled<T: Scalar>(x: T, by: f64) -> T {
    CastTo::<T::Float>::cast_to(x).unscale(<T::Magnitude as Scalar>::from_f64(by)).cast_to()
}

/// Returns `x · by`. `by` is a power of two, and `x` is finite.
pub(super) fn restored<F: Inexact>(x: F, by: f64) -> F {
    x * F::from_magnitude(<F::Magnitude as Scalar>::from_f64(by))
}
