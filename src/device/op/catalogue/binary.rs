//! The rows of the functions of two elements. The documentation of the parent module explains the fields.

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
pub(crate) use binary;
