//! Rows of the bad-input table (see `bad_input/mod.rs`): functions of one and two elements of `DynTensor`, with new results and in place.

use super::array::{self, assign, zip};
use super::driver::{Call, Done, Row, done};
use super::hazards::one;
use super::operand::{Place, ToArray};
use super::{ONE, TWO, changed, methods, with, with_mask, with_two};
use vierbein::DType;
use vierbein::dyn_tensor::{Binary, Unary};

macro_rules! functions {
    ($($name:ident $Name:ident $view:ident $bytes:literal, $reference:expr;)*) => {
        vec![$(Call {
            names: methods![$name],
            run: |o, _| $view(&o[0], |x| done!(try x.$name().and_then(|_| x.unary(Unary::$Name)))),
            expected: |a, _| zip(&[&a[0]], $bytes, |v| f64::from(($reference)(v[0]))),
            ..ONE
        }
        .into()),*]
    };
}

fn of_one() -> Vec<Row> {
    let mut rows: Vec<Row> = functions! {
        try_neg Neg with 8, |x: f64| -x;
        try_not Not with_mask 1, |x: f64| x <= 0.0 || x.is_nan();
        abs Abs with 8, f64::abs;
        conj Conj with 8, |x| x;
        re Re with 8, |x| x;
        im Im with 8, |_| 0.0;
        square Square with 8, |x: f64| x * x;
        signum Signum with 8, |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        sqrt Sqrt with 8, f64::sqrt;
        recip Recip with 8, |x: f64| 1.0 / x;
        arg Arg with 8, |x: f64| 0f64.atan2(x);
        exp Exp with 8, f64::exp;
        exp2 Exp2 with 8, f64::exp2;
        ln Ln with 8, f64::ln;
        log2 Log2 with 8, f64::log2;
        log10 Log10 with 8, f64::log10;
        sin Sin with 8, f64::sin;
        cos Cos with 8, f64::cos;
        tan Tan with 8, f64::tan;
        asin Asin with 8, f64::asin;
        acos Acos with 8, f64::acos;
        atan Atan with 8, f64::atan;
        sinh Sinh with 8, f64::sinh;
        cosh Cosh with 8, f64::cosh;
        tanh Tanh with 8, f64::tanh;
        asinh Asinh with 8, array::asinh;
        acosh Acosh with 8, array::acosh;
        atanh Atanh with 8, f64::atanh;
        cbrt Cbrt with 8, f64::cbrt;
        exp_m1 ExpM1 with 8, f64::exp_m1;
        ln_1p Ln1p with 8, f64::ln_1p;
        floor Floor with 8, f64::floor;
        ceil Ceil with 8, f64::ceil;
        round Round with 8, f64::round;
        trunc Trunc with 8, f64::trunc;
        fract Fract with 8, |x: f64| x - x.trunc();
        is_nan IsNan with 1, f64::is_nan;
        is_finite IsFinite with 1, f64::is_finite;
        is_infinite IsInfinite with 1, f64::is_infinite;
        cube Cube with 8, |x: f64| x * x * x;
        relu Relu with 8, |x: f64| if x < 0.0 { 0.0 } else { x };
        sigmoid Sigmoid with 8, |x: f64| 0.5 + 0.5 * (x / 2.0).tanh();
        erf Erf with 8, array::erf;
        erfc Erfc with 8, array::erfc;
        nan_to_num NanToNum with 8, |x: f64| if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) };
    };
    let calls = [
        Call {
            names: methods![unary neg],
            run: |o, _| with(&o[0], |x| done!(try x.unary(Unary::Neg), panics -x)),
            expected: |a, _| zip(&[&a[0]], 8, |v| -v[0]),
            ..ONE
        },
        Call {
            names: methods![not],
            run: |o, _| with_mask(&o[0], |x| done!(try x.try_not(), panics !x)),
            expected: |a, _| zip(&[&a[0]], 1, |v| f64::from(v[0] <= 0.0 || v[0].is_nan())),
            ..ONE
        },
        Call {
            names: methods![powi],
            run: |o, _| with(&o[0], |x| done!(try x.powi(3))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0] * v[0] * v[0]),
            ..ONE
        },
        Call {
            names: methods![log],
            run: |o, _| with(&o[0], |x| done!(try x.log(3.0))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].ln() / 3f64.ln()),
            ..ONE
        },
        Call {
            names: methods![powf],
            run: |o, _| with(&o[0], |x| done!(try x.powf(1.5))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].powf(1.5)),
            ..ONE
        },
        Call {
            names: methods![clamp],
            run: |o, _| with(&o[0], |x| done!(try x.clamp(-1.0, 2.0))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].clamp(-1.0, 2.0)),
            ..ONE
        },
        Call {
            names: methods![round_to],
            run: |o, _| with(&o[0], |x| done!(try x.round_to(0))),
            expected: |a, _| zip(&[&a[0]], 8, |v| v[0].round_ties_even()),
            ..ONE
        },
        Call {
            names: methods![nan_to_num_with],
            run: |o, _| with(&o[0], |x| done!(try x.nan_to_num_with(1.0, 2.0, 3.0))),
            expected: |a, _| zip(&[&a[0]], 8, |v| array::special(v[0])),
            ..ONE
        },
        Call {
            names: methods![to_dtype],
            run: |o, _| with(&o[0], |x| done!(try x.to_dtype(DType::C64))),
            expected: |a, _| zip(&[&a[0]], 16, |v| v[0]),
            ..ONE
        },
    ];
    rows.extend(calls.into_iter().map(Row::from));
    rows
}

