//! How sums and products of many elements are accumulated: one of three types for each element type, [`Scalar::Totals`].
//!
//! | elements | accumulator | a result that does not fit the element type |
//! |---|---|---|
//! | integers of up to 32 bits | [`Narrow`]: 64 bits for sums, a floating-point type for products | is detected in every build |
//! | 64-bit integers | [`Wide`] with debug assertions: 128 bits; otherwise [`Own`] | is detected with debug assertions, otherwise wraps |
//! | floating-point and complex numbers | [`Own`]: the type itself | is infinite |

use super::{Arithmetic, CastTo, RealFloat, RealScalar, Scalar, c32, c64};
use crate::element::lanes::in_few_lanes;
use core::marker::PhantomData;

/// The accumulators of sums and products of elements `T`.
pub trait Totals<T> {
    type Sum: Copy + Send + Sync;
    type Product: Copy + Send + Sync;
    /// Whether a sum or product that does not fit `T` is detected.
    const CHECKED: bool;
    /// Whether contiguous elements are added and multiplied faster by [`sum_block`](Totals::sum_block), [`sum_rows`](Totals::sum_rows) and
    /// [`multiply_block`](Totals::multiply_block).
    const HAS_BLOCKS: bool = false;
    /// Maximum number of terms of a sum that never overflows its accumulator. Broadcast operands can have more terms.
    const MAX_TERMS: u64 = u64::MAX;
    /// Returns an element as a sum of one term.
    fn term(x: T) -> Self::Sum;
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Returns the sum of contiguous elements.
    fn sum_block(elements: &[T]) -> Self::Sum;
    /// Adds element `j` of each of at most [`MAX_ROWS`](crate::element::lanes::MAX_ROWS) rows to `sums[j]`. Each row has at least as many
    /// elements as there are sums.
    fn sum_rows(sums: &mut [Self::Sum], rows: &[&[T]])
    where
        T: Copy,
    {
        for row in rows {
            sums.iter_mut().zip(*row).for_each(|(sum, &x)| *sum = Self::add(*sum, Self::term(x)));
        }
    }
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

/// Accumulators of integers of up to 32 bits: sums of 64 bits, products of type `F`.
///
/// `F` is `f32` for integers of up to 16 bits, otherwise `f64`. A product is exact as long as it does not exceed [`Factor::MAX_EXACT`]. If it
/// once does so, it never fits the element type, except if a later factor is zero. A product that is infinite by then becomes NaN, so NaN
/// stands for zero.
#[derive(Debug, Clone, Copy)]
pub struct Narrow<F>(PhantomData<F>);

/// Returns the maximum number of integers of this size of which an accumulator of 64 bits can hold the sum.
const fn max_terms(bytes: usize) -> u64 {
    1 << (64 - 8 * bytes)
}

/// The types of products in [`Narrow`].
pub trait Factor: RealFloat + Into<f64> {
    /// Integers of up to this magnitude are exact.
    const MAX_EXACT: Self;
}
impl Factor for f32 {
    const MAX_EXACT: f32 = (1 << 24) as f32;
}
impl Factor for f64 {
    const MAX_EXACT: f64 = (1u64 << 53) as f64;
}

/// Multiplies a product by elements, of which most are 1 or -1. Tests whether `len` elements are, and calls `others` if not.
#[inline(always)]
fn multiply_units<F: Factor, T: Scalar>(
    product: F,
    elements: &[T],
    len: usize,
    others: impl Fn(F, &[T]) -> F,
) -> F {
    let mut product = product;
    // A loop, because a closure of `fold` might not be compiled for the instructions of the caller.
    for some in elements.chunks(len) {
        product = match T::units(some) {
            Some(true) => F::zero() - product,
            Some(false) => product,
            None if product.is_zero() => product,
            None => others(product, some),
        };
    }
    product
}

impl<F: Factor, T: Scalar + CastTo<F>> Totals<T> for Narrow<F> {
    type Sum = T::Accumulator;
    type Product = F;
    const CHECKED: bool = true;
    const HAS_BLOCKS: bool = true;
    const MAX_TERMS: u64 = max_terms(size_of::<T>());
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
        T::small_sum(elements)
    }
    #[inline(always)]
    fn sum_rows(sums: &mut [T::Accumulator], rows: &[&[T]]) {
        T::small_sum_rows(sums, rows);
    }
    #[inline(always)]
    fn sum(sum: T::Accumulator) -> (T, bool) {
        T::narrow(sum)
    }
    #[inline(always)]
    fn factor(x: T) -> F {
        x.cast_to()
    }
    #[inline(always)]
    fn multiply(a: F, b: F) -> F {
        a * b
    }
    // At most 31 factors of a product that fits are neither 1 nor -1. And if the product is out of range, only zeros change the result. So
    // most elements need no multiplication.
    #[inline(always)]
    fn multiply_block(product: F, elements: &[T]) -> F {
        let multiply = |product: F, few: &[T]| {
            if product.abs() < F::MAX_EXACT {
                product * in_few_lanes(few, F::one(), |a, x| a * x.cast_to(), |a, b| a * b)
            } else if few.iter().any(|x| x.is_zero()) {
                F::zero()
            } else {
                product
            }
        };
        multiply_units(product, elements, 2048, |product, many| {
            multiply_units(product, many, 256, |product, some| multiply_units(product, some, 32, multiply))
        })
    }
    #[inline(always)]
    fn product(product: F) -> (T, bool) {
        // The cast saturates, and converts NaN to zero.
        let x = T::from_f64(product.into());
        (x, product.is_nan() || product == x.cast_to())
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
    /// Maximum number of terms of a sum that never overflows its accumulator.
    #[doc(hidden)]
    const MAX_TERMS: u64 = u64::MAX;
    #[doc(hidden)]
    fn wide_term(self) -> Self::Sum;
    #[doc(hidden)]
    fn wide_add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    #[doc(hidden)]
    fn wide_block(elements: &[Self]) -> Self::Sum {
        elements.iter().fold(Self::zero().wide_term(), |sum, x| Self::wide_add(sum, x.wide_term()))
    }
    #[doc(hidden)]
    fn wide_rows(sums: &mut [Self::Sum], rows: &[&[Self]]) {
        for row in rows {
            sums.iter_mut().zip(*row).for_each(|(sum, x)| *sum = Self::wide_add(*sum, x.wide_term()));
        }
    }
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
            // Accumulators of 64-bit integers have 128 bits.
            const MAX_TERMS: u64 = if size_of::<$t>() < 8 { max_terms(size_of::<$t>()) } else { u64::MAX };
            #[inline(always)]
            fn wide_term(self) -> Self::Sum { Scalar::widen(self) }
            #[inline(always)]
            fn wide_add(a: Self::Sum, b: Self::Sum) -> Self::Sum { <$t as Scalar>::acc_add(a, b) }
            #[inline(always)]
            fn wide_block(elements: &[$t]) -> Self::Sum { <$t as Scalar>::acc_sum(elements) }
            #[inline(always)]
            fn wide_rows(sums: &mut [Self::Sum], rows: &[&[$t]]) {
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
