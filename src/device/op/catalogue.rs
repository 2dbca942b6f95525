//! The catalogue of the functions of one element and of two elements. Each row describes one function.
//!
//! [`unary!`] and [`binary!`] pass all their rows to a callback macro. These callbacks define:
//!
//! * the operations (`unary.rs`, `binary.rs`) and the methods of typed tensors (`ops/elementwise/`),
//! * the enumerations and methods of dynamic tensors (`dyn_tensor`),
//! * the tests of the CUDA sources.
//!
//! Bounds on devices, signatures and sentences that all functions share belong in the callbacks. Expected values of tests belong in
//! `tests`. Operations with fields (`Powi`, `Clamp`) are written by hand.
//!
//! A row has fields from this list, in this order. `Name`, `doc`, `elements`, `gives`, `example`, `cuda` and a function for the host are
//! required. The other fields are optional; those in brackets occur together.
//!
//! * `Name: method, try_method`, or `Name: try_method` for an operator. `Name` is the name of the operation's type in `op`, and of
//!   the variant of `Unary` or `Binary`.
//! * `doc`: what the function returns, without a full stop.
//! * `alias` in a binary row: another name under which the search of the documentation finds the method.
//! * `symbol`: the symbol of an operator. A binary row also has `operator`: the operator's trait in `core::ops`. The operation's
//!   type then has the name of this trait instead of `Name` (`op::BitAnd`).
//! * `verb`: the verb in messages; "take `method` of" by default.
//! * `elements`: the trait of the element types that have the function. The element type is `T`.
//! * `gives`: the element type of the result.
//! * `example`: the elements of an operand and of the result. In a binary row, the right operand is written as an argument.
//! * `host`: the function in Rust. Instead of `host`, a row can name a function that takes longer than a few nanoseconds:
//!     * `function` in a unary row: a variant of [`FloatFunction`](crate::element::FloatFunction). For dynamic tensors, one kernel
//!       computes all of these functions.
//!     * `real_function` in a unary row: a variant of [`RealFunction`](crate::element::RealFunction).
//!     * `pair_function` in a binary row: a variant of [`PairFunction`](crate::element::PairFunction).
//! * [`host_by_scalar`, `always_defined`]: `host_by_scalar` is a faster variant of `host` for a scalar as the right operand.
//!   `always_defined` returns whether the function is defined for this scalar and every left operand.
//! * `cuda`: the function in CUDA C++, see `UnaryOp::CUDA`. It becomes a `CudaSource` without an `unsafe` block, so it must
//!   meet the conditions of `CudaSource::new` for all values of its element types, including those that `defined` excludes.
//! * [`defined`, `cuda_defined`, `checked`]: `defined` (in Rust, the body of `is_defined`) and `cuda_defined` (in CUDA C++) return whether
//!   the integer type can represent the result. `checked` says in which builds this is checked. `host` and `cuda` wrap.
//! * `elementary`: a value of [`Elementary`](crate::element::Elementary), or an `Option` of one; in a binary row, a variant of
//!   [`PairFunction`](crate::element::PairFunction). Its kernels compute many elements at a time, for the element types that they support.
//! * `cost`: `COST` of the operation; `SLOW` if it takes a few nanoseconds. `cost_by_scalar` is the cost of `host_by_scalar`, if it is
//!   another.
//! * `associative`: `true` if a function of two elements is associative up to rounding.
//! * `multiplies`: see `BinaryOp::MULTIPLIES`.
//!
//! Programs can read the number of a variant (`Unary::Abs as usize`), so new rows must be added at the end.

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
            // Measured: a `c64` takes several nanoseconds, real numbers less than one.
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

