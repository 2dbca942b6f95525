//! Implementations of the numeric traits for floating-point and complex numbers.

use super::modulus::Modulus;
use super::totals::Own;
use super::{
    Arithmetic, Elementary, FloatFunction, Inexact, Ordered, PairFunction, RealFloat, RealFunction,
    RealScalar, Scalar,
};
use crate::elementary::{Quotient, numbers32, numbers64};
use num_complex::Complex;
use num_traits::{One, Zero};

macro_rules! ordered_floats {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Ordered for $t {
            const LOWEST: $t = $t::NEG_INFINITY;
            const HIGHEST: $t = $t::INFINITY;
            const HAS_NAN: bool = true;
            #[inline(always)]
            fn add_nan(self, x: $t) -> $t {
                self + x
            }
        }
    )*};
}
ordered_floats!(f32 f64);

/// The items that floating-point and complex types share: they are their own accumulators, and overflow gives infinities instead of errors.
macro_rules! inexact_scalar {
    ($t:ty) => {
        type Float = $t;
        type Accumulator = $t;
        type Totals = Own;
        type Wrapping = $t;
        #[inline]
        fn to_wrapping(self) -> $t {
            self
        }
        const INTEGER: bool = false;
        #[inline]
        fn widen(self) -> $t {
            self
        }
        #[inline]
        fn narrow(acc: $t) -> ($t, bool) {
            (acc, true)
        }
        #[inline]
        fn acc_add(a: $t, b: $t) -> $t {
            a + b
        }
        #[inline]
        fn acc_add_carry(_: $t, _: $t) -> i64 {
            0
        }
        #[inline]
        fn acc_from(x: i32) -> $t {
            Self::from_f64(f64::from(x))
        }
        #[inline]
        fn with_bits(self, bits: $t) -> $t {
            bits
        }
        #[inline]
        fn acc_mul(a: $t, b: $t) -> ($t, bool) {
            (a * b, false)
        }
        #[inline]
        fn fits(_: Arithmetic, _: $t, _: $t) -> bool {
            true
        }
        #[inline]
        fn wrapping(op: Arithmetic, a: $t, b: $t) -> $t {
            match op {
                Arithmetic::Add => a + b,
                Arithmetic::Sub => a - b,
                Arithmetic::Mul => a * b,
                Arithmetic::Div => a.quotient(b),
                Arithmetic::Rem => a.remainder(b),
            }
        }
        #[inline]
        fn acc_to_float(acc: $t) -> $t {
            acc
        }
        #[inline]
        fn neg_fits(self) -> bool {
            true
        }
        #[inline]
        fn wrapping_neg(self) -> $t {
            -self
        }
    };
}

macro_rules! functions {
    ($x:expr, $f:expr) => {
        match $f {
            FloatFunction::Sqrt => $x.sqrt(),
            FloatFunction::Exp => $x.exp(),
            FloatFunction::Exp2 => $x.exp2(),
            FloatFunction::Ln => $x.ln(),
            FloatFunction::Log2 => $x.log2(),
            FloatFunction::Log10 => $x.log10(),
            FloatFunction::Sin => $x.sin(),
            FloatFunction::Cos => $x.cos(),
            FloatFunction::Tan => $x.tan(),
            FloatFunction::Asin => $x.asin(),
            FloatFunction::Acos => $x.acos(),
            FloatFunction::Atan => $x.atan(),
            FloatFunction::Sinh => $x.sinh(),
            FloatFunction::Cosh => $x.cosh(),
            FloatFunction::Tanh => $x.tanh(),
            FloatFunction::Asinh => $x.asinh(),
            FloatFunction::Acosh => $x.acosh(),
            FloatFunction::Atanh => $x.atanh(),
        }
    };
}

