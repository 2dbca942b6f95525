//! Quotients of complex numbers, without intermediate overflow or underflow.
//!
//! Dividend and divisor are multiplied by the same power of two, which brings the larger part of the divisor near 1. Products with powers of
//! two are exact, so quotients of ordinary numbers have the bits of the textbook formula, `a · conj(b) / |b|²`:
//!
//! ```text
//! scale = a power of two, such that the larger part of b · scale is at least 1 and below 16
//! x + i y = a · scale,  c + i d = b · scale
//! quotient = ((x c + y d) + i (y c - x d)) / (c² + d²)
//! ```
//!
//! Unless terms of a numerator cancel, each part has a relative error of at most three times the machine epsilon, or an error of two units of
//! the smallest positive number. The predicate [`is_far`](Quotient::is_far) selects operands for which a step of this formula might overflow,
//! or might underflow and affect a normal result.
//! For these, [`far`](Quotient::far) keeps exponents as integers, and rounds each part of the result once.

#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
mod avx2;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
pub(super) use avx2::QuotientLoop;
use num_complex::Complex;

/// The floating-point types of the parts of complex numbers.
pub(crate) trait Quotient: Sized + 'static {
    type Bits;
    /// The bits of exponents that determine the scale: all but the two lowest. So neither the smallest nor the largest exponent has a scale
    /// out of range.
    const EXPONENT: Self::Bits;
    /// The bits of the exponents of a number and of its scale, added.
    const SUM_OF_EXPONENTS: Self::Bits;
    /// Operands are far if the larger part of the scaled dividend has at least this magnitude.
    const FAR_SIZE: Self;
    /// Operands are far if the smaller part of the scaled divisor has a magnitude below this, unless it is 0.
    const MIN_RATIO: Self;
    /// Returns the quotient. If the divisor is zero or infinite, the result is NaN.
    fn quotient(a: Complex<Self>, b: Complex<Self>) -> Complex<Self>;
    /// Returns the quotient of operands that are not [far](Quotient::is_far). The vectorised loops compute the same bits.
    fn near(a: Complex<Self>, b: Complex<Self>) -> Complex<Self>;
    /// Returns whether [`near`](Quotient::near) may be wrong: for very large quotients, for infinite dividends, and for divisors with parts of
    /// very different magnitudes.
    fn is_far(a: Complex<Self>, b: Complex<Self>) -> bool;
    /// [`quotient`](Quotient::quotient) of any operands.
    fn far(a: Complex<Self>, b: Complex<Self>) -> Complex<Self>;
}

