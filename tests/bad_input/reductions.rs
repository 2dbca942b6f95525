//! Rows of the bad-input table (see `bad_input/mod.rs`): all variants of reductions, cumulative sums and products, and traces.

use super::array::{Array, Fold, Outcome, diagonal, diagonal_offset, log_sum, reduce, scan, softmax, zip};
use super::array::{
    averages, correlations, covariances, deviation, doubled, interpolated, numbers, parabola, trapezoid,
};
use super::driver::{Call, Done, Hazard::*, Numbers, Row};
use super::hazards::{countable, one, square, weighable};
use super::operand::Operand;
use super::ordered::gradient;
use super::writing::{into, preallocated, shape_of};
use super::{at_rank, done, done_into};
use vierbein::prelude::*;
use vierbein::{ConvolutionMode, EdgeOrder, Interpolation, op};

const WHOLE: Call =
    Call { operands: one, cannot: &[(WrongShape, "over all axes of any shape")], ..Call::NOTHING };
const AXIS: Call = Call {
    operands: one,
    numbers: Numbers::Axis,
    cannot: &[(Rank0, "does not compile: there is no axis")],
    ..Call::NOTHING
};
const AXES: Call =
    Call { numbers: Numbers::Pair, cannot: &[(Rank0, "does not compile: there are no two axes")], ..AXIS };

fn all_axes(x: &Array) -> Vec<usize> {
    (0..x.shape.len()).collect()
}

/// Rows of the eight variants of each reduction. `$view` is `view` for operands of `f64`, or `mask` for operands of `bool`.
macro_rules! reductions {
    ($(
        $view:ident $bytes:literal $verb:literal
        [$whole:ident $try_whole:ident $axis:ident $try_axis:ident $axes:ident $try_axes:ident $keep:ident $try_keepdims:ident]
        ($($arg:expr)?), $fold:expr;
    )*) => {
        vec![$(
            Call {
                names: &[stringify!($whole), stringify!($try_whole)],
                verb: $verb,
                run: |o, _| at_rank!(o, x: $view, [0 1 2 16], done!(try x.$try_whole($($arg)?), panics x.$whole($($arg)?))),
                expected: |a, _| reduce(&a[0], &all_axes(&a[0]), false, $bytes, $fold),
                ..WHOLE
            }.into(),
            Call {
                names: &[stringify!($axis), stringify!($try_axis)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: $view, [1 2 16],
                    done!(try x.$try_axis(n[0] $(, $arg)?), panics x.$axis(n[0] $(, $arg)?))),
                expected: |a, n| reduce(&a[0], n, false, $bytes, $fold),
                ..AXIS
            }.into(),
            Call {
                names: &[stringify!($axes), stringify!($try_axes)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: $view, [2 16],
                    done!(try x.$try_axes([n[0], n[1]] $(, $arg)?), panics x.$axes([n[0], n[1]] $(, $arg)?))),
                expected: |a, n| reduce(&a[0], n, false, $bytes, $fold),
                ..AXES
            }.into(),
            Call {
                names: &[stringify!($keep), stringify!($try_keepdims)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: $view, [1 2 16],
                    done!(try x.$try_keepdims(n[0] $(, $arg)?), panics x.$keep(n[0] $(, $arg)?))),
                expected: |a, n| reduce(&a[0], n, true, $bytes, $fold),
                ..AXIS
            }.into(),
        )*]
    };
}

fn mean(v: &[f64]) -> f64 {
    v.iter().sum::<f64>() / v.len() as f64
}

fn variance(v: &[f64], ddof: f64) -> f64 {
    let mean = mean(v);
    // The variance is undefined if there are at most `ddof` elements.
    let count = v.len() as f64 - ddof;
    if count <= 0.0 { f64::NAN } else { v.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count }
}

/// Returns the index and value of the extremum. NaN wins over all numbers.
fn extreme(v: &[f64], better: fn(f64, f64) -> bool) -> Option<(usize, f64)> {
    let nan = v.iter().position(|x| x.is_nan()).map(|k| (k, f64::NAN));
    nan.or_else(|| v.iter().copied().enumerate().reduce(|best, x| if better(x.1, best.1) { x } else { best }))
}

