//! Division of integers in vectors. Vector units have no instruction for it.
//!
//! * By the same divisor: multiplication by a reciprocal, which depends on the divisor alone. In a loop with one divisor, the compiler
//!   computes the reciprocal before the loop and vectorises what is left. The algorithms are those of Granlund and Montgomery, *Division
//!   by Invariant Integers using Multiplication* (PLDI 1994), figures 4.1 and 5.2.
//! * By different divisors: division of floating-point numbers whose mantissas have more digits than the integers. If the exact quotient
//!   is not an integer, its distance to the next one is at least 1 / divisor. That is more than the rounding error, so the rounded quotient
//!   has the same integer part. There is no such type for integers of 64 bits, which are divided one by one.

use crate::elementary::Truncate;

/// Integers with a division by different divisors.
pub(super) trait Divide: Copy {
    /// Returns `self.wrapping_div(divisor)`, or any number if `divisor` is 0.
    fn divide(self, divisor: Self) -> Self;
    /// Returns `self.wrapping_rem(divisor)`, or any number if `divisor` is 0.
    fn rest(self, divisor: Self) -> Self;
}

macro_rules! divide {
    ($($T:ident)*, |$a:ident, $b:ident| $quotient:expr) => {$(
        impl Divide for $T {
            #[inline(always)]
            fn divide(self, divisor: $T) -> $T {
                let ($a, $b) = (self, divisor);
                let quotient = $quotient;
                quotient as $T
            }
            #[inline(always)]
            fn rest(self, divisor: $T) -> $T {
                self.wrapping_sub(self.divide(divisor).wrapping_mul(divisor))
            }
        }
    )*};
}
// The quotient of the smallest number and −1 does not fit in the type. In 32 bits, it is 2¹⁵ or 2⁷, and wraps in the cast.
divide!(i8 u8 i16 u16, |a, b| Truncate::<i32>::truncate(f32::from(a) / f32::from(b)));
divide!(u32, |a, b| Truncate::<u32>::truncate(f64::from(a) / f64::from(b)));
divide!(i32, |a, b| {
    let quotient = Truncate::<i32>::truncate(f64::from(a) / f64::from(b));
    if b == -1 { a.wrapping_neg() } else { quotient }
});
divide!(i64 u64, |a, b| a.wrapping_div(if b == 0 { 1 } else { b }));

/// Integers with a fast division by a loop-invariant divisor.
pub(super) trait DivideByInvariant: Copy {
    /// Returns `self.wrapping_div(divisor)`, or any number if `divisor` is 0.
    fn quotient(self, divisor: Self) -> Self;
    /// Returns `self.wrapping_rem(divisor)`, or any number if `divisor` is 0.
    fn remainder(self, divisor: Self) -> Self;
}

macro_rules! unsigned {
    ($($T:ident $Wide:ident, $high:expr;)*) => {$(
        impl DivideByInvariant for $T {
            #[inline(always)]
            fn quotient(self, divisor: $T) -> $T {
                // `d` is never 0, so the division cannot panic, and the compiler can move it out of a loop whose divisor is constant.
                let d = if divisor == 0 { 1 } else { divisor };
                // ⌈log₂ d⌉.
                let log = <$T>::BITS - (d - 1).leading_zeros();
                let factor = (((((1 as $Wide) << log) - d as $Wide) << <$T>::BITS) / d as $Wide) as $T + 1;
                let high = $high(self, factor);
                (high + ((self - high) >> log.min(1))) >> log.saturating_sub(1)
            }
            #[inline(always)]
            fn remainder(self, divisor: $T) -> $T {
                self.wrapping_sub(self.quotient(divisor).wrapping_mul(divisor))
            }
        }
    )*};
}
unsigned! {
    u16 u32, |a, b| ((a as u32 * b as u32) >> 16) as u16;
    u32 u64, |a, b| ((a as u64 * b as u64) >> 32) as u32;
    u64 u128, high_half;
}

// Vector units have no products and shifts of 8 bits, so quotients of 8 bits are computed in 16 bits. Sums do not overflow there, so the
// computation is shorter than for other types.
impl DivideByInvariant for u8 {
    #[inline(always)]
    fn quotient(self, divisor: u8) -> u8 {
        let d = if divisor == 0 { 1 } else { divisor };
        // ⌈log₂ d⌉.
        let log = u8::BITS - (d - 1).leading_zeros();
        // The factor less 2⁸. Adding `self` corrects the product.
        let factor = (((1 << log) - d as u16) << u8::BITS) / d as u16 + 1;
        ((((self as u16 * factor) >> u8::BITS) + self as u16) >> log) as u8
    }
    #[inline(always)]
    fn remainder(self, divisor: u8) -> u8 {
        self.wrapping_sub(self.quotient(divisor).wrapping_mul(divisor))
    }
}

impl DivideByInvariant for i8 {
    #[inline(always)]
    fn quotient(self, divisor: i8) -> i8 {
        let d = if divisor == 0 { 1 } else { divisor.unsigned_abs() };
        let log = u8::BITS - (d - 1).leading_zeros();
        // At most 253, so its product with `self` fits in 16 bits.
        let factor = (1 << (7 + log)) / d as i16 + 1;
        let size = ((self as i16 * factor) >> (7 + log)) - (self as i16 >> 15);
        let sign = divisor as i16 >> 15;
        ((size ^ sign) - sign) as i8
    }
    #[inline(always)]
    fn remainder(self, divisor: i8) -> i8 {
        self.wrapping_sub(self.quotient(divisor).wrapping_mul(divisor))
    }
}

