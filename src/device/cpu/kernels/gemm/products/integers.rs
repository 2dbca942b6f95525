//! The accumulators of integers whose sums are checked. Sums of integers of up to 32 bits are exact: each block is summed in a narrow type,
//! if a bound of its factors proves that this sum is exact, and otherwise in a wider one.

use super::finish::Finish;
use super::narrow::{
    AddNarrow, NarrowSum, OwnType, ShortSum, add_narrow_rows, integer, is_signed, narrow_dot, short_dot,
};
use super::rows::add_rows;
use super::sums::Sums;
use super::zipped::Rows;
use crate::element::Scalar;

/// Accumulators of 8-bit integers: lanes of 32 bits, sums of 64 bits.
pub(super) struct Bytes;

impl<T: Scalar> Sums<T> for Bytes {
    type Lane = i32;
    type Sum = i64;
    #[inline(always)]
    fn zero() -> i32 {
        0
    }
    #[inline(always)]
    fn product(x: T, y: T) -> i32 {
        // The magnitude is at most 2^16.
        integer(x) as i32 * integer(y) as i32
    }
    #[inline(always)]
    fn add(sum: i32, x: T, y: T) -> i32 {
        sum + <Bytes as Sums<T>>::product(x, y)
    }
    #[inline(always)]
    fn widen(lane: i32) -> i64 {
        i64::from(lane)
    }
    #[inline(always)]
    fn merge(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [i64; 4] {
        // At most 2^10 products of at most 2^16.
        let sum = (0..n).fold(0, |sum: i32, i| {
            sum + {
                let (x, y) = pair(i);
                <Bytes as Sums<T>>::product(x, y)
            }
        });
        [i64::from(sum), 0, 0, 0]
    }
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize) {
        // SAFETY: `add_narrow_rows` has the contract of this function.
        unsafe { add_narrow_rows::<T, Bytes, ShortSum>(sums, rows, count) }
    }
    #[inline(always)]
    fn finish(sum: i64, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        finishing.exact(i128::from(sum), old)
    }
}

impl<T: Scalar> AddNarrow<T> for Bytes {
    #[inline(always)]
    fn add_narrow(sum: i64, narrow: i64) -> i64 {
        sum + narrow
    }
}

/// Accumulators of 64 bits for 16-bit integers.
pub(super) struct Shorts;

impl<T: Scalar> Sums<T> for Shorts {
    type Lane = i64;
    type Sum = i64;
    const MAX_TERMS: u64 = 1 << 31;
    #[inline(always)]
    fn zero() -> i64 {
        0
    }
    #[inline(always)]
    fn product(x: T, y: T) -> i64 {
        integer(x) * integer(y)
    }
    #[inline(always)]
    fn add(sum: i64, x: T, y: T) -> i64 {
        sum.wrapping_add(<Shorts as Sums<T>>::product(x, y))
    }
    #[inline(always)]
    fn widen(lane: i64) -> i64 {
        lane
    }
    #[inline(always)]
    fn merge(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [i64; 4] {
        [short_dot(n, pair), 0, 0, 0]
    }
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize) {
        // SAFETY: `add_narrow_rows` has the contract of this function.
        unsafe { add_narrow_rows::<T, Shorts, OwnType<T>>(sums, rows, count) }
    }
    #[inline(always)]
    fn finish(sum: i64, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        finishing.exact(i128::from(sum), old)
    }
}

impl<T: Scalar> AddNarrow<T> for Shorts {
    #[inline(always)]
    fn add_narrow(sum: i64, narrow: i64) -> i64 {
        sum + narrow
    }
}

/// Accumulators of 32-bit integers. Products have 64 bits, so their sum may need more. One accumulator has the sum of the products, wrapped,
/// and the other has the sum of their upper halves. From both, [`finish`](Sums::finish) computes the exact sum of up to 2^32 products.
pub(super) struct Words;

