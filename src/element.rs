//! Element types: the traits [`Element`], [`Scalar`] and their subtraits, the runtime tag [`DType`], and casts ([`CastTo`]).
//!
//! All operations are bounded by these traits. The kernels of sums and integer arithmetic call hidden methods of the traits.

#![forbid(unsafe_code)]

mod blocks;
mod cast;
mod division;
mod dtype;
mod floats;
mod integers;
pub(crate) mod lanes;
mod modulus;
mod totals;

pub(crate) use crate::elementary::{Elementary, FloatFunction, PairFunction, RealFunction};
pub(crate) use blocks::sum_of_parts;
use cast::CastFrom;
pub use cast::CastTo;
use core::fmt::{Debug, Display};
pub use dtype::DType;
#[cfg(feature = "linalg")]
pub(crate) use floats::exponent_of;
pub use integers::{Bits, Integer};
use num_complex::Complex;
use num_traits::NumAssign;
pub use totals::WidenTo;
pub(crate) use totals::{Totals, WideProduct};

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be made an element type",
        label = "element types are the numbers of Rust and of num-complex, and `bool`",
        note = "store a structure as one tensor for each of its fields"
    )]
    pub trait Sealed {
        /// The type of the real and imaginary parts of complex numbers. For other types, the type itself.
        type Part: super::Element;
    }
}

/// A complex number of two `f32`.
#[allow(non_camel_case_types)]
pub type c32 = Complex<f32>;
/// A complex number of two `f64`.
#[allow(non_camel_case_types)]
pub type c64 = Complex<f64>;

/// Types that a tensor can store: the [`Scalar`] types and `bool`. Sealed.
///
/// In every element type, the value whose bytes are all zero is valid, and equal to `Default::default()`.
///
/// ```
/// use vierbein::{DType, Element};
/// fn bytes<T: Element>(n: usize) -> usize {
///     n * size_of::<T>()
/// }
/// assert_eq!((bytes::<f32>(3), f32::DTYPE), (12, DType::F32));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the element type of a tensor",
    label = "not an element type",
    note = "store indices and counts as `i64`, which every method accepts as an index, and a structure as one tensor for each of its fields",
    note = "element types are `f32 f64 Complex<f32> Complex<f64> i8 i16 i32 i64 u8 u16 u32 u64 bool`"
)]
pub trait Element:
    sealed::Sealed + Copy + Debug + Display + Default + PartialEq + Send + Sync + 'static
{
    /// The element type as a value.
    const DTYPE: DType;
    /// Returns the element in the form in which it is printed.
    #[doc(hidden)]
    fn printed(self) -> Printed {
        Printed::Word(self.to_string())
    }
}

/// An element to print. Floating-point numbers are kept as numbers, because all those of a tensor are printed in the same notation. Other
/// elements are kept as text.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub enum Printed {
    Word(String),
    Real(f64),
    Complex(f64, f64),
}

