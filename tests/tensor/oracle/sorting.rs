//! Compares sorts, medians, searches, sets and counts with NumPy's results in `tests/data/sorting.txt`.

use super::ordering::METHODS;
use super::table::{Case, Number, Results, Run, Values, check_dynamic_table, check_table};
use vierbein::prelude::*;
use vierbein::{Bins, DynTensor, DynView, MemoryOrder, Ordered, Quantile, Side};

const TABLE: &str = include_str!("../../data/sorting.txt");
const CASES: usize = 4127;

/// Returns the tolerance for the results of a case. Of the results, only medians, quantiles and edges are rounded.
fn tolerance(case: &Case) -> f64 {
    match case.op {
        "median" | "median_axis" | "quantile" | "nanquantile" => {
            if case.dtype(0) == "f32" {
                1e-6
            } else {
                1e-15
            }
        }
        "histogram" => 1e-15,
        _ => 0.0,
    }
}

fn side(run: &Run<'_>) -> Side {
    if run.case.arguments[0] == "left" { Side::Left } else { Side::Right }
}

fn method(run: &Run<'_>) -> Quantile {
    METHODS.iter().find(|(name, _)| *name == run.case.arguments[2]).expect("a method").1
}

/// Runs a case with one operand, of rank `D`.
fn sort<T: Number + Ordered, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let memory = run.operand::<T, D, O>(0);
    let x = memory.view::<O>();
    let axis = || run.argument::<isize>(0);
    Ok(match run.case.op {
        "sort" => vec![Values::of(&x.try_sort(axis())?)],
        "argsort" => vec![Values::of(&x.try_argsort(axis())?)],
        "sort_descending" => vec![Values::of(&x.try_sort_descending(axis())?)],
        "argsort_descending" => vec![Values::of(&x.try_argsort_descending(axis())?)],
        "top_k" => {
            let (values, indices) = x.try_top_k(axis(), run.argument(1))?;
            vec![Values::of(&values), Values::of(&indices)]
        }
        "unique" => {
            let found = x.try_unique_with()?;
            let values = Values::of(&found.values);
            assert_eq!(Values::of(&x.unique()), values);
            let (only_values, counts) = x.unique_counts();
            assert_eq!(
                (Values::of(&only_values), Values::of(&counts)),
                (values.clone(), Values::of(&found.counts))
            );
            vec![values, Values::of(&found.first), Values::of(&found.inverse), Values::of(&found.counts)]
        }
        other => panic!("{other}"),
    })
}

fn partition<T: Number + Ordered, D: RemoveAxes<1>, O: Order>(run: &Run<'_>) -> Results {
    let (axis, k) = (run.argument::<isize>(0), run.argument::<isize>(1));
    let parts = run.operand::<T, D, O>(0).view::<O>().try_partition(axis, k)?;
    // The order of the elements on each side is unspecified.
    let (left, right) = parts.split_at(axis, k);
    let sorted = concatenate(axis, [&left.sort(axis), &right.sort(axis)]);
    Ok(vec![Values::of(&parts.index_axis(axis, k)), Values::of(&sorted)])
}

/// Runs a case of `median`, `median_axis` or `quantile`.
fn quantile<T: Number + RealScalar, D: RemoveAxes<1>, O: Order>(run: &Run<'_>) -> Results {
    let memory = run.operand::<T, D, O>(0);
    let (x, axis) = (memory.view::<O>(), || run.argument::<isize>(0));
    Ok(vec![match run.case.op {
        "median" => Values::of(&x.try_median()?),
        "median_axis" => Values::of(&x.try_median_axis(axis())?),
        _ => Values::of(&x.try_quantile(axis(), run.argument::<f64>(1), method(run))?),
    }])
}

fn nan_quantile<T: Number + RealFloat, D: RemoveAxes<1>, O: Order>(run: &Run<'_>) -> Results {
    let x = run.operand::<T, D, O>(0);
    let (axis, level) = (run.argument::<isize>(0), run.argument::<f64>(1));
    Ok(vec![Values::of(&x.view::<O>().try_nan_quantile(axis, level, method(run))?)])
}

/// Runs a case with two operands, of ranks `D` and `E`.
fn compare<T: Number + Ordered, D: Dim, E: Dim, O: Order>(run: &Run<'_>) -> Results {
    let (x, y) = (run.operand::<T, D, O>(0), run.operand::<T, E, O>(1));
    let (x, y) = (x.view::<O>(), y.view::<O>());
    Ok(vec![match run.case.op {
        "isin" => Values::of(&x.try_isin(y)?),
        "set_union" => Values::of(&x.try_set_union(y)?),
        "set_intersection" => Values::of(&x.try_set_intersection(y)?),
        "set_difference" => Values::of(&x.try_set_difference(y)?),
        other => panic!("{other}"),
    }])
}

