//! Functions of one element, of two and of three: into new tensors.

use super::array::zip;
use super::driver::{Call, Hazard::*, Row};
use super::hazards::{one, two};
use super::writing::three;
use super::{at_rank, at_ranks, done};
use vierbein::op;

/// Of one operand, element by element.
pub(crate) const ONE: Call =
    Call { operands: one, cannot: &[(WrongShape, "one operand, of any shape")], ..Call::NOTHING };
const TWO: Call = Call { operands: two, ..Call::NOTHING };
const THREE: Call = Call { operands: three, ..Call::NOTHING };

/// Of each: the method, the operation that `try_apply` does, and the same function of Rust's numbers.
macro_rules! functions {
    ($($name:ident, $op:expr, $bytes:literal, $reference:expr;)*) => {
        vec![$(Call {
            names: &[stringify!($name)],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_apply($op), panics x.$name())),
            expected: |a, _| zip(&[&a[0]], $bytes, |v| f64::from(($reference)(v[0]))),
            ..ONE
        }
        .into()),*]
    };
}

fn of_one() -> Vec<Row> {
    functions! {
        abs, op::Abs, 8, f64::abs;
        conj, op::Conj, 8, |x| x;
        re, op::Re, 8, |x| x;
        im, op::Im, 8, |_| 0.0;
        square, op::Square, 8, |x: f64| x * x;
        sqrt, op::Sqrt, 8, f64::sqrt;
        exp, op::Exp, 8, f64::exp;
        exp2, op::Exp2, 8, f64::exp2;
        ln, op::Ln, 8, f64::ln;
        log2, op::Log2, 8, f64::log2;
        log10, op::Log10, 8, f64::log10;
        sin, op::Sin, 8, f64::sin;
        cos, op::Cos, 8, f64::cos;
        tan, op::Tan, 8, f64::tan;
        asin, op::Asin, 8, f64::asin;
        acos, op::Acos, 8, f64::acos;
        atan, op::Atan, 8, f64::atan;
        sinh, op::Sinh, 8, f64::sinh;
        cosh, op::Cosh, 8, f64::cosh;
        tanh, op::Tanh, 8, f64::tanh;
        asinh, op::Asinh, 8, f64::asinh;
        acosh, op::Acosh, 8, f64::acosh;
        atanh, op::Atanh, 8, f64::atanh;
        recip, op::Recip, 8, |x: f64| 1.0 / x;
        arg, op::Arg, 8, |x: f64| 0f64.atan2(x);
        cbrt, op::Cbrt, 8, f64::cbrt;
        exp_m1, op::ExpM1, 8, f64::exp_m1;
        ln_1p, op::Ln1p, 8, f64::ln_1p;
        floor, op::Floor, 8, f64::floor;
        ceil, op::Ceil, 8, f64::ceil;
        round, op::Round, 8, f64::round;
        trunc, op::Trunc, 8, f64::trunc;
        fract, op::Fract, 8, |x: f64| x - x.trunc();
        signum, op::Signum, 8, |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        is_nan, op::IsNan, 1, f64::is_nan;
        is_finite, op::IsFinite, 1, f64::is_finite;
        is_infinite, op::IsInfinite, 1, f64::is_infinite;
    }
}

/// With arguments, by other names, by operators.
fn of_one_otherwise() -> Vec<Row> {
    vec![
        Call {
            names: &["powi"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_apply(op::Powi(-3)), panics x.powi(-3))),
            expected: |a, _| zip(&[&a[0]], 8, |v| 1.0 / (v[0] * v[0] * v[0])),
            ..ONE
        },
        Call {
            names: &["powf"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_apply(op::Powf(1.5)), panics x.powf(1.5))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].powf(1.5)),
            ..ONE
        },
        Call {
            names: &["clamp", "try_clamp"],
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(try x.try_clamp(-1.0, 2.0), panics x.clamp(-1.0, 2.0)))
            },
            expected: |a, _| {
                zip(&[&a[0]], 8, |v| v[0].clamp(-1.0, 2.0))
            },
            ..ONE
        },
        Call {
            names: &["apply", "try_apply"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_apply(op::Abs), panics x.apply(op::Abs))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].abs()),
            ..ONE
        },
        Call {
            names: &["map", "try_map"],
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(try x.try_map(|x| 2.0 * x), panics x.map(|x| 2.0 * x)))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| 2.0 * v[0]),
            ..ONE
        },
        Call {
            names: &["cast", "try_cast"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_cast::<i32>(), panics x.cast::<i32>())),
            expected: |a, _| zip(&[&a[0]], 4, |v| f64::from(v[0] as i32)),
            ..ONE
        },
        Call {
            names: &["neg"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_apply(op::Neg), panics -x)),
            expected: |a, _| zip(&[&a[0]], 8, |v| -v[0]),
            ..ONE
        },
        Call {
            names: &["not"],
            run: |o, _| at_rank!(o, x: mask, [0 1 2 16], done!(try x.try_apply(op::Not), panics !x)),
            expected: |a, _| zip(&[&a[0]], 1, |v| f64::from(v[0] <= 0.0 || v[0].is_nan())),
            ..ONE
        },
    ]
    .into_iter()
    .map(Row::from)
    .collect()
}