/// Functions of two elements.
#[rustfmt::skip]
macro_rules! binary {
    ($callback:ident) => { $callback! {
        Add: try_add {
            doc: "The sum",
            symbol: "+", operator: Add, verb: "add",
            elements: Scalar, gives: T, example: "[7, 5]", "&tensor![2, 5]" => "[9, 10]",
            host: |a, b| T::wrapping(Arithmetic::Add, a, b), cuda: "wrapping_add(a, b)",
            defined: |a, b| T::fits(Arithmetic::Add, a, b), cuda_defined: "fits_add(a, b)",
            checked: cfg!(debug_assertions),
            associative: true,
        }
        Sub: try_sub {
            doc: "The difference",
            symbol: "-", operator: Sub, verb: "subtract",
            elements: Scalar, gives: T, example: "[7, 5]", "&tensor![2, 5]" => "[5, 0]",
            host: |a, b| T::wrapping(Arithmetic::Sub, a, b), cuda: "wrapping_sub(a, b)",
            defined: |a, b| T::fits(Arithmetic::Sub, a, b), cuda_defined: "fits_sub(a, b)",
            checked: cfg!(debug_assertions),
        }
        Mul: try_mul {
            doc: "The product",
            symbol: "*", operator: Mul, verb: "multiply",
            elements: Scalar, gives: T, example: "[7, 5]", "&tensor![2, 5]" => "[14, 25]",
            host: |a, b| T::wrapping(Arithmetic::Mul, a, b), cuda: "wrapping_mul(a, b)",
            defined: |a, b| T::fits(Arithmetic::Mul, a, b), cuda_defined: "fits_mul(a, b)",
            checked: cfg!(debug_assertions),
            associative: true,
            multiplies: true,
        }
        // Integer division by zero and its overflow (`MIN / -1`) are errors in every build, as for Rust's operators.
        Div: try_div {
            doc: "The quotient",
            symbol: "/", operator: Div, verb: "divide",
            elements: Scalar, gives: T, example: "[7, 5]", "&tensor![2, 5]" => "[3, 1]",
            host: |a, b| T::wrapping(Arithmetic::Div, a, b),
            host_by_scalar: |a, b| T::wrapping_by_invariant(Arithmetic::Div, a, b),
            always_defined: |b| b != T::zero() && b.wrapping_neg() != T::one(),
            cuda: "wrapping_div(a, b)",
            defined: |a, b| T::fits(Arithmetic::Div, a, b), cuda_defined: "fits_div(a, b)", checked: true,
            elementary: Div,
            cost: match size_of::<T>() {
                _ if T::COMPLEX => DIVISION,
                8 if T::INTEGER => SLOW,
                _ if T::INTEGER => INTEGER_DIVISION,
                _ => 0,
            },
            cost_by_scalar: match size_of::<T>() {
                _ if T::COMPLEX => RECIPROCAL,
                8 if T::INTEGER => DIVISION,
                1 => QUOTIENT_OF_BYTES,
                _ => 0,
            },
        }
        Rem: try_rem {
            doc: "The remainder",
            symbol: "%", operator: Rem, verb: "take the remainder of",
            elements: Scalar, gives: T, example: "[7, 5]", "&tensor![2, 5]" => "[1, 0]",
            host: |a, b| T::wrapping(Arithmetic::Rem, a, b),
            host_by_scalar: |a, b| T::wrapping_by_invariant(Arithmetic::Rem, a, b),
            always_defined: |b| b != T::zero() && b.wrapping_neg() != T::one(),
            cuda: "wrapping_rem(a, b)",
            defined: |a, b| T::fits(Arithmetic::Rem, a, b), cuda_defined: "fits_div(a, b)", checked: true,
            elementary: Rem,
            cost: match size_of::<T>() {
                8 if T::INTEGER => SLOW,
                _ if T::INTEGER => INTEGER_DIVISION,
                _ => DIVISION,
            },
            cost_by_scalar: match size_of::<T>() {
                1 => QUOTIENT_OF_BYTES,
                2 | 4 if T::INTEGER => 0,
                _ => DIVISION,
            },
        }
        Maximum: maximum, try_maximum {
            doc: "The larger of two elements; NaN if one is NaN",
            elements: RealScalar, gives: T, example: "[1, 5]", "&tensor![3, 2]" => "[3, 5]",
            host: |a, b| larger(a, b), cuda: "larger(a, b)",
        }
        Minimum: minimum, try_minimum {
            doc: "The smaller of two elements; NaN if one is NaN",
            elements: RealScalar, gives: T, example: "[1, 5]", "2" => "[1, 2]",
            host: |a, b| smaller(a, b), cuda: "smaller(a, b)",
        }
        Atan2: atan2, try_atan2 {
            doc: "The angle in radians of the point (right, self), from −π to π",
            elements: RealFloat, gives: T,
            example: "[1.0, 0.0]", "&tensor![0.0, 1.0]" => "[std::f64::consts::FRAC_PI_2, 0.0]",
            pair_function: Atan2, cuda: "atan2(a, b)",
        }
        Hypot: hypot, try_hypot {
            doc: "`√(self² + right²)` without intermediate overflow",
            elements: RealFloat, gives: T, example: "[3.0, 5.0]", "&tensor![4.0, 12.0]" => "[5.0, 13.0]",
            pair_function: Hypot, cuda: "hypot(a, b)",
        }
        Pow: pow, try_pow {
            doc: "`self` to the power of `right`", alias: "powc",
            verb: "take a power of",
            elements: Scalar, gives: T, example: "[2.0, 9.0]", "&tensor![3.0, 0.5]" => "[8.0, 3.0]",
            pair_function: Pow, cuda: "raised(a, b)",
            defined: |a, b| if cfg!(debug_assertions) { a.power_fits(b) } else { !a.is_zero() || b.re() >= T::Real::zero() },
            cuda_defined: if cfg!(debug_assertions) { "fits_raised(a, b)" } else { "a != 0 || b >= 0" },
            checked: true,
        }
        Equal: equal, try_equal {
            doc: "Whether `self == right`",
            verb: "compare",
            elements: Element, gives: bool, example: "[1, 2, 3]", "2" => "[false, true, false]",
            host: |a, b| a == b, cuda: "a == b",
        }
        NotEqual: not_equal, try_not_equal {
            doc: "Whether `self != right`",
            verb: "compare",
            elements: Element, gives: bool, example: "[1, 2, 3]", "2" => "[true, false, true]",
            host: |a, b| a != b, cuda: "a != b",
        }
        Lt: lt, try_lt {
            doc: "Whether `self < right`",
            verb: "compare",
            elements: RealScalar, gives: bool, example: "[1, 2, 3]", "2" => "[true, false, false]",
            host: |a, b| a < b, cuda: "a < b",
        }
        Le: le, try_le {
            doc: "Whether `self <= right`",
            verb: "compare",
            elements: RealScalar, gives: bool, example: "[1, 2, 3]", "2" => "[true, true, false]",
            host: |a, b| a <= b, cuda: "a <= b",
        }
        Gt: gt, try_gt {
            doc: "Whether `self > right`",
            verb: "compare",
            elements: RealScalar, gives: bool, example: "[1, 2, 3]", "2" => "[false, false, true]",
            host: |a, b| a > b, cuda: "a > b",
        }
        Ge: ge, try_ge {
            doc: "Whether `self >= right`",
            verb: "compare",
            elements: RealScalar, gives: bool, example: "[1, 2, 3]", "2" => "[false, true, true]",
            host: |a, b| a >= b, cuda: "a >= b",
        }
        And: try_and {
            doc: "The bitwise *and*; for masks, the logical *and*",
            symbol: "&", operator: BitAnd, verb: "combine",
            elements: Bits, gives: T, example: "[6, 5]", "3" => "[2, 1]",
            host: |a, b| a & b, cuda: "a & b",
        }
        Or: try_or {
            doc: "The bitwise *or*; for masks, the logical *or*",
            symbol: "|", operator: BitOr, verb: "combine",
            elements: Bits, gives: T, example: "[6, 5]", "3" => "[7, 7]",
            host: |a, b| a | b, cuda: "a | b",
        }
        Xor: try_xor {
            doc: "The bitwise exclusive *or*; for masks, the logical exclusive *or*",
            symbol: "^", operator: BitXor, verb: "combine",
            elements: Bits, gives: T, example: "[6, 5]", "3" => "[5, 6]",
            host: |a, b| a ^ b, cuda: "a ^ b",
        }
        Shl: try_shl {
            doc: "The integer, shifted to the left by `right` bits",
            symbol: "<<", operator: Shl, verb: "shift",
            elements: Integer, gives: T, example: "[1, 3]", "2" => "[4, 12]",
            host: |a, b| a.shifted_left(b), cuda: "shifted_left(a, b)",
            defined: |_a, b| b.is_shift(), cuda_defined: "is_shift(b)", checked: cfg!(debug_assertions),
        }
        Shr: try_shr {
            doc: "The integer, shifted to the right by `right` bits",
            symbol: ">>", operator: Shr, verb: "shift",
            elements: Integer, gives: T, example: "[4, -3]", "1" => "[2, -2]",
            host: |a, b| a.shifted_right(b), cuda: "shifted_right(a, b)",
            defined: |_a, b| b.is_shift(), cuda_defined: "is_shift(b)", checked: cfg!(debug_assertions),
        }
        Copysign: copysign, try_copysign {
            doc: "The magnitude of `self` with the sign of `right`",
            elements: RealFloat, gives: T, example: "[1.0, -2.0]", "&tensor![-0.0, 3.0]" => "[-1.0, 2.0]",
            host: |a, b| num_traits::Float::copysign(a, b), cuda: "copysign(a, b)",
        }
    } };
}

/// Expands to the verb of a function of the catalogue, for error messages.
macro_rules! verb {
    ($method:ident) => {
        concat!("take ", stringify!($method), " of")
    };
    ($method:ident $verb:literal) => {
        $verb
    };
}

/// Expands to the operation of a function of the catalogue: a type in the module `op`.
macro_rules! operation {
    ($Name:ident) => {
        $crate::device::op::binary::$Name
    };
    ($Name:ident $Operator:ident) => {
        $crate::device::op::binary::$Operator
    };
}

/// [`dispatch!`](crate::dispatch!) over the element types of a function: those that the field `elements` of the catalogue names.
macro_rules! dispatch_elements {
    ([Scalar + $neg:path], $dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!(
            $dtype,
            $T in [i8, i16, i32, i64, f32, f64, $crate::c32, $crate::c64] => $body,
            else => $other
        )
    };
    ([$bound:ident], $dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!($dtype, $T: $bound => $body, else => $other)
    };
}

pub(crate) use {binary, dispatch_elements, operation, unary, verb};