/// Returns the index of the first extremum among the elements that are not NaN.
fn extreme_number(v: &[f64], better: fn(f64, f64) -> bool) -> Option<f64> {
    let numbers = v.iter().copied().enumerate().filter(|(_, x)| !x.is_nan());
    numbers.reduce(|best, x| if better(x.1, best.1) { x } else { best }).map(|(k, _)| k as f64)
}

fn norm(v: &[f64]) -> f64 {
    let scale = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if v.iter().any(|x| x.is_nan()) {
        f64::NAN
    } else if v.iter().any(|x| x.is_infinite()) {
        f64::INFINITY
    } else if scale == 0.0 {
        0.0
    } else {
        scale * v.iter().map(|x| (x / scale) * (x / scale)).sum::<f64>().sqrt()
    }
}

const OF_ROWS: Call = Call {
    cannot: &[
        (WrongShape, "a matrix of any shape"),
        (Rank0, "does not compile: the operand is a matrix"),
        (Rank16, "does not compile: the operand is a matrix"),
    ],
    ..Call::NOTHING
};

const MAX: Fold = |v| extreme(v, |a, b| a > b).map(|(_, x)| x);
const MIN: Fold = |v| extreme(v, |a, b| a < b).map(|(_, x)| x);
const PTP: Fold = |v| Some(MAX(v)? - MIN(v)?);
// `f64::max` and `f64::min` ignore a NaN if the other operand is a number.
const NAN_MAX: Fold = |v| v.iter().copied().reduce(f64::max);
const NAN_MIN: Fold = |v| v.iter().copied().reduce(f64::min);
const SUM: Fold = |v| Some(v.iter().sum());
const PROD: Fold = |v| Some(v.iter().product());

fn every_form() -> Vec<Row> {
    reductions! {
        view 8 "sum" [sum try_sum sum_axis try_sum_axis sum_axes try_sum_axes sum_keepdims try_sum_keepdims] (), SUM;
        view 8 "product" [prod try_prod prod_axis try_prod_axis prod_axes try_prod_axes prod_keepdims try_prod_keepdims] (), PROD;
        view 8 "mean" [mean try_mean mean_axis try_mean_axis mean_axes try_mean_axes mean_keepdims try_mean_keepdims] (),
            |v| Some(mean(v));
        view 8 "variance" [var try_var var_axis try_var_axis var_axes try_var_axes var_keepdims try_var_keepdims] (1),
            |v| Some(variance(v, 1.0));
        view 8 "deviation" [std try_std std_axis try_std_axis std_axes try_std_axes std_keepdims try_std_keepdims] (0),
            |v| Some(deviation(v, |v| variance(v, 0.0)));
        view 8 "norm" [norm try_norm norm_axis try_norm_axis norm_axes try_norm_axes norm_keepdims try_norm_keepdims] (),
            |v| Some(norm(v));
        view 8 "maximum" [max try_max max_axis try_max_axis max_axes try_max_axes max_keepdims try_max_keepdims] (),
            |v| extreme(v, |a, b| a > b).map(|(_, x)| x);
        view 8 "minimum" [min try_min min_axis try_min_axis min_axes try_min_axes min_keepdims try_min_keepdims] (),
            |v| extreme(v, |a, b| a < b).map(|(_, x)| x);
        view 8 "maximum" [argmax try_argmax argmax_axis try_argmax_axis argmax_axes try_argmax_axes argmax_keepdims try_argmax_keepdims] (),
            |v| extreme(v, |a, b| a > b).map(|(k, _)| k as f64);
        view 8 "minimum" [argmin try_argmin argmin_axis try_argmin_axis argmin_axes try_argmin_axes argmin_keepdims try_argmin_keepdims] (),
            |v| extreme(v, |a, b| a < b).map(|(k, _)| k as f64);
        view 8 "range" [ptp try_ptp ptp_axis try_ptp_axis ptp_axes try_ptp_axes ptp_keepdims try_ptp_keepdims] (), PTP;
        view 8 "sum without NaN" [nan_sum try_nan_sum nan_sum_axis try_nan_sum_axis nan_sum_axes try_nan_sum_axes nan_sum_keepdims try_nan_sum_keepdims] (),
            |v| Some(numbers(v).iter().sum());
        view 8 "mean without NaN" [nan_mean try_nan_mean nan_mean_axis try_nan_mean_axis nan_mean_axes try_nan_mean_axes nan_mean_keepdims try_nan_mean_keepdims] (),
            |v| Some(mean(&numbers(v)));
        view 8 "maximum without NaN" [nan_max try_nan_max nan_max_axis try_nan_max_axis nan_max_axes try_nan_max_axes nan_max_keepdims try_nan_max_keepdims] (), NAN_MAX;
        view 8 "minimum without NaN" [nan_min try_nan_min nan_min_axis try_nan_min_axis nan_min_axes try_nan_min_axes nan_min_keepdims try_nan_min_keepdims] (), NAN_MIN;
        view 8 "product without NaN" [nan_prod try_nan_prod nan_prod_axis try_nan_prod_axis nan_prod_axes try_nan_prod_axes nan_prod_keepdims try_nan_prod_keepdims] (),
            |v| Some(numbers(v).iter().product());
        view 8 "variance without NaN" [nan_var try_nan_var nan_var_axis try_nan_var_axis nan_var_axes try_nan_var_axes nan_var_keepdims try_nan_var_keepdims] (1),
            |v| Some(variance(&numbers(v), 1.0));
        view 8 "deviation without NaN" [nan_std try_nan_std nan_std_axis try_nan_std_axis nan_std_axes try_nan_std_axes nan_std_keepdims try_nan_std_keepdims] (0),
            |v| Some(deviation(&numbers(v), |v| variance(v, 0.0)));
        view 8 "maximum without NaN" [nan_argmax try_nan_argmax nan_argmax_axis try_nan_argmax_axis nan_argmax_axes try_nan_argmax_axes nan_argmax_keepdims try_nan_argmax_keepdims] (),
            |v| extreme_number(v, |a, b| a > b);
        view 8 "minimum without NaN" [nan_argmin try_nan_argmin nan_argmin_axis try_nan_argmin_axis nan_argmin_axes try_nan_argmin_axes nan_argmin_keepdims try_nan_argmin_keepdims] (),
            |v| extreme_number(v, |a, b| a < b);
        mask 1 "all" [all try_all all_axis try_all_axis all_axes try_all_axes all_keepdims try_all_keepdims] (),
            |v| Some(f64::from(v.iter().all(|&x| x > 0.0)));
        mask 1 "any" [any try_any any_axis try_any_axis any_axes try_any_axes any_keepdims try_any_keepdims] (),
            |v| Some(f64::from(v.iter().any(|&x| x > 0.0)));
        mask 8 "count" [count try_count count_axis try_count_axis count_axes try_count_axes count_keepdims try_count_keepdims] (),
            |v| Some(v.iter().filter(|&&x| x > 0.0).count() as f64);
    }
}

