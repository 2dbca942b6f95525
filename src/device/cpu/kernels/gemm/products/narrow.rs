//! Sums of products of integers in types that may overflow, and the proof that they did not: the bits of the factors are an upper bound of
//! the sum.

use super::pairs::MAX_SWEPT_OUTPUTS;
use super::sums::{Plain, Sums};
use crate::element::DType::{I8, I16, I32, I64};
use crate::element::{RealScalar, Scalar};
use num_traits::Zero;

/// A sum of a few products of integers `T`, in as few bits as possible. It wraps: [`FactorBits`] say whether it is exact.
pub(super) trait NarrowSum<T: Scalar>: Copy {
    /// The largest sum.
    const MAX: u64;
    /// The largest magnitude of a factor.
    const MAX_FACTOR: u64 = u64::MAX;
    fn zero() -> Self;
    /// Returns `self + x · y`.
    fn plus(self, x: T, y: T) -> Self;
    fn value(self) -> i64;
}

/// A sum of products of 8-bit integers.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortSum(i16);

impl<T: Scalar> NarrowSum<T> for ShortSum {
    const MAX: u64 = i16::MAX as u64;
    #[inline(always)]
    fn zero() -> Self {
        ShortSum(0)
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        ShortSum(self.0.wrapping_add((integer(x) as i16).wrapping_mul(integer(y) as i16)))
    }
    #[inline(always)]
    fn value(self) -> i64 {
        i64::from(self.0)
    }
}

/// A sum of products of integers that fit an `i16`. Processors have an instruction for the sum of two such products in 32 bits.
#[derive(Debug, Clone, Copy)]
struct ShortFactors(i32);

impl<T: Scalar> NarrowSum<T> for ShortFactors {
    const MAX: u64 = i32::MAX as u64;
    const MAX_FACTOR: u64 = i16::MAX as u64;
    #[inline(always)]
    fn zero() -> Self {
        ShortFactors(0)
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        let product = i32::from(integer(x) as i16) * i32::from(integer(y) as i16);
        ShortFactors(self.0.wrapping_add(product))
    }
    #[inline(always)]
    fn value(self) -> i64 {
        i64::from(self.0)
    }
}

/// A sum of the element type.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnType<T>(T);

impl<T: Scalar> NarrowSum<T> for OwnType<T> {
    // `u64::MAX` or less.
    const MAX: u64 = match (is_signed::<T>(), size_of::<T>()) {
        (_, 8..) => 0,
        (signed, bytes) => (1 << (8 * bytes - signed as usize)) - 1,
    };
    #[inline(always)]
    fn zero() -> Self {
        OwnType(T::zero())
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        OwnType(<Plain as Sums<T>>::add(self.0, x, y))
    }
    #[inline(always)]
    fn value(self) -> i64 {
        integer(self.0)
    }
}

/// The bits of the magnitudes of the factors `x` and `y` of some products: upper bounds of these magnitudes.
#[derive(Debug, Clone, Copy)]
pub(super) struct FactorBits<T: Scalar> {
    x: T::Wrapping,
    y: T::Wrapping,
}

impl<T: Scalar> FactorBits<T> {
    #[inline(always)]
    fn none() -> Self {
        FactorBits { x: T::Wrapping::zero(), y: T::Wrapping::zero() }
    }

    /// Returns whether sums of at most `n` products are exact in the type `L`.
    #[inline(always)]
    pub(super) fn fit<L: NarrowSum<T>>(self, n: usize) -> bool {
        let (x, y) = (self.x.re().in_i128() as u64, self.y.re().in_i128() as u64);
        // Factors of 32 bits have products of 64 bits.
        x.max(y) <= L::MAX_FACTOR && (x * y).checked_mul(n as u64).is_some_and(|sum| sum <= L::MAX)
    }
}

/// Returns the sum of `n` products in the type `L`, which wraps, and the bits of their factors.
#[inline(always)]
pub(super) fn narrow_dot<T: Scalar, L: NarrowSum<T>>(
    n: usize,
    pair: &impl Fn(usize) -> (T, T),
) -> (L, FactorBits<T>) {
    // The compiler vectorises this loop, with fewer instructions than a loop over lanes.
    let (mut sum, mut bits) = (L::zero(), FactorBits::none());
    for i in 0..n {
        let (x, y) = pair(i);
        sum = sum.plus(x, y);
        bits.x = x.with_bits(bits.x);
        bits.y = y.with_bits(bits.y);
    }
    (sum, bits)
}

