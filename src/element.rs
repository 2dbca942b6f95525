//! Element types: the traits [`Element`], [`Scalar`] and their subtraits, the runtime tag [`DType`], and casts ([`CastTo`]).
//!
//! All operations are bounded by these traits. The kernels of sums and integer arithmetic call hidden methods of the traits.

#![forbid(unsafe_code)]

mod blocks;
mod division;
mod modulus;
mod totals;

pub(crate) use crate::elementary::{Elementary, FloatFunction, PairFunction, RealFunction};
use crate::elementary::{Quotient, Truncate, numbers32, numbers64};
pub(crate) use blocks::sum_of_parts;
use blocks::{Blocks, Halves, Parts};
use core::fmt::{Debug, Display};
use division::{Divide, DivideByInvariant};
use modulus::Modulus;
use num_complex::Complex;
use num_traits::{NumAssign, One, Zero};
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

/// An element type as a value. The value for a type `T` is `T::DTYPE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    C32,
    C64,
}

impl DType {
    /// All element types.
    pub const ALL: [DType; 13] = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F32,
        DType::F64,
        DType::C32,
        DType::C64,
    ];

    /// Returns the name of the Rust type.
    ///
    /// ```
    /// assert_eq!(vierbein::DType::C64.name(), "Complex<f64>");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::C32 => "Complex<f32>",
            DType::C64 => "Complex<f64>",
        }
    }
}

impl DType {
    /// Returns the size of an element in bytes.
    ///
    /// ```
    /// assert_eq!(vierbein::DType::C64.size(), 16);
    /// ```
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 | DType::C32 => 8,
            DType::C64 => 16,
        }
    }
}

impl Display for DType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

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

macro_rules! ordered_floats {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Ordered for $t {
            const LOWEST: $t = $t::NEG_INFINITY;
            const HIGHEST: $t = $t::INFINITY;
            const HAS_NAN: bool = true;
            #[inline(always)]
            fn add_nan(self, x: $t) -> $t {
                self + x
            }
        }
    )*};
}
ordered_floats!(f32 f64);

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

macro_rules! bits {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Bits for $t {}
    )*};
}
bits!(bool i8 i16 i32 i64 u8 u16 u32 u64);

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

// ------------------------------------------------------------------ integers