/// Element types with arithmetic: integers, floating-point and complex numbers. Sealed.
///
/// Most generic numeric code needs only this bound. As in Rust, integer `+ - *` check for overflow in builds with debug assertions, and
/// wrap in other builds; integer division by zero is always an error. Operators and methods panic on such errors, `try_` variants return
/// them.
///
/// ```
/// use vierbein::{Complex, Scalar};
/// fn square_of_modulus<T: Scalar>(x: T) -> T::Real {
///     (x * x.conj()).re()
/// }
/// assert_eq!(square_of_modulus(Complex::new(3.0, 4.0)), 25.0);
/// assert_eq!(square_of_modulus(-2), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "arithmetic needs a numeric element type",
    note = "convert `bool` with `.cast::<i64>()`, combine masks with `&`, `|`, `^` and `!`, choose with `.select(&a, &b)`",
    note = "in generic code, bound the element type: `T: Scalar`"
)]
pub trait Scalar: Element + NumAssign + CastFrom + CastTo<Self> + CastTo<Self::Float> {
    /// The type of the real part: `f64` for `Complex<f64>`; for real types, the type itself.
    type Real: RealScalar<Real = Self::Real, Float = Self::Magnitude, Magnitude = Self::Magnitude>
        + CastTo<Self>
        + CastTo<Self::Magnitude>;
    /// The type of means and quotients: `f64` for integers, otherwise the type itself.
    type Float: Inexact<Float = Self::Float, Real = Self::Magnitude, Magnitude = Self::Magnitude>
        + CastTo<Self>;
    /// The type of norms, variances and standard deviations: the real part of [`Float`](Scalar::Float).
    type Magnitude: RealFloat<Real = Self::Magnitude, Float = Self::Magnitude, Magnitude = Self::Magnitude>
        + CastTo<Self>
        + CastTo<Self::Float>;
    /// The accumulator of overflow-checked sums and products, and of all means: 64 bits wide for integers of up to 32 bits, 128 for
    /// integers of 64 bits, otherwise the type itself.
    type Accumulator: Copy + Send + Sync + Debug;
    /// How sums and products of many elements are accumulated.
    #[doc(hidden)]
    type Totals: Totals<Self>;
    /// Whether sums and products of many elements detect results that do not fit the type: for integers of up to 32 bits, and for 64-bit
    /// integers in builds with debug assertions.
    #[doc(hidden)]
    const SUMS_CHECKED: bool = <Self::Totals as Totals<Self>>::CHECKED;
    /// For signed integers, the unsigned type of the same size: its wrapping sums and products have the same bits. Otherwise the type
    /// itself.
    #[doc(hidden)]
    type Wrapping: Scalar<Wrapping = Self::Wrapping>;
    #[doc(hidden)]
    fn to_wrapping(self) -> Self::Wrapping;

    /// Converts a real number: `x`, or `x + 0i`. For norms, see [`Inexact::from_magnitude`].
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// fn scaled<T: Scalar>(x: Tensor<T, Rank<1>>, by: T::Real) -> Tensor<T, Rank<1>> {
    ///     x * T::from_real(by)
    /// }
    /// assert_eq!(scaled(tensor![Complex::new(3.0, 4.0)], 0.5), tensor![Complex::new(1.5, 2.0)]);
    /// ```
    #[must_use]
    fn from_real(x: Self::Real) -> Self;
    /// Converts a constant, with the rules of `as`: rounds for floating-point types; truncates and saturates for integers. A complex
    /// number gets the imaginary part 0. [`cast`](crate::Tensor::cast) converts a tensor of constants.
    ///
    /// ```
    /// use vierbein::{Scalar, Tensor, tensor, Rank};
    /// fn halves<T: Scalar>(x: Tensor<T, Rank<1>>) -> Tensor<T, Rank<1>> {
    ///     x * T::from_f64(0.5)
    /// }
    /// assert_eq!(halves(tensor![1.0f32, 3.0]), tensor![0.5, 1.5]);
    /// ```
    #[must_use]
    fn from_f64(x: f64) -> Self;
    /// Converts a count of elements: rounds for floating-point types, saturates for integers.
    #[must_use]
    fn from_usize(n: usize) -> Self;
    /// Returns the real part.
    #[must_use]
    fn re(self) -> Self::Real;
    /// Returns the imaginary part: zero for real types.
    #[must_use]
    fn im(self) -> Self::Real;
    /// Returns the complex conjugate: `self` for real types.
    #[must_use]
    fn conj(self) -> Self;
    /// Returns the absolute value (modulus).
    #[must_use]
    fn modulus(self) -> Self::Real;