/// Returns the sum of `n` products of 16-bit integers: in lanes of 16 bits if their sums are exact, otherwise of 32 or 64 bits.
#[inline(always)]
pub(super) fn short_dot<T: Scalar>(n: usize, pair: impl Fn(usize) -> (T, T)) -> i64 {
    const LANES: usize = 64;
    let whole = n - n % LANES;
    let mut lanes = [OwnType(T::zero()); LANES];
    let (mut x_bits, mut y_bits) = ([T::Wrapping::zero(); LANES], [T::Wrapping::zero(); LANES]);
    for i in (0..whole).step_by(LANES) {
        for k in 0..LANES {
            let (x, y) = pair(i + k);
            lanes[k] = lanes[k].plus(x, y);
            x_bits[k] = x.with_bits(x_bits[k]);
            y_bits[k] = y.with_bits(y_bits[k]);
        }
    }
    let (rest, mut bits) = narrow_dot::<T, ShortFactors>(n - whole, &|i| pair(whole + i));
    let rest = NarrowSum::<T>::value(rest);
    if whole == 0 && bits.fit::<ShortFactors>(n) {
        return rest;
    }
    for k in 0..LANES {
        bits.x = bits.x.with_bits(x_bits[k]);
        bits.y = bits.y.with_bits(y_bits[k]);
    }
    if bits.fit::<ShortFactors>(n) {
        if bits.fit::<OwnType<T>>(n / LANES) {
            return rest + i64::from((0..LANES).fold(0, |sum, k| sum + integer(lanes[k].0) as i32));
        }
        let sum = (0..n).fold(ShortFactors(0), |sum, i| {
            let (x, y) = pair(i);
            sum.plus(x, y)
        });
        return NarrowSum::<T>::value(sum);
    }
    (0..n).fold(0, |sum, i| {
        let (x, y) = pair(i);
        sum + integer(x) * integer(y)
    })
}

/// [`Sums::add_rows`] with sums of type `L` if these are exact. `add` adds one of them.
#[inline(always)]
pub(super) fn add_narrow_rows<T: Scalar, S: Sums<T>, L: NarrowSum<T>, const COUNT: usize>(
    sums: &mut [S::Sum],
    repeats: bool,
    pair: impl Fn(usize, usize) -> (T, T),
    add: impl Fn(S::Sum, i64) -> S::Sum,
) {
    let mut narrow = [L::zero(); MAX_SWEPT_OUTPUTS];
    let narrow = &mut narrow[..sums.len()];
    let mut bits = FactorBits::<T>::none();
    if repeats && !sums.is_empty() {
        for r in 0..COUNT {
            bits.y = pair(r, 0).1.with_bits(bits.y);
        }
    }
    // The compiler does not vectorise a loop over more rows.
    let rows = const { if COUNT < 8 { COUNT } else { 8 } };
    const { assert!(COUNT < 8 || COUNT.is_multiple_of(8)) };
    for first in (0..COUNT).step_by(rows) {
        for (j, to) in narrow.iter_mut().enumerate() {
            let mut r = first;
            while r < first + rows {
                let (x, y) = pair(r, j);
                *to = to.plus(x, y);
                bits.x = x.with_bits(bits.x);
                if !repeats {
                    bits.y = y.with_bits(bits.y);
                }
                r += 1;
            }
        }
    }
    if bits.fit::<L>(COUNT) {
        for (sum, some) in sums.iter_mut().zip(narrow) {
            *sum = add(*sum, some.value());
        }
    } else {
        for (j, sum) in sums.iter_mut().enumerate() {
            *sum = S::add_some(*sum, COUNT, |r| pair(r, j));
        }
    }
}

/// Returns an integer of up to 32 bits.
#[inline(always)]
pub(super) fn integer<T: Scalar>(x: T) -> i64 {
    x.re().in_i128() as i64
}

#[inline(always)]
pub(super) const fn is_signed<T: Scalar>() -> bool {
    matches!(T::DTYPE, I8 | I16 | I32 | I64)
}
