//! Integers: the traits that only they and `bool` have, and the implementations of the other traits for them.

use super::blocks::{Blocks, Halves, Parts};
use super::division::{Divide, DivideByInvariant};
use super::totals::Narrow;
#[cfg(not(debug_assertions))]
use super::totals::Own as Totals64;
// 64-bit integers are accumulated in 128 bits only in builds with debug assertions, because that takes about twice as long.
#[cfg(debug_assertions)]
use super::totals::Wide as Totals64;
use super::{Arithmetic, Element, Ordered, PairFunction, RealScalar, Scalar};

/// Element types with the bitwise operators `&`, `|`, `^` and `!`: `bool` and integers. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not support bitwise operations",
    label = "`&`, `|`, `^` and `!` need `bool` or integers",
    note = "compare first, e.g. with `.gt(0.0)`; in generic code, bound the element type: `T: Bits`"
)]
pub trait Bits:
    Element
    + core::ops::BitAnd<Output = Self>
    + core::ops::BitOr<Output = Self>
    + core::ops::BitXor<Output = Self>
    + core::ops::Not<Output = Self>
{
}

/// Integers: `i8` to `i64` and `u8` to `u64`, with the shifts `<<` and `>>`. Sealed.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::Integer;
/// fn halves<T: Integer>(x: TensorView<'_, T, Rank<1>>) -> Tensor<T, Rank<1>> {
///     x >> T::from_usize(1)
/// }
/// assert_eq!(halves(tensor![6, -3].view()), tensor![3, -2]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    label = "shifts need integer elements",
    note = "multiply by a power of 2 instead; in generic code, bound the element type: `T: Integer`"
)]
pub trait Integer: RealScalar + Bits {
    /// Shifts by the lowest bits of `by`, as `wrapping_shl` does.
    #[doc(hidden)]
    fn shifted_left(self, by: Self) -> Self;
    /// Shifts by the lowest bits of `by`, as `wrapping_shr` does.
    #[doc(hidden)]
    fn shifted_right(self, by: Self) -> Self;
    /// Returns whether `self` is not negative, and less than the number of bits.
    #[doc(hidden)]
    fn is_shift(self) -> bool;
}

macro_rules! bits {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Bits for $t {}
    )*};
}
bits!(bool i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! ordered_integers {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Ordered for $t {
            const LOWEST: $t = $t::MIN;
            const HIGHEST: $t = $t::MAX;
        }
    )*};
}
ordered_integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! integer_shifts {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Integer for $t {
            #[inline]
            fn shifted_left(self, by: $t) -> $t { self.wrapping_shl(by as u32) }
            #[inline]
            fn shifted_right(self, by: $t) -> $t { self.wrapping_shr(by as u32) }
            #[inline]
            fn is_shift(self) -> bool { (0..$t::BITS as $t).contains(&self) }
        }
    )*};
}
integer_shifts!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Calls `multiply` with the power of `base` of each bit of `n` that is set. `square` is called only for powers that are used.
#[inline]
fn integer_squarings<T: Copy>(mut base: T, mut n: u64, mut multiply: impl FnMut(T), square: impl Fn(T) -> T) {
    while n > 0 {
        if n & 1 == 1 {
            multiply(base);
        }
        n >>= 1;
        if n > 0 {
            base = square(base);
        }
    }
}

