//! From a sum to its result: the scaling factors, and the signs that conjugation causes.

use crate::element::{Arithmetic, RealScalar, Scalar};
use num_traits::{One, Zero};

/// The scaling factors, and the signs that conjugation causes, prepared for computing `alpha · sum + beta · old` from a sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finish<T: Scalar> {
    pub(super) alpha: T,
    pub(super) beta: T,
    /// Whether to skip the multiplication by a complex `alpha` of 1, which would turn infinities into NaN.
    alpha_is_one: bool,
    /// Whether to skip the multiplication by a complex `beta` of 1, for the same reason.
    beta_is_one: bool,
    /// Whether `beta` is not zero, so that the old value is read.
    pub(super) reads_old: bool,
    /// The factors, 1 or -1, by which the sums in [`Parts`] are multiplied in the result. They depend on which operands are conjugated.
    pub(super) minus_im_im: T::Real,
    pub(super) re_im: T::Real,
    pub(super) im_re: T::Real,
}

impl<T: Scalar> Finish<T> {
    #[inline]
    pub(super) fn new(alpha: T, beta: T, conjugate: [bool; 2]) -> Self {
        let plus = T::Real::one();
        // Computes -1 for complex types only: operands of other types are not conjugated, and unsigned types have no -1.
        let minus = |yes: bool| if T::COMPLEX && yes { T::Real::zero() - plus } else { plus };
        let [a, b] = conjugate;
        Finish {
            alpha,
            beta,
            alpha_is_one: T::COMPLEX && alpha.is_one(),
            beta_is_one: T::COMPLEX && beta.is_one(),
            reads_old: !beta.is_zero(),
            minus_im_im: minus(a == b),
            re_im: minus(b),
            im_re: minus(a),
        }
    }

    #[inline(always)]
    pub(super) fn scaled(&self, sum: T) -> T {
        if self.alpha_is_one { sum } else { T::wrapping(Arithmetic::Mul, self.alpha, sum) }
    }

    #[inline(always)]
    pub(super) fn with_old(&self, sum: T, old: T) -> T {
        let old = if self.beta_is_one { old } else { T::wrapping(Arithmetic::Mul, self.beta, old) };
        T::wrapping(Arithmetic::Add, self.scaled(sum), old)
    }

    /// Returns the result for an exact sum of integers of up to 32 bits, and whether it fits.
    #[inline(always)]
    pub(super) fn exact(&self, sum: i128, old: Option<T>) -> (T, bool) {
        let whole = |x: T| x.re().in_i128();
        let scaled = if self.alpha.is_one() { sum } else { whole(self.alpha).saturating_mul(sum) };
        let sum = old.map_or(scaled, |old| scaled.saturating_add(whole(self.beta) * whole(old)));
        let value = T::Real::wrapped(sum);
        (T::from_real(value), value.in_i128() == sum)
    }
}
