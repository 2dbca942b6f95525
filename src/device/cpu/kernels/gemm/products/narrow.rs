//! Sums of products of integers in types that may overflow, and the proof that they did not: the bits of the factors are an upper bound of
//! the sum.

use super::pairs::MAX_SWEPT_OUTPUTS;
use super::rows::{add_rows, with_strides};
use super::sums::{CHAIN_LEN, Sums};
use super::unchecked::Plain;
use super::zipped::{ANY_STRIDE, CONTIGUOUS, REPEATED, Rows, Zipped};
use crate::device::cpu::HostPtr;
use crate::element::DType::{I8, I16, I32, I64};
use crate::element::{RealScalar, Scalar};
use crate::simd::kernel;
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

/// [`Sums::add_rows`] with sums of type `L` if these are exact.
///
/// # Safety
/// The contract of [`Sums::add_rows`].
#[inline]
pub(super) unsafe fn add_narrow_rows<T: Scalar, S: AddNarrow<T>, L: NarrowSum<T>>(
    sums: &mut [S::Sum],
    rows: Rows<T>,
    count: usize,
) {
    // SAFETY: the caller ensures that the rows are readable. The macro selects constants that agree with their strides.
    with_strides!(rows, |A, B| unsafe { add_narrow_rows_by::<T, S, L, A, B>(sums, rows, count) });
}

/// [`add_narrow_rows`], if the strides of the elements are `A` and `B`, unless these constants are
/// [`ANY_STRIDE`](super::zipped::ANY_STRIDE).
///
/// # Safety
/// The contract of [`Sums::add_rows`]. In addition, the constants must agree with the strides.
unsafe fn add_narrow_rows_by<T: Scalar, S: AddNarrow<T>, L: NarrowSum<T>, const A: isize, const B: isize>(
    sums: &mut [S::Sum],
    rows: Rows<T>,
    count: usize,
) {
    let mut narrow = [L::zero(); MAX_SWEPT_OUTPUTS];
    let narrow = &mut narrow[..sums.len()];
    let mut first = 0;
    while first < count {
        let end = count.min(first + CHAIN_LEN);
        let chain = rows.from(first);
        let len = end - first;
        let mut bits = FactorBits::<T>::none();
        while first < end {
            let Rows { a, b, steps, strides } = rows.from(first);
            macro_rules! add {
                ($few:literal) => {{
                    let narrow = &mut *narrow;
                    // SAFETY: `first + $few <= end`, so the caller ensures that these `$few` rows are readable, and that the constants agree
                    // with the strides.
                    let more = unsafe { add_rows_at_once::<T, L, A, B, $few>(narrow, a, b, steps, strides) };
                    bits = FactorBits { x: more.x.with_bits(bits.x), y: more.y.with_bits(bits.y) };
                    $few
                }};
            }
            // The compiler does not vectorise a loop over more than 8 rows.
            first += if end - first < 8 { add!(1) } else { add!(8) };
        }
        if bits.fit::<L>(len) {
            add_narrow::<T, S, L>(sums, narrow);
        } else {
            // SAFETY: the caller ensures that these rows are readable.
            unsafe { add_rows::<T, S>(sums, chain, len) };
            narrow.fill(L::zero());
        }
    }
}

kernel! {
    /// Adds `COUNT` rows of products to sums, which may overflow. Returns the bits of the factors.
    ///
    /// # Safety
    /// The caller must ensure that `COUNT` rows of `sums.len()` elements are readable. The strides of the elements must be `A` and `B`, unless
    /// these constants are [`ANY_STRIDE`](super::zipped::ANY_STRIDE).
    wide unsafe fn add_rows_at_once[T: Scalar, L: NarrowSum<T>, const A: isize, const B: isize, const COUNT: usize][T, L, A, B, COUNT](
        sums: &mut [L],
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        strides: [isize; 2],
    ) -> FactorBits<T> {
        let rows = Rows { a, b, steps, strides };
        let rows: [Zipped<T, A, B>; COUNT] = rows.first();
        let mut bits = FactorBits::<T>::none();
        if B == REPEATED && !sums.is_empty() {
            for row in rows {
                // SAFETY: the caller ensures that the first element of each row is readable, as there is at least one sum.
                bits.y = unsafe { row.at(0) }.1.with_bits(bits.y);
            }
        }
        for (j, sum) in sums.iter_mut().enumerate() {
            let mut r = 0;
            while r < COUNT {
                // SAFETY: `r < COUNT` and `j < sums.len()`. The caller ensures that these elements are readable.
                let (x, y) = unsafe { rows[r].at(j) };
                *sum = sum.plus(x, y);
                bits.x = x.with_bits(bits.x);
                if B != REPEATED {
                    bits.y = y.with_bits(bits.y);
                }
                r += 1;
            }
        }
        bits
    } else {
        // SAFETY: the caller ensures that these rows are readable.
        unsafe { add_any_rows::<T, L>(sums, Rows { a, b, steps, strides }, COUNT) }
    }
}

/// [`add_rows_at_once`] for any strides and any number of rows.
///
/// # Safety
/// The caller must ensure that `count` rows of `sums.len()` elements are readable.
#[inline(never)]
#[allow(dead_code)] // Builds that compile a single level do not call it.
unsafe fn add_any_rows<T: Scalar, L: NarrowSum<T>>(
    sums: &mut [L],
    rows: Rows<T>,
    count: usize,
) -> FactorBits<T> {
    let mut bits = FactorBits::<T>::none();
    for (j, sum) in sums.iter_mut().enumerate() {
        for r in 0..count {
            // SAFETY: `r < count` and `j < sums.len()`. The caller ensures that these elements are readable.
            let (x, y) = unsafe { rows.at(r, j) };
            *sum = sum.plus(x, y);
            bits = FactorBits { x: x.with_bits(bits.x), y: y.with_bits(bits.y) };
        }
    }
    bits
}

/// Accumulators to which narrow sums can be added.
pub(super) trait AddNarrow<T: Scalar>: Sums<T> {
    fn add_narrow(sum: Self::Sum, narrow: i64) -> Self::Sum;
}

kernel! {
    /// Adds narrow sums to accumulators, and sets the narrow sums to zero.
    wide fn add_narrow[T: Scalar, S: AddNarrow<T>, L: NarrowSum<T>][T, S, L](
        sums: &mut [S::Sum],
        narrow: &mut [L],
    ) -> () {
        for (sum, some) in sums.iter_mut().zip(narrow) {
            *sum = S::add_narrow(*sum, some.value());
            *some = L::zero();
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