macro_rules! integers {
    ($(
        $t:ident: unsigned $unsigned:ident, accumulator $acc:ident, totals $totals:ty, sums $sums:ty, abs $abs:expr, neg_fits $neg_fits:expr;
    )*) => {$(
        #[diagnostic::do_not_recommend]
        impl Scalar for $t {
            type Real = $t;
            type Float = f64;
            type Magnitude = f64;
            type Accumulator = $acc;
            type Totals = $totals;
            type Wrapping = $unsigned;
            #[inline]
            fn to_wrapping(self) -> $unsigned { self as $unsigned }
            const INTEGER: bool = true;
            fn from_real(x: $t) -> $t { x }
            fn from_f64(x: f64) -> $t { x as $t }
            fn from_usize(n: usize) -> $t { $t::try_from(n).unwrap_or($t::MAX) }
            fn re(self) -> $t { self }
            fn im(self) -> $t { 0 }
            #[inline]
            fn conj(self) -> $t { self }
            #[inline]
            fn modulus(self) -> $t { let abs: fn($t) -> $t = $abs; abs(self) }
            #[inline]
            fn widen(self) -> $acc { $acc::from(self) }
            #[inline]
            fn narrow(acc: $acc) -> ($t, bool) { (acc as $t, $t::try_from(acc).is_ok()) }
            #[inline]
            fn acc_add(a: $acc, b: $acc) -> $acc { a.wrapping_add(b) }
            #[inline]
            fn acc_add_carry(a: $acc, b: $acc) -> i64 {
                if a.checked_add(b).is_some() { 0 } else if b > 0 { 1 } else { -1 }
            }
            #[inline]
            fn acc_from(x: i32) -> $acc { x as $acc }
            #[inline]
            fn with_bits(self, bits: $unsigned) -> $unsigned { bits | self.modulus() as $unsigned }
            #[inline]
            fn acc_mul(a: $acc, b: $acc) -> ($acc, bool) { a.overflowing_mul(b) }
            #[inline]
            fn fits(op: Arithmetic, a: $t, b: $t) -> bool {
                match op {
                    Arithmetic::Add => a.checked_add(b).is_some(),
                    Arithmetic::Sub => a.checked_sub(b).is_some(),
                    Arithmetic::Mul => a.checked_mul(b).is_some(),
                    // Without branches, so that loops are vectorised. For signed types, `MIN / -1` overflows.
                    Arithmetic::Div | Arithmetic::Rem => {
                        (b != 0) & (($t::MIN == 0) | (a != $t::MIN) | (b.wrapping_add(1) != 0))
                    }
                }
            }
            #[inline]
            fn wrapping(op: Arithmetic, a: $t, b: $t) -> $t {
                match op {
                    Arithmetic::Add => a.wrapping_add(b),
                    Arithmetic::Sub => a.wrapping_sub(b),
                    Arithmetic::Mul => a.wrapping_mul(b),
                    Arithmetic::Div => a.divide(b),
                    Arithmetic::Rem => a.rest(b),
                }
            }
            #[inline(always)]
            fn wrapping_by_invariant(op: Arithmetic, a: $t, b: $t) -> $t {
                match op {
                    Arithmetic::Div => a.quotient(b),
                    Arithmetic::Rem => a.remainder(b),
                    _ => <$t>::wrapping(op, a, b),
                }
            }
            #[inline]
            fn is_close(self, other: $t, relative: f64, absolute: f64) -> bool {
                let tolerance = absolute + relative * (other.abs_diff(0) as f64);
                // The conversion rounds down, and saturates. Unequal integers differ by at least 1, so that 0 for NaN and for negative
                // tolerances is right.
                self == other || self.abs_diff(other) as u64 <= tolerance as u64
            }
            fn pair_function(self, f: PairFunction, right: $t) -> $t {
                assert_eq!(f, PairFunction::Pow, "integers have no other functions of two elements");
                if (right as i128) < 0 {
                    // Only the integers 1 and −1 have a reciprocal that does not truncate to 0.
                    return if self.modulus() != 1 { 0 } else if right % 2 == 0 { 1 } else { self };
                }
                let mut product: $t = 1;
                integer_squarings(self, right as u64, |base| product = product.wrapping_mul(base), |base| base.wrapping_mul(base));
                product
            }
            fn power_fits(self, right: $t) -> bool {
                if (right as i128) < 0 {
                    return self != 0;
                }
                let (mut product, mut fits): ($t, bool) = (1, true);
                let square = |base: Option<$t>| base.and_then(|base| base.checked_mul(base));
                integer_squarings(
                    Some(self),
                    right as u64,
                    |base| match base.and_then(|base| product.checked_mul(base)) {
                        Some(next) => product = next,
                        None => fits = false,
                    },
                    square,
                );
                fits
            }
            fn integer_power(self, n: i32) -> $t { self.wrapping_pow(n.unsigned_abs()) }
            #[inline]
            fn acc_to_float(acc: $acc) -> f64 { acc as f64 }
            #[inline(always)]
            fn acc_sum(elements: &[$t]) -> $acc { <$sums as Blocks<$t>>::sum(elements) }
            #[inline(always)]
            fn acc_sum_rows(sums: &mut [$acc], rows: &[&[$t]]) { <$sums as Blocks<$t>>::add_rows::<false>(sums, rows) }
            #[inline(always)]
            fn small_sum_rows(sums: &mut [$acc], rows: &[&[$t]]) { <$sums as Blocks<$t>>::add_rows::<true>(sums, rows) }
            #[inline(always)]
            fn small_sum(elements: &[$t]) -> $acc { <$sums as Blocks<$t>>::small_sum(elements) }
            #[inline(always)]
            fn units(elements: &[$t]) -> Option<bool> {
                let (mut other_bits, mut signs): ($t, $t) = (0, 0);
                for &x in elements {
                    // Zero for 1 and −1.
                    other_bits |= if $t::MIN == 0 { x ^ 1 } else { x.wrapping_add(1) & !2 };
                    signs ^= x;
                }
                #[allow(unused_comparisons)]
                (other_bits == 0).then_some(signs < 0)
            }
            #[inline]
            fn neg_fits(self) -> bool { let fits: fn($t) -> bool = $neg_fits; fits(self) }
            #[inline]
            fn wrapping_neg(self) -> $t { <$t>::wrapping_neg(self) }
        }
        #[diagnostic::do_not_recommend]
        impl RealScalar for $t {
            fn in_f64(self) -> f64 { self as f64 }
            #[inline]
            fn in_i128(self) -> i128 { self as i128 }
            #[inline]
            fn wrapped(x: i128) -> $t { x as $t }
        }
    )*};
}
integers! {
    i8: unsigned u8, accumulator i64, totals Narrow<f32>, sums Parts<i16>, abs |x| x.wrapping_abs(), neg_fits |x| x != i8::MIN;
    i16: unsigned u16, accumulator i64, totals Narrow<f32>, sums Parts<i32>, abs |x| x.wrapping_abs(), neg_fits |x| x != i16::MIN;
    i32: unsigned u32, accumulator i64, totals Narrow<f64>, sums Halves, abs |x| x.wrapping_abs(), neg_fits |x| x != i32::MIN;
    i64: unsigned u64, accumulator i128, totals Totals64, sums Halves, abs |x| x.wrapping_abs(), neg_fits |x| x != i64::MIN;
    u8: unsigned u8, accumulator u64, totals Narrow<f32>, sums Parts<u16>, abs |x| x, neg_fits |x| x == 0;
    u16: unsigned u16, accumulator u64, totals Narrow<f32>, sums Parts<u32>, abs |x| x, neg_fits |x| x == 0;
    u32: unsigned u32, accumulator u64, totals Narrow<f64>, sums Halves, abs |x| x, neg_fits |x| x == 0;
    u64: unsigned u64, accumulator u128, totals Totals64, sums Halves, abs |x| x, neg_fits |x| x == 0;
}