macro_rules! binary {
    ($([$($name:ident)*] $verb:literal $bytes:literal, |$x:ident, $y:ident| $done:expr, |$a:ident, $b:ident| $reference:expr;)*) => {
        vec![$(Call {
            names: methods![$($name)*],
            verb: $verb,
            run: |o, _| with_two(o, |$x, $y| $done),
            expected: |a, _| zip(&[&a[0], &a[1]], $bytes, |v| {
                let ($a, $b) = (v[0], v[1]);
                f64::from($reference)
            }),
            ..TWO
        }
        .into()),*]
    };
}

/// Logical operations. Both operands are views of `bool`.
macro_rules! logic {
    ($([$($name:ident)*], |$x:ident, $y:ident| $tried:expr, $panics:expr, |$a:ident, $b:ident| $reference:expr;)*) => {
        vec![$(Call {
            names: methods![$($name)*],
            verb: "combine",
            run: |o, _| {
                let mut done = None;
                with_mask(&o[0], |$x| {
                    done = with_mask(&o[1], |$y| done!(try $tried, panics $panics));
                    Done { tried: None, panicking: None }
                })?;
                done
            },
            expected: |a, _| zip(&[&a[0], &a[1]], 1, |v| {
                let ($a, $b) = (v[0] > 0.0, v[1] > 0.0);
                f64::from($reference)
            }),
            ..TWO
        }
        .into()),*]
    };
}