/// Rows of sums, products and traces in a wider type; here, that of the elements.
fn widened() -> Vec<Row> {
    macro_rules! widened {
        ($verb:literal [$whole:ident $try_whole:ident $axis:ident $try_axis:ident], $fold:expr) => {
            [
                Call {
                    names: &[stringify!($whole), stringify!($try_whole)],
                    verb: $verb,
                    run: |o, _| {
                        at_rank!(o, x: view, [0 1 2 16], done!(try x.$try_whole::<f64>(), panics x.$whole::<f64>()))
                    },
                    expected: |a, _| reduce(&a[0], &all_axes(&a[0]), false, 8, $fold),
                    ..WHOLE
                },
                Call {
                    names: &[stringify!($axis), stringify!($try_axis)],
                    verb: $verb,
                    run: |o, n| at_rank!(o, x: view, [1 2 16],
                        done!(try x.$try_axis::<f64>(n[0]), panics x.$axis::<f64>(n[0]))),
                    expected: |a, n| reduce(&a[0], n, false, 8, $fold),
                    ..AXIS
                },
            ]
        };
    }
    let trace = Call {
        names: &["trace_as", "try_trace_as"],
        verb: "trace",
        operands: square,
        run: |o, n| {
            at_rank!(o, x: view, [2 16],
            done!(try x.try_trace_as::<f64>(n[0], n[1]), panics x.trace_as::<f64>(n[0], n[1])))
        },
        expected: |a, n| traced(&a[0], n),
        ..AXES
    };
    let sums = widened!("sum" [sum_as try_sum_as sum_axis_as try_sum_axis_as], SUM);
    let products = widened!("product" [prod_as try_prod_as prod_axis_as try_prod_axis_as], PROD);
    sums.into_iter().chain(products).chain([trace]).map(Row::from).collect()
}

