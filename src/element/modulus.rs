//! The absolute value of complex numbers, without a branch and without a call, so that loops over it are vectorised.

/// Floating-point types of the parts of complex numbers.
pub(super) trait Modulus {
    /// Returns `√(re² + im²)` without intermediate overflow or underflow, with an error of at most 1.5 units in the last place. The
    /// result is infinite if `re` or `im` is infinite, even if the other part is NaN.
    fn modulus(re: Self, im: Self) -> Self;
}

macro_rules! modulus {
    ($F:ident, $Bits:ident) => {
        impl Modulus for $F {
            #[inline(always)]
            #[allow(clippy::manual_clamp, reason = "`clamp` keeps a NaN, which has no exponent")]
            fn modulus(re: $F, im: $F) -> $F {
                const DIGITS: u32 = $F::MANTISSA_DIGITS - 1;
                /// All bits of the exponent.
                const EXPONENT: $Bits = $F::INFINITY.to_bits();
                const HIGHEST: $F = $F::from_bits(EXPONENT - (2 << DIGITS));
                // The exponent of the larger part, limited so that both scales below are normal numbers.
                let larger = re.abs().max(im.abs()).max($F::MIN_POSITIVE).min(HIGHEST);
                let exponent = larger.to_bits() & EXPONENT;
                // The scales are powers of two, so scaling rounds only a part that is too small to affect the result. The scaled larger
                // part is from 1 to 4, or smaller if the larger part is subnormal.
                let (down, up) =
                    ($F::from_bits(EXPONENT - (1 << DIGITS) - exponent), $F::from_bits(exponent));
                let (x, y) = (re * down, im * down);
                let size = (x * x + y * y).sqrt() * up;
                if re.is_infinite() | im.is_infinite() { $F::INFINITY } else { size }
            }
        }
    };
}
modulus!(f32, u32);
modulus!(f64, u64);

#[cfg(test)]
mod tests {
    use super::Modulus;

    #[test]
    fn limits_and_what_is_not_a_number() {
        let modulus = <f64 as Modulus>::modulus;
        for (re, im, expected) in [
            (0.0, 0.0, 0.0),
            (-0.0, -0.0, 0.0),
            (3.0, -4.0, 5.0),
            (f64::MAX, 0.0, f64::MAX),
            (f64::MAX, f64::MAX, f64::INFINITY),
            (-f64::MAX / 2.0, 1.0, f64::MAX / 2.0),
            (3e307, 4e307, 5e307),
            (3e-320, 4e-320, 5e-320),
            (5e-324, 0.0, 5e-324),
            (0.0, -f64::MIN_POSITIVE, f64::MIN_POSITIVE),
            (1e-300, 1e300, 1e300),
            (f64::INFINITY, f64::NAN, f64::INFINITY),
            (f64::NAN, f64::NEG_INFINITY, f64::INFINITY),
            (f64::INFINITY, -1.0, f64::INFINITY),
        ] {
            assert_eq!(modulus(re, im).to_bits(), f64::to_bits(expected), "{re} {im}");
            assert_eq!(modulus(im, re).to_bits(), f64::to_bits(expected), "{im} {re}");
        }
        assert!(modulus(f64::NAN, 1.0).is_nan() && modulus(0.0, f64::NAN).is_nan());
        let narrow = <f32 as Modulus>::modulus;
        assert_eq!(narrow(f32::NAN, f32::NEG_INFINITY), f32::INFINITY);
        assert_eq!((narrow(3e38, 0.0), narrow(-3e-45, 4e-45)), (3e38, 3e-45f32.hypot(4e-45)));
        assert_eq!(narrow(f32::MAX, f32::MAX), f32::INFINITY);
        assert!(narrow(1.0, f32::NAN).is_nan());
    }

    /// Compares with the mathematics library's `hypot`, whose error is at most one unit in the last place.
    #[test]
    fn numbers_of_every_size() {
        let mut bits = 1u64;
        let mut next = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bits ^ (bits >> 29)
        };
        for k in 0..200_000 {
            // In turn, two arbitrary numbers and two numbers of similar magnitude.
            let re = f64::from_bits(next());
            let im =
                if k % 2 == 0 { f64::from_bits(next()) } else { re * (1.0 + (next() % 1000) as f64 / 250.0) };
            if !re.is_finite() || !im.is_finite() {
                continue;
            }
            let (found, expected) = (<f64 as Modulus>::modulus(re, im), re.hypot(im));
            let apart = found.to_bits().abs_diff(expected.to_bits());
            assert!(apart <= 2, "{re:e} {im:e}: {found:e}, not {expected:e}");
            let re = f32::from_bits(next() as u32);
            let im = if k % 2 == 0 {
                f32::from_bits(next() as u32)
            } else {
                re * (1.0 + (next() % 1000) as f32 / 250.0)
            };
            if re.is_finite() && im.is_finite() {
                // The squares are exact in `f64` and far from the limits of its range.
                let (x, y) = (f64::from(re), f64::from(im));
                let (found, expected) = (<f32 as Modulus>::modulus(re, im), (x * x + y * y).sqrt() as f32);
                let apart = found.to_bits().abs_diff(expected.to_bits());
                assert!(apart <= 1, "{re:e} {im:e}: {found:e}, not {expected:e}");
            }
        }
    }
}
