//! How sums and products of many elements are accumulated: one of three types for each element type, [`Scalar::Totals`].
//!
//! | elements | accumulator | a result that does not fit the element type |
//! |---|---|---|
//! | integers of up to 32 bits | [`Narrow`]: 64 bits | is detected in every build |
//! | 64-bit integers | [`Wide`] with debug assertions: 128 bits; otherwise [`Own`] | is detected with debug assertions, otherwise wraps |
//! | floating-point and complex numbers | [`Own`]: the type itself | is infinite |

use super::{Arithmetic, CastTo, RealScalar, Scalar, c32, c64};
use crate::device::lanes::prefixes;
use num_traits::{One, Zero};

/// The accumulators of sums and products of elements `T`.
pub trait Totals<T> {
    type Sum: Copy + Send + Sync;
    type Product: Copy + Send + Sync;
    /// Whether a sum or product that does not fit `T` is detected.
    const CHECKED: bool;
    /// Whether contiguous elements are added and multiplied faster by [`sum_block`](Totals::sum_block), [`sum_rows`](Totals::sum_rows) and
    /// [`multiply_block`](Totals::multiply_block).
    const HAS_BLOCKS: bool = false;
    /// Returns an element as a sum of one term.
    fn term(x: T) -> Self::Sum;
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Returns the sum of contiguous elements.
    fn sum_block(elements: &[T]) -> Self::Sum;
    /// Adds element `j` of each row to `sums[j]`. Each row has at least as many elements as there are sums.
    fn sum_rows<const N: usize>(sums: &mut [Self::Sum], rows: [&[T]; N]);
    /// Returns the sum as an element, and whether it fits.
    fn sum(sum: Self::Sum) -> (T, bool);
    /// Returns an element as a product of one factor.
    fn factor(x: T) -> Self::Product;
    fn multiply(a: Self::Product, b: Self::Product) -> Self::Product;
    /// Multiplies a product by contiguous elements.
    #[inline(always)]
    fn multiply_block(product: Self::Product, elements: &[T]) -> Self::Product
    where
        T: Copy,
    {
        elements.iter().fold(product, |product, &x| Self::multiply(product, Self::factor(x)))
    }
    /// Returns the product as an element, and whether it fits.
    fn product(product: Self::Product) -> (T, bool);
}

/// Accumulators of the element type itself. Integers wrap.
#[derive(Debug, Clone, Copy)]
pub struct Own;

impl<T: Scalar> Totals<T> for Own {
    type Sum = T;
    type Product = T;
    const CHECKED: bool = false;
    #[inline(always)]
    fn term(x: T) -> T {
        x
    }
    #[inline(always)]
    fn add(a: T, b: T) -> T {
        T::wrapping(Arithmetic::Add, a, b)
    }
    #[inline(always)]
    fn sum_block(elements: &[T]) -> T {
        elements.iter().fold(T::zero(), |sum, &x| <Own as Totals<T>>::add(sum, x))
    }
    #[inline(always)]
    fn sum_rows<const N: usize>(sums: &mut [T], rows: [&[T]; N]) {
        add_rows::<T, Own, N>(sums, rows);
    }
    #[inline(always)]
    fn sum(sum: T) -> (T, bool) {
        (sum, true)
    }
    #[inline(always)]
    fn factor(x: T) -> T {
        x
    }
    #[inline(always)]
    fn multiply(a: T, b: T) -> T {
        T::wrapping(Arithmetic::Mul, a, b)
    }
    #[inline(always)]
    fn product(product: T) -> (T, bool) {
        (product, true)
    }
}

/// Adds `N` rows to sums, one element after the other.
#[inline(always)]
fn add_rows<T: Scalar, A: Totals<T>, const N: usize>(sums: &mut [A::Sum], rows: [&[T]; N]) {
    let rows = prefixes(rows, sums.len());
    for (j, to) in sums.iter_mut().enumerate() {
        let mut sum = A::term(T::zero());
        for row in &rows {
            sum = A::add(sum, A::term(row[j]));
        }
        *to = A::add(*to, sum);
    }
}

/// Integers of this magnitude are exact in `f64`, and fit no integer type of 32 bits.
const MAX_EXACT: f64 = (1u64 << 53) as f64;

/// Accumulators of 64 bits for integers of up to 32 bits.
///
/// Products are `f64`. They are exact up to 2^53, and a product that once exceeds 2^53 never fits 32 bits, except if a later factor is zero.
/// A product that is infinite by then becomes NaN, so NaN stands for zero.
#[derive(Debug, Clone, Copy)]
pub struct Narrow;

