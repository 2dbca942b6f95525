//! Exact sums, with which the other modules compare the results of the library. A sum is a fixed-point number with enough digits for all
//! `f64` and for all products of two `f64`.

/// Number of bits of a digit. The other bits of the digit's `i64` hold the carries of up to 2³¹ additions.
const BITS: i32 = 32;
/// Number of fractional bits. The smallest positive product of two `f64` is `2^-2148`.
const POINT: i32 = 2176;
/// Number of digits. The largest product of two `f64` is below `2^2048`; four spare digits hold sums of many products.
const DIGITS: usize = ((POINT + 2048) / BITS + 4) as usize;

/// The number `Σ digits[k] · 2^(32 k − POINT)`.
#[derive(Clone)]
pub(super) struct Exact {
    digits: [i64; DIGITS],
}

impl Exact {
    pub(super) fn zero() -> Exact {
        Exact { digits: [0; DIGITS] }
    }

    pub(super) fn sum(numbers: impl IntoIterator<Item = f64>) -> Exact {
        let mut sum = Exact::zero();
        numbers.into_iter().for_each(|x| sum.add(x));
        sum
    }

    /// Returns the exact sum of the products of pairs.
    pub(super) fn dot(pairs: impl IntoIterator<Item = (f64, f64)>) -> Exact {
        let mut sum = Exact::zero();
        pairs.into_iter().for_each(|(x, y)| sum.add_product(x, y));
        sum
    }

    pub(super) fn add(&mut self, x: f64) {
        let (mantissa, exponent) = parts(x);
        self.add_scaled(mantissa.into(), exponent);
    }

    pub(super) fn add_product(&mut self, x: f64, y: f64) {
        let ((m, e), (n, f)) = (parts(x), parts(y));
        self.add_whole(i128::from(m) * i128::from(n), e + f);
    }

    /// Adds `whole · 2^exponent`.
    pub(super) fn add_whole(&mut self, whole: i128, exponent: i32) {
        let (sign, size) = (whole.signum(), whole.unsigned_abs());
        self.add_scaled(sign * (size & u128::from(u64::MAX)) as i128, exponent);
        self.add_scaled(sign * (size >> 64) as i128, exponent + 64);
    }

    /// Adds `mantissa · 2^exponent` for a mantissa of at most 64 bits.
    fn add_scaled(&mut self, mantissa: i128, exponent: i32) {
        let position = exponent + POINT;
        let (digit, shift) = ((position / BITS) as usize, position % BITS);
        // The loop over three digits is unrolled, because a hundred million numbers are added, also in builds without optimisation.
        let negative = mantissa < 0;
        let size = (if negative { -mantissa } else { mantissa } as u128) << shift;
        let (low, middle, high) =
            (size as u32 as i64, (size >> BITS) as u32 as i64, (size >> (2 * BITS)) as i64);
        let digits = &mut self.digits;
        if negative {
            digits[digit] -= low;
            digits[digit + 1] -= middle;
            digits[digit + 2] -= high;
        } else {
            digits[digit] += low;
            digits[digit + 1] += middle;
            digits[digit + 2] += high;
        }
    }

    /// Returns the number as an `f64`, with a few rounding errors.
    pub(super) fn value(&self) -> f64 {
        let carried = self.carried();
        // All digits of the absolute value are non-negative, so they do not cancel below.
        let (sign, digits) = if carried.digits[DIGITS - 1] < 0 {
            (-1.0, Exact { digits: self.digits.map(|digit| -digit) }.carried())
        } else {
            (1.0, carried)
        };
        let Some(top) = digits.digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
        let some = digits.digits[top.saturating_sub(3)..=top].iter().rev();
        let size = some.fold(0u128, |all, &digit| (all << BITS) | digit as u128) as f64;
        let exponent = (top.saturating_sub(3)) as i32 * BITS - POINT;
        // Multiplies in two steps, because the power of two can exceed the range of `f64`.
        sign * size * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
    }

    /// Returns the absolute difference between `found` and this number. It is infinity if `found` is not finite.
    pub(super) fn distance(&self, found: f64) -> f64 {
        if !found.is_finite() {
            return f64::INFINITY;
        }
        let mut apart = self.clone();
        apart.add(-found);
        apart.value().abs()
    }

    /// Returns the same number with carried digits: all digits but the last are at least 0 and less than 2³².
    fn carried(&self) -> Exact {
        let (mut digits, mut carry) = (self.digits, 0);
        for digit in &mut digits[..DIGITS - 1] {
            let all = *digit + carry;
            (*digit, carry) = (all & 0xffff_ffff, all >> BITS);
        }
        digits[DIGITS - 1] += carry;
        Exact { digits }
    }
}

/// Splits a finite number into mantissa and exponent: `mantissa · 2^exponent`.
fn parts(x: f64) -> (i64, i32) {
    assert!(x.is_finite());
    let (bits, exponent) = (x.to_bits(), (x.to_bits() >> 52 & 0x7ff) as i32);
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let size = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    (if x < 0.0 { -size } else { size }, exponent.max(1) - 1075)
}

/// Tests [`Exact`] itself on sums with known results.
#[test]
fn sums_without_rounding() {
    assert_eq!(Exact::sum([1e300, 1.0, -1e300]).value(), 1.0);
    assert_eq!(Exact::sum([1e16, 1.0, -1e16, 5e-324]).distance(1.0), 5e-324);
    assert_eq!(Exact::sum([f64::MAX; 4]).distance(f64::MAX), f64::INFINITY);
    assert_eq!(Exact::sum([-0.1; 10]).value(), -1.0);
    // 0.1 is 3602879701896397 / 2^55.
    assert_eq!(Exact::sum([0.1; 10]).distance(1.0), 2f64.powi(-54));
    let unit = 1.0 + f64::EPSILON;
    assert_eq!(Exact::dot([(unit, unit)]).distance(1.0 + 2.0 * f64::EPSILON), f64::EPSILON * f64::EPSILON);
    assert_eq!(Exact::dot([(f64::MAX, -2.0), (f64::MAX, 2.0), (3.0, -0.5)]).value(), -1.5);
    assert_eq!(Exact::dot([(5e-324, 5e-324), (1e-300, 1.0)]).value(), 1e-300);
    let mut whole = Exact::zero();
    whole.add_whole(-(1 << 100) - 1, -100);
    assert_eq!(whole.distance(-1.0), 2f64.powi(-100));
}
