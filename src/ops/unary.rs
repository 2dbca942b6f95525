//! Functions of one element (and a few of two), as methods and as operations.

use super::operands::Operands;
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, Scalars, UnaryOp};
use crate::element::{Arithmetic, Element, Function, Inexact, RealFloat, RealScalar, Scalar};
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use num_traits::{One, Zero};

/// The [`COST`](UnaryOp::COST) of functions that take some nanoseconds.
const SLOW: usize = 256;

macro_rules! unary {
    ($(
        $Op:ident, $method:ident, $bound:ident, $Output:ty, $doc:literal, $input:literal, $expected:literal,
        |$x:ident| $body:expr, $cuda:literal $(, checked $checked:expr, $cuda_defined:literal)? $(, cost $cost:expr)?;
    )*) => {$(
        #[doc = concat!($doc, ", as an operation.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: $bound> UnaryOp<T> for $Op {
            type Output = $Output;
            const NAME: &'static str = concat!("take ", stringify!($method), " of");
            const CUDA: CudaSource = CudaSource::builtin($cuda);
            $( const CUDA_DEFINED: CudaSource = CudaSource::builtin($cuda_defined);
               const CHECKED: bool = T::INTEGER && cfg!(debug_assertions);
               fn defined(&self, $x: T) -> bool { $checked } )?
            $( const COST: usize = $cost; )?
            #[inline]
            fn apply(&self, $x: T) -> $Output {
                $body
            }
        }

        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S>
        {
            #[doc = concat!($doc, ", element by element.")]
            ///
            #[doc = concat!("With a `Result`: `x.try_apply(op::", stringify!($Op), ")`; in place, for results of the same type: `x.apply_inplace(op::", stringify!($Op), ")`.")]
            ///
            /// # Panics
            /// Where the device has no memory left, or an integer has no such result.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($method), "(), tensor!", $expected, ");")]
            /// ```
            #[track_caller]
            pub fn $method(&self) -> Tensor<$Output, D, O, Dev>
            where
                T: $bound,
                Dev: Elementwise<T>,
            {
                self.apply($Op)
            }
        }
    )*};
}

