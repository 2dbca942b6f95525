//! Compares statistics, interpolation, products of vectors and similar operations with results of NumPy and SciPy for small, empty and
//! special operands, in `tests/data/statistics.txt`.

use super::table::{Case, Number, Results, Run, Values, check_dynamic_table, check_table};
use vierbein::prelude::*;
use vierbein::{CastTo, ConvolutionMode, DType, DynTensor, DynView, MemoryOrder, c64};

const TABLE: &str = include_str!("../../data/statistics.txt");
const CASES: usize = 2426;

fn tolerance(case: &Case) -> f64 {
    match case.op {
        "cummax" | "cummin" | "ptp" | "max" | "min" | "argmax" | "argmin" | "nanmax" | "nanmin"
        | "nanargmax" | "nanargmin" | "nan_to_num" | "one_hot" => 0.0,
        _ if case.dtype(0) == "f32" => 1e-5,
        _ => 1e-14,
    }
}

fn mode(run: &Run<'_>) -> ConvolutionMode {
    match run.case.arguments[0] {
        "full" => ConvolutionMode::Full,
        "same" => ConvolutionMode::Same,
        _ => ConvolutionMode::Valid,
    }
}

/// Runs a case along one axis of an operand of real numbers.
fn reduce<T: Number + RealScalar, D: RemoveAxes<1>, O: Order>(run: &Run<'_>) -> Option<Results> {
    let memory = run.operand::<T, D, O>(0);
    let (x, axis) = (memory.view::<O>(), || run.argument::<isize>(0));
    Some(match run.case.op {
        "cummax" => x.try_cummax(axis()).map(|x| vec![Values::of(&x)]),
        "cummin" => x.try_cummin(axis()).map(|x| vec![Values::of(&x)]),
        "ptp" => x.try_ptp_axis(axis()).map(|x| vec![Values::of(&x)]),
        _ => return None,
    })
}

/// Runs a case along one axis of an operand of floating-point numbers.
fn real<T: Number + RealFloat + CastTo<T>, D: RemoveAxes<1>, O: Order>(run: &Run<'_>) -> Results {
    if let Some(results) = reduce::<T, D, O>(run) {
        return results;
    }
    let memory = run.operand::<T, D, O>(0);
    let (x, axis) = (memory.view::<O>(), || run.argument::<isize>(0));
    Ok(vec![match run.case.op {
        "nansum" => Values::of(&x.try_nan_sum_axis(axis())?),
        "nanprod" => Values::of(&x.try_nan_prod_axis(axis())?),
        "nanmean" => Values::of(&x.try_nan_mean_axis(axis())?),
        "nanmax" => Values::of(&x.try_nan_max_axis(axis())?),
        "nanmin" => Values::of(&x.try_nan_min_axis(axis())?),
        "nanargmax" => Values::of(&x.try_nan_argmax_axis(axis())?),
        "nanargmin" => Values::of(&x.try_nan_argmin_axis(axis())?),
        "nanvar" => Values::of(&x.try_nan_var_axis(axis(), run.argument(1))?),
        "nanstd" => Values::of(&x.try_nan_std_axis(axis(), run.argument(1))?),
        "nanmedian" => Values::of(&x.try_nan_median_axis(axis())?),
        "trapezoid" => Values::of(&x.try_trapezoid(axis(), T::parse(run.case.arguments[1]))?),
        "softmax" => Values::of(&x.try_softmax(axis())?),
        "log_softmax" => Values::of(&x.try_log_softmax(axis())?),
        "logsumexp" => Values::of(&x.try_logsumexp_axis(axis())?),
        "average" => Values::of(&x.try_average(axis(), run.operand::<T, Rank<1>, O>(1).view())?),
        _ => return elementwise::<T, D, O>(run),
    }])
}