/// Runs a case of `searchsorted` or `digitize` with the sorted elements `line` and elements of rank `D`.
fn search<T: Number + Ordered, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    Ok(vec![if run.case.op == "searchsorted" {
        let (line, x) = (run.operand::<T, Rank<1>, O>(0), run.operand::<T, D, O>(1));
        Values::of(&line.view::<O>().try_searchsorted(x.view(), side(run))?)
    } else {
        let (x, line) = (run.operand::<T, D, O>(0), run.operand::<T, Rank<1>, O>(1));
        Values::of(&x.view::<O>().try_digitize(line.view(), side(run))?)
    }])
}

/// Returns the arguments of a histogram after the kind of its bins.
fn numbers(run: &Run<'_>) -> Vec<f64> {
    (1..run.case.arguments.len()).map(|k| run.argument(k)).collect()
}

fn bins<'a>(run: &Run<'_>, numbers: &'a [f64]) -> Bins<'a> {
    match run.case.arguments[0] {
        "count" => Bins::Count(numbers[0] as usize),
        "range" => Bins::Range(numbers[0] as usize, numbers[1]..=numbers[2]),
        _ => Bins::Edges(numbers),
    }
}

fn histogram<T: Number + RealScalar, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let (x, weights, numbers) = (run.operand::<T, D, O>(0), run.operand::<f64, D, O>(1), numbers(run));
    let (counts, edges) = x.view::<O>().try_histogram(bins(run, &numbers))?;
    let (sums, _) = x.view::<O>().try_histogram_weighted(bins(run, &numbers), weights.view())?;
    Ok(vec![Values::of(&counts), Values::of(&sums), Values::of(&edges)])
}

fn count<T: Number + RealScalar + vierbein::Bits, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let x = run.operand::<T, D, O>(0);
    let (x, least) = (x.view::<O>(), run.argument(0));
    Ok(vec![if run.case.op == "bincount" {
        Values::of(&x.try_bincount(least)?)
    } else {
        Values::of(&x.try_bincount_weighted(least, run.operand::<f64, D, O>(1).view())?)
    }])
}

/// Runs a case of an operation that needs only an order of the elements.
fn ordered<T: Number + Ordered, O: Order>(run: &Run<'_>) -> Results {
    match (run.case.op, run.rank(0), run.rank(1)) {
        ("isin" | "set_union" | "set_intersection" | "set_difference", a, b) => match (a, b) {
            (0, 0) => compare::<T, Rank<0>, Rank<0>, O>(run),
            (0, 1) => compare::<T, Rank<0>, Rank<1>, O>(run),
            (0, _) => compare::<T, Rank<0>, Rank<2>, O>(run),
            (1, 0) => compare::<T, Rank<1>, Rank<0>, O>(run),
            (1, 1) => compare::<T, Rank<1>, Rank<1>, O>(run),
            (1, _) => compare::<T, Rank<1>, Rank<2>, O>(run),
            (_, 0) => compare::<T, Rank<2>, Rank<0>, O>(run),
            (_, 1) => compare::<T, Rank<2>, Rank<1>, O>(run),
            _ => compare::<T, Rank<2>, Rank<2>, O>(run),
        },
        // One operand has rank 1.
        ("searchsorted" | "digitize", a, b) => match a + b - 1 {
            0 => search::<T, Rank<0>, O>(run),
            1 => search::<T, Rank<1>, O>(run),
            _ => search::<T, Rank<2>, O>(run),
        },
        ("lexsort", ..) => Ok(vec![Values::of(&run.operand::<T, Rank<2>, O>(0).view::<O>().try_lexsort()?)]),
        ("partition", 1, _) => partition::<T, Rank<1>, O>(run),
        ("partition", 2, _) => partition::<T, Rank<2>, O>(run),
        ("partition", ..) => partition::<T, Rank<3>, O>(run),
        (_, 0, _) => sort::<T, Rank<0>, O>(run),
        (_, 1, _) => sort::<T, Rank<1>, O>(run),
        (_, 2, _) => sort::<T, Rank<2>, O>(run),
        _ => sort::<T, Rank<3>, O>(run),
    }
}

fn of_type<T: Number + RealScalar, O: Order>(run: &Run<'_>) -> Results {
    match (run.case.op, run.rank(0)) {
        ("histogram", 0) => histogram::<T, Rank<0>, O>(run),
        ("histogram", 1) => histogram::<T, Rank<1>, O>(run),
        ("histogram", _) => histogram::<T, Rank<2>, O>(run),
        ("median", 0) => Ok(vec![Values::of(&run.operand::<T, Rank<0>, O>(0).view::<O>().try_median()?)]),
        ("median" | "median_axis" | "quantile", 1) => quantile::<T, Rank<1>, O>(run),
        ("median" | "median_axis" | "quantile", 2) => quantile::<T, Rank<2>, O>(run),
        ("median" | "median_axis" | "quantile", _) => quantile::<T, Rank<3>, O>(run),
        _ => ordered::<T, O>(run),
    }
}