// every number
unary! {
    Abs, abs, Scalar, T::Real, "The absolute value or modulus", "[Complex::new(3.0, 4.0)]", "[5.0]",
        |x| x.modulus(), "modulus(a)", checked x.modulus() >= T::Real::zero(), "fits_abs(a)";
}
unary! {
    Conj, conj, Scalar, T, "The complex conjugate", "[Complex::new(3.0, 4.0)]", "[Complex::new(3.0, -4.0)]", |x| Scalar::conj(x), "conj(a)";
}
unary! {
    Re, re, Scalar, T::Real, "The real part", "[Complex::new(3.0, 4.0)]", "[3.0]", |x| Scalar::re(x), "re(a)";
}
unary! {
    Im, im, Scalar, T::Real, "The imaginary part", "[Complex::new(3.0, 4.0)]", "[4.0]", |x| Scalar::im(x), "im(a)";
}
unary! {
    Square, square, Scalar, T, "The square", "[3, -4]", "[9, 16]", |x| T::wrapping(Arithmetic::Mul, x, x), "wrapping_mul(a, a)", checked T::fits(Arithmetic::Mul, x, x), "fits_mul(a, a)";
}
// floating and complex
unary! {
    Sqrt, sqrt, Inexact, T, "The square root (principal for complex; NaN for negative reals)", "[4.0, 9.0]", "[2.0, 3.0]", |x| x.function(Function::Sqrt), "sqrt(a)";
}
unary! {
    Exp, exp, Inexact, T, "The exponential", "[0.0]", "[1.0]", |x| x.function(Function::Exp), "exp(a)", cost SLOW;
}
unary! {
    Exp2, exp2, Inexact, T, "Two to this power", "[3.0]", "[8.0]", |x| x.function(Function::Exp2), "exp2(a)", cost SLOW;
}
unary! {
    Ln, ln, Inexact, T, "The natural logarithm (principal for complex)", "[1.0]", "[0.0]", |x| x.function(Function::Ln), "log(a)", cost SLOW;
}
unary! {
    Log2, log2, Inexact, T, "The logarithm to base 2", "[8.0]", "[3.0]", |x| x.function(Function::Log2), "log2(a)", cost SLOW;
}
unary! {
    Log10, log10, Inexact, T, "The logarithm to base 10", "[100.0]", "[2.0]", |x| x.function(Function::Log10), "log10(a)", cost SLOW;
}
unary! {
    Sin, sin, Inexact, T, "The sine of an angle in radians", "[0.0]", "[0.0]", |x| x.function(Function::Sin), "sin(a)", cost SLOW;
}
unary! {
    Cos, cos, Inexact, T, "The cosine of an angle in radians", "[0.0]", "[1.0]", |x| x.function(Function::Cos), "cos(a)", cost SLOW;
}
unary! {
    Tan, tan, Inexact, T, "The tangent of an angle in radians", "[0.0]", "[0.0]", |x| x.function(Function::Tan), "tan(a)", cost SLOW;
}
unary! {
    Asin, asin, Inexact, T, "The arc sine, in radians", "[0.0]", "[0.0]", |x| x.function(Function::Asin), "asin(a)", cost SLOW;
}
unary! {
    Acos, acos, Inexact, T, "The arc cosine, in radians", "[1.0]", "[0.0]", |x| x.function(Function::Acos), "acos(a)", cost SLOW;
}
unary! {
    Atan, atan, Inexact, T, "The arc tangent, in radians", "[0.0]", "[0.0]", |x| x.function(Function::Atan), "atan(a)", cost SLOW;
}
unary! {
    Sinh, sinh, Inexact, T, "The hyperbolic sine", "[0.0]", "[0.0]", |x| x.function(Function::Sinh), "sinh(a)", cost SLOW;
}
unary! {
    Cosh, cosh, Inexact, T, "The hyperbolic cosine", "[0.0]", "[1.0]", |x| x.function(Function::Cosh), "cosh(a)", cost SLOW;
}
unary! {
    Tanh, tanh, Inexact, T, "The hyperbolic tangent", "[0.0]", "[0.0]", |x| x.function(Function::Tanh), "tanh(a)", cost SLOW;
}
unary! {
    Asinh, asinh, Inexact, T, "The inverse hyperbolic sine", "[0.0]", "[0.0]", |x| x.function(Function::Asinh), "asinh(a)", cost SLOW;
}
unary! {
    Acosh, acosh, Inexact, T, "The inverse hyperbolic cosine", "[1.0]", "[0.0]", |x| x.function(Function::Acosh), "acosh(a)", cost SLOW;
}
unary! {
    Atanh, atanh, Inexact, T, "The inverse hyperbolic tangent", "[0.0]", "[0.0]", |x| x.function(Function::Atanh), "atanh(a)", cost SLOW;
}
unary! {
    Recip, recip, Inexact, T, "The reciprocal", "[4.0]", "[0.25]", |x| T::one() / x, "cast<A>(1) / a";
}
unary! {
    Arg, arg, Inexact, T::Magnitude, "The argument (phase) in radians, in (−π, π]", "[Complex::new(0.0, 2.0)]", "[std::f64::consts::FRAC_PI_2]", |x| x.arg(), "arg(a)", cost SLOW;
}
// floating
unary! {
    Cbrt, cbrt, RealFloat, T, "The cube root", "[-8.0]", "[-2.0]", |x| x.cbrt(), "cbrt(a)", cost SLOW;
}
unary! {
    ExpM1, exp_m1, RealFloat, T, "`exp(x) − 1`, accurate near 0", "[0.0]", "[0.0]", |x| x.exp_m1(), "expm1(a)", cost SLOW;
}
unary! {
    Ln1p, ln_1p, RealFloat, T, "`ln(1 + x)`, accurate near 0", "[0.0]", "[0.0]", |x| x.ln_1p(), "log1p(a)", cost SLOW;
}
unary! {
    Floor, floor, RealFloat, T, "The largest integer not above", "[-1.5, 2.5]", "[-2.0, 2.0]", |x| x.floor(), "floor(a)";
}
unary! {
    Ceil, ceil, RealFloat, T, "The smallest integer not below", "[-1.5, 2.5]", "[-1.0, 3.0]", |x| x.ceil(), "ceil(a)";
}
unary! {
    Round, round, RealFloat, T, "The nearest integer; halves away from zero", "[-1.5, 2.4]", "[-2.0, 2.0]", |x| x.round(), "round(a)";
}
unary! {
    Trunc, trunc, RealFloat, T, "The integer part", "[-1.5, 2.5]", "[-1.0, 2.0]", |x| x.trunc(), "trunc(a)";
}
unary! {
    Fract, fract, RealFloat, T, "The part behind the point", "[-1.5, 2.25]", "[-0.5, 0.25]", |x| x.fract(), "a - trunc(a)";
}
// real
unary! {
    Signum, signum, RealScalar, T, "−1, 0 or 1, as the number is negative, zero or positive; NaN stays NaN", "[-7, 0, 3]", "[-1, 0, 1]",
        |x| if x > T::zero() { T::one() } else if x < T::zero() { T::zero() - T::one() } else { x }, "signum(a)";
}