macro_rules! floats {
    ($($t:ident $numbers:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Scalar for $t {
            type Real = $t;
            type Magnitude = $t;
            fn from_real(x: $t) -> $t { x }
            fn from_f64(x: f64) -> $t { x as $t }
            fn from_usize(n: usize) -> $t { n as $t }
            fn re(self) -> $t { self }
            fn im(self) -> $t { 0.0 }
            #[inline]
            fn conj(self) -> $t { self }
            #[inline]
            fn modulus(self) -> $t { <$t>::abs(self) }
            #[inline]
            fn is_close(self, other: $t, relative: $t, absolute: $t) -> bool {
                if self == other {
                    return true;
                }
                let difference = (self - other).abs();
                if difference < <$t>::INFINITY {
                    // A tolerance that overflows is larger than the difference.
                    return difference <= absolute + relative * other.abs();
                }
                // A difference that overflows is computed again, for halves. Halves of subnormal numbers would be rounded.
                let scale = if self.is_finite() { 0.5 } else { 1.0 };
                let within = (self * scale - other * scale).abs() <= absolute * scale + relative * (other * scale).abs();
                other.is_finite() && within
            }
            fn pair_function(self, f: PairFunction, right: $t) -> $t {
                $numbers::one_of_pair(f, self, right).unwrap_or_else(|| match f {
                    PairFunction::Atan2 => <$t>::atan2(self, right),
                    PairFunction::Hypot => <$t>::hypot(self, right),
                    PairFunction::Pow => <$t>::powf(self, right),
                    PairFunction::Rem => self % right,
                    PairFunction::Div => self / right,
                    PairFunction::DivInto => right / self,
                })
            }
            fn integer_power(self, n: i32) -> $t {
                $numbers::one(Elementary::IntegerPower(n), self).unwrap_or_else(|| $numbers::real_power(self, n))
            }
            inexact_scalar!($t);
        }
        #[diagnostic::do_not_recommend]
        impl RealScalar for $t {
            fn in_f64(self) -> f64 { self as f64 }
            #[inline]
            fn in_i128(self) -> i128 { self as i128 }
            #[inline]
            fn wrapped(x: i128) -> $t { x as $t }
        }
        #[diagnostic::do_not_recommend]
        impl Inexact for $t {
            // Inlined, so that loops over the square root are vectorised.
            #[inline]
            fn function(self, f: FloatFunction) -> $t {
                if f == FloatFunction::Sqrt {
                    return self.sqrt();
                }
                $numbers::one(Elementary::Float(f), self)
                    .or_else(|| $numbers::inverse_hyperbolic(f, self))
                    .unwrap_or_else(|| functions!(self, f))
            }
            fn real_function(self, f: RealFunction) -> $t {
                $numbers::one(Elementary::Real(f), self).unwrap_or_else(|| match f {
                    RealFunction::Cbrt => <$t>::cbrt(self),
                    RealFunction::ExpM1 => <$t>::exp_m1(self),
                    RealFunction::Ln1p => <$t>::ln_1p(self),
                    RealFunction::Sigmoid => {
                        let e = (-self.abs()).exp();
                        (if self < 0.0 { e } else { 1.0 }) / (1.0 + e)
                    }
                    RealFunction::Erf => libm::Libm::<$t>::erf(self),
                    RealFunction::Erfc => libm::Libm::<$t>::erfc(self),
                })
            }
            #[inline]
            fn quotient(self, by: $t) -> $t { self / by }
            #[inline]
            fn remainder(self, by: $t) -> $t { self % by }
            #[inline]
            fn unscale(self, by: $t) -> $t { self / by }
            #[inline]
            fn map_parts(self, f: impl Fn($t) -> $t) -> $t { f(self) }
            fn from_magnitude(x: $t) -> $t { x }
            #[inline]
            fn dot_re(self, other: $t) -> $t { self * other }
            fn raised(self, n: $t) -> $t {
                $numbers::one(Elementary::Power(n.into()), self).unwrap_or_else(|| <$t>::powf(self, n))
            }
            #[inline]
            fn arg(self) -> $t { if self.is_nan() { self } else if self.is_sign_negative() { core::$t::consts::PI } else { 0.0 } }
            #[inline]
            fn has_nan(self) -> bool { <$t>::is_nan(self) }
            #[inline]
            fn all_finite(self) -> bool { <$t>::is_finite(self) }
            #[inline]
            fn has_infinite(self) -> bool { <$t>::is_infinite(self) }
        }
        #[diagnostic::do_not_recommend]
        impl RealFloat for $t {}

        #[diagnostic::do_not_recommend]
        impl Scalar for Complex<$t> {
            type Real = $t;
            type Magnitude = $t;
            fn from_real(x: $t) -> Self { Complex::new(x, 0.0) }
            fn from_f64(x: f64) -> Self { Complex::new(x as $t, 0.0) }
            fn from_usize(n: usize) -> Self { Complex::new(n as $t, 0.0) }
            fn re(self) -> $t { self.re }
            fn im(self) -> $t { self.im }
            #[inline]
            fn conj(self) -> Self { Complex::conj(&self) }
            #[inline(always)]
            fn modulus(self) -> $t { <$t as Modulus>::modulus(self.re, self.im) }
            #[inline]
            fn is_close(self, other: Self, relative: $t, absolute: $t) -> bool {
                let within = |scale: $t| {
                    let difference = Complex::new(
                        self.re * scale - other.re * scale,
                        self.im * scale - other.im * scale,
                    );
                    difference.modulus() <= absolute * scale + relative * (other * scale).modulus()
                };
                // Parts that are large enough for an overflow of a magnitude or of a difference are scaled. Small ones would be rounded.
                let parts = [self.re, self.im, other.re, other.im];
                let large = parts.iter().any(|part| part.abs() > $t::MAX / 4.0);
                self == other || other.all_finite() && within(if large { 0.25 } else { 1.0 })
            }
            fn pair_function(self, f: PairFunction, right: Self) -> Self {
                match f {
                    PairFunction::Pow => $numbers::one_power(self, right).unwrap_or_else(|| {
                        // The formula of num-complex would give NaN for powers of zero, and rounding errors for real exponents.
                        if right.im == 0.0 {
                            Complex::powf(self, right.re)
                        } else if self.is_zero() && right.re > 0.0 {
                            Complex::zero()
                        } else {
                            Complex::powc(self, right)
                        }
                    }),
                    PairFunction::Div => Inexact::quotient(self, right),
                    PairFunction::DivInto => Inexact::quotient(right, self),
                    PairFunction::Atan2 | PairFunction::Hypot | PairFunction::Rem => {
                        unreachable!("{f:?} is a function of real numbers")
                    }
                }
            }
            fn integer_power(self, n: i32) -> Self {
                $numbers::one_complex(Elementary::IntegerPower(n), self)
                    .unwrap_or_else(|| $numbers::complex_power(self, n))
            }
            const COMPLEX: bool = true;
            inexact_scalar!(Complex<$t>);
        }
        #[diagnostic::do_not_recommend]
        impl Inexact for Complex<$t> {
            fn function(self, f: FloatFunction) -> Self {
                $numbers::one_complex(Elementary::Float(f), self)
                    .or_else(|| $numbers::wide_ranging(f, self))
                    .unwrap_or_else(|| functions!(self, f))
            }
            fn real_function(self, f: RealFunction) -> Self {
                $numbers::one_complex(Elementary::Real(f), self).unwrap_or_else(|| $numbers::near_zero(f, self))
            }
            #[inline]
            fn quotient(self, by: Self) -> Self { <$t as Quotient>::quotient(self, by) }
            #[inline]
            fn remainder(self, by: Self) -> Self {
                self - by * Inexact::quotient(self, by).map_parts(<$t>::trunc)
            }
            #[inline]
            fn unscale(self, by: $t) -> Self { self / by }
            #[inline]
            fn map_parts(self, f: impl Fn($t) -> $t) -> Self { Complex::new(f(self.re), f(self.im)) }
            fn from_magnitude(x: $t) -> Self { Complex::new(x, 0.0) }
            #[inline]
            fn dot_re(self, other: Self) -> $t { self.re * other.re + self.im * other.im }
            fn raised(self, n: $t) -> Self {
                $numbers::one_complex(Elementary::Power(n.into()), self).unwrap_or_else(|| {
                    if n == -1.0 { Inexact::quotient(Self::one(), self) } else { Complex::powf(self, n) }
                })
            }
            fn arg(self) -> $t { $numbers::one_arg(self).unwrap_or_else(|| Complex::arg(self)) }
            #[inline]
            fn has_nan(self) -> bool { self.re.is_nan() || self.im.is_nan() }
            #[inline]
            fn all_finite(self) -> bool { self.re.is_finite() && self.im.is_finite() }
            #[inline]
            fn has_infinite(self) -> bool { self.re.is_infinite() || self.im.is_infinite() }
        }
    )*};
}
floats!(f32 numbers32 f64 numbers64);