/// Implements [`Quotient`], given `FAR_SIZE` and `MIN_RATIO` as exponents of two. `scale` is the name of the function that computes the scale.
macro_rules! quotient {
    ($F:ident: bits $Bits:ident, scale $scale:ident, far_size $far_size:literal, min_ratio $min_ratio:literal) => {
        /// Returns the power of two that brings the larger part of `b` near 1, and the magnitude of the smaller part.
        #[inline(always)]
        pub(super) fn $scale(b: Complex<$F>) -> ($F, $F) {
            let (p, q) = (b.re.abs(), b.im.abs());
            let (larger, smaller) = (if p > q { p } else { q }, if p < q { p } else { q });
            ($F::from_bits($F::SUM_OF_EXPONENTS - (larger.to_bits() & $F::EXPONENT)), smaller)
        }

        impl Quotient for $F {
            type Bits = $Bits;
            const EXPONENT: $Bits = $F::INFINITY.to_bits() & ($F::INFINITY.to_bits() << 2);
            const SUM_OF_EXPONENTS: $Bits = $F::INFINITY.to_bits() - (1 << ($F::MANTISSA_DIGITS - 1));
            const FAR_SIZE: $F = power($far_size) as $F;
            const MIN_RATIO: $F = power($min_ratio) as $F;

            #[inline]
            fn quotient(a: Complex<$F>, b: Complex<$F>) -> Complex<$F> {
                if Self::is_far(a, b) { Self::far(a, b) } else { Self::near(a, b) }
            }

            #[inline(always)]
            fn near(a: Complex<$F>, b: Complex<$F>) -> Complex<$F> {
                let (scale, _) = $scale(b);
                let (x, y, c, d) = (a.re * scale, a.im * scale, b.re * scale, b.im * scale);
                let square = c * c + d * d;
                Complex::new((x * c + y * d) / square, (y * c - x * d) / square)
            }

            #[inline(always)]
            fn is_far(a: Complex<$F>, b: Complex<$F>) -> bool {
                let (scale, smaller) = $scale(b);
                let (x, y) = ((a.re * scale).abs(), (a.im * scale).abs());
                let size = if x > y { x } else { y };
                // A divisor with a part that is 0 is not far, because real numbers often occur as complex ones. Comparisons with NaN are
                // false, so operands with a NaN are far.
                let moderate = size < $F::FAR_SIZE;
                !moderate | ((smaller * scale < $F::MIN_RATIO) & (smaller != 0.0))
            }

            // Out of line, so that the loops over quotients stay short.
            #[cold]
            #[inline(never)]
            fn far(a: Complex<$F>, b: Complex<$F>) -> Complex<$F> {
                let finite = a.re.is_finite() && a.im.is_finite() && b.re.is_finite() && b.im.is_finite();
                if !finite || (b.re == 0.0 && b.im == 0.0) {
                    return Self::near(a, b);
                }
                let [x, y, c, d] = [a.re, a.im, b.re, b.im].map(|part| Wide::from(f64::from(part)));
                let exponent = c.exponent.max(d.exponent);
                let square = [c, d].map(|part| part.at(exponent) as $F).map(|part| part * part);
                let square = square[0] + square[1];
                let part = |first: [Wide; 2], second: [Wide; 2]| {
                    let [first, second] = [first, second].map(|[p, q]| Wide {
                        mantissa: (p.mantissa as $F * q.mantissa as $F).into(),
                        exponent: p.exponent + q.exponent,
                    });
                    let both = first.exponent.max(second.exponent);
                    let sum = first.at(both) as $F + second.at(both) as $F;
                    // For `f32`, the scaled number is exact in `f64` unless it rounds to zero or infinity, so it is rounded once.
                    times_power((sum / square).into(), both - 2 * exponent) as $F
                };
                let minus_x = Wide { mantissa: -x.mantissa, ..x };
                Complex::new(part([x, c], [y, d]), part([y, c], [minus_x, d]))
            }
        }
    };
}
quotient!(f32: bits u32, scale scale32, far_size 119, min_ratio -100);
quotient!(f64: bits u64, scale scale64, far_size 1015, min_ratio -960);

/// Returns 2^k, if k is the exponent of a normal number.
pub(super) const fn power(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The number `mantissa · 2^exponent`, with a mantissa of magnitude 1 to 2. Zero has an exponent below those of all products.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub(super) mantissa: f64,
    pub(super) exponent: i32,
}

impl Wide {
    pub(super) fn from(x: f64) -> Wide {
        const EXPONENT: u64 = f64::INFINITY.to_bits();
        if x == 0.0 {
            return Wide { mantissa: x, exponent: -10_000 };
        }
        let subnormal = x.abs() < f64::MIN_POSITIVE;
        let bits = if subnormal { x * power(54) } else { x }.to_bits();
        let exponent = ((bits & EXPONENT) >> 52) as i32 - if subnormal { 54 } else { 0 } - 1023;
        Wide { mantissa: f64::from_bits(bits & !EXPONENT | 1.0f64.to_bits()), exponent }
    }

    /// Returns the number divided by 2^exponent, which is at least its own exponent.
    fn at(self, exponent: i32) -> f64 {
        times_power(self.mantissa, self.exponent - exponent)
    }
}

/// Returns `x · 2^k`, rounded once if the magnitude of `x` is 0 or from 2^-100 to 2^100.
pub(super) fn times_power(x: f64, k: i32) -> f64 {
    if k < -1022 {
        x * power(-900) * power((k + 900).max(-1022))
    } else {
        x * power(k.min(1000)) * power((k - 1000).clamp(0, 1000)) * power((k - 2000).clamp(0, 1000))
    }
}