fn of_two() -> Vec<Row> {
    let mut rows: Vec<Row> = binary! {
        [add try_add binary] "add" 8, |x, y| done!(try x.try_add(y).and(x.binary(Binary::Add, y)), panics x + y), |a, b| a + b;
        [sub try_sub] "subtract" 8, |x, y| done!(try x.try_sub(y), panics x - y), |a, b| a - b;
        [mul try_mul] "multiply" 8, |x, y| done!(try x.try_mul(y), panics x * y), |a, b| a * b;
        [div try_div] "divide" 8, |x, y| done!(try x.try_div(y), panics x / y), |a, b| a / b;
        [rem try_rem] "remainder" 8, |x, y| done!(try x.try_rem(y), panics x % y), |a, b| a % b;
        [maximum] "maximum" 8, |x, y| done!(try x.maximum(y)),
            |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else if a < b { b } else { a };
        [minimum] "minimum" 8, |x, y| done!(try x.minimum(y)),
            |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else if b < a { b } else { a };
        [atan2] "atan2" 8, |x, y| done!(try x.atan2(y)), |a, b| a.atan2(b);
        [hypot] "hypot" 8, |x, y| done!(try x.hypot(y)), |a, b| a.hypot(b);
        [copysign] "copysign" 8, |x, y| done!(try x.copysign(y)), |a, b| a.copysign(b);
        [is_close] "compare" 1, |x, y| done!(try x.is_close(y, 0.5, 0.25)),
            |a, b| a == b || b.is_finite() && (a - b).abs() <= 0.25 + 0.5 * b.abs();
        [pow] "take a power of" 8, |x, y| done!(try x.pow(y)), |a, b| a.powf(b);
        [equal] "compare" 1, |x, y| done!(try x.equal(y)), |a, b| a == b;
        [not_equal] "compare" 1, |x, y| done!(try x.not_equal(y)), |a, b| a != b;
        [lt] "compare" 1, |x, y| done!(try x.lt(y)), |a, b| a < b;
        [le] "compare" 1, |x, y| done!(try x.le(y)), |a, b| a <= b;
        [gt] "compare" 1, |x, y| done!(try x.gt(y)), |a, b| a > b;
        [ge] "compare" 1, |x, y| done!(try x.ge(y)), |a, b| a >= b;
    };
    rows.extend::<Vec<Row>>(logic! {
        [bitand try_and], |x, y| x.try_and(y), x & y, |a, b| a && b;
        [bitor try_or], |x, y| x.try_or(y), x | y, |a, b| a || b;
        [bitxor try_xor], |x, y| x.try_xor(y), x ^ y, |a, b| a != b;
    });
    rows.push(
        Call {
            names: methods![select],
            verb: "select",
            run: |o, _| {
                let mut done = None;
                with_mask(&o[0], |m| {
                    done = with_two(o, |x, y| done!(try m.select(x, y)));
                    Done { tried: None, panicking: None }
                })?;
                done
            },
            expected: |a, _| zip(&[&a[0], &a[1]], 8, |v| if v[0] > 0.0 { v[0] } else { v[1] }),
            ..TWO
        }
        .into(),
    );
    rows
}

macro_rules! in_place {
    ($([$($name:ident)*] $verb:literal, |$x:ident, $y:ident| $tried:expr, $panics:expr, |$a:ident, $b:ident| $reference:expr;)*) => {
        vec![$(Call {
            names: methods![$($name)*],
            verb: $verb,
            run: |o, _| with(&o[1], |$y| done!(
                try changed(&o[0], |mut $x| { $tried?; Ok($x.array()) }),
                panics changed(&o[0], |mut $x| { $panics; Ok($x.array()) }).unwrap_or_else(|error| panic!("{error}"))
            )).filter(|_| !matches!(o[0].place, Place::Windows)),
            expected: |a, _| assign(&a[0], &a[1], |$a, $b| $reference),
            ..TWO
        }
        .into()),*]
    };
}

fn written() -> Vec<Row> {
    let mut rows: Vec<Row> = in_place! {
        [add_assign try_add_assign] "add", |x, y| x.try_add_assign(y), x += &y, |a, b| a + b;
        [sub_assign try_sub_assign] "subtract", |x, y| x.try_sub_assign(y), x -= &y, |a, b| a - b;
        [mul_assign try_mul_assign] "multiply", |x, y| x.try_mul_assign(y), x *= &y, |a, b| a * b;
        [div_assign try_div_assign] "divide", |x, y| x.try_div_assign(y), x /= &y, |a, b| a / b;
        [rem_assign try_rem_assign] "remainder", |x, y| x.try_rem_assign(y), x %= &y, |a, b| a % b;
        [assign] "assign", |x, y| x.assign(y), x.assign(y).unwrap_or_else(|e| panic!("{e}")), |_a, b| b;
    };
    rows.push(
        Call {
            names: methods![fill],
            run: |o, _| Some(done!(try changed(&o[0], |mut x| { x.fill(7.0)?; Ok(x.array()) }))),
            expected: |a, _| zip(&[&a[0]], 8, |_| 7.0),
            operands: |hazard| {
                one(hazard).into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect()
            },
            ..ONE
        }
        .into(),
    );
    rows
}

pub(crate) fn rows() -> Vec<Row> {
    [of_one(), of_two(), written()].into_iter().flatten().collect()
}
