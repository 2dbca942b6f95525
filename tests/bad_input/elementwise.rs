//! Rows of the bad-input table (see `bad_input/mod.rs`): functions of one, two and three elements that return new tensors.

use super::array::{self, zip};
use super::driver::{Call, Hazard::*, Row};
use super::hazards::{one, two};
use super::writing::three;
use super::{at_rank, at_ranks, done};
use vierbein::op;

/// Defaults for elementwise functions of one operand.
pub(crate) const ONE: Call =
    Call { operands: one, cannot: &[(WrongShape, "one operand, of any shape")], ..Call::NOTHING };
const TWO: Call = Call { operands: two, ..Call::NOTHING };
const THREE: Call = Call { operands: three, ..Call::NOTHING };

/// Rows of functions of one operand. Each line lists the method, its fallible variant, the size of a result element in bytes, and
/// the function on `f64`.
macro_rules! functions {
    ($($name:ident, $try_name:ident, $bytes:literal, $reference:expr;)*) => {
        vec![$(Call {
            names: &[stringify!($name), stringify!($try_name)],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.$try_name(), panics x.$name())),
            expected: |a, _| zip(&[&a[0]], $bytes, |v| f64::from(($reference)(v[0]))),
            ..ONE
        }
        .into()),*]
    };
}

fn of_one() -> Vec<Row> {
    functions! {
        abs, try_abs, 8, f64::abs;
        conj, try_conj, 8, |x| x;
        re, try_re, 8, |x| x;
        im, try_im, 8, |_| 0.0;
        square, try_square, 8, |x: f64| x * x;
        sqrt, try_sqrt, 8, f64::sqrt;
        exp, try_exp, 8, f64::exp;
        exp2, try_exp2, 8, f64::exp2;
        ln, try_ln, 8, f64::ln;
        log2, try_log2, 8, f64::log2;
        log10, try_log10, 8, f64::log10;
        sin, try_sin, 8, f64::sin;
        cos, try_cos, 8, f64::cos;
        tan, try_tan, 8, f64::tan;
        asin, try_asin, 8, f64::asin;
        acos, try_acos, 8, f64::acos;
        atan, try_atan, 8, f64::atan;
        sinh, try_sinh, 8, f64::sinh;
        cosh, try_cosh, 8, f64::cosh;
        tanh, try_tanh, 8, f64::tanh;
        asinh, try_asinh, 8, array::asinh;
        acosh, try_acosh, 8, array::acosh;
        atanh, try_atanh, 8, f64::atanh;
        recip, try_recip, 8, |x: f64| 1.0 / x;
        arg, try_arg, 8, |x: f64| 0f64.atan2(x);
        cbrt, try_cbrt, 8, f64::cbrt;
        exp_m1, try_exp_m1, 8, f64::exp_m1;
        ln_1p, try_ln_1p, 8, f64::ln_1p;
        floor, try_floor, 8, f64::floor;
        ceil, try_ceil, 8, f64::ceil;
        round, try_round, 8, f64::round;
        trunc, try_trunc, 8, f64::trunc;
        fract, try_fract, 8, |x: f64| x - x.trunc();
        signum, try_signum, 8, |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        is_nan, try_is_nan, 1, f64::is_nan;
        is_finite, try_is_finite, 1, f64::is_finite;
        is_infinite, try_is_infinite, 1, f64::is_infinite;
        cube, try_cube, 8, |x: f64| x * x * x;
        relu, try_relu, 8, |x: f64| if x < 0.0 { 0.0 } else { x };
        sigmoid, try_sigmoid, 8, |x: f64| 0.5 + 0.5 * (x / 2.0).tanh();
        erf, try_erf, 8, array::erf;
        erfc, try_erfc, 8, array::erfc;
        nan_to_num, try_nan_to_num, 8, |x: f64| if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) };
    }
}