macro_rules! binary {
    ($(
        $Op:ident, $method:ident, $try_method:ident, $bound:ident, $doc:literal, $left:literal, $right:literal, $expected:literal,
        |$a:ident, $b:ident| $body:expr, $cuda:literal $(, cost $cost:expr)?;
    )*) => {$(
        #[doc = concat!($doc, ", as an operation.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: $bound> BinaryOp<T, T> for $Op {
            type Output = T;
            const NAME: &'static str = concat!("take ", stringify!($method), " of");
            const CUDA: CudaSource = CudaSource::builtin($cuda);
            $( const COST: usize = $cost; )?
            #[inline]
            fn apply(&self, $a: T, $b: T) -> T {
                $body
            }
        }

        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S>
        {
            #[doc = concat!($doc, ", element by element; `right` is a tensor to broadcast with, or a scalar.")]
            ///
            /// # Panics
            /// Where the shapes do not broadcast, or the device has no memory left.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $left, ".", stringify!($method), "(", $right, "), tensor!", $expected, ");")]
            /// ```
            #[track_caller]
            pub fn $method<R: Operands<T, D, O, Dev>>(&self, right: R) -> Tensor<T, R::Common, O, Dev>
            where
                T: $bound,
                Dev: Elementwise<T>,
            {
                expect(right.combine($Op, self))
            }

            #[doc = concat!("[`", stringify!($method), "`](Tensor::", stringify!($method), ") with a `Result`.")]
            ///
            /// # Errors
            /// Where the shapes do not broadcast, or the device has no memory left.
            pub fn $try_method<R: Operands<T, D, O, Dev>>(
                &self,
                right: R,
            ) -> Result<Tensor<T, R::Common, O, Dev>, Error>
            where
                T: $bound,
                Dev: Elementwise<T>,
            {
                right.combine($Op, self)
            }
        }
    )*};
}

binary! {
    Maximum, maximum, try_maximum, RealScalar, "The larger of two; NaN if one is NaN", "[1, 5]", "&tensor![3, 2]", "[3, 5]",
        |a, b| larger(a, b), "larger(a, b)";
}
binary! {
    Minimum, minimum, try_minimum, RealScalar, "The smaller of two; NaN if one is NaN", "[1, 5]", "2", "[1, 2]",
        |a, b| smaller(a, b), "smaller(a, b)";
}
binary! {
    Atan2, atan2, try_atan2, RealFloat, "The angle in radians of the point (right, self), in (−π, π]", "[1.0, 0.0]", "&tensor![0.0, 1.0]", "[std::f64::consts::FRAC_PI_2, 0.0]",
        |a, b| a.atan2(b), "atan2(a, b)", cost SLOW;
}
binary! {
    Hypot, hypot, try_hypot, RealFloat, "`√(self² + right²)` without overflow in between", "[3.0, 5.0]", "&tensor![4.0, 12.0]", "[5.0, 13.0]",
        |a, b| a.hypot(b), "hypot(a, b)", cost SLOW;
}