// 64-bit integers are accumulated in 128 bits only in builds with debug assertions, because that takes about twice as long.
#[cfg(not(debug_assertions))]
use totals::Own as Totals64;
#[cfg(debug_assertions)]
use totals::Wide as Totals64;
use totals::{Narrow, Own};

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
    ($($t:ident, $unsigned:ident, $acc:ident, $totals:ty, $sums:ty, $abs:expr, $neg_fits:expr;)*) => {$(
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
    i8, u8, i64, Narrow<f32>, Parts<i16>, |x| x.wrapping_abs(), |x| x != i8::MIN;
    i16, u16, i64, Narrow<f32>, Parts<i32>, |x| x.wrapping_abs(), |x| x != i16::MIN;
    i32, u32, i64, Narrow<f64>, Halves, |x| x.wrapping_abs(), |x| x != i32::MIN;
    i64, u64, i128, Totals64, Halves, |x| x.wrapping_abs(), |x| x != i64::MIN;
    u8, u8, u64, Narrow<f32>, Parts<u16>, |x| x, |x| x == 0;
    u16, u16, u64, Narrow<f32>, Parts<u32>, |x| x, |x| x == 0;
    u32, u32, u64, Narrow<f64>, Halves, |x| x, |x| x == 0;
    u64, u64, u128, Totals64, Halves, |x| x, |x| x == 0;
}

// ------------------------------------------------------------------ floating-point and complex numbers

/// The items that floating-point and complex types share: they are their own accumulators, and overflow gives infinities instead of errors.
macro_rules! inexact_scalar {
    ($t:ty) => {
        type Float = $t;
        type Accumulator = $t;
        type Totals = Own;
        type Wrapping = $t;
        #[inline]
        fn to_wrapping(self) -> $t {
            self
        }
        const INTEGER: bool = false;
        #[inline]
        fn widen(self) -> $t {
            self
        }
        #[inline]
        fn narrow(acc: $t) -> ($t, bool) {
            (acc, true)
        }
        #[inline]
        fn acc_add(a: $t, b: $t) -> $t {
            a + b
        }
        #[inline]
        fn acc_add_carry(_: $t, _: $t) -> i64 {
            0
        }
        #[inline]
        fn acc_from(x: i32) -> $t {
            Self::from_f64(f64::from(x))
        }
        #[inline]
        fn with_bits(self, bits: $t) -> $t {
            bits
        }
        #[inline]
        fn acc_mul(a: $t, b: $t) -> ($t, bool) {
            (a * b, false)
        }
        #[inline]
        fn fits(_: Arithmetic, _: $t, _: $t) -> bool {
            true
        }
        #[inline]
        fn wrapping(op: Arithmetic, a: $t, b: $t) -> $t {
            match op {
                Arithmetic::Add => a + b,
                Arithmetic::Sub => a - b,
                Arithmetic::Mul => a * b,
                Arithmetic::Div => a.quotient(b),
                Arithmetic::Rem => a.remainder(b),
            }
        }
        #[inline]
        fn acc_to_float(acc: $t) -> $t {
            acc
        }
        #[inline]
        fn neg_fits(self) -> bool {
            true
        }
        #[inline]
        fn wrapping_neg(self) -> $t {
            -self
        }
    };
}

macro_rules! functions {
    ($x:expr, $f:expr) => {
        match $f {
            FloatFunction::Sqrt => $x.sqrt(),
            FloatFunction::Exp => $x.exp(),
            FloatFunction::Exp2 => $x.exp2(),
            FloatFunction::Ln => $x.ln(),
            FloatFunction::Log2 => $x.log2(),
            FloatFunction::Log10 => $x.log10(),
            FloatFunction::Sin => $x.sin(),
            FloatFunction::Cos => $x.cos(),
            FloatFunction::Tan => $x.tan(),
            FloatFunction::Asin => $x.asin(),
            FloatFunction::Acos => $x.acos(),
            FloatFunction::Atan => $x.atan(),
            FloatFunction::Sinh => $x.sinh(),
            FloatFunction::Cosh => $x.cosh(),
            FloatFunction::Tanh => $x.tanh(),
            FloatFunction::Asinh => $x.asinh(),
            FloatFunction::Acosh => $x.acosh(),
            FloatFunction::Atanh => $x.atanh(),
        }
    };
}

macro_rules! floats {
    ($($t:ident $numbers:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Scalar for $t {
            type Real = $t;
            type Magnitude = $t;
            fn from_real(x: $t) -> $t { x }
            fn from_f64(x: f64) -> $t { x as $t }
            fn from_usize(n: usize) -> $t { n as $t }
            fn re(self) -> $t { self }
            fn im(self) -> $t { 0.0 }
            #[inline]
            fn conj(self) -> $t { self }
            #[inline]
            fn modulus(self) -> $t { <$t>::abs(self) }
            #[inline]
            fn is_close(self, other: $t, relative: $t, absolute: $t) -> bool {
                if self == other {
                    return true;
                }
                let difference = (self - other).abs();
                if difference < <$t>::INFINITY {
                    // A tolerance that overflows is larger than the difference.
                    return difference <= absolute + relative * other.abs();
                }
                // A difference that overflows is computed again, for halves. Halves of subnormal numbers would be rounded.
                let scale = if self.is_finite() { 0.5 } else { 1.0 };
                let within = (self * scale - other * scale).abs() <= absolute * scale + relative * (other * scale).abs();
                other.is_finite() && within
            }
            fn pair_function(self, f: PairFunction, right: $t) -> $t {
                $numbers::one_of_pair(f, self, right).unwrap_or_else(|| match f {
                    PairFunction::Atan2 => <$t>::atan2(self, right),
                    PairFunction::Hypot => <$t>::hypot(self, right),
                    PairFunction::Pow => <$t>::powf(self, right),
                    PairFunction::Rem => self % right,
                    PairFunction::Div => self / right,
                    PairFunction::DivInto => right / self,
                })
            }
            fn integer_power(self, n: i32) -> $t {
                $numbers::one(Elementary::IntegerPower(n), self).unwrap_or_else(|| $numbers::real_power(self, n))
            }
            inexact_scalar!($t);
        }
        #[diagnostic::do_not_recommend]
        impl RealScalar for $t {
            fn in_f64(self) -> f64 { self as f64 }
            #[inline]
            fn in_i128(self) -> i128 { self as i128 }
            #[inline]
            fn wrapped(x: i128) -> $t { x as $t }
        }
        #[diagnostic::do_not_recommend]
        impl Inexact for $t {
            // Inlined, so that loops over the square root are vectorised.
            #[inline]
            fn function(self, f: FloatFunction) -> $t {
                if f == FloatFunction::Sqrt {
                    return self.sqrt();
                }
                $numbers::one(Elementary::Float(f), self)
                    .or_else(|| $numbers::inverse_hyperbolic(f, self))
                    .unwrap_or_else(|| functions!(self, f))
            }
            fn real_function(self, f: RealFunction) -> $t {
                $numbers::one(Elementary::Real(f), self).unwrap_or_else(|| match f {
                    RealFunction::Cbrt => <$t>::cbrt(self),
                    RealFunction::ExpM1 => <$t>::exp_m1(self),
                    RealFunction::Ln1p => <$t>::ln_1p(self),
                    RealFunction::Sigmoid => {
                        let e = (-self.abs()).exp();
                        (if self < 0.0 { e } else { 1.0 }) / (1.0 + e)
                    }
                    RealFunction::Erf => libm::Libm::<$t>::erf(self),
                    RealFunction::Erfc => libm::Libm::<$t>::erfc(self),
                })
            }
            #[inline]
            fn quotient(self, by: $t) -> $t { self / by }
            #[inline]
            fn remainder(self, by: $t) -> $t { self % by }
            #[inline]
            fn unscale(self, by: $t) -> $t { self / by }
            #[inline]
            fn map_parts(self, f: impl Fn($t) -> $t) -> $t { f(self) }
            fn from_magnitude(x: $t) -> $t { x }
            #[inline]
            fn dot_re(self, other: $t) -> $t { self * other }
            fn raised(self, n: $t) -> $t {
                $numbers::one(Elementary::Power(n.into()), self).unwrap_or_else(|| <$t>::powf(self, n))
            }
            #[inline]
            fn arg(self) -> $t { if self.is_nan() { self } else if self.is_sign_negative() { core::$t::consts::PI } else { 0.0 } }
            #[inline]
            fn has_nan(self) -> bool { <$t>::is_nan(self) }
            #[inline]
            fn all_finite(self) -> bool { <$t>::is_finite(self) }
            #[inline]
            fn has_infinite(self) -> bool { <$t>::is_infinite(self) }
        }
        #[diagnostic::do_not_recommend]
        impl RealFloat for $t {}

        #[diagnostic::do_not_recommend]
        impl Scalar for Complex<$t> {
            type Real = $t;
            type Magnitude = $t;
            fn from_real(x: $t) -> Self { Complex::new(x, 0.0) }
            fn from_f64(x: f64) -> Self { Complex::new(x as $t, 0.0) }
            fn from_usize(n: usize) -> Self { Complex::new(n as $t, 0.0) }
            fn re(self) -> $t { self.re }
            fn im(self) -> $t { self.im }
            #[inline]
            fn conj(self) -> Self { Complex::conj(&self) }
            #[inline(always)]
            fn modulus(self) -> $t { <$t as Modulus>::modulus(self.re, self.im) }
            #[inline]
            fn is_close(self, other: Self, relative: $t, absolute: $t) -> bool {
                let within = |scale: $t| {
                    let difference = Complex::new(
                        self.re * scale - other.re * scale,
                        self.im * scale - other.im * scale,
                    );
                    difference.modulus() <= absolute * scale + relative * (other * scale).modulus()
                };
                // Parts that are large enough for an overflow of a magnitude or of a difference are scaled. Small ones would be rounded.
                let parts = [self.re, self.im, other.re, other.im];
                let large = parts.iter().any(|part| part.abs() > $t::MAX / 4.0);
                self == other || other.all_finite() && within(if large { 0.25 } else { 1.0 })
            }
            fn pair_function(self, f: PairFunction, right: Self) -> Self {
                match f {
                    PairFunction::Pow => $numbers::one_power(self, right).unwrap_or_else(|| {
                        // The formula of num-complex would give NaN for powers of zero, and rounding errors for real exponents.
                        if right.im == 0.0 {
                            Complex::powf(self, right.re)
                        } else if self.is_zero() && right.re > 0.0 {
                            Complex::zero()
                        } else {
                            Complex::powc(self, right)
                        }
                    }),
                    PairFunction::Div => Inexact::quotient(self, right),
                    PairFunction::DivInto => Inexact::quotient(right, self),
                    PairFunction::Atan2 | PairFunction::Hypot | PairFunction::Rem => {
                        unreachable!("{f:?} is a function of real numbers")
                    }
                }
            }
            fn integer_power(self, n: i32) -> Self {
                $numbers::one_complex(Elementary::IntegerPower(n), self)
                    .unwrap_or_else(|| $numbers::complex_power(self, n))
            }
            const COMPLEX: bool = true;
            inexact_scalar!(Complex<$t>);
        }
        #[diagnostic::do_not_recommend]
        impl Inexact for Complex<$t> {
            fn function(self, f: FloatFunction) -> Self {
                $numbers::one_complex(Elementary::Float(f), self)
                    .or_else(|| $numbers::wide_ranging(f, self))
                    .unwrap_or_else(|| functions!(self, f))
            }
            fn real_function(self, f: RealFunction) -> Self {
                $numbers::one_complex(Elementary::Real(f), self).unwrap_or_else(|| $numbers::near_zero(f, self))
            }
            #[inline]
            fn quotient(self, by: Self) -> Self { <$t as Quotient>::quotient(self, by) }
            #[inline]
            fn remainder(self, by: Self) -> Self {
                self - by * Inexact::quotient(self, by).map_parts(<$t>::trunc)
            }
            #[inline]
            fn unscale(self, by: $t) -> Self { self / by }
            #[inline]
            fn map_parts(self, f: impl Fn($t) -> $t) -> Self { Complex::new(f(self.re), f(self.im)) }
            fn from_magnitude(x: $t) -> Self { Complex::new(x, 0.0) }
            #[inline]
            fn dot_re(self, other: Self) -> $t { self.re * other.re + self.im * other.im }
            fn raised(self, n: $t) -> Self {
                $numbers::one_complex(Elementary::Power(n.into()), self).unwrap_or_else(|| {
                    if n == -1.0 { Inexact::quotient(Self::one(), self) } else { Complex::powf(self, n) }
                })
            }
            fn arg(self) -> $t { $numbers::one_arg(self).unwrap_or_else(|| Complex::arg(self)) }
            #[inline]
            fn has_nan(self) -> bool { self.re.is_nan() || self.im.is_nan() }
            #[inline]
            fn all_finite(self) -> bool { self.re.is_finite() && self.im.is_finite() }
            #[inline]
            fn has_infinite(self) -> bool { self.re.is_infinite() || self.im.is_infinite() }
        }
    )*};
}
floats!(f32 numbers32 f64 numbers64);

// ------------------------------------------------------------------ casts

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

    #[test]
    fn all_bytes_zero_is_the_default() {
        assert_eq!(f64::default().to_bits(), 0);
        assert_eq!(c32::default(), Complex::new(0.0, 0.0));
        assert!(!bool::default());
    }

    #[test]
    fn phase_of_reals() {
        assert_eq!(Inexact::arg(-2.0f64), std::f64::consts::PI);
        assert_eq!(Inexact::arg(3.0f32), 0.0);
        assert!(Inexact::arg(f64::NAN).is_nan());
    }
}