#[cfg(feature = "linalg")]
/// Returns the integer `e` with `2^e <= x < 2^(e + 1)`, for a positive number `x`.
pub(crate) fn exponent_of<R: RealFloat>(x: R) -> i32 {
    let (mantissa, exponent, _) = num_traits::Float::integer_decode(x);
    i32::from(exponent) + mantissa.ilog2() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "linalg")]
    #[test]
    fn exponents_are_exact() {
        for e in -1074..=1023 {
            // The bits of `2^e`. A denormal power of two has one bit in the mantissa. All others have an exponent and an empty
            // mantissa.
            let bits = if e < -1022 { 1u64 << (e + 1074) } else { ((e + 1023) as u64) << 52 };
            assert_eq!(exponent_of(f64::from_bits(bits)), e);
        }
        assert_eq!([1.0f64.next_down(), 2.0f64.next_down(), f64::MAX].map(exponent_of), [-1, 0, 1023]);
        assert_eq!([f32::from_bits(1), f32::MAX].map(exponent_of), [-149, 127]);
    }

    #[test]
    fn phase_of_reals() {
        assert_eq!(Inexact::arg(-2.0f64), std::f64::consts::PI);
        assert_eq!(Inexact::arg(3.0f32), 0.0);
        assert!(Inexact::arg(f64::NAN).is_nan());
    }
}