/// Functions of one operand that take arguments, have several names, or are called by operators.
fn of_one_otherwise() -> Vec<Row> {
    vec![
        Call {
            names: &["powi", "try_powi"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_powi(-3), panics x.powi(-3))),
            expected: |a, _| zip(&[&a[0]], 8, |v| 1.0 / (v[0] * v[0] * v[0])),
            ..ONE
        },
        Call {
            names: &["log", "try_log"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_log(3.0), panics x.log(3.0))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].ln() / 3f64.ln()),
            ..ONE
        },
        Call {
            names: &["powf", "try_powf"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_powf(1.5), panics x.powf(1.5))),
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
            names: &["round_to", "try_round_to"],
            verb: "round",
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_round_to(0), panics x.round_to(0))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].round_ties_even()),
            ..ONE
        },
        Call {
            names: &["nan_to_num_with", "try_nan_to_num_with"],
            verb: "replace NaN in",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(try x.try_nan_to_num_with(1.0, 2.0, 3.0), panics x.nan_to_num_with(1.0, 2.0, 3.0)))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| array::special(v[0])),
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
            names: &["neg", "try_neg"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_neg(), panics -x)),
            expected: |a, _| zip(&[&a[0]], 8, |v| -v[0]),
            ..ONE
        },
        Call {
            names: &["not", "try_not"],
            run: |o, _| at_rank!(o, x: mask, [0 1 2 16], done!(try x.try_not(), panics !x)),
            expected: |a, _| zip(&[&a[0]], 1, |v| f64::from(v[0] <= 0.0 || v[0].is_nan())),
            ..ONE
        },
    ]
    .into_iter()
    .map(Row::from)
    .collect()
}

/// Rows of functions of two operands. Each line lists the element type of the operands and the size of a result element in bytes,
/// the names, the verb of messages, the fallible and the panicking variant, and the function on numbers.
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
        view 8, ["copysign" "try_copysign"] "copysign", |x, y| x.try_copysign(y), x.copysign(y), |a, b| a.copysign(b);
        view 1, ["is_close" "try_is_close"] "compare", |x, y| x.try_is_close(y, 0.5, 0.25), x.is_close(y, 0.5, 0.25),
            |a, b| a == b || b.is_finite() && (a - b).abs() <= 0.25 + 0.5 * b.abs();
        view 8, ["pow" "try_pow"] "take a power of", |x, y| x.try_pow(y), x.pow(y), |a, b| a.powf(b);
        view 8, ["apply2" "try_apply2"] "add", |x, y| x.try_apply2(op::Add, y), x.apply2(op::Add, y), |a, b| a + b;
        view 8, ["zip_map" "try_zip_map"] "zip", |x, y| x.try_zip_map(y, |a, b| a - b), x.zip_map(y, |a, b| a - b),
            |a, b| a - b;
        view 1, ["equal" "try_equal"] "compare", |x, y| x.try_equal(y), x.equal(y), |a, b| a == b;
        view 1, ["not_equal" "try_not_equal"] "compare", |x, y| x.try_not_equal(y), x.not_equal(y), |a, b| a != b;
        view 1, ["lt" "try_lt"] "compare", |x, y| x.try_lt(y), x.lt(y), |a, b| a < b;
        view 1, ["le" "try_le"] "compare", |x, y| x.try_le(y), x.le(y), |a, b| a <= b;
        view 1, ["gt" "try_gt"] "compare", |x, y| x.try_gt(y), x.gt(y), |a, b| a > b;
        view 1, ["ge" "try_ge"] "compare", |x, y| x.try_ge(y), x.ge(y), |a, b| a >= b;
        mask 1, ["bitand" "try_and"] "combine", |x, y| x.try_and(y), x & y, |a, b| a > 0.0 && b > 0.0;
        mask 1, ["bitor" "try_or"] "combine", |x, y| x.try_or(y), x | y, |a, b| a > 0.0 || b > 0.0;
        mask 1, ["bitxor" "try_xor"] "combine", |x, y| x.try_xor(y), x ^ y, |a, b| (a > 0.0) != (b > 0.0);
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