    #[doc(hidden)]
    const INTEGER: bool;
    #[doc(hidden)]
    fn widen(self) -> Self::Accumulator;
    /// Converts an accumulator. Returns the value, wrapped if it is an integer that does not fit in `Self`, and whether it fits.
    #[doc(hidden)]
    fn narrow(acc: Self::Accumulator) -> (Self, bool);
    #[doc(hidden)]
    fn acc_add(a: Self::Accumulator, b: Self::Accumulator) -> Self::Accumulator;
    /// Returns the carry of [`acc_add`](Scalar::acc_add), in units of the accumulator's range: −1, 0 or 1. A sum of many terms is exact
    /// if its carries add up to zero.
    #[doc(hidden)]
    fn acc_add_carry(a: Self::Accumulator, b: Self::Accumulator) -> i64;
    /// Converts an integer. It must not be negative if the accumulator is unsigned.
    #[doc(hidden)]
    fn acc_from(x: i32) -> Self::Accumulator;
    /// Returns the bits of the magnitude of an integer, and those in `bits`.
    #[doc(hidden)]
    fn with_bits(self, bits: Self::Wrapping) -> Self::Wrapping;
    /// Returns the product, and whether the accumulator overflowed.
    #[doc(hidden)]
    fn acc_mul(a: Self::Accumulator, b: Self::Accumulator) -> (Self::Accumulator, bool);
    /// Returns whether `a op b` is representable: always `true` unless the type is an integer.
    #[doc(hidden)]
    fn fits(op: Arithmetic, a: Self, b: Self) -> bool;
    /// Computes `a op b`. Integers wrap in all builds: a caller that reports overflow must check for it before.
    #[doc(hidden)]
    fn wrapping(op: Arithmetic, a: Self, b: Self) -> Self;
    /// Variant of [`wrapping`](Scalar::wrapping) for loops in which `b` is constant: the compiler moves computations that depend on `b`
    /// alone out of the loop. If `b` is the integer 0, quotients and remainders are unspecified numbers.
    #[doc(hidden)]
    #[inline(always)]
    fn wrapping_by_invariant(op: Arithmetic, a: Self, b: Self) -> Self {
        Self::wrapping(op, a, b)
    }
    /// Returns whether two numbers are equal, or `other` is finite and the magnitude of their difference is at most
    /// `absolute + relative · |other|`. Differences of integers are exact, and magnitudes do not overflow.
    #[doc(hidden)]
    fn is_close(self, other: Self, relative: Self::Magnitude, absolute: Self::Magnitude) -> bool;
    /// Computes a function of two numbers. For complex numbers, it must be [`Pow`](PairFunction::Pow) or a quotient: the others need
    /// [`RealFloat`]. For integers, it must be `Pow`: powers wrap, and those with negative exponents are truncated to integers.
    #[doc(hidden)]
    fn pair_function(self, f: PairFunction, right: Self) -> Self;
    /// Returns whether the power of an integer fits its type: see [`pair_function`](Scalar::pair_function). Zero has no negative powers.
    #[doc(hidden)]
    fn power_fits(self, _right: Self) -> bool {
        true
    }
    /// Returns `self` to the power `n`. Integers wrap; the exponent of an integer must not be negative.
    #[doc(hidden)]
    fn integer_power(self, n: i32) -> Self;
    #[doc(hidden)]
    fn neg_fits(self) -> bool;
    #[doc(hidden)]
    const COMPLEX: bool = false;
    #[doc(hidden)]
    fn acc_to_float(acc: Self::Accumulator) -> Self::Float;
    /// Sums contiguous elements.
    #[doc(hidden)]
    #[inline(always)]
    fn acc_sum(elements: &[Self]) -> Self::Accumulator {
        elements.iter().fold(Self::zero().widen(), |sum, &x| Self::acc_add(sum, x.widen()))
    }
    /// If all elements are the integers 1 or −1, returns whether their product is −1.
    #[doc(hidden)]
    #[inline(always)]
    fn units(_: &[Self]) -> Option<bool> {
        None
    }
    /// Adds element `j` of each row to `sums[j]`.
    #[doc(hidden)]
    #[inline(always)]
    fn acc_sum_rows(sums: &mut [Self::Accumulator], rows: &[&[Self]]) {
        for row in rows {
            sums.iter_mut().zip(*row).for_each(|(sum, x)| *sum = Self::acc_add(*sum, x.widen()));
        }
    }
    /// [`acc_sum_rows`](Scalar::acc_sum_rows), faster if the sums of any of the rows fit the element type.
    #[doc(hidden)]
    #[inline(always)]
    fn small_sum_rows(sums: &mut [Self::Accumulator], rows: &[&[Self]]) {
        Self::acc_sum_rows(sums, rows);
    }
    /// [`acc_sum`](Scalar::acc_sum), faster if the sum of any of the elements fits the element type.
    #[doc(hidden)]
    #[inline(always)]
    fn small_sum(elements: &[Self]) -> Self::Accumulator {
        Self::acc_sum(elements)
    }
    #[doc(hidden)]
    fn wrapping_neg(self) -> Self;
}