/// Runs a case that computes a result for each element.
fn elementwise<T: Number + RealFloat, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let memory = run.operand::<T, D, O>(0);
    let x = memory.view::<O>();
    Ok(vec![match run.case.op {
        "nan_to_num" => Values::of(&x.try_nan_to_num()?),
        "interp" => {
            let (xp, fp) = (run.operand::<T, Rank<1>, O>(1), run.operand::<T, Rank<1>, O>(2));
            Values::of(&x.try_interp(xp.view(), fp.view())?)
        }
        other => panic!("{other}"),
    }])
}

/// Returns whether a case reduces all elements to one number. The first argument is then `all`.
fn is_of_all_elements(run: &Run<'_>) -> bool {
    run.case.arguments.first() == Some(&"all")
}

/// Runs a case that reduces all elements of an operand of real numbers.
fn all_real<T: Number + RealScalar, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let memory = run.operand::<T, D, O>(0);
    let x = memory.view::<O>();
    Ok(vec![match run.case.op {
        "max" => Values::of(&x.try_max()?),
        "min" => Values::of(&x.try_min()?),
        "argmax" => Values::of(&x.try_argmax()?),
        "argmin" => Values::of(&x.try_argmin()?),
        "sum" => Values::of(&x.try_sum()?),
        "prod" => Values::of(&x.try_prod()?),
        "mean" => Values::of(&x.try_mean()?),
        "var" => Values::of(&x.try_var(run.argument(1))?),
        "std" => Values::of(&x.try_std(run.argument(1))?),
        "norm" => Values::of(&x.try_norm()?),
        "ptp" => Values::of(&x.try_ptp()?),
        other => panic!("{other}"),
    }])
}

/// Runs a case that reduces all elements of an operand of floating-point numbers.
fn all_floats<T: Number + RealFloat, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let memory = run.operand::<T, D, O>(0);
    let x = memory.view::<O>();
    Ok(vec![match run.case.op {
        "nansum" => Values::of(&x.try_nan_sum()?),
        "nanprod" => Values::of(&x.try_nan_prod()?),
        "nanmean" => Values::of(&x.try_nan_mean()?),
        "nanmax" => Values::of(&x.try_nan_max()?),
        "nanmin" => Values::of(&x.try_nan_min()?),
        "nanargmax" => Values::of(&x.try_nan_argmax()?),
        "nanargmin" => Values::of(&x.try_nan_argmin()?),
        "nanvar" => Values::of(&x.try_nan_var(run.argument(1))?),
        "nanstd" => Values::of(&x.try_nan_std(run.argument(1))?),
        "nanmedian" => Values::of(&x.try_nan_median()?),
        "logsumexp" => Values::of(&x.try_logsumexp()?),
        _ => return all_real::<T, D, O>(run),
    }])
}

/// Runs a case that reduces a mask.
fn all_of_mask<D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let memory = run.operand::<bool, D, O>(0);
    let x = memory.view::<O>();
    Ok(vec![match run.case.op {
        "all" => Values::of(&x.try_all()?),
        "any" => Values::of(&x.try_any()?),
        _ => Values::of(&x.try_count()?),
    }])
}

fn all_of_type<D: Dim, O: Order>(run: &Run<'_>) -> Results {
    match run.case.dtype(0) {
        "f64" => all_floats::<f64, D, O>(run),
        "f32" => all_floats::<f32, D, O>(run),
        "i64" => all_real::<i64, D, O>(run),
        "i32" => all_real::<i32, D, O>(run),
        "i16" => all_real::<i16, D, O>(run),
        "i8" => all_real::<i8, D, O>(run),
        "u64" => all_real::<u64, D, O>(run),
        "u32" => all_real::<u32, D, O>(run),
        "u16" => all_real::<u16, D, O>(run),
        "u8" => all_real::<u8, D, O>(run),
        _ => all_of_mask::<D, O>(run),
    }
}

/// Runs a case of a matrix whose rows are variables.
fn variables<T: Number + RealFloat<Magnitude = T>, O: Order>(run: &Run<'_>) -> Results {
    let memory = run.operand::<T, Rank<2>, O>(0);
    let x = memory.view::<O>();
    Ok(vec![match run.case.op {
        "cov" => Values::of(&x.try_cov(run.argument(0))?),
        _ => Values::of(&x.try_corrcoef()?),
    }])
}