impl<T: Scalar> Sums<T> for Words {
    type Lane = [i64; 2];
    type Sum = [i64; 2];
    const MAX_TERMS: u64 = 1 << 32;
    #[inline(always)]
    fn zero() -> [i64; 2] {
        [0; 2]
    }
    #[inline(always)]
    fn product(x: T, y: T) -> [i64; 2] {
        let product = integer(x).wrapping_mul(integer(y));
        let high =
            if is_signed::<T>() { product >> 32 } else { (product.cast_unsigned() >> 32).cast_signed() };
        [product, high]
    }
    #[inline(always)]
    fn add(sum: [i64; 2], x: T, y: T) -> [i64; 2] {
        let [product, high] = <Words as Sums<T>>::product(x, y);
        [sum[0].wrapping_add(product), sum[1].wrapping_add(high)]
    }
    #[inline(always)]
    fn widen(lane: [i64; 2]) -> [i64; 2] {
        lane
    }
    #[inline(always)]
    fn merge(a: [i64; 2], b: [i64; 2]) -> [i64; 2] {
        [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
    }
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [[i64; 2]; 4] {
        let (sum, bits) = narrow_dot::<T, OwnType<T>>(n, &pair);
        if bits.fit::<OwnType<T>>(n) {
            let sum = sum.value();
            return [[sum, sum >> 32], [0; 2], [0; 2], [0; 2]];
        }
        let sum = (0..n).fold([0; 2], |sum, i| {
            let (x, y) = pair(i);
            <Words as Sums<T>>::add(sum, x, y)
        });
        [sum, [0; 2], [0; 2], [0; 2]]
    }
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize) {
        // SAFETY: `add_narrow_rows` has the contract of this function.
        unsafe { add_narrow_rows::<T, Words, OwnType<T>>(sums, rows, count) }
    }
    #[inline(always)]
    fn finish([sum, high]: [i64; 2], finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        // The sum of the lower halves is not negative, and less than 2^64.
        let low = sum.wrapping_sub(high << 32).cast_unsigned();
        finishing.exact((i128::from(high) << 32) + i128::from(low), old)
    }
}

impl<T: Scalar> AddNarrow<T> for Words {
    #[inline(always)]
    fn add_narrow([sum, high]: [i64; 2], narrow: i64) -> [i64; 2] {
        [sum.wrapping_add(narrow), high + (narrow >> 32)]
    }
}

/// Accumulators of 64-bit integers in a wide type, with a count of the overflows of that type.
pub(super) struct Checked;

impl<T: Scalar> Sums<T> for Checked {
    type Lane = (T::Accumulator, i64);
    type Sum = (T::Accumulator, i64);
    fn widen(lane: Self::Sum) -> Self::Sum {
        lane
    }
    fn zero() -> Self::Sum {
        (T::zero().widen(), 0)
    }
    fn product(x: T, y: T) -> Self::Sum {
        (T::acc_mul(x.widen(), y.widen()).0, 0)
    }
    fn add(sum: Self::Sum, x: T, y: T) -> Self::Sum {
        <Checked as Sums<T>>::merge(sum, <Checked as Sums<T>>::product(x, y))
    }
    fn merge(a: Self::Sum, b: Self::Sum) -> Self::Sum {
        (T::acc_add(a.0, b.0), a.1 + b.1 + T::acc_add_carry(a.0, b.0))
    }
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize) {
        // SAFETY: `add_rows` has the contract of this function.
        unsafe { add_rows::<T, Self>(sums, rows, count) }
    }
    fn finish((sum, carry): Self::Sum, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        let (scaled, beyond) = T::acc_mul(finishing.alpha.widen(), sum);
        let (sum, exact) = match old {
            None => (scaled, true),
            Some(old) => {
                let (old, beyond) = T::acc_mul(finishing.beta.widen(), old.widen());
                (T::acc_add(scaled, old), !beyond && T::acc_add_carry(scaled, old) == 0)
            }
        };
        let (value, fits) = T::narrow(sum);
        (value, exact && fits && !beyond && carry == 0)
    }
}
