//! Casts between element types.

use super::{Element, Scalar, c32, c64};
use crate::elementary::Truncate;
use num_complex::Complex;
use num_traits::{One, Zero};

/// Conversion from one element type to another, with the semantics of `as`.
///
/// * Floating-point to integer truncates and saturates; NaN becomes 0.
/// * Integer to integer wraps.
/// * `false` and `true` become 0 and 1.
/// * Real numbers become complex numbers with a zero imaginary part.
///
/// Casts from complex to real numbers, and from numbers to `bool`, are not implemented: they would silently lose a part of the value.
///
/// Real numbers and `bool` cast to every [`Scalar`] type, so generic code with `T: Scalar` needs no further bound to cast to `T`. A cast
/// of `T` to another type does: `T: CastTo<f64>`.
///
/// ```
/// use vierbein::{CastTo, Complex};
/// let (cut, wrapped): (i32, u8) = (CastTo::cast_to(-1.5f64), CastTo::cast_to(-1i32));
/// assert_eq!((cut, wrapped), (-1, 255));
/// let z: Complex<f64> = 2.0f32.cast_to();
/// assert_eq!(z, Complex::new(2.0, 0.0));
/// ```
#[diagnostic::on_unimplemented(
    message = "cannot cast `{Self}` to `{U}` without losing a part of it",
    label = "no such cast",
    note = "complex to real: choose a part with `.re()`, `.im()` or `.abs()` first",
    note = "number to `bool`: compare, e.g. with `.not_equal(0)`",
    note = "in generic code: real numbers and `bool` cast to every `T: Scalar`; a cast of `T` to `f64` needs the bound `T: CastTo<f64>`"
)]
pub trait CastTo<U: Element>: Element {
    /// Returns the converted value.
    #[must_use]
    fn cast_to(self) -> U;
}

/// Defines [`CastFrom`], and implements [`CastTo`] with its methods.
macro_rules! cast_sources {
    ($($method:ident: $from:ident)*) => {
        /// The casts to a number, with a method for each source type. A supertrait of [`Scalar`], so that `CastTo` has one implementation
        /// for all numbers: generic code with `T: Scalar` can cast to `T` without another bound.
        #[doc(hidden)]
        pub trait CastFrom {
            $( fn $method(x: $from) -> Self; )*
        }
        $(
            #[diagnostic::do_not_recommend]
            impl<T: Scalar> CastTo<T> for $from {
                #[inline]
                fn cast_to(self) -> T {
                    T::$method(self)
                }
            }
        )*
    };
}
cast_sources! {
    cast_bool: bool
    cast_i8: i8
    cast_i16: i16
    cast_i32: i32
    cast_i64: i64
    cast_u8: u8
    cast_u16: u16
    cast_u32: u32
    cast_u64: u64
    cast_f32: f32
    cast_f64: f64
}

/// Implements [`CastFrom`] for numbers, with one expression for integers and one for floating-point numbers.
macro_rules! casts {
    ($($to:ident)*; |$i:ident| $of_integer:expr, |$f:ident| $of_float:expr) => {$(
        #[diagnostic::do_not_recommend]
        impl CastFrom for $to {
            casts!(@methods cast_bool: bool; |x| if x { Self::one() } else { Self::zero() });
            casts!(@methods cast_i8: i8 cast_i16: i16 cast_i32: i32 cast_i64: i64; |$i| $of_integer);
            casts!(@methods cast_u8: u8 cast_u16: u16 cast_u32: u32 cast_u64: u64; |$i| $of_integer);
            casts!(@methods cast_f32: f32 cast_f64: f64; |$f| $of_float);
        }
    )*};
    (@methods $($method:ident: $from:ident)*; |$x:ident| $result:expr) => {$(
        #[inline]
        fn $method($x: $from) -> Self { $result }
    )*};
}
casts!(i8 i16 i32 i64 u8 u16 u32 u64; |x| x as Self, |x| Truncate::<Self>::truncate(x));
casts!(f32 f64; |x| x as Self, |x| x as Self);
casts!(c32; |x| Complex::new(x as f32, 0.0), |x| Complex::new(x as f32, 0.0));
casts!(c64; |x| Complex::new(x as f64, 0.0), |x| Complex::new(x as f64, 0.0));

macro_rules! complex_casts {
    ($($t:ident => $u:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl CastTo<Complex<$u>> for Complex<$t> {
            #[inline]
            fn cast_to(self) -> Complex<$u> { Complex::new(self.re as $u, self.im as $u) }
        }
    )*};
}
complex_casts!(f32 => f32, f32 => f64, f64 => f32, f64 => f64);

#[diagnostic::do_not_recommend]
impl CastTo<bool> for bool {
    #[inline]
    fn cast_to(self) -> bool {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_follow_as() {
        let (truncated, saturated, nan): (i8, i8, i32) =
            ((-3.9f64).cast_to(), 1e9f64.cast_to(), f64::NAN.cast_to());
        assert_eq!((truncated, saturated, nan), (-3, 127, 0));
        let wrapped: u8 = (-1i32).cast_to();
        assert_eq!(wrapped, 255);
        let (one, z): (f32, c64) = (true.cast_to(), 2.5f32.cast_to());
        assert_eq!((one, z), (1.0, Complex::new(2.5, 0.0)));
    }
}