impl<T: Scalar<Float = f64>> Totals<T> for Narrow {
    type Sum = T::Accumulator;
    type Product = f64;
    const CHECKED: bool = true;
    const HAS_BLOCKS: bool = true;
    #[inline(always)]
    fn term(x: T) -> T::Accumulator {
        x.widen()
    }
    #[inline(always)]
    fn add(a: T::Accumulator, b: T::Accumulator) -> T::Accumulator {
        T::acc_add(a, b)
    }
    #[inline(always)]
    fn sum_block(elements: &[T]) -> T::Accumulator {
        T::acc_sum(elements)
    }
    #[inline(always)]
    fn sum_rows<const N: usize>(sums: &mut [T::Accumulator], rows: [&[T]; N]) {
        T::acc_sum_rows(sums, rows);
    }
    #[inline(always)]
    fn sum(sum: T::Accumulator) -> (T, bool) {
        T::narrow(sum)
    }
    #[inline(always)]
    fn factor(x: T) -> f64 {
        x.cast_to()
    }
    #[inline(always)]
    fn multiply(a: f64, b: f64) -> f64 {
        a * b
    }
    // At most 31 factors of a product that fits are neither 1 nor -1. And if the product is out of range, only zeros change the result. So
    // most chunks need no multiplication.
    #[inline(always)]
    fn multiply_block(mut product: f64, elements: &[T]) -> f64 {
        let (one, minus_one) = (T::one(), T::one().wrapping_neg());
        let (chunks, rest) = elements.as_chunks::<32>();
        for chunk in chunks {
            let (mut units, mut negative, mut zero) = (true, false, false);
            for &x in chunk {
                units &= x.modulus() == T::Real::one();
                negative ^= x == minus_one;
                zero |= x == T::zero();
            }
            if zero || product == 0.0 {
                return 0.0;
            }
            if units {
                product = if negative && one != minus_one { -product } else { product };
            } else if product.abs() < MAX_EXACT {
                product =
                    chunk.iter().fold(product, |product, &x| product * <Narrow as Totals<T>>::factor(x));
            }
        }
        rest.iter().fold(product, |product, &x| product * <Narrow as Totals<T>>::factor(x))
    }
    #[inline(always)]
    fn product(product: f64) -> (T, bool) {
        // The cast saturates, and converts NaN to zero.
        let x = T::from_f64(product);
        (x, product.is_nan() || product == <Narrow as Totals<T>>::factor(x))
    }
}

/// Accumulators of 128 bits for 64-bit integers.
#[cfg(debug_assertions)]
#[derive(Debug, Clone, Copy)]
pub struct Wide;

/// A partial product, whether it overflowed, and whether a factor was zero. If a factor is zero, the product is zero, even if a partial
/// product overflowed.
#[cfg(debug_assertions)]
#[derive(Debug, Clone, Copy)]
pub struct CheckedProduct<A> {
    value: A,
    overflowed: bool,
    zero: bool,
}

#[cfg(debug_assertions)]
impl<T: Scalar> Totals<T> for Wide {
    type Sum = T::Accumulator;
    type Product = CheckedProduct<T::Accumulator>;
    const CHECKED: bool = true;
    fn term(x: T) -> T::Accumulator {
        x.widen()
    }
    fn add(a: T::Accumulator, b: T::Accumulator) -> T::Accumulator {
        T::acc_add(a, b)
    }
    fn sum_block(elements: &[T]) -> T::Accumulator {
        T::acc_sum(elements)
    }
    fn sum_rows<const N: usize>(sums: &mut [T::Accumulator], rows: [&[T]; N]) {
        add_rows::<T, Wide, N>(sums, rows);
    }
    fn sum(sum: T::Accumulator) -> (T, bool) {
        T::narrow(sum)
    }
    fn factor(x: T) -> Self::Product {
        CheckedProduct { value: x.widen(), overflowed: false, zero: x.is_zero() }
    }
    fn multiply(a: Self::Product, b: Self::Product) -> Self::Product {
        let (value, overflowed) = T::acc_mul(a.value, b.value);
        CheckedProduct {
            value,
            overflowed: a.overflowed || b.overflowed || overflowed,
            zero: a.zero || b.zero,
        }
    }
    fn product(product: Self::Product) -> (T, bool) {
        let (value, fits) = T::narrow(product.value);
        (if product.zero { T::zero() } else { value }, product.zero || (fits && !product.overflowed))
    }
}