fn softmaxes() -> Vec<Row> {
    let calls = [
        Call {
            names: &["softmax", "try_softmax"],
            verb: "softmax",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_softmax(n[0]), panics x.softmax(n[0]))),
            expected: |a, n| softmax(&a[0], n, false),
            ..AXIS
        },
        Call {
            names: &["softmax_into", "try_softmax_into"],
            verb: "softmax",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done_into!(
                    x.shape(), f64::NAN, out, x.try_softmax_into(n[0], &mut out), x.softmax_into(n[0], &mut out)
                ))
            },
            expected: |a, n| softmax(&a[0], n, false),
            ..AXIS
        },
        Call {
            names: &["log_softmax_into", "try_log_softmax_into"],
            verb: "log_softmax",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done_into!(
                    x.shape(), f64::NAN, out, x.try_log_softmax_into(n[0], &mut out), x.log_softmax_into(n[0], &mut out)
                ))
            },
            expected: |a, n| softmax(&a[0], n, true),
            ..AXIS
        },
        Call {
            names: &["log_softmax", "try_log_softmax"],
            verb: "log_softmax",
            run: |o, n| at_rank!(o, x: view, [2 16], done!(try x.try_log_softmax([n[0], n[1]]), panics x.log_softmax([n[0], n[1]]))),
            expected: |a, n| softmax(&a[0], n, true),
            ..AXES
        },
        Call {
            names: &["logsumexp", "try_logsumexp"],
            verb: "logsumexp",
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_logsumexp(), panics x.logsumexp())),
            expected: |a, _| log_sum(&a[0], &all_axes(&a[0]), false),
            ..WHOLE
        },
        Call {
            names: &["logsumexp_axis", "try_logsumexp_axis"],
            verb: "logsumexp",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_logsumexp_axis(n[0]), panics x.logsumexp_axis(n[0]))),
            expected: |a, n| log_sum(&a[0], n, false),
            ..AXIS
        },
        Call {
            names: &["logsumexp_axes", "try_logsumexp_axes"],
            verb: "logsumexp",
            run: |o, n| {
                at_rank!(o, x: view, [2 16],
                done!(try x.try_logsumexp_axes([n[0], n[1]]), panics x.logsumexp_axes([n[0], n[1]])))
            },
            expected: |a, n| log_sum(&a[0], n, false),
            ..AXES
        },
        Call {
            names: &["logsumexp_into", "try_logsumexp_into"],
            verb: "logsumexp",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done_into!(
                    shape_of(x.try_logsumexp_axis(n[0])), -1.0, out,
                    x.try_logsumexp_into([n[0]], &mut out),
                    x.logsumexp_into([n[0]], &mut out)
                ))
            },
            expected: |a, n| preallocated(log_sum(&a[0], n, false)),
            ..AXIS
        },
        Call {
            names: &["logsumexp_keepdims", "try_logsumexp_keepdims"],
            verb: "logsumexp",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16],
                done!(try x.try_logsumexp_keepdims(n[0]), panics x.logsumexp_keepdims(n[0])))
            },
            expected: |a, n| log_sum(&a[0], n, true),
            ..AXIS
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