/// Of two operands: names, the verb of messages, both forms, and the function of Rust's numbers.
macro_rules! binary {
    ($($view:ident $bytes:literal, [$($name:literal)*] $verb:literal,
        |$x:ident, $y:ident| $tried:expr, $panics:expr, |$a:ident, $b:ident| $reference:expr;)*
    ) => {
        vec![$(Call {
            names: &[$($name),*],
            verb: $verb,
            run: |o, _| at_ranks!(o, $x: $view, $y: $view, [0 0, 1 1, 2 2, 2 1, 1 2, 1 0, 2 0, 0 2, 16 16, 16 1],
                done!(try $tried, panics $panics)),
            expected: |a, _| zip(&[&a[0], &a[1]], $bytes, |v| {
                let ($a, $b) = (v[0], v[1]);
                f64::from($reference)
            }),
            ..TWO
        }
        .into()),*]
    };
}

fn of_two() -> Vec<Row> {
    binary! {
        view 8, ["add" "try_add"] "add", |x, y| x.try_add(y), x + y, |a, b| a + b;
        view 8, ["sub" "try_sub"] "subtract", |x, y| x.try_sub(y), x - y, |a, b| a - b;
        view 8, ["mul" "try_mul"] "multiply", |x, y| x.try_mul(y), x * y, |a, b| a * b;
        view 8, ["div" "try_div"] "divide", |x, y| x.try_div(y), x / y, |a, b| a / b;
        view 8, ["rem" "try_rem"] "remainder", |x, y| x.try_rem(y), x % y, |a, b| a % b;
        view 8, ["maximum" "try_maximum"] "maximum", |x, y| x.try_maximum(y), x.maximum(y),
            |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else if a < b { b } else { a };
        view 8, ["minimum" "try_minimum"] "minimum", |x, y| x.try_minimum(y), x.minimum(y),
            |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else if b < a { b } else { a };
        view 8, ["atan2" "try_atan2"] "atan2", |x, y| x.try_atan2(y), x.atan2(y), |a, b| a.atan2(b);
        view 8, ["hypot" "try_hypot"] "hypot", |x, y| x.try_hypot(y), x.hypot(y), |a, b| a.hypot(b);
        view 8, ["apply2" "try_apply2"] "add", |x, y| x.try_apply2(op::Add, y), x.apply2(op::Add, y), |a, b| a + b;
        view 8, ["zip_map" "try_zip_map"] "zip", |x, y| x.try_zip_map(y, |a, b| a - b), x.zip_map(y, |a, b| a - b),
            |a, b| a - b;
        view 1, ["equal"] "compare", |x, y| x.try_apply2(op::Equal, y), x.equal(y), |a, b| a == b;
        view 1, ["not_equal"] "compare", |x, y| x.try_apply2(op::NotEqual, y), x.not_equal(y), |a, b| a != b;
        view 1, ["less"] "compare", |x, y| x.try_apply2(op::Less, y), x.less(y), |a, b| a < b;
        view 1, ["less_equal"] "compare", |x, y| x.try_apply2(op::LessEqual, y), x.less_equal(y), |a, b| a <= b;
        view 1, ["greater"] "compare", |x, y| x.try_apply2(op::Greater, y), x.greater(y), |a, b| a > b;
        view 1, ["greater_equal"] "compare", |x, y| x.try_apply2(op::GreaterEqual, y), x.greater_equal(y), |a, b| a >= b;
        mask 1, ["bitand"] "combine", |x, y| x.try_apply2(op::BitAnd, y), x & y, |a, b| a > 0.0 && b > 0.0;
        mask 1, ["bitor"] "combine", |x, y| x.try_apply2(op::BitOr, y), x | y, |a, b| a > 0.0 || b > 0.0;
        mask 1, ["bitxor"] "combine", |x, y| x.try_apply2(op::BitXor, y), x ^ y, |a, b| (a > 0.0) != (b > 0.0);
    }
}

fn of_three() -> Vec<Row> {
    vec![
        Call {
            names: &["select", "try_select"],
            verb: "select",
            run: |o, _| at_ranks!(o, m: mask, x: view, y: view, [0 0 0, 1 1 1, 2 2 2, 2 1 2, 1 2 1, 1 0 1, 16 16 16, 16 1 16],
                done!(try m.try_select(x, y), panics m.select(x, y))),
            expected: |a, _| zip(&[&a[0], &a[1], &a[2]], 8, |v| if v[0] > 0.0 { v[1] } else { v[2] }),
            ..THREE
        },
        Call {
            names: &["apply3", "try_apply3"],
            verb: "select",
            run: |o, _| at_ranks!(o, m: mask, x: view, y: view, [0 0 0, 1 1 1, 2 2 2, 2 1 2, 1 2 1, 1 0 1, 16 16 16, 16 1 16],
                done!(try m.try_apply3(op::Select, x, y), panics m.apply3(op::Select, x, y))),
            expected: |a, _| zip(&[&a[0], &a[1], &a[2]], 8, |v| if v[0] > 0.0 { v[1] } else { v[2] }),
            ..THREE
        },
        Call {
            names: &["zip_map3", "try_zip_map3"],
            verb: "zip",
            run: |o, _| at_ranks!(o, w: view, x: view, y: view, [0 0 0, 1 1 1, 2 2 2, 2 1 2, 1 2 1, 1 0 1, 16 16 16, 16 1 16],
                done!(try w.try_zip_map3(x, y, |a, b, c| a * b - c), panics w.zip_map3(x, y, |a, b, c| a * b - c))),
            expected: |a, _| zip(&[&a[0], &a[1], &a[2]], 8, |v| v[0] * v[1] - v[2]),
            ..THREE
        },
    ]
    .into_iter()
    .map(Row::from)
    .collect()
}

pub(crate) fn rows() -> Vec<Row> {
    [of_one(), of_one_otherwise(), of_two(), of_three()].into_iter().flatten().collect()
}