/// Element types whose sums and products can be computed in the type `U`: see [`sum_as`](crate::Tensor::sum_as). Sealed.
///
/// Integers can be summed in every [`Scalar`] type, floating-point and complex numbers in types that have all their values.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::WidenTo;
/// fn total<T: WidenTo<f64>>(x: TensorView<'_, T, Rank<1>>) -> f64 {
///     x.sum_as::<f64>().item()
/// }
/// assert_eq!(total(tensor![200u8, 100].view()), 300.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{U}` does not have all values of `{Self}`, so sums and products of `{Self}` are not computed in `{U}`",
    label = "expected a wider type",
    note = "integers are summed in every numeric type; `f32` in `f64`, and real numbers in complex ones; otherwise convert the elements first, with `.cast::<{U}>()`"
)]
pub trait WidenTo<U: Scalar>: Scalar + CastTo<U> {
    #[doc(hidden)]
    type Sum: Copy + Send + Sync;
    #[doc(hidden)]
    const HAS_BLOCKS: bool = false;
    #[doc(hidden)]
    fn wide_term(self) -> Self::Sum;
    #[doc(hidden)]
    fn wide_add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    #[doc(hidden)]
    fn wide_block(elements: &[Self]) -> Self::Sum {
        elements.iter().fold(Self::zero().wide_term(), |sum, x| Self::wide_add(sum, x.wide_term()))
    }
    #[doc(hidden)]
    fn wide_rows<const N: usize>(sums: &mut [Self::Sum], rows: [&[Self]; N]);
    /// Returns the sum, or `None` if it does not fit.
    #[doc(hidden)]
    fn wide_sum(sum: Self::Sum) -> Option<U>;
}

/// Returns an integer as a number of any type, or `None` if it does not fit.
fn from_integer<U: Scalar>(x: i128) -> Option<U> {
    let value = U::Real::wrapped(x);
    (!U::INTEGER || value.in_i128() == x).then(|| U::from_real(value))
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<U: Scalar> WidenTo<U> for $t {
            type Sum = <$t as Scalar>::Accumulator;
            const HAS_BLOCKS: bool = true;
            #[inline(always)]
            fn wide_term(self) -> Self::Sum { self.widen() }
            #[inline(always)]
            fn wide_add(a: Self::Sum, b: Self::Sum) -> Self::Sum { <$t as Scalar>::acc_add(a, b) }
            #[inline(always)]
            fn wide_block(elements: &[$t]) -> Self::Sum { <$t as Scalar>::acc_sum(elements) }
            #[inline(always)]
            fn wide_rows<const N: usize>(sums: &mut [Self::Sum], rows: [&[$t]; N]) {
                <$t as Scalar>::acc_sum_rows(sums, rows);
            }
            fn wide_sum(sum: Self::Sum) -> Option<U> { i128::try_from(sum).ok().and_then(from_integer) }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! inexact {
    ($($t:ident => $($u:ident)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl WidenTo<$u> for $t {
            type Sum = $u;
            #[inline(always)]
            fn wide_term(self) -> $u { self.cast_to() }
            #[inline(always)]
            fn wide_add(a: $u, b: $u) -> $u { a + b }
            #[inline(always)]
            fn wide_rows<const N: usize>(sums: &mut [$u], rows: [&[$t]; N]) {
                let rows = prefixes(rows, sums.len());
                for (j, to) in sums.iter_mut().enumerate() {
                    let mut sum = $u::zero();
                    for row in &rows {
                        let x: $u = row[j].cast_to();
                        sum += x;
                    }
                    *to += sum;
                }
            }
            fn wide_sum(sum: $u) -> Option<$u> { Some(sum) }
        }
    )*)*};
}
inexact! {
    f32 => f32 f64 c32 c64;
    f64 => f64 c64;
    c32 => c32 c64;
    c64 => c64;
}

/// A product of elements, computed in `U`: for integers `U`, the magnitude, the sign, and whether it exceeds 64 bits.
#[derive(Debug, Clone, Copy)]
pub struct WideProduct<U> {
    inexact: U,
    magnitude: u64,
    negative: bool,
    overflowed: bool,
}

impl<U: Scalar> WideProduct<U> {
    #[inline(always)]
    pub(crate) fn factor<T: WidenTo<U>>(x: T) -> Self {
        let inexact = if U::INTEGER { U::one() } else { x.cast_to() };
        let whole = if U::INTEGER { x.re().in_i128() } else { 1 };
        WideProduct {
            inexact,
            magnitude: whole.unsigned_abs() as u64,
            negative: whole < 0,
            overflowed: false,
        }
    }
    #[inline(always)]
    pub(crate) fn times(self, by: Self) -> Self {
        if !U::INTEGER {
            return WideProduct { inexact: self.inexact * by.inexact, ..self };
        }
        // A zero factor makes the product zero, even if another part of it overflowed.
        if self.magnitude == 0 || by.magnitude == 0 {
            return WideProduct { magnitude: 0, negative: false, overflowed: false, ..self };
        }
        let product = self.magnitude.checked_mul(by.magnitude);
        WideProduct {
            magnitude: product.unwrap_or(u64::MAX),
            negative: self.negative ^ by.negative,
            overflowed: self.overflowed | by.overflowed | product.is_none(),
            ..self
        }
    }
    pub(crate) fn value(self) -> Option<U> {
        if !U::INTEGER {
            return Some(self.inexact);
        }
        let magnitude = i128::from(self.magnitude);
        if self.overflowed { None } else { from_integer(if self.negative { -magnitude } else { magnitude }) }
    }
}