fn count_of_rank<T: Number + RealScalar + vierbein::Bits, O: Order>(run: &Run<'_>) -> Results {
    match run.rank(0) {
        0 => count::<T, Rank<0>, O>(run),
        1 => count::<T, Rank<1>, O>(run),
        2 => count::<T, Rank<2>, O>(run),
        _ => count::<T, Rank<3>, O>(run),
    }
}

fn of_order<O: Order>(run: &Run<'_>) -> Results {
    match (run.case.op, run.case.dtype(0)) {
        ("bincount" | "bincount_weighted", "i64") => count_of_rank::<i64, O>(run),
        ("bincount" | "bincount_weighted", _) => count_of_rank::<i32, O>(run),
        ("nanquantile", "f64") if run.rank(0) == 1 => nan_quantile::<f64, Rank<1>, O>(run),
        ("nanquantile", "f64") => nan_quantile::<f64, Rank<2>, O>(run),
        ("nanquantile", _) => nan_quantile::<f32, Rank<1>, O>(run),
        (_, "f64") => of_type::<f64, O>(run),
        (_, "f32") => of_type::<f32, O>(run),
        (_, "i64") => of_type::<i64, O>(run),
        (_, "i32") => of_type::<i32, O>(run),
        (_, "i16") => of_type::<i16, O>(run),
        (_, "i8") => of_type::<i8, O>(run),
        (_, "u64") => of_type::<u64, O>(run),
        (_, "u32") => of_type::<u32, O>(run),
        (_, "u16") => of_type::<u16, O>(run),
        (_, "u8") => of_type::<u8, O>(run),
        _ => ordered::<bool, O>(run),
    }
}

#[test]
fn sorted_elements_are_those_of_numpy() {
    check_table(TABLE, CASES, 4, tolerance, |run, order| match order {
        MemoryOrder::RowMajor => of_order::<RowMajor>(run),
        MemoryOrder::ColMajor => of_order::<ColMajor>(run),
    });
}

/// Runs a case with dynamic tensors.
fn dynamic(run: &Run<'_>, x: DynView<'_>, operands: &[DynTensor]) -> Results {
    let second = || &operands[1];
    let axis = || run.argument::<isize>(0);
    let found = match run.case.op {
        "sort" => vec![x.sort(axis())?],
        "argsort" => vec![x.argsort(axis())?],
        "sort_descending" => vec![x.sort_descending(axis())?],
        "argsort_descending" => vec![x.argsort_descending(axis())?],
        "top_k" => <[_; 2]>::from(x.top_k(axis(), run.argument(1))?).into(),
        "partition" => {
            let k: isize = run.argument(1);
            let parts = x.partition(axis(), k)?;
            let [left, right] = &parts.split_at_each(axis(), &[k])?[..] else { panic!("two parts") };
            let sorted = [left.sort(axis())?, right.sort(axis())?];
            let sorted = vierbein::dyn_tensor::concatenate(axis(), &[&sorted[0], &sorted[1]])?;
            vec![parts.index_axis(axis(), k)?.to_owned()?, sorted]
        }
        "median" => vec![x.median()?],
        "median_axis" => vec![x.median_axis(axis())?],
        "quantile" => vec![x.quantile(axis(), run.argument(1), method(run))?],
        "nanquantile" => vec![x.nan_quantile(axis(), run.argument(1), method(run))?],
        "unique" => {
            let found = x.unique_with()?;
            vec![found.values, found.first, found.inverse, found.counts]
        }
        "isin" => vec![x.isin(second())?],
        "set_union" => vec![x.set_union(second())?],
        "set_intersection" => vec![x.set_intersection(second())?],
        "set_difference" => vec![x.set_difference(second())?],
        "searchsorted" => vec![x.searchsorted(second(), side(run))?],
        "digitize" => vec![x.digitize(second(), side(run))?],
        "lexsort" => vec![x.lexsort()?],
        "histogram" => {
            let numbers = numbers(run);
            let (counts, edges) = x.histogram(bins(run, &numbers))?;
            let (sums, _) = x.histogram_weighted(bins(run, &numbers), second())?;
            vec![counts, sums, edges]
        }
        "bincount" => vec![x.bincount(run.argument(0))?],
        "bincount_weighted" => vec![x.bincount_weighted(run.argument(0), second())?],
        other => panic!("{other}"),
    };
    Ok(found.iter().map(Values::of_dynamic).collect())
}

#[test]
fn sorted_elements_of_dynamic_tensors_are_those_of_numpy() {
    check_dynamic_table(TABLE, CASES, tolerance, dynamic);
}
