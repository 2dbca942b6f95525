//! Functions of one element, and conversions of element types.

use super::operand::{device_of, elements, lacking, made, needs, on_device};
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::device::{CudaSource, Elementwise, Scalars, UnaryOp};
use crate::dispatch;
use crate::element::{CastTo, DType, Element, Function, Inexact};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::{Cast, op};
use core::marker::PhantomData;

/// A new tensor of `op(x)`. The operand was found to be of `T` and on `Dev`.
pub(super) fn compute<T: Element, Dev: Elementwise<T>, F: UnaryOp<T>>(
    op: F,
    x: DynView<'_>,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    let layout = Layout::dense(x.shape(), x.order().is_row_major());
    made(device, layout, x.order(), |out| device.unary(&op, out, elements::<T, Dev>(&x)))
}

/// A function that takes many times as long as finding out which it is: one kernel does for all of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slow(pub(crate) Function);

impl<T: Inexact> UnaryOp<T> for Slow {
    type Output = T;
    const NAME: &'static str = "take a function of";
    const CUDA: CudaSource = CudaSource::builtin("function(a, which)");
    const COST: usize = <op::Exp as UnaryOp<T>>::COST;
    fn apply(&self, x: T) -> T {
        x.function(self.0)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.constant("which", self.0 as u8);
    }
}

macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $Name:ident, $method:ident, $verb:literal, $op:expr, $bound:ident $([$($t:ty)*])?, $need:ident, $input:literal, $expected:literal;
    )*) => {
        /// A function of one element, as a value: for programs that learn it at run time. Each is a method, too.
        ///
        /// ```
        /// use vierbein::dyn_tensor::Unary;
        /// use vierbein::{DynTensor, tensor};
        /// let x = DynTensor::from(tensor![1.0, 4.0]);
        /// assert_eq!(x.unary(Unary::Sqrt)?.downcast_ref()?, tensor![1.0, 2.0]);
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Unary {
            $($(#[$doc])* $Name,)*
        }

        impl Unary {
            /// All of them.
            pub const ALL: &[Unary] = &[$(Unary::$Name),*];
        }

        $(
            // Kernels for all element types: compiled where it is used, unless the feature says otherwise.
            #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
            pub(super) fn $method(x: DynView<'_>) -> Result<DynTensor, Error> {
                on_device!($verb, x, Dev => operations!(
                    @dispatch $bound $([$($t)*])?, x.dtype(),
                    compute::<T, Dev, _>($op, x),
                    Err(lacking($verb, x.dtype(), needs::$need)), T
                ))
            }

            impl<S: DynData> DynTensor<S> {
                $(#[$doc])*
                ///
                /// # Errors
                /// Where elements of this type do not have the function or an integer has no such result, or the device has no
                /// memory left.
                ///
                /// ```
                /// use vierbein::{Complex, DynTensor, tensor};
                #[doc = concat!("let x = DynTensor::from(tensor!", $input, ");")]
                #[doc = concat!("assert_eq!(x.", stringify!($method), "()?.downcast_ref()?, tensor!", $expected, ");")]
                /// # Ok::<(), vierbein::Error>(())
                /// ```
                pub fn $method(&self) -> Result<DynTensor, Error> {
                    $method(self.look())
                }
            }
        )*

        impl<S: DynData> DynTensor<S> {
            /// A function of one element that is known at run time only.
            ///
            /// # Errors
            /// As the method of its name.
            pub fn unary(&self, op: Unary) -> Result<DynTensor, Error> {
                let x = self.look();
                match op {
                    $(Unary::$Name => $method(x),)*
                }
            }
        }
    };
    (@dispatch Those [$($t:ty)*], $dtype:expr, $body:expr, $other:expr, $T:ident) => {
        dispatch!($dtype, $T in [$($t),*] => $body, else => $other)
    };
    (@dispatch $bound:ident, $dtype:expr, $body:expr, $other:expr, $T:ident) => {
        dispatch!($dtype, $T: $bound => $body, else => $other)
    };
}
operations! {
    /// The negative, element by element: `-a` with a `Result`.
    Neg, try_neg, "negate", op::Neg, Those [i8 i16 i32 i64 f32 f64 crate::c32 crate::c64], SIGNS, "[1, -2]", "[-1, 2]";
    /// The complement, bit by bit; of masks the logical *not*: `!a` with a `Result`.
    Not, try_not, "invert", op::Not, Bits, BITS, "[true, false]", "[false, true]";
    /// The absolute value or modulus, element by element.
    Abs, abs, "take abs of", op::Abs, Scalar, NUMBERS, "[Complex::new(3.0, 4.0)]", "[5.0]";
    /// The complex conjugate, element by element.
    Conj, conj, "take conj of", op::Conj, Scalar, NUMBERS, "[Complex::new(3.0, 4.0)]", "[Complex::new(3.0, -4.0)]";
    /// The real part, element by element.
    Re, re, "take re of", op::Re, Scalar, NUMBERS, "[Complex::new(3.0, 4.0)]", "[3.0]";
    /// The imaginary part, element by element.
    Im, im, "take im of", op::Im, Scalar, NUMBERS, "[Complex::new(3.0, 4.0)]", "[4.0]";
    /// The square, element by element.
    Square, square, "take square of", op::Square, Scalar, NUMBERS, "[3, -4]", "[9, 16]";
    /// −1, 0 or 1, as the element is negative, zero or positive; NaN stays NaN.
    Signum, signum, "take signum of", op::Signum, RealScalar, ORDER, "[-7, 0, 3]", "[-1, 0, 1]";
    /// The square root (principal for complex; NaN for negative reals), element by element.
    Sqrt, sqrt, "take sqrt of", op::Sqrt, Inexact, INEXACT, "[4.0, 9.0]", "[2.0, 3.0]";
    /// The reciprocal, element by element.
    Recip, recip, "take recip of", op::Recip, Inexact, INEXACT, "[4.0]", "[0.25]";
    /// The argument (phase) in radians, in (−π, π], element by element.
    Arg, arg, "take arg of", op::Arg, Inexact, INEXACT, "[Complex::new(0.0, 2.0)]", "[std::f64::consts::FRAC_PI_2]";
    /// The exponential, element by element.
    Exp, exp, "take exp of", Slow(Function::Exp), Inexact, INEXACT, "[0.0]", "[1.0]";
    /// Two to this power, element by element.
    Exp2, exp2, "take exp2 of", Slow(Function::Exp2), Inexact, INEXACT, "[3.0]", "[8.0]";
    /// The natural logarithm (principal for complex), element by element.
    Ln, ln, "take ln of", Slow(Function::Ln), Inexact, INEXACT, "[1.0]", "[0.0]";
    /// The logarithm to base 2, element by element.
    Log2, log2, "take log2 of", Slow(Function::Log2), Inexact, INEXACT, "[8.0]", "[3.0]";
    /// The logarithm to base 10, element by element.
    Log10, log10, "take log10 of", Slow(Function::Log10), Inexact, INEXACT, "[100.0]", "[2.0]";
    /// The sine of an angle in radians, element by element.
    Sin, sin, "take sin of", Slow(Function::Sin), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The cosine of an angle in radians, element by element.
    Cos, cos, "take cos of", Slow(Function::Cos), Inexact, INEXACT, "[0.0]", "[1.0]";
    /// The tangent of an angle in radians, element by element.
    Tan, tan, "take tan of", Slow(Function::Tan), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The arc sine in radians, element by element.
    Asin, asin, "take asin of", Slow(Function::Asin), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The arc cosine in radians, element by element.
    Acos, acos, "take acos of", Slow(Function::Acos), Inexact, INEXACT, "[1.0]", "[0.0]";
    /// The arc tangent in radians, element by element.
    Atan, atan, "take atan of", Slow(Function::Atan), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The hyperbolic sine, element by element.
    Sinh, sinh, "take sinh of", Slow(Function::Sinh), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The hyperbolic cosine, element by element.
    Cosh, cosh, "take cosh of", Slow(Function::Cosh), Inexact, INEXACT, "[0.0]", "[1.0]";
    /// The hyperbolic tangent, element by element.
    Tanh, tanh, "take tanh of", Slow(Function::Tanh), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The inverse hyperbolic sine, element by element.
    Asinh, asinh, "take asinh of", Slow(Function::Asinh), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The inverse hyperbolic cosine, element by element.
    Acosh, acosh, "take acosh of", Slow(Function::Acosh), Inexact, INEXACT, "[1.0]", "[0.0]";
    /// The inverse hyperbolic tangent, element by element.
    Atanh, atanh, "take atanh of", Slow(Function::Atanh), Inexact, INEXACT, "[0.0]", "[0.0]";
    /// The cube root, element by element.
    Cbrt, cbrt, "take cbrt of", op::Cbrt, RealFloat, FLOATS, "[-8.0]", "[-2.0]";
    /// `exp(x) − 1`, accurate near 0, element by element.
    ExpM1, exp_m1, "take exp_m1 of", op::ExpM1, RealFloat, FLOATS, "[0.0]", "[0.0]";
    /// `ln(1 + x)`, accurate near 0, element by element.
    Ln1p, ln_1p, "take ln_1p of", op::Ln1p, RealFloat, FLOATS, "[0.0]", "[0.0]";
    /// The largest integer not above, element by element.
    Floor, floor, "take floor of", op::Floor, RealFloat, FLOATS, "[-1.5, 2.5]", "[-2.0, 2.0]";
    /// The smallest integer not below, element by element.
    Ceil, ceil, "take ceil of", op::Ceil, RealFloat, FLOATS, "[-1.5, 2.5]", "[-1.0, 3.0]";
    /// The nearest integer; halves away from zero.
    Round, round, "take round of", op::Round, RealFloat, FLOATS, "[-1.5, 2.4]", "[-2.0, 2.0]";
    /// The integer part, element by element.
    Trunc, trunc, "take trunc of", op::Trunc, RealFloat, FLOATS, "[-1.5, 2.5]", "[-1.0, 2.0]";
    /// The part behind the point, element by element.
    Fract, fract, "take fract of", op::Fract, RealFloat, FLOATS, "[-1.5, 2.25]", "[-0.5, 0.25]";
    /// Whether it, or a part of it, is NaN, element by element.
    IsNan, is_nan, "examine", op::IsNan, Inexact, INEXACT, "[1.0, f64::NAN]", "[false, true]";
    /// Whether it is neither infinite nor NaN, element by element.
    IsFinite, is_finite, "examine", op::IsFinite, Inexact, INEXACT, "[1.0, f64::NAN]", "[true, false]";
    /// Whether it, or a part of it, is infinite, element by element.
    IsInfinite, is_infinite, "examine", op::IsInfinite, Inexact, INEXACT, "[1.0, f64::INFINITY]", "[false, true]";
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn powi(x: DynView<'_>, n: i32) -> Result<DynTensor, Error> {
    const NAME: &str = <op::Powi as UnaryOp<f64>>::NAME;
    on_device!(NAME, x, Dev => dispatch!(
        x.dtype(),
        T: Scalar => compute::<T, Dev, _>(op::Powi(n), x),
        else => Err(lacking(NAME, x.dtype(), needs::NUMBERS))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn powf(x: DynView<'_>, n: f64) -> Result<DynTensor, Error> {
    const NAME: &str = <op::Powf<f64> as UnaryOp<f64>>::NAME;
    on_device!(NAME, x, Dev => match x.dtype() {
        DType::F32 => compute::<f32, Dev, _>(op::Powf(n as f32), x),
        DType::F64 => compute::<f64, Dev, _>(op::Powf(n), x),
        DType::C32 => compute::<crate::c32, Dev, _>(op::Powf(n as f32), x),
        DType::C64 => compute::<crate::c64, Dev, _>(op::Powf(n), x),
        other => Err(lacking(NAME, other, needs::INEXACT)),
    })
}

/// `$body` for the element types `$T` and `$U` that two tags stand for, where `$T: CastTo<$U>`.
macro_rules! for_pair {
    ($from:expr, $to:expr, $T:ident, $U:ident => $body:expr) => {{
        use crate::{c32, c64};
        let none = || Err(Error::NoCast { from: $from, to: $to });
        match $from {
            DType::Bool => {
                type $T = bool;
                dispatch!($to, $U => $body)
            }
            DType::C32 => {
                type $T = c32;
                dispatch!($to, $U in [c32, c64] => $body, else => none())
            }
            DType::C64 => {
                type $T = c64;
                dispatch!($to, $U in [c32, c64] => $body, else => none())
            }
            real => dispatch!(
                real,
                $T: RealScalar => dispatch!($to, $U: Scalar => $body, else => none()),
                else => none()
            ),
        }
    }};
}

fn cast_pair<T: CastTo<U>, Dev: Elementwise<T>, U: Element>(x: DynView<'_>) -> Result<DynTensor, Error> {
    compute::<T, Dev, _>(Cast(PhantomData::<U>), x)
}

// Kernels for all pairs of element types: compiled where it is used, unless the feature says otherwise.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn cast(x: DynView<'_>, to: DType) -> Result<DynTensor, Error> {
    on_device!("cast", x, Dev => for_pair!(x.dtype(), to, T, U => cast_pair::<T, Dev, U>(x)))
}

/// To one element type that is known: the kernels for others are not compiled.
pub(super) fn cast_to<To: Element>(x: DynView<'_>) -> Result<DynTensor, Error> {
    on_device!("cast", x, Dev => for_pair!(x.dtype(), To::DTYPE, T, U => {
        if const { To::DTYPE as u8 == U::DTYPE as u8 } {
            cast_pair::<T, Dev, U>(x)
        } else {
            unreachable!("the type is this one")
        }
    }))
}

impl<S: DynData> DynTensor<S> {
    /// Each element as another type, as `as` converts: floating to integer truncates and saturates, integer to integer
    /// wraps, `bool` becomes 0 and 1, real becomes complex. To the same type, a copy.
    ///
    /// What loses nothing but digits, and checks it: [`cast_into`](DynTensor::cast_into).
    ///
    /// # Errors
    /// Where a part would be lost: complex to real, number to `bool`; or where the device has no memory left.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.7, -2.7]);
    /// assert_eq!(x.to_dtype(DType::I32)?.downcast_ref()?, tensor![1, -2]);
    /// assert_eq!(
    ///     x.to_dtype(DType::Bool).unwrap_err().to_string(),
    ///     "cannot cast `f64` to `bool` without losing a part of it: no such cast; \
    ///      number to `bool`: compare, e.g. with `.not_equal(0)`"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn to_dtype(&self, dtype: DType) -> Result<DynTensor, Error> {
        if dtype == self.dtype() {
            return self.to_owned();
        }
        cast(self.look(), dtype)
    }

    /// Each element to an integer power, by repeated squaring.
    ///
    /// # Errors
    /// For `bool`; for integers where the power is negative and an element is zero, and in builds with debug assertions where
    /// the result overflows; or where the device has no memory left.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![2.0, -3.0]);
    /// assert_eq!(x.powi(3)?.downcast_ref()?, tensor![8.0, -27.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn powi(&self, n: i32) -> Result<DynTensor, Error> {
        powi(self.look(), n)
    }

    /// Each element to a real power, which is rounded to the precision of the elements.
    ///
    /// # Errors
    /// For elements that are not floating or complex, or where the device has no memory left.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![4.0, 9.0]);
    /// assert_eq!(x.powf(0.5)?.downcast_ref()?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn powf(&self, n: f64) -> Result<DynTensor, Error> {
        powf(self.look(), n)
    }
}