/// The five arithmetic operations.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Element types that can be sorted: integers, real floating-point numbers and `bool`. Sealed.
///
/// When elements are sorted, NaN is last, and −0.0 and 0.0 are equal.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::Ordered;
/// fn middle<T: Ordered>(x: TensorView<'_, T, Rank<1>>) -> T {
///     x.sort(0)[[x.len() / 2]]
/// }
/// assert_eq!(middle(tensor![5, 1, 3].view()), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an ordered element type",
    label = "expected integers, real floating-point numbers or `bool`",
    note = "compare complex numbers by `.abs()`, `.re()` or `.im()`; in generic code, bound the element type: `T: Ordered`"
)]
pub trait Ordered: Element + PartialOrd {
    /// The smallest value: negative infinity for floating-point types, `false` for `bool`.
    const LOWEST: Self;
    /// The largest value: positive infinity for floating-point types, `true` for `bool`.
    const HIGHEST: Self;
    /// Whether the type has NaN.
    #[doc(hidden)]
    const HAS_NAN: bool = false;
    /// Returns the sum, which is NaN if an operand is NaN, or `self` if the type has no NaN.
    #[doc(hidden)]
    #[inline(always)]
    fn add_nan(self, _: Self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl Ordered for bool {
    const LOWEST: bool = false;
    const HIGHEST: bool = true;
}

/// Ordered element types: integers and real floating-point numbers. Sealed.
///
/// NaN propagates: minima and maxima of elements that include NaN are NaN.
///
/// ```
/// use vierbein::prelude::*;
/// fn range<T: RealScalar>(x: TensorView<'_, T, Rank<1>>) -> (T, T) {
///     (x.min().item(), x.max().item())
/// }
/// assert_eq!(range(tensor![3, 1, 2].view()), (1, 3));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an ordered element type",
    label = "expected integers or real floating-point numbers",
    note = "compare complex numbers by `.abs()`, `.re()` or `.im()`; in generic code, bound the element type: `T: RealScalar`"
)]
pub trait RealScalar: Scalar<Real = Self> + Ordered {
    #[doc(hidden)]
    fn in_f64(self) -> f64;
    /// Converts to `i128`. Integers are converted exactly, floating-point numbers are truncated and saturated.
    #[doc(hidden)]
    fn in_i128(self) -> i128;
    /// Converts from `i128`: integers wrap, floating-point numbers round.
    #[doc(hidden)]
    fn wrapped(x: i128) -> Self;
}

