//! Rows of the bad-input table (see `bad_input/mod.rs`): reductions, cumulative sums and traces of `DynTensor`.

use super::array::{
    Array, Fold, Outcome, cross, diagonal, diagonal_offset, log_sum, reduce, reject, scan, softmax, zip,
};
use super::array::{
    averages, correlations, covariances, deviation, doubled, interpolated, numbers, parabola, trapezoid,
};
use super::driver::{Call, Hazard::*, Numbers, Row, done};
use super::hazards::{countable, one, square, vectors, weighable};
use super::operand::ToArray;
use super::ordered::gradient;
use super::{all_axes, methods, with, with_mask, with_two};
use vierbein::dyn_tensor::DynReduction;
use vierbein::{ConvolutionMode, DType, DynTensor, EdgeOrder, Interpolation, Rank, Tensor, tensor};

fn extreme(v: &[f64], better: fn(f64, f64) -> bool) -> Option<(usize, f64)> {
    let nan = v.iter().position(|x| x.is_nan()).map(|k| (k, f64::NAN));
    nan.or_else(|| v.iter().copied().enumerate().reduce(|best, x| if better(x.1, best.1) { x } else { best }))
}

fn mean(v: &[f64]) -> f64 {
    v.iter().sum::<f64>() / v.len() as f64
}

fn variance(v: &[f64]) -> f64 {
    let mean = mean(v);
    v.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / v.len() as f64
}

/// Returns the index of the first extremum among the elements that are not NaN.
fn extreme_number(v: &[f64], better: fn(f64, f64) -> bool) -> Option<f64> {
    let numbers = v.iter().copied().enumerate().filter(|(_, x)| !x.is_nan());
    numbers.reduce(|best, x| if better(x.1, best.1) { x } else { best }).map(|(k, _)| k as f64)
}

/// The Euclidean norm, without intermediate overflow.
fn norm(v: &[f64]) -> f64 {
    if v.iter().any(|x| x.is_nan()) { f64::NAN } else { v.iter().fold(0.0, |sum, x| f64::hypot(sum, *x)) }
}

const SUM: Fold = |v| Some(v.iter().sum());