/// Runs a case with two operands of numbers.
fn pair<T: Number + Scalar, O: Order>(run: &Run<'_>) -> Results {
    fn cross<T: Number + Scalar, D: Dim + Broadcast<D, Common = D>, O: Order>(run: &Run<'_>) -> Results {
        let (x, y) = (run.operand::<T, D, O>(0), run.operand::<T, D, O>(1));
        Ok(vec![Values::of(&x.view::<O>().try_cross(run.argument::<isize>(0), y.view())?)])
    }
    let line = |k| run.operand::<T, Rank<1>, O>(k);
    Ok(vec![match (run.case.op, run.rank(1)) {
        ("cross", 1) => return cross::<T, Rank<1>, O>(run),
        ("cross", 2) => return cross::<T, Rank<2>, O>(run),
        ("cross", _) => return cross::<T, Rank<3>, O>(run),
        ("convolve", _) => Values::of(&line(0).view::<O>().try_convolve(line(1).view(), mode(run))?),
        ("correlate", _) => Values::of(&line(0).view::<O>().try_correlate(line(1).view(), mode(run))?),
        ("polyval", 0) => {
            Values::of(&line(0).view::<O>().try_polyval(run.operand::<T, Rank<0>, O>(1).view())?)
        }
        ("polyval", 1) => Values::of(&line(0).view::<O>().try_polyval(line(1).view())?),
        ("polyval", _) => {
            Values::of(&line(0).view::<O>().try_polyval(run.operand::<T, Rank<2>, O>(1).view())?)
        }
        (other, _) => panic!("{other}"),
    }])
}

fn of_order<O: Order>(run: &Run<'_>) -> Results {
    let rank = run.rank(0);
    if is_of_all_elements(run) {
        return match rank {
            0 => all_of_type::<Rank<0>, O>(run),
            1 => all_of_type::<Rank<1>, O>(run),
            2 => all_of_type::<Rank<2>, O>(run),
            _ => all_of_type::<Rank<3>, O>(run),
        };
    }
    match (run.case.op, run.case.dtype(0)) {
        ("cov" | "corrcoef", "f64") => variables::<f64, O>(run),
        ("cov" | "corrcoef", _) => variables::<f32, O>(run),
        ("cross" | "convolve" | "correlate" | "polyval", "f64") => pair::<f64, O>(run),
        ("cross" | "convolve" | "correlate" | "polyval", "i64") => pair::<i64, O>(run),
        ("cross" | "convolve" | "correlate" | "polyval", _) => pair::<c64, O>(run),
        ("one_hot", _) if rank == 0 => {
            let label = run.operand::<i64, Rank<0>, O>(0);
            Ok(vec![Values::of(&label.view::<O>().try_one_hot::<f64>(run.argument(0))?)])
        }
        ("one_hot", _) if rank == 1 => {
            let labels = run.operand::<i64, Rank<1>, O>(0);
            Ok(vec![Values::of(&labels.view::<O>().try_one_hot::<f64>(run.argument(0))?)])
        }
        ("one_hot", _) => {
            let labels = run.operand::<i64, Rank<2>, O>(0);
            Ok(vec![Values::of(&labels.view::<O>().try_one_hot::<f64>(run.argument(0))?)])
        }
        (_, "f64") => match rank {
            0 => elementwise::<f64, Rank<0>, O>(run),
            1 => real::<f64, Rank<1>, O>(run),
            2 => real::<f64, Rank<2>, O>(run),
            _ => real::<f64, Rank<3>, O>(run),
        },
        (_, "f32") if rank == 1 => real::<f32, Rank<1>, O>(run),
        (_, "f32") => real::<f32, Rank<2>, O>(run),
        _ if rank == 1 => reduce::<i64, Rank<1>, O>(run).unwrap(),
        _ => reduce::<i64, Rank<2>, O>(run).unwrap(),
    }
}