/// Floating-point and complex numbers, with roots, exponentials and trigonometric functions. Sealed.
///
/// ```
/// use vierbein::prelude::*;
/// fn phase<T: Inexact, D: Dim, O: Order>(x: TensorView<'_, T, D, O>) -> Tensor<T::Magnitude, D, O> {
///     x.exp().arg()
/// }
/// assert_eq!(phase(tensor![Complex::new(0.0, 1.0)].view())[[0]], 1.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a floating-point or complex type",
    label = "this function needs floating-point or complex elements",
    note = "convert integers first, e.g. with `.cast::<f64>()`; in generic code, bound the element type: `T: Inexact`"
)]
pub trait Inexact: Scalar<Float = Self, Accumulator = Self> + core::ops::Neg<Output = Self> {
    #[doc(hidden)]
    fn function(self, f: FloatFunction) -> Self;
    /// Computes a function that exists for real numbers, and for complex numbers if it is `ExpM1` or `Ln1p`.
    #[doc(hidden)]
    fn real_function(self, f: RealFunction) -> Self;
    /// Divides by a number. Complex numbers do not overflow or underflow in between, as they do in the operator of `num-complex`.
    #[doc(hidden)]
    fn quotient(self, by: Self) -> Self;
    /// Returns the remainder of a division. The quotient of complex numbers is truncated to integers, part by part.
    #[doc(hidden)]
    fn remainder(self, by: Self) -> Self;
    /// Divides by a real number.
    #[doc(hidden)]
    fn unscale(self, by: Self::Magnitude) -> Self;
    /// Computes a function of the number, or of the real and of the imaginary part.
    #[doc(hidden)]
    fn map_parts(self, f: impl Fn(Self::Magnitude) -> Self::Magnitude) -> Self;
    /// Converts a norm or another real number of type [`Magnitude`](Scalar::Magnitude): `x`, or `x + 0i`.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// fn unit<T: Inexact>(x: Tensor<T, Rank<1>>) -> Tensor<T, Rank<1>> {
    ///     let norm = x.norm().item();
    ///     x / T::from_magnitude(norm)
    /// }
    /// assert_eq!(unit(tensor![Complex::new(3.0, 4.0)]), tensor![Complex::new(0.6, 0.8)]);
    /// ```
    #[must_use]
    fn from_magnitude(x: Self::Magnitude) -> Self;
    /// Returns the real part of `conj(self) · other`.
    #[doc(hidden)]
    fn dot_re(self, other: Self) -> Self::Magnitude;
    /// Raises `self` to a real power.
    #[doc(hidden)]
    fn raised(self, n: Self::Magnitude) -> Self;
    /// Returns the argument (phase) in radians, from −π to π.
    #[must_use]
    fn arg(self) -> Self::Magnitude;
    #[doc(hidden)]
    fn has_nan(self) -> bool;
    #[doc(hidden)]
    fn all_finite(self) -> bool;
    #[doc(hidden)]
    fn has_infinite(self) -> bool;
}

/// Real floating-point numbers: `f32` and `f64`. Sealed.
///
/// ```
/// use vierbein::prelude::*;
/// fn unit<T: RealFloat, O: Order>(x: TensorView<'_, T, Rank<1>, O>) -> Tensor<T, Rank<1>, O> {
///     x / x.norm()
/// }
/// assert_eq!(unit(tensor![3.0, 4.0].view()), tensor![0.6, 0.8]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real floating-point type",
    label = "this function needs `f32` or `f64` elements",
    note = "convert integers first, e.g. with `.cast::<f64>()`; take `.abs()`, `.re()` or `.im()` of complex numbers"
)]
pub trait RealFloat:
    RealScalar<Real = Self> + Inexact<Magnitude = Self> + num_traits::Float + num_traits::FloatConst
{
}

#[diagnostic::do_not_recommend]
impl sealed::Sealed for bool {
    type Part = bool;
}
#[diagnostic::do_not_recommend]
impl Element for bool {
    const DTYPE: DType = DType::Bool;
}

macro_rules! elements {
    ($($t:ty, $part:ty => $tag:ident $(|$x:ident| $printed:expr)?;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl sealed::Sealed for $t {
            type Part = $part;
        }
        #[diagnostic::do_not_recommend]
        impl Element for $t {
            const DTYPE: DType = DType::$tag;
            $(fn printed(self) -> Printed {
                let $x = self;
                $printed
            })?
        }
    )*};
}
elements! {
    i8, i8 => I8;
    i16, i16 => I16;
    i32, i32 => I32;
    i64, i64 => I64;
    u8, u8 => U8;
    u16, u16 => U16;
    u32, u32 => U32;
    u64, u64 => U64;
    f32, f32 => F32 |x| Printed::Real(same_decimals(x));
    f64, f64 => F64 |x| Printed::Real(x);
    Complex<f32>, f32 => C32 |z| Printed::Complex(same_decimals(z.re), same_decimals(z.im));
    Complex<f64>, f64 => C64 |z| Printed::Complex(z.re, z.im);
}

/// Returns the `f64` with the same decimal representation. For `0.1f32` it is 0.1; `0.1f32 as f64` would be 0.10000000149011612.
fn same_decimals(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_zero_is_the_default() {
        assert_eq!(f64::default().to_bits(), 0);
        assert_eq!(c32::default(), Complex::new(0.0, 0.0));
        assert!(!bool::default());
    }
}