/// Returns the upper 64 bits of a product, computed by multiplications of 32-bit numbers: vector units have no wider multiplications.
#[inline(always)]
fn high_half(a: u64, b: u64) -> u64 {
    const LOW: u64 = u32::MAX as u64;
    // Computed as `a · (b − 1) + a`. The compiler recognises the usual form of this computation, and replaces it by one scalar instruction,
    // so that the loop would not be vectorised.
    let b = b.wrapping_sub(1);
    let ([a0, a1], [b0, b1]) = ([a & LOW, a >> 32], [b & LOW, b >> 32]);
    let (low, high_low) = (a0 * b0 + a0, a1 * b0 + a1);
    let middle = (low >> 32) + (high_low & LOW) + a0 * b1;
    a1 * b1 + (high_low >> 32) + (middle >> 32)
}

macro_rules! signed {
    ($($T:ident $Wide:ident $Unsigned:ident;)*) => {$(
        impl DivideByInvariant for $T {
            #[inline(always)]
            fn quotient(self, divisor: $T) -> $T {
                const SIGN: u32 = <$T>::BITS - 1;
                // `d` is never 0, so the division cannot panic, and the compiler can move it out of a loop whose divisor is constant.
                let d = if divisor == 0 { 1 } else { divisor.unsigned_abs() };
                // ⌈log₂ d⌉, at least 1.
                let log = (<$T>::BITS - (d - 1).leading_zeros()).max(1);
                // The factor does not fit in the signed type, so the variable holds the factor minus 2ᴮᴵᵀˢ. Adding `self` to `high`
                // corrects the product.
                let factor = (((1 as $Unsigned) << (SIGN + log)) / d as $Unsigned) as $T;
                let factor = factor.wrapping_add(1);
                let high = ((self as $Wide * factor as $Wide) >> <$T>::BITS) as $T;
                let size = (self.wrapping_add(high) >> (log - 1)).wrapping_sub(self >> SIGN);
                let sign = divisor >> SIGN;
                (size ^ sign).wrapping_sub(sign)
            }
            #[inline(always)]
            fn remainder(self, divisor: $T) -> $T {
                self.wrapping_sub(self.quotient(divisor).wrapping_mul(divisor))
            }
        }
    )*};
}
signed! {
    i16 i32 u32;
    i32 i64 u64;
}

impl DivideByInvariant for i64 {
    #[inline(always)]
    fn quotient(self, divisor: i64) -> i64 {
        let size = self.unsigned_abs().quotient(divisor.unsigned_abs()) as i64;
        let sign = (self ^ divisor) >> 63;
        (size ^ sign).wrapping_sub(sign)
    }
    #[inline(always)]
    fn remainder(self, divisor: i64) -> i64 {
        self.wrapping_sub(self.quotient(divisor).wrapping_mul(divisor))
    }
}

#[cfg(test)]
mod tests {
    use super::{Divide, DivideByInvariant};

    macro_rules! against_the_processor {
        ($T:ident, $numbers:expr, $divisors:expr) => {
            for b in $divisors.filter(|&b| b != 0) {
                for a in $numbers {
                    let (a, b): ($T, $T) = (a, b);
                    assert_eq!(a.quotient(b), a.wrapping_div(b), "{a} / {b}");
                    assert_eq!(a.remainder(b), a.wrapping_rem(b), "{a} % {b}");
                    assert_eq!(a.divide(b), a.wrapping_div(b), "{a} / {b}");
                    assert_eq!(a.rest(b), a.wrapping_rem(b), "{a} % {b}");
                }
            }
        };
    }

    #[test]
    fn all_numbers_of_8_bits() {
        against_the_processor!(u8, 0..=u8::MAX, 0..=u8::MAX);
        against_the_processor!(i8, i8::MIN..=i8::MAX, i8::MIN..=i8::MAX);
    }

    /// Returns powers of two and their neighbours, the limits, multiples of a few numbers, and numbers without a pattern.
    fn numbers(bits: u32) -> Vec<u64> {
        let mut all: Vec<u64> = (0..bits)
            .flat_map(|k| (0..4).map(move |j| (1u64 << k).wrapping_add(j).wrapping_sub(2)))
            .collect();
        all.extend((0..40u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (k % 13)));
        all.extend((0..9).map(|k| u64::MAX - k));
        all.extend([3, 5, 6, 7, 10, 641, 1000, 6_700_417, 1_000_000_007]);
        // Multiples of some of these numbers. A multiple less 1 has a smaller quotient than the multiple, so each number less 1 is tested
        // too.
        all.extend((1..60u64).flat_map(|k| [7, 10, 641].map(|d| k.wrapping_mul(0x0123_4567_89ab) / d * d)));
        let below: Vec<u64> = all.iter().map(|x| x.wrapping_sub(1)).collect();
        all.extend(below);
        all
    }

    #[test]
    fn numbers_of_more_bits() {
        macro_rules! types {
            ($($T:ident)*) => {$(
                against_the_processor!($T, numbers($T::BITS).into_iter().map(|x| x as $T), numbers($T::BITS).into_iter().map(|x| x as $T));
            )*};
        }
        types!(u16 i16 u32 i32 u64 i64);
    }
}