macro_rules! reductions {
    ($($name:ident $axis:ident $axes:ident ($($arg:expr)?) $reduction:expr, $verb:literal $view:ident $bytes:literal, $fold:expr;)*) => {
        vec![$(
            Call {
                names: methods![$name],
                verb: $verb,
                operands: one,
                run: |o, _| $view(&o[0], |x| done!(try x.$name($($arg)?))),
                expected: |a, _| reduce(&a[0], &all_axes(&a[0]), false, $bytes, $fold),
                cannot: &[(WrongShape, "over all axes of any shape")],
                ..Call::NOTHING
            }.into(),
            Call {
                names: methods![$axis $axes],
                verb: $verb,
                operands: one,
                numbers: Numbers::Axis,
                run: |o, n| $view(&o[0], |x| {
                    // Reduces one axis by four methods, which must agree, such as `sum_axis`, `sum_axes`, `reduce_keepdims` and `reduce`.
                    done!(try x.$axis(n[0] $(, $arg)?).and_then(|gone| {
                        let kept = x.reduce_keepdims($reduction, n[0])?;
                        assert!(kept.reshape(gone.shape())?.array().is(&x.reduce($reduction, n)?.array()));
                        assert!(x.$axes(n $(, $arg)?)?.array().is(&gone.array()));
                        Ok(gone)
                    }))
                }),
                expected: |a, n| {
                    // The results with and without `keepdims` need the same memory, so one expected outcome suffices for both.
                    reduce(&a[0], n, false, $bytes, $fold)
                },
                ..Call::NOTHING
            }.into(),
        )*]
    };
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = reductions! {
        sum sum_axis sum_axes () DynReduction::Sum, "sum" with 8, SUM;
        prod prod_axis prod_axes () DynReduction::Prod, "product" with 8, |v| Some(v.iter().product());
        mean mean_axis mean_axes () DynReduction::Mean, "mean" with 8, |v| Some(mean(v));
        var var_axis var_axes (0) DynReduction::Var { ddof: 0 }, "variance" with 8, |v| Some(variance(v));
        std std_axis std_axes (0) DynReduction::Std { ddof: 0 }, "deviation" with 8, |v| Some(deviation(v, variance));
        max max_axis max_axes () DynReduction::Max, "maximum" with 8, |v| extreme(v, |a, b| a > b).map(|(_, x)| x);
        min min_axis min_axes () DynReduction::Min, "minimum" with 8, |v| extreme(v, |a, b| a < b).map(|(_, x)| x);
        argmax argmax_axis argmax_axes () DynReduction::ArgMax, "maximum" with 8, |v| extreme(v, |a, b| a > b).map(|(k, _)| k as f64);
        argmin argmin_axis argmin_axes () DynReduction::ArgMin, "minimum" with 8, |v| extreme(v, |a, b| a < b).map(|(k, _)| k as f64);
        norm norm_axis norm_axes () DynReduction::Norm, "norm" with 8, |v| Some(norm(v));
        ptp ptp_axis ptp_axes () DynReduction::PeakToPeak, "range" with 8,
            |v| Some(extreme(v, |a, b| a > b)?.1 - extreme(v, |a, b| a < b)?.1);
        nan_sum nan_sum_axis nan_sum_axes () DynReduction::NanSum, "sum without NaN" with 8, |v| Some(numbers(v).iter().sum());
        nan_mean nan_mean_axis nan_mean_axes () DynReduction::NanMean, "mean without NaN" with 8, |v| Some(mean(&numbers(v)));
        nan_max nan_max_axis nan_max_axes () DynReduction::NanMax, "maximum without NaN" with 8, |v| v.iter().copied().reduce(f64::max);
        nan_min nan_min_axis nan_min_axes () DynReduction::NanMin, "minimum without NaN" with 8, |v| v.iter().copied().reduce(f64::min);
        nan_prod nan_prod_axis nan_prod_axes () DynReduction::NanProd, "product without NaN" with 8, |v| Some(numbers(v).iter().product());
        nan_var nan_var_axis nan_var_axes (0) DynReduction::NanVar { ddof: 0 }, "variance without NaN" with 8, |v| Some(variance(&numbers(v)));
        nan_std nan_std_axis nan_std_axes (0) DynReduction::NanStd { ddof: 0 }, "deviation without NaN" with 8, |v| Some(deviation(&numbers(v), variance));
        nan_argmax nan_argmax_axis nan_argmax_axes () DynReduction::NanArgMax, "maximum without NaN" with 8, |v| extreme_number(v, |a, b| a > b);
        nan_argmin nan_argmin_axis nan_argmin_axes () DynReduction::NanArgMin, "minimum without NaN" with 8, |v| extreme_number(v, |a, b| a < b);
        all all_axis all_axes () DynReduction::All, "all" with_mask 1, |v| Some(f64::from(v.iter().all(|&x| x > 0.0)));
        any any_axis any_axes () DynReduction::Any, "any" with_mask 1, |v| Some(f64::from(v.iter().any(|&x| x > 0.0)));
        count count_axis count_axes () DynReduction::Count, "count" with_mask 8, |v| Some(v.iter().filter(|&&x| x > 0.0).count() as f64);
    };
    let calls = [
        Call {
            names: methods![reduce],
            verb: "sum",
            operands: one,
            run: |o, _| with(&o[0], |x| done!(try x.reduce(DynReduction::Sum, ..))),
            expected: |a, _| reduce(&a[0], &all_axes(&a[0]), false, 8, SUM),
            cannot: &[(WrongShape, "over all axes of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![reduce_keepdims],
            verb: "sum",
            operands: one,
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.reduce_keepdims(DynReduction::Sum, n))),
            expected: |a, n| reduce(&a[0], n, true, 8, SUM),
            ..Call::NOTHING
        },
        Call {
            names: methods![cross],
            verb: "cross",
            operands: vectors,
            run: |o, _| with_two(o, |a, b| done!(try a.cross(-1, b))),
            expected: |a, _| cross(&a[0], &a[1]),
            ..Call::NOTHING
        },
        Call {
            names: methods![softmax],
            verb: "softmax",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.softmax(n[0]))),
            expected: |a, n| softmax(&a[0], n, false),
            ..Call::NOTHING
        },
        Call {
            names: methods![log_softmax],
            verb: "log_softmax",
            operands: one,
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.log_softmax(n))),
            expected: |a, n| softmax(&a[0], n, true),
            ..Call::NOTHING
        },
        Call {
            names: methods![logsumexp],
            verb: "logsumexp",
            operands: one,
            run: |o, _| with(&o[0], |x| done!(try x.logsumexp())),
            expected: |a, _| log_sum(&a[0], &all_axes(&a[0]), false),
            cannot: &[(WrongShape, "over all axes of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![logsumexp_axis],
            verb: "logsumexp",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.logsumexp_axis(n[0]))),
            expected: |a, n| log_sum(&a[0], n, false),
            ..Call::NOTHING
        },
        Call {
            names: methods![logsumexp_axes],
            verb: "logsumexp",
            operands: one,
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.logsumexp_axes(n))),
            expected: |a, n| log_sum(&a[0], n, false),
            ..Call::NOTHING
        },
        Call {
            names: methods![logsumexp_keepdims],
            verb: "logsumexp",
            operands: one,
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.logsumexp_keepdims(n))),
            expected: |a, n| log_sum(&a[0], n, true),
            ..Call::NOTHING
        },
        Call {
            names: methods![cumsum],
            verb: "accumulate",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.cumsum(n[0]))),
            expected: |a, n| scan(&a[0], n[0], SUM),
            ..Call::NOTHING
        },
        Call {
            names: methods![cumprod],
            verb: "accumulate",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.cumprod(n[0]))),
            expected: |a, n| scan(&a[0], n[0], |v| Some(v.iter().product())),
            ..Call::NOTHING
        },
        Call {
            names: methods![nan_cumsum],
            verb: "accumulate",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.nan_cumsum(n[0]))),
            expected: |a, n| {
                let numbers = Array {
                    step: None,
                    shape: a[0].shape.clone(),
                    data: a[0].data.iter().map(|&x| if x.is_nan() { 0.0 } else { x }).collect(),
                };
                scan(&numbers, n[0], SUM)
            },
            ..Call::NOTHING
        },
        Call {
            names: methods![nan_cumprod],
            verb: "accumulate",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.nan_cumprod(n[0]))),
            expected: |a, n| {
                let numbers = Array {
                    step: None,
                    shape: a[0].shape.clone(),
                    data: a[0].data.iter().map(|&x| if x.is_nan() { 1.0 } else { x }).collect(),
                };
                scan(&numbers, n[0], |v| Some(v.iter().product()))
            },
            ..Call::NOTHING
        },
        Call {
            names: methods![cummax],
            verb: "accumulate",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.cummax(n[0]))),
            expected: |a, n| scan(&a[0], n[0], |v| extreme(v, |a, b| a > b).map(|(_, x)| x)),
            ..Call::NOTHING
        },
        Call {
            names: methods![cummin],
            verb: "accumulate",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.cummin(n[0]))),
            expected: |a, n| scan(&a[0], n[0], |v| extreme(v, |a, b| a < b).map(|(_, x)| x)),
            ..Call::NOTHING
        },
        Call {
            names: methods![trapezoid],
            verb: "trapezoid",
            operands: countable,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.trapezoid(n[0], 0.5))),
            expected: |a, n| reduce(&a[0], n, false, 8, |v| Some(trapezoid(v))),
            ..Call::NOTHING
        },
        Call {
            names: methods![gradient],
            verb: "gradient",
            operands: countable,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.gradient(n[0], 0.5, EdgeOrder::First))),
            expected: |a, n| gradient(&a[0], n[0]),
            ..Call::NOTHING
        },
        Call {
            names: methods![interp_with],
            verb: "interpolate",
            operands: one,
            run: |o, _| {
                let (xp, fp) = (tensor![-1.0, 0.5, 2.0], tensor![3.0, -1.0, 4.0]);
                let options = Interpolation::new().left(3.0).right(4.0);
                with(&o[0], |x| done!(try x.interp_with(&xp, &fp, options)))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| interpolated(v[0])),
            cannot: &[(WrongShape, "elements of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![interp],
            verb: "interpolate",
            operands: one,
            run: |o, _| {
                let (xp, fp) = (tensor![-1.0, 0.5, 2.0], tensor![3.0, -1.0, 4.0]);
                with(&o[0], |x| done!(try x.interp(&xp, &fp)))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| interpolated(v[0])),
            cannot: &[(WrongShape, "elements of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![average],
            verb: "average",
            operands: weighable,
            numbers: Numbers::Axis,
            run: |o, n| {
                with(&o[0], |x| {
                    let extent = x.shape().get(n[0]).copied().unwrap_or(1);
                    let weights = Tensor::<f64, Rank<1>>::from_fn([extent], |[k]| k as f64 + 1.0);
                    done!(try x.average(n[0], &weights))
                })
            },
            expected: |a, n| averages(&a[0], n[0]),
            cannot: &[(HugeExtents, "the weights of such an axis are too many")],
        },
        Call {
            names: methods![polyval],
            verb: "polyval",
            operands: one,
            run: |o, _| {
                let p = DynTensor::from(tensor![2.0, 0.0, -3.0]);
                with(&o[0], |x| done!(try p.polyval(x.view())))
            },
            expected: |a, _| zip(&[&a[0]], 8, |v| parabola(v[0])),
            cannot: &[(WrongShape, "elements of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![convolve],
            verb: "convolve",
            operands: one,
            run: |o, _| {
                with(&o[0], |x| {
                    let kernel = DynTensor::from_vec(&vec![1; x.rank()], vec![2.0], x.order()).unwrap();
                    done!(try x.convolve(&kernel, ConvolutionMode::Full))
                })
            },
            expected: |a, _| doubled(&a[0]),
            cannot: &[(WrongShape, "a tensor of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![correlate],
            verb: "correlate",
            operands: one,
            run: |o, _| {
                with(&o[0], |x| {
                    let kernel = DynTensor::from_vec(&vec![1; x.rank()], vec![2.0], x.order()).unwrap();
                    done!(try x.correlate(&kernel, ConvolutionMode::Same))
                })
            },
            expected: |a, _| doubled(&a[0]),
            cannot: &[(WrongShape, "a tensor of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![cov],
            verb: "cov",
            operands: countable,
            run: |o, _| with(&o[0], |x| done!(try x.cov(1))),
            expected: |a, _| {
                if a[0].shape.len() == 2 { covariances(&a[0], 1.0) } else { reject("UnsupportedRank") }
            },
            cannot: &[(NotFinite, "whether a sum overflows depends on the order of its terms")],
            ..Call::NOTHING
        },
        Call {
            names: methods![corrcoef],
            verb: "corrcoef",
            operands: countable,
            run: |o, _| with(&o[0], |x| done!(try x.corrcoef())),
            expected: |a, _| {
                if a[0].shape.len() == 2 { correlations(&a[0]) } else { reject("UnsupportedRank") }
            },
            ..Call::NOTHING
        },
        Call {
            names: methods![trace_offset],
            verb: "trace",
            operands: square,
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.trace_offset(n[0], n[1], 1))),
            expected: |a, n| {
                if a[0].shape.len() < 2 {
                    return reject("UnsupportedRank");
                }
                let diagonal = diagonal_offset(&a[0], n[0], n[1], 1)?;
                reduce(&diagonal, &[diagonal.shape.len() - 1], false, 8, SUM)
            },
            ..Call::NOTHING
        },
        Call {
            names: methods![sum_as],
            verb: "sum",
            operands: one,
            run: |o, _| with(&o[0], |x| done!(try x.sum_as(DType::F64))),
            expected: |a, _| reduce(&a[0], &all_axes(&a[0]), false, 8, SUM),
            cannot: &[(WrongShape, "over all axes of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![sum_axis_as],
            verb: "sum",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.sum_axis_as(n[0], DType::F64))),
            expected: |a, n| reduce(&a[0], n, false, 8, SUM),
            ..Call::NOTHING
        },
        Call {
            names: methods![prod_as],
            verb: "product",
            operands: one,
            run: |o, _| with(&o[0], |x| done!(try x.prod_as(DType::F64))),
            expected: |a, _| reduce(&a[0], &all_axes(&a[0]), false, 8, |v| Some(v.iter().product())),
            cannot: &[(WrongShape, "over all axes of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: methods![prod_axis_as],
            verb: "product",
            operands: one,
            numbers: Numbers::Axis,
            run: |o, n| with(&o[0], |x| done!(try x.prod_axis_as(n[0], DType::F64))),
            expected: |a, n| reduce(&a[0], n, false, 8, |v| Some(v.iter().product())),
            ..Call::NOTHING
        },
        Call {
            names: methods![trace_as],
            verb: "trace",
            operands: square,
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.trace_as(n[0], n[1], DType::F64))),
            expected: |a, n| {
                let diagonal = on_diagonal(&a[0], n)?;
                reduce(&diagonal, &[diagonal.shape.len() - 1], false, 8, SUM)
            },
            ..Call::NOTHING
        },
        Call {
            names: methods![trace],
            verb: "trace",
            operands: square,
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.trace(n[0], n[1]))),
            expected: |a, n| {
                let diagonal = on_diagonal(&a[0], n)?;
                reduce(&diagonal, &[diagonal.shape.len() - 1], false, 8, SUM)
            },
            ..Call::NOTHING
        },
    ];
    rows.extend(calls.into_iter().map(Row::from));
    rows
}

/// Returns the diagonal. For rank 0 and 1, returns `UnsupportedRank`.
pub(crate) fn on_diagonal(x: &Array, n: &[usize]) -> Outcome {
    if x.shape.len() < 2 { reject("UnsupportedRank") } else { diagonal(x, n[0], n[1]) }
}