/// Methods that take the reduction as an argument, such as `op::Sum`, and reductions into preallocated outputs.
fn otherwise() -> Vec<Row> {
    let calls = [
        Call {
            names: &["reduce", "try_reduce"],
            verb: "sum",
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_reduce(op::Sum), panics x.reduce(op::Sum))),
            expected: |a, _| reduce(&a[0], &all_axes(&a[0]), false, 8, SUM),
            ..WHOLE
        },
        Call {
            names: &["reduce_axis", "try_reduce_axis"],
            verb: "sum",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16],
                done!(try x.try_reduce_axis(n[0], op::Sum), panics x.reduce_axis(n[0], op::Sum)))
            },
            expected: |a, n| reduce(&a[0], n, false, 8, SUM),
            ..AXIS
        },
        Call {
            names: &["reduce_axes", "try_reduce_axes"],
            verb: "sum",
            run: |o, n| {
                at_rank!(o, x: view, [2 16],
                done!(try x.try_reduce_axes([n[0], n[1]], op::Sum), panics x.reduce_axes([n[0], n[1]], op::Sum)))
            },
            expected: |a, n| reduce(&a[0], n, false, 8, SUM),
            ..AXES
        },
        Call {
            names: &["reduce_keepdims", "try_reduce_keepdims"],
            verb: "sum",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16],
                done!(try x.try_reduce_keepdims(n[0], op::Sum), panics x.reduce_keepdims(n[0], op::Sum)))
            },
            expected: |a, n| reduce(&a[0], n, true, 8, SUM),
            ..AXIS
        },
        Call {
            names: &["reduce_into", "try_reduce_into"],
            verb: "sum",
            run: |o, n| reduced_into(o, n),
            expected: |a, n| {
                let kept = reduce(&a[0], n, false, 8, SUM);
                // For rank 2 the preallocated output has shape [3], which differs from the shape of most results.
                match a[0].shape.len() {
                    1 | 16 => kept,
                    _ if kept.is_err() => preallocated(kept),
                    _ => into(kept, &Array::line(vec![0.0; 3])),
                }
            },
            ..AXIS
        },
        Call {
            names: &["cumsum", "try_cumsum"],
            verb: "accumulate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_cumsum(n[0]), panics x.cumsum(n[0]))),
            expected: |a, n| scan(&a[0], n[0], SUM),
            ..AXIS
        },
        Call {
            names: &["nan_cumsum", "try_nan_cumsum"],
            verb: "accumulate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_nan_cumsum(n[0]), panics x.nan_cumsum(n[0]))),
            expected: |a, n| scan(&a[0], n[0], |v| Some(numbers(v).iter().sum())),
            ..AXIS
        },
        Call {
            names: &["nan_cumprod", "try_nan_cumprod"],
            verb: "accumulate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_nan_cumprod(n[0]), panics x.nan_cumprod(n[0]))),
            expected: |a, n| scan(&a[0], n[0], |v| Some(numbers(v).iter().product())),
            ..AXIS
        },
        Call {
            names: &["trace_offset", "try_trace_offset"],
            verb: "trace",
            operands: square,
            run: |o, n| {
                at_rank!(o, x: view, [2 16],
                done!(try x.try_trace_offset(n[0], n[1], 1), panics x.trace_offset(n[0], n[1], 1)))
            },
            expected: |a, n| {
                let diagonal = diagonal_offset(&a[0], n[0], n[1], 1)?;
                reduce(&diagonal, &[diagonal.shape.len() - 1], false, 8, SUM)
            },
            ..AXES
        },
        Call {
            names: &["cumprod", "try_cumprod"],
            verb: "accumulate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_cumprod(n[0]), panics x.cumprod(n[0]))),
            expected: |a, n| scan(&a[0], n[0], PROD),
            ..AXIS
        },
        Call {
            names: &["cumsum_into", "try_cumsum_into"],
            verb: "accumulate",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || Tensor::zeros(x.shape());
                    done!(
                        try { let mut out = out(); x.try_cumsum_into(n[0], &mut out).map(|()| out) },
                        panics { let mut out = out(); x.cumsum_into(n[0], &mut out); out }
                    )
                })
            },
            expected: |a, n| scan(&a[0], n[0], SUM),
            ..AXIS
        },
        Call {
            names: &["cumprod_into", "try_cumprod_into"],
            verb: "accumulate",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || Tensor::zeros(x.shape());
                    done!(
                        try { let mut out = out(); x.try_cumprod_into(n[0], &mut out).map(|()| out) },
                        panics { let mut out = out(); x.cumprod_into(n[0], &mut out); out }
                    )
                })
            },
            expected: |a, n| scan(&a[0], n[0], PROD),
            ..AXIS
        },
        Call {
            names: &["cummax", "try_cummax"],
            verb: "accumulate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_cummax(n[0]), panics x.cummax(n[0]))),
            expected: |a, n| scan(&a[0], n[0], MAX),
            ..AXIS
        },
        Call {
            names: &["cummin", "try_cummin"],
            verb: "accumulate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_cummin(n[0]), panics x.cummin(n[0]))),
            expected: |a, n| scan(&a[0], n[0], MIN),
            ..AXIS
        },
        Call {
            names: &["cummax_into", "try_cummax_into"],
            verb: "accumulate",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || Tensor::zeros(x.shape());
                    done!(
                        try { let mut out = out(); x.try_cummax_into(n[0], &mut out).map(|()| out) },
                        panics { let mut out = out(); x.cummax_into(n[0], &mut out); out }
                    )
                })
            },
            expected: |a, n| scan(&a[0], n[0], MAX),
            ..AXIS
        },
        Call {
            names: &["cummin_into", "try_cummin_into"],
            verb: "accumulate",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || Tensor::zeros(x.shape());
                    done!(
                        try { let mut out = out(); x.try_cummin_into(n[0], &mut out).map(|()| out) },
                        panics { let mut out = out(); x.cummin_into(n[0], &mut out); out }
                    )
                })
            },
            expected: |a, n| scan(&a[0], n[0], MIN),
            ..AXIS
        },
        Call {
            names: &["trapezoid", "try_trapezoid"],
            verb: "trapezoid",
            operands: countable,
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_trapezoid(n[0], 0.5), panics x.trapezoid(n[0], 0.5))),
            expected: |a, n| reduce(&a[0], n, false, 8, |v| Some(trapezoid(v))),
            ..AXIS
        },
        Call {
            names: &["trapezoid_into", "try_trapezoid_into"],
            verb: "trapezoid",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done_into!(
                    shape_of(x.try_trapezoid(n[0], 0.5)), -1.0, out,
                    x.try_trapezoid_into(n[0], 0.5, &mut out),
                    x.trapezoid_into(n[0], 0.5, &mut out)
                ))
            },
            expected: |a, n| preallocated(reduce(&a[0], n, false, 8, |v| Some(trapezoid(v)))),
            ..AXIS
        },
        Call {
            names: &["gradient", "try_gradient"],
            verb: "gradient",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done!(
                    try x.try_gradient(n[0], 0.5, EdgeOrder::First),
                    panics x.gradient(n[0], 0.5, EdgeOrder::First)
                ))
            },
            expected: |a, n| gradient(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["gradient_into", "try_gradient_into"],
            verb: "gradient",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done_into!(
                    x.shape(), -1.0, out,
                    x.try_gradient_into(n[0], 0.5, EdgeOrder::First, &mut out),
                    x.gradient_into(n[0], 0.5, EdgeOrder::First, &mut out)
                ))
            },
            expected: |a, n| gradient(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["interp_with", "try_interp_with"],
            verb: "interpolate",
            run: |o, _| {
                let (xp, fp) = (tensor![-1.0, 0.5, 2.0], tensor![3.0, -1.0, 4.0]);
                let with = Interpolation::new().left(3.0).right(4.0);
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_interp_with(&xp, &fp, with),
                    panics x.interp_with(&xp, &fp, with)
                ))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| interpolated(v[0])),
            ..WHOLE
        },
        Call {
            names: &["interp", "try_interp"],
            verb: "interpolate",
            run: |o, _| {
                let (xp, fp) = (tensor![-1.0, 0.5, 2.0], tensor![3.0, -1.0, 4.0]);
                at_rank!(o, x: view, [0 1 2 16], done!(try x.try_interp(&xp, &fp), panics x.interp(&xp, &fp)))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| interpolated(v[0])),
            ..WHOLE
        },
        Call {
            names: &["interp_into", "try_interp_into"],
            verb: "interpolate",
            operands: countable,
            run: |o, _| {
                let (xp, fp) = (tensor![-1.0, 0.5, 2.0], tensor![3.0, -1.0, 4.0]);
                at_rank!(o, x: view, [0 1 2 16], done_into!(
                    x.shape(), -1.0, out,
                    x.try_interp_into(&xp, &fp, &mut out),
                    x.interp_into(&xp, &fp, &mut out)
                ))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| interpolated(v[0])),
            ..WHOLE
        },
        Call {
            names: &["average", "try_average"],
            verb: "average",
            operands: weighable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let extent = x.shape().get(n[0]).copied().unwrap_or(1);
                    let weights = Tensor::<f64, Rank<1>>::from_fn([extent], |[k]| k as f64 + 1.0);
                    done!(try x.try_average(n[0], &weights), panics x.average(n[0], &weights))
                })
            },
            expected: |a, n| averages(&a[0], n[0]),
            cannot: &[
                (HugeExtents, "the weights of such an axis are too many"),
                (Rank0, "does not compile: there is no axis"),
            ],
            ..AXIS
        },
        Call {
            names: &["average_into", "try_average_into"],
            verb: "average",
            operands: weighable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let extent = x.shape().get(n[0]).copied().unwrap_or(1);
                    let weights = Tensor::<f64, Rank<1>>::from_fn([extent], |[k]| k as f64 + 1.0);
                    done_into!(
                        shape_of(x.try_average(n[0], &weights)), -1.0, out,
                        x.try_average_into(n[0], &weights, &mut out),
                        x.average_into(n[0], &weights, &mut out)
                    )
                })
            },
            expected: |a, n| averages(&a[0], n[0]),
            cannot: &[
                (HugeExtents, "the weights of such an axis are too many"),
                (Rank0, "does not compile: there is no axis"),
            ],
            ..AXIS
        },
        Call {
            names: &["polyval", "try_polyval"],
            verb: "polyval",
            run: |o, _| {
                let p = tensor![2.0, 0.0, -3.0];
                at_rank!(o, x: view, [0 1 2 16], done!(try p.try_polyval(x), panics p.polyval(x)))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| parabola(v[0])),
            ..WHOLE
        },
        Call {
            names: &["polyval_into", "try_polyval_into"],
            verb: "polyval",
            operands: countable,
            run: |o, _| {
                let p = tensor![2.0, 0.0, -3.0];
                at_rank!(o, x: view, [0 1 2 16], done_into!(
                    x.shape(), f64::NAN, out, p.try_polyval_into(x, &mut out), p.polyval_into(x, &mut out)
                ))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| parabola(v[0])),
            ..WHOLE
        },
        Call {
            names: &["convolve", "try_convolve"],
            verb: "convolve",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let (k, full) = (Tensor::full(x.shape().map(|_| 1), 2.0), ConvolutionMode::Full);
                    done!(try x.try_convolve(&k, full), panics x.convolve(&k, full))
                })
            },
            expected: |a, _| doubled(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["correlate", "try_correlate"],
            verb: "correlate",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let (k, same) = (Tensor::full(x.shape().map(|_| 1), 2.0), ConvolutionMode::Same);
                    done!(try x.try_correlate(&k, same), panics x.correlate(&k, same))
                })
            },
            expected: |a, _| doubled(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["convolve_into", "try_convolve_into"],
            verb: "convolve",
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let (k, full) = (Tensor::full(x.shape().map(|_| 1), 2.0), ConvolutionMode::Full);
                    done_into!(
                        x.shape(), f64::NAN, out,
                        x.try_convolve_into(&k, full, &mut out),
                        x.convolve_into(&k, full, &mut out)
                    )
                })
            },
            expected: |a, _| doubled(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["correlate_into", "try_correlate_into"],
            verb: "correlate",
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let (k, same) = (Tensor::full(x.shape().map(|_| 1), 2.0), ConvolutionMode::Same);
                    done_into!(
                        x.shape(), f64::NAN, out,
                        x.try_correlate_into(&k, same, &mut out),
                        x.correlate_into(&k, same, &mut out)
                    )
                })
            },
            expected: |a, _| doubled(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["cov", "try_cov"],
            operands: countable,
            run: |o, _| at_rank!(o, x: view, [2], done!(try x.try_cov(1), panics x.cov(1))),
            expected: |a, _| covariances(&a[0], 1.0),
            cannot: &[
                (WrongShape, "a matrix of any shape"),
                (NotFinite, "whether a sum overflows depends on the order of its terms"),
                (Rank0, "does not compile: the operand is a matrix"),
                (Rank16, "does not compile: the operand is a matrix"),
            ],
            ..Call::NOTHING
        },
        Call {
            names: &["cov_into", "try_cov_into"],
            verb: "cov",
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [2], done_into!(
                    shape_of(x.try_cov(1)), -1.0, out, x.try_cov_into(1, &mut out), x.cov_into(1, &mut out)
                ))
            },
            expected: |a, _| preallocated(covariances(&a[0], 1.0)),
            cannot: &[
                (WrongShape, "a matrix of any shape"),
                (NotFinite, "whether a sum overflows depends on the order of its terms"),
                (Rank0, "does not compile: the operand is a matrix"),
                (Rank16, "does not compile: the operand is a matrix"),
            ],
            ..Call::NOTHING
        },
        Call {
            names: &["corrcoef", "try_corrcoef"],
            operands: countable,
            run: |o, _| at_rank!(o, x: view, [2], done!(try x.try_corrcoef(), panics x.corrcoef())),
            expected: |a, _| correlations(&a[0]),
            ..OF_ROWS
        },
        Call {
            names: &["corrcoef_into", "try_corrcoef_into"],
            verb: "corrcoef",
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [2], done_into!(
                    shape_of(x.try_corrcoef()), -1.0, out, x.try_corrcoef_into(&mut out), x.corrcoef_into(&mut out)
                ))
            },
            expected: |a, _| preallocated(correlations(&a[0])),
            ..OF_ROWS
        },
        Call {
            names: &["trace", "try_trace"],
            verb: "trace",
            operands: square,
            run: |o, n| at_rank!(o, x: view, [2 16], done!(try x.try_trace(n[0], n[1]), panics x.trace(n[0], n[1]))),
            expected: |a, n| traced(&a[0], n),
            ..AXES
        },
        Call {
            names: &["trace_into", "try_trace_into"],
            verb: "trace",
            operands: square,
            run: |o, n| match o[0].rank() {
                2 => {
                    let x = &o[0].view::<2>();
                    let out = || Tensor::<f64, Rank<0>>::zeros([]);
                    Some(done!(
                        try { let mut out = out(); x.try_trace_into(n[0], n[1], &mut out).map(|()| out) },
                        panics { let mut out = out(); x.trace_into(n[0], n[1], &mut out); out }
                    ))
                }
                16 => {
                    let x = &o[0].view::<16>();
                    let mut shape = [1; 14];
                    let kept: Vec<usize> =
                        (0..16).filter(|axis| !n.contains(axis)).map(|axis| x.shape()[axis]).collect();
                    shape.copy_from_slice(&kept[..14]);
                    let out = || Tensor::<f64, Rank<14>>::zeros(shape);
                    Some(done!(
                        try { let mut out = out(); x.try_trace_into(n[0], n[1], &mut out).map(|()| out) },
                        panics { let mut out = out(); x.trace_into(n[0], n[1], &mut out); out }
                    ))
                }
                _ => None,
            },
            expected: |a, n| traced(&a[0], n),
            ..AXES
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

fn traced(x: &Array, n: &[usize]) -> Outcome {
    let diagonal = diagonal(x, n[0], n[1])?;
    reduce(&diagonal, &[diagonal.shape.len() - 1], false, 8, SUM)
}

/// Reduces one axis into a preallocated output. The output has rank 0 if the operand has rank 1, shape [3] if it has rank 2, and the shape
/// of the result if it has rank 16.
fn reduced_into(o: &[Operand], n: &[usize]) -> Option<Done> {
    match o[0].rank() {
        1 => {
            let (x, axes) = (&o[0].view::<1>(), [n[0]]);
            let out = || Tensor::<f64, Rank<0>>::zeros([]);
            Some(done!(
                try { let mut out = out(); x.try_reduce_into(op::Sum, axes, &mut out).map(|()| out) },
                panics { let mut out = out(); x.reduce_into(op::Sum, axes, &mut out); out }
            ))
        }
        2 => {
            let (x, axes) = (&o[0].view::<2>(), [n[0]]);
            let out = || Tensor::<f64, Rank<1>>::zeros([3]);
            Some(done!(
                try { let mut out = out(); x.try_reduce_into(op::Sum, axes, &mut out).map(|()| out) },
                panics { let mut out = out(); x.reduce_into(op::Sum, axes, &mut out); out }
            ))
        }
        16 => {
            let (x, axes) = (&o[0].view::<16>(), [n[0]]);
            let kept: Vec<usize> =
                (0..16).filter(|axis| !n.contains(axis)).map(|axis| x.shape()[axis]).collect();
            let mut shape = [1; 15];
            shape.copy_from_slice(&kept[..15]);
            let out = || Tensor::<f64, Rank<15>>::zeros(shape);
            Some(done!(
                try { let mut out = out(); x.try_reduce_into(op::Sum, axes, &mut out).map(|()| out) },
                panics { let mut out = out(); x.reduce_into(op::Sum, axes, &mut out); out }
            ))
        }
        _ => None,
    }
}

pub(crate) fn rows() -> Vec<Row> {
    [every_form(), widened(), softmaxes(), otherwise()].into_iter().flatten().collect()
}
