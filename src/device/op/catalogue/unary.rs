//! The rows of the functions of one element. The documentation of the parent module explains the fields.

/// Functions of one element.
#[rustfmt::skip]
macro_rules! unary {
    ($callback:ident) => { $callback! {
        Neg: try_neg {
            doc: "The negative",
            symbol: "-", verb: "negate",
            elements: Scalar + core::ops::Neg<Output = T>, gives: T, example: "[1, -2]" => "[-1, 2]",
            host: |x| x.wrapping_neg(), cuda: "wrapping_neg(a)",
            defined: |x| x.neg_fits(), cuda_defined: "fits_neg(a)", checked: cfg!(debug_assertions),
        }
        Not: try_not {
            doc: "The bitwise complement; for masks, the logical *not*",
            symbol: "!", verb: "invert",
            elements: Bits, gives: T, example: "[true, false]" => "[false, true]",
            host: |x| !x, cuda: "inverted(a)",
        }
        Abs: abs, try_abs {
            doc: "The absolute value or modulus",
            elements: Scalar, gives: T::Real, example: "[Complex::new(3.0, 4.0)]" => "[5.0]",
            host: |x| x.modulus(), cuda: "modulus(a)",
            defined: |x| x.modulus() >= T::Real::zero(), cuda_defined: "fits_abs(a)", checked: cfg!(debug_assertions),
            cost: if T::COMPLEX { DIVISION } else { 0 },
        }
        Conj: conj, try_conj {
            doc: "The complex conjugate",
            elements: Scalar, gives: T, example: "[Complex::new(3.0, 4.0)]" => "[Complex::new(3.0, -4.0)]",
            host: |x| Scalar::conj(x), cuda: "conj(a)",
        }
        Re: re, try_re {
            doc: "The real part",
            elements: Scalar, gives: T::Real, example: "[Complex::new(3.0, 4.0)]" => "[3.0]",
            host: |x| Scalar::re(x), cuda: "re(a)",
        }
        Im: im, try_im {
            doc: "The imaginary part",
            elements: Scalar, gives: T::Real, example: "[Complex::new(3.0, 4.0)]" => "[4.0]",
            host: |x| Scalar::im(x), cuda: "im(a)",
        }
        Square: square, try_square {
            doc: "The square",
            elements: Scalar, gives: T, example: "[3, -4]" => "[9, 16]",
            host: |x| T::wrapping(Arithmetic::Mul, x, x), cuda: "wrapping_mul(a, a)",
            defined: |x| T::fits(Arithmetic::Mul, x, x), cuda_defined: "fits_mul(a, a)",
            checked: cfg!(debug_assertions),
        }
        Signum: signum, try_signum {
            doc: "−1, 0 or 1 for negative numbers, zero and positive numbers; NaN for NaN",
            elements: RealScalar, gives: T, example: "[-7, 0, 3]" => "[-1, 0, 1]",
            host: |x| if x > T::zero() { T::one() } else if x < T::zero() { T::zero() - T::one() } else { x },
            cuda: "signum(a)",
        }
        Sqrt: sqrt, try_sqrt {
            doc: "The square root (principal for complex; NaN for negative reals)",
            elements: Inexact, gives: T, example: "[4.0, 9.0]" => "[2.0, 3.0]",
            host: |x| x.function(FloatFunction::Sqrt), cuda: "sqrt(a)",
            elementary: Elementary::Float(FloatFunction::Sqrt),
            // The processor has an instruction for the square roots of real numbers only.
            cost: if T::COMPLEX { SLOW } else { 6 * size_of::<T>() },
        }
        Recip: recip, try_recip {
            doc: "The reciprocal",
            elements: Inexact, gives: T, example: "[4.0]" => "[0.25]",
            host: |x| T::one().quotient(x), cuda: "cast<A>(1) / a",
            elementary: T::COMPLEX.then_some(Elementary::QuotientOf(c64::new(1.0, 0.0))),
            cost: if T::COMPLEX { RECIPROCAL } else { 0 },
        }
        Arg: arg, try_arg {
            doc: "The argument (phase) in radians, from −π to π",
            elements: Inexact, gives: T::Magnitude,
            example: "[Complex::new(0.0, 2.0)]" => "[std::f64::consts::FRAC_PI_2]",
            host: |x| x.arg(), cuda: "arg(a)", elementary: Elementary::Arg, cost: SLOW,
        }
        Exp: exp, try_exp {
            doc: "The exponential",
            elements: Inexact, gives: T, example: "[0.0]" => "[1.0]",
            function: Exp, cuda: "exp(a)",
        }
        Exp2: exp2, try_exp2 {
            doc: "Two raised to the power of the element",
            elements: Inexact, gives: T, example: "[3.0]" => "[8.0]",
            function: Exp2, cuda: "exp2(a)",
        }
        Ln: ln, try_ln {
            doc: "The natural logarithm (principal for complex)",
            elements: Inexact, gives: T, example: "[1.0]" => "[0.0]",
            function: Ln, cuda: "log(a)",
        }
        Log2: log2, try_log2 {
            doc: "The logarithm to base 2",
            elements: Inexact, gives: T, example: "[8.0]" => "[3.0]",
            function: Log2, cuda: "log2(a)",
        }
        Log10: log10, try_log10 {
            doc: "The logarithm to base 10",
            elements: Inexact, gives: T, example: "[100.0]" => "[2.0]",
            function: Log10, cuda: "log10(a)",
        }
        Sin: sin, try_sin {
            doc: "The sine of an angle in radians",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Sin, cuda: "sin(a)",
        }
        Cos: cos, try_cos {
            doc: "The cosine of an angle in radians",
            elements: Inexact, gives: T, example: "[0.0]" => "[1.0]",
            function: Cos, cuda: "cos(a)",
        }
        Tan: tan, try_tan {
            doc: "The tangent of an angle in radians",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Tan, cuda: "tan(a)",
        }
        Asin: asin, try_asin {
            doc: "The arc sine, in radians",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Asin, cuda: "asin(a)",
        }
        Acos: acos, try_acos {
            doc: "The arc cosine, in radians",
            elements: Inexact, gives: T, example: "[1.0]" => "[0.0]",
            function: Acos, cuda: "acos(a)",
        }
        Atan: atan, try_atan {
            doc: "The arc tangent, in radians",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Atan, cuda: "atan(a)",
        }
        Sinh: sinh, try_sinh {
            doc: "The hyperbolic sine",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Sinh, cuda: "sinh(a)",
        }
        Cosh: cosh, try_cosh {
            doc: "The hyperbolic cosine",
            elements: Inexact, gives: T, example: "[0.0]" => "[1.0]",
            function: Cosh, cuda: "cosh(a)",
        }
        Tanh: tanh, try_tanh {
            doc: "The hyperbolic tangent",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Tanh, cuda: "tanh(a)",
        }
        Asinh: asinh, try_asinh {
            doc: "The inverse hyperbolic sine",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Asinh, cuda: "asinh(a)",
        }
        Acosh: acosh, try_acosh {
            doc: "The inverse hyperbolic cosine",
            elements: Inexact, gives: T, example: "[1.0]" => "[0.0]",
            function: Acosh, cuda: "acosh(a)",
        }
        Atanh: atanh, try_atanh {
            doc: "The inverse hyperbolic tangent",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            function: Atanh, cuda: "atanh(a)",
        }
        Cbrt: cbrt, try_cbrt {
            doc: "The cube root",
            elements: RealFloat, gives: T, example: "[-8.0]" => "[-2.0]",
            real_function: Cbrt, cuda: "cbrt(a)",
        }
        ExpM1: exp_m1, try_exp_m1 {
            doc: "`exp(x) − 1`, accurate near 0",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            real_function: ExpM1, cuda: "expm1(a)",
        }
        Ln1p: ln_1p, try_ln_1p {
            doc: "`ln(1 + x)`, accurate near 0",
            elements: Inexact, gives: T, example: "[0.0]" => "[0.0]",
            real_function: Ln1p, cuda: "log1p(a)",
        }
        Floor: floor, try_floor {
            doc: "The largest integer that is not greater than the element",
            elements: RealFloat, gives: T, example: "[-1.5, 2.5]" => "[-2.0, 2.0]",
            host: |x| x.floor(), cuda: "floor(a)",
        }
        Ceil: ceil, try_ceil {
            doc: "The smallest integer that is not less than the element",
            elements: RealFloat, gives: T, example: "[-1.5, 2.5]" => "[-1.0, 3.0]",
            host: |x| x.ceil(), cuda: "ceil(a)",
        }
        Round: round, try_round {
            doc: "The nearest integer; ties round away from zero",
            elements: RealFloat, gives: T, example: "[-1.5, 2.4]" => "[-2.0, 2.0]",
            host: |x| x.round(), cuda: "round(a)",
        }
        Trunc: trunc, try_trunc {
            doc: "The integer part",
            elements: RealFloat, gives: T, example: "[-1.5, 2.5]" => "[-1.0, 2.0]",
            host: |x| x.trunc(), cuda: "trunc(a)",
        }
        Fract: fract, try_fract {
            doc: "The fractional part",
            elements: RealFloat, gives: T, example: "[-1.5, 2.25]" => "[-0.5, 0.25]",
            host: |x| x.fract(), cuda: "a - trunc(a)",
        }
        IsNan: is_nan, try_is_nan {
            doc: "Whether the element, or a part of it, is NaN",
            verb: "test",
            elements: Inexact, gives: bool, example: "[1.0, f64::NAN, f64::INFINITY]" => "[false, true, false]",
            host: |x| x.has_nan(), cuda: "is_nan(a)",
        }
        IsFinite: is_finite, try_is_finite {
            doc: "Whether the element is finite: neither infinite nor NaN",
            verb: "test",
            elements: Inexact, gives: bool, example: "[1.0, f64::NAN, f64::INFINITY]" => "[true, false, false]",
            host: |x| x.all_finite(), cuda: "is_finite(a)",
        }
        IsInfinite: is_infinite, try_is_infinite {
            doc: "Whether the element, or a part of it, is infinite",
            verb: "test",
            elements: Inexact, gives: bool, example: "[1.0, f64::NAN, f64::INFINITY]" => "[false, false, true]",
            host: |x| x.has_infinite(), cuda: "is_infinite(a)",
        }
        Cube: cube, try_cube {
            doc: "The cube",
            elements: Scalar, gives: T, example: "[2, -3]" => "[8, -27]",
            host: |x| T::wrapping(Arithmetic::Mul, T::wrapping(Arithmetic::Mul, x, x), x),
            cuda: "wrapping_mul(wrapping_mul(a, a), a)",
            defined: |x| T::fits(Arithmetic::Mul, x, x)
                && T::fits(Arithmetic::Mul, T::wrapping(Arithmetic::Mul, x, x), x),
            cuda_defined: "fits_mul(a, a) && fits_mul(wrapping_mul(a, a), a)",
            checked: cfg!(debug_assertions),
        }
        Relu: relu, try_relu {
            doc: "The rectified linear unit: the element, or 0 if it is negative; NaN for NaN",
            elements: RealScalar, gives: T, example: "[-2, 0, 3]" => "[0, 0, 3]",
            host: |x| if x < T::zero() { T::zero() } else { x },
            cuda: "a < cast<A>(0) ? cast<A>(0) : a",
        }
        Sigmoid: sigmoid, try_sigmoid {
            doc: "The logistic sigmoid, `1 / (1 + exp(−x))`, with an error below two units in the last place",
            elements: RealFloat, gives: T, example: "[0.0]" => "[0.5]",
            host: |x| x.real_function(RealFunction::Sigmoid),
            cuda: "exp(a < cast<A>(0) ? a : cast<A>(0)) / (cast<A>(1) + exp(a < cast<A>(0) ? a : -a))",
            elementary: Elementary::Real(RealFunction::Sigmoid), cost: SLOW,
        }
        Erf: erf, try_erf {
            doc: "The error function, with an error below two units in the last place for `f64`, and one for `f32`",
            elements: RealFloat, gives: T, example: "[0.0, f64::INFINITY]" => "[0.0, 1.0]",
            host: |x| x.real_function(RealFunction::Erf), cuda: "erf(a)",
            elementary: Elementary::Real(RealFunction::Erf), cost: SLOW,
        }
        Erfc: erfc, try_erfc {
            doc: "The complementary error function, `1 − erf(x)`, also accurate where `erf(x)` is near 1. The error is below two units in the \
                  last place for `f64`, and one for `f32`",
            elements: RealFloat, gives: T, example: "[0.0, f64::INFINITY]" => "[1.0, 0.0]",
            host: |x| x.real_function(RealFunction::Erfc), cuda: "erfc(a)",
            elementary: Elementary::Real(RealFunction::Erfc), cost: SLOW,
        }
        NanToNum: nan_to_num, try_nan_to_num {
            doc: "The element, with 0 instead of NaN and the largest finite numbers instead of infinities",
            verb: "replace NaN in",
            elements: RealFloat, gives: T, example: "[1.0, f64::NAN, -f64::INFINITY]" => "[1.0, 0.0, f64::MIN]",
            host: |x| if x.is_nan() { T::zero() } else { x.max(T::min_value()).min(T::max_value()) },
            cuda: "a != a ? A(0) : !is_infinite(a) ? a : (a > 0 ? A(1) : A(-1)) * (sizeof(A) == 4 ? A(3.4028234663852886e38) : A(1.7976931348623157e308))",
        }
    } };
}
pub(crate) use unary;