#[test]
fn statistics_are_those_of_numpy() {
    check_table(TABLE, CASES, 4, tolerance, |run, order| match order {
        MemoryOrder::RowMajor => of_order::<RowMajor>(run),
        MemoryOrder::ColMajor => of_order::<ColMajor>(run),
    });
}

/// Runs a case that reduces all elements of a dynamic tensor.
fn all_dynamic(run: &Run<'_>, x: DynView<'_>) -> Results {
    let found = match run.case.op {
        "max" => x.max()?,
        "min" => x.min()?,
        "argmax" => x.argmax()?,
        "argmin" => x.argmin()?,
        "sum" => x.sum()?,
        "prod" => x.prod()?,
        "mean" => x.mean()?,
        "var" => x.var(run.argument(1))?,
        "std" => x.std(run.argument(1))?,
        "norm" => x.norm()?,
        "ptp" => x.ptp()?,
        "nansum" => x.nan_sum()?,
        "nanprod" => x.nan_prod()?,
        "nanmean" => x.nan_mean()?,
        "nanmax" => x.nan_max()?,
        "nanmin" => x.nan_min()?,
        "nanargmax" => x.nan_argmax()?,
        "nanargmin" => x.nan_argmin()?,
        "nanvar" => x.nan_var(run.argument(1))?,
        "nanstd" => x.nan_std(run.argument(1))?,
        "nanmedian" => x.nan_median()?,
        "logsumexp" => x.logsumexp()?,
        "all" => x.all()?,
        "any" => x.any()?,
        "count" => x.count()?,
        other => panic!("{other}"),
    };
    Ok(vec![Values::of_dynamic(&found)])
}

/// Runs a case with dynamic tensors.
fn dynamic(run: &Run<'_>, x: DynView<'_>, operands: &[DynTensor]) -> Results {
    let second = || &operands[1];
    let axis = || run.argument::<isize>(0);
    if is_of_all_elements(run) {
        return all_dynamic(run, x);
    }
    let found = match run.case.op {
        "cummax" => x.cummax(axis())?,
        "cummin" => x.cummin(axis())?,
        "ptp" => x.ptp_axis(axis())?,
        "nansum" => x.nan_sum_axis(axis())?,
        "nanprod" => x.nan_prod_axis(axis())?,
        "nanmean" => x.nan_mean_axis(axis())?,
        "nanmax" => x.nan_max_axis(axis())?,
        "nanmin" => x.nan_min_axis(axis())?,
        "nanargmax" => x.nan_argmax_axis(axis())?,
        "nanargmin" => x.nan_argmin_axis(axis())?,
        "nanvar" => x.nan_var_axis(axis(), run.argument(1))?,
        "nanstd" => x.nan_std_axis(axis(), run.argument(1))?,
        "nanmedian" => x.nan_median_axis(axis())?,
        "trapezoid" => x.trapezoid(axis(), run.argument::<f64>(1))?,
        "softmax" => x.softmax(axis())?,
        "log_softmax" => x.log_softmax(axis())?,
        "logsumexp" => x.logsumexp_axis(axis())?,
        "average" => x.average(axis(), second())?,
        "nan_to_num" => x.nan_to_num()?,
        "interp" => x.interp(second(), &operands[2])?,
        "cov" => x.cov(run.argument(0))?,
        "corrcoef" => x.corrcoef()?,
        "cross" => x.cross(axis(), second())?,
        "convolve" => x.convolve(second(), mode(run))?,
        "correlate" => x.correlate(second(), mode(run))?,
        "polyval" => x.polyval(second())?,
        "one_hot" => x.one_hot(run.argument(0), DType::F64)?,
        other => panic!("{other}"),
    };
    Ok(vec![Values::of_dynamic(&found)])
}

#[test]
fn statistics_of_dynamic_tensors_are_those_of_numpy() {
    check_dynamic_table(TABLE, CASES, tolerance, dynamic);
}