/// The larger; NaN if one is.
#[inline]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
pub(crate) fn larger<T: RealScalar>(a: T, b: T) -> T {
    if b > a || b != b { b } else { a }
}

/// The smaller; NaN if one is.
#[inline]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
pub(crate) fn smaller<T: RealScalar>(a: T, b: T) -> T {
    if b < a || b != b { b } else { a }
}

/// `a` to an integer power, as an operation. Negative powers of integers are cut to integers: use `.cast::<f64>()` first.
#[derive(Debug, Clone, Copy)]
pub struct Powi(pub i32);

impl<T: Scalar> UnaryOp<T> for Powi {
    type Output = T;
    const NAME: &'static str = "take a power of";
    const CUDA: CudaSource = CudaSource::builtin("power(a, n)");
    const CUDA_DEFINED: CudaSource =
        CudaSource::builtin(if cfg!(debug_assertions) { "fits_power(a, n)" } else { "n >= 0 || a != 0" });
    const CHECKED: bool = T::INTEGER;
    fn apply(&self, a: T) -> T {
        if self.0 >= 0 {
            return power(a, self.0.unsigned_abs(), |x, y| T::wrapping(Arithmetic::Mul, x, y));
        }
        if !T::INTEGER {
            return T::one() / power(a, self.0.unsigned_abs(), |x, y| T::wrapping(Arithmetic::Mul, x, y));
        }
        // Of integers only 1 and −1 have a reciprocal that is not cut to 0; the power itself may be out of range.
        match a.modulus().is_one() {
            true if self.0 % 2 == 0 => T::one(),
            true => a,
            false => T::zero(),
        }
    }
    fn defined(&self, a: T) -> bool {
        if self.0 < 0 {
            return !a.is_zero();
        }
        let mut fits = true;
        if cfg!(debug_assertions) {
            power(a, self.0.unsigned_abs(), |x, y| {
                fits &= T::fits(Arithmetic::Mul, x, y);
                T::wrapping(Arithmetic::Mul, x, y)
            });
        }
        fits
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("n", self.0);
    }
}

/// Repeated squaring; multiplies nothing that the result does not need.
fn power<T: Scalar>(mut base: T, mut n: u32, mut multiply: impl FnMut(T, T) -> T) -> T {
    let mut product = T::one();
    while n > 0 {
        if n & 1 == 1 {
            product = multiply(product, base);
        }
        n >>= 1;
        if n > 0 {
            base = multiply(base, base);
        }
    }
    product
}

/// `a` to a real power, as an operation.
#[derive(Debug, Clone, Copy)]
pub struct Powf<R>(pub R);

impl<T: Inexact> UnaryOp<T> for Powf<T::Magnitude> {
    type Output = T;
    const NAME: &'static str = "take a power of";
    const CUDA: CudaSource = CudaSource::builtin("pow(a, n)");
    const COST: usize = SLOW;
    fn apply(&self, a: T) -> T {
        a.raised(self.0)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("n", self.0);
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Each element to an integer power, by repeated squaring. With a `Result`: `x.try_apply(op::Powi(n))`.
    ///
    /// # Panics
    /// Where the device has no memory left; for integers where the power is negative and an element is zero, and in builds
    /// with debug assertions where the result overflows.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![2.0, -3.0].powi(3), tensor![8.0, -27.0]);
    /// ```
    #[track_caller]
    pub fn powi(&self, n: i32) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Elementwise<T>,
    {
        self.apply(Powi(n))
    }

    /// Each element to a real power. With a `Result`: `x.try_apply(op::Powf(n))`.
    ///
    /// # Panics
    /// Where the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![4.0, 9.0].powf(0.5), tensor![2.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn powf(&self, n: T::Magnitude) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        expect(self.try_apply(Powf(n)))
    }
}
