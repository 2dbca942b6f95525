//! Naive reference implementations of sorting, selection, sets and histograms. The bad-input tables of typed and of dynamic tensors use
//! them.

use super::array::{Array, Outcome, Rejection, allocated, indices, reject};
use super::driver::Hazard;
use super::operand::HUGE;
use std::cmp::Ordering;

/// Compares numbers. NaN is equal to NaN and greater than all numbers, and −0.0 equals 0.0.
pub(crate) fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Returns the indices that sort a line, with NaN last in both directions.
pub(crate) fn order(line: &[f64], descending: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..line.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (line[a], line[b]);
        if descending && !a.is_nan() && !b.is_nan() { compare(b, a) } else { compare(a, b) }
    });
    order
}

pub(crate) fn sorted(line: &[f64], descending: bool) -> Vec<f64> {
    order(line, descending).into_iter().map(|i| line[i]).collect()
}

pub(crate) fn places(line: &[f64], descending: bool) -> Vec<f64> {
    order(line, descending).into_iter().map(|i| i as f64).collect()
}

fn check_axis(x: &Array, axis: usize) -> Result<(), Rejection> {
    if axis < x.shape.len() { Ok(()) } else { reject("AxisOutOfRange") }
}

fn line_at(x: &Array, index: &[usize], axis: usize) -> Vec<f64> {
    let mut index = index.to_vec();
    (0..x.shape[axis])
        .map(|k| {
            index[axis] = k;
            x.at(&index)
        })
        .collect()
}

/// Replaces each line along an axis by the first `len` values that `f` returns for it.
fn lines(x: &Array, axis: usize, len: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Array {
    let mut shape = x.shape.clone();
    shape[axis] = len;
    Array::from_fn(&shape, |index| f(&line_at(x, index, axis))[index[axis]])
}

/// Replaces each line along an axis by the line of the same length that `f` returns for it.
pub(crate) fn along(x: &Array, axis: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Outcome {
    check_axis(x, axis)?;
    allocated(&x.shape, 8)?;
    Ok(lines(x, axis, x.shape[axis], f))
}

/// Returns the least element of each line, which is at index 0 after a partition with `k` = 0.
pub(crate) fn least(x: &Array, axis: usize) -> Outcome {
    check_axis(x, axis)?;
    if x.shape[axis] == 0 {
        return reject("IndexOutOfBounds");
    }
    allocated(&x.shape, 8)?;
    let mut least = lines(x, axis, 1, |line| sorted(line, false));
    least.shape.remove(axis);
    Ok(least)
}

/// Returns the greatest element of each line and its index, as `top_k` does for `k` = 1.
pub(crate) fn greatest(x: &Array, axis: usize) -> Outcome {
    first(x, axis, true)
}

pub(crate) fn smallest(x: &Array, axis: usize) -> Outcome {
    first(x, axis, false)
}

/// Returns the first element of each line in sorted order, and its index.
fn first(x: &Array, axis: usize, descending: bool) -> Outcome {
    check_axis(x, axis)?;
    if x.shape[axis] == 0 {
        return reject("Argument");
    }
    if allocated(&x.shape, 8).is_err() {
        return Err(Rejection::Untried);
    }
    Ok(lines(x, axis, 1, |line| sorted(line, descending))
        .and(&lines(x, axis, 1, |line| places(line, descending))))
}

pub(crate) fn median(line: &[f64]) -> Option<f64> {
    let n = line.len();
    let line = sorted(line, false);
    match n {
        0 => None,
        _ if line[n - 1].is_nan() => Some(f64::NAN),
        _ => {
            let (a, b) = (line[(n - 1) / 2], line[n / 2]);
            Some(if a == b { a } else { a / 2.0 + b / 2.0 })
        }
    }
}

/// Returns the median of the elements that are not NaN; NaN if there are only NaN.
pub(crate) fn nan_median(line: &[f64]) -> Option<f64> {
    let numbers: Vec<f64> = line.iter().copied().filter(|x| !x.is_nan()).collect();
    if line.is_empty() { None } else { Some(median(&numbers).unwrap_or(f64::NAN)) }
}

/// Returns the maximum of the elements that are not NaN; NaN if there are only NaN.
pub(crate) fn nan_maximum(line: &[f64]) -> Option<f64> {
    let numbers = line.iter().copied().filter(|x| !x.is_nan());
    if line.is_empty() { None } else { Some(numbers.reduce(f64::max).unwrap_or(f64::NAN)) }
}

/// Returns the distinct slices along an axis, in lexicographic order.
pub(crate) fn unique_slices(x: &Array, axis: usize) -> Outcome {
    check_axis(x, axis)?;
    allocated(&[x.shape[axis]], 8)?;
    allocated(&x.shape, 8)?;
    if x.shape.contains(&0) {
        // All slices are empty, or there is none.
        let mut shape = x.shape.clone();
        shape[axis] = shape[axis].min(1);
        return Ok(Array::from_fn(&shape, |_| 0.0));
    }
    let mut others = x.shape.clone();
    others[axis] = 1;
    let others = indices(&others);
    let mut slices: Vec<Vec<f64>> = (0..x.shape[axis])
        .map(|k| {
            let element = |index: &Vec<usize>| {
                let mut index = index.clone();
                index[axis] = k;
                x.at(&index)
            };
            others.iter().map(element).collect()
        })
        .collect();
    let order = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).map(|(a, b)| compare(*a, *b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    slices.sort_by(|a, b| order(a, b));
    slices.dedup_by(|a, b| order(a, b).is_eq());
    let mut shape = x.shape.clone();
    shape[axis] = slices.len();
    Ok(Array::from_fn(&shape, |index| {
        let mut at = index.to_vec();
        at[axis] = 0;
        let place = others.iter().position(|other| *other == at).expect("an index of the other axes");
        slices[index[axis]][place]
    }))
}

/// Returns the distinct elements, in ascending order.
pub(crate) fn unique(x: &Array) -> Outcome {
    allocated(&x.shape, 8)?;
    let mut values = sorted(&x.data, false);
    values.dedup_by(|a, b| compare(*a, *b).is_eq());
    Ok(Array::line(values))
}

/// Returns the indices that sort the columns. The last row is the primary key; ties are resolved by the row before it, and so on.
pub(crate) fn lexsort(x: &Array) -> Outcome {
    let &[rows, n] = &x.shape[..] else { return reject("UnsupportedRank") };
    allocated(&[n], 8)?;
    allocated(&x.shape, 8)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| {
        let by = |row: usize| compare(x.at(&[row, a]), x.at(&[row, b]));
        (0..rows).rev().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    Ok(Array::line(order.into_iter().map(|i| i as f64).collect()))
}

/// Returns the distinct elements of the first operand or, if `both`, of both operands.
fn united(x: &Array, y: &Array, both: bool) -> Outcome {
    allocated(&x.shape, 8)?;
    allocated(&y.shape, 8)?;
    let data = [&x.data[..], if both { &y.data } else { &[] }].concat();
    unique(&Array::line(data))
}

pub(crate) fn set_union(x: &Array, y: &Array) -> Outcome {
    united(x, y, true)
}

pub(crate) fn set_intersection(x: &Array, y: &Array) -> Outcome {
    let values = united(x, y, false)?.data;
    Ok(Array::line(values.into_iter().filter(|x| y.data.contains(x)).collect()))
}

pub(crate) fn set_difference(x: &Array, y: &Array) -> Outcome {
    let values = united(x, y, false)?.data;
    Ok(Array::line(values.into_iter().filter(|x| !y.data.contains(x)).collect()))
}

/// Returns, for each label, a vector along a new last axis that is 1 at the index of the label and 0 elsewhere.
pub(crate) fn one_hot(labels: &Array, classes: usize) -> Outcome {
    if labels.data.iter().any(|&label| label < 0.0 || label >= classes as f64) {
        return reject("Argument");
    }
    let shape = [&labels.shape[..], &[classes]].concat();
    allocated(&shape, 8)?;
    Ok(Array::from_fn(&shape, |index| {
        let (&class, of) = index.split_last().expect("the last axis");
        f64::from(labels.at(of) == class as f64)
    }))
}

/// Returns labels and numbers of classes with which `one_hot` is called for a hazard.
pub(crate) fn labels(hazard: Hazard) -> Result<Vec<(Array, usize)>, &'static str> {
    let line = |labels: &[f64]| Array::line(labels.to_vec());
    let few = |shape: &[usize]| Array::from_fn(shape, |index| index.iter().sum::<usize>() as f64);
    Ok(match hazard {
        Hazard::WrongShape => vec![(line(&[0.0, 3.0]), 3), (line(&[0.0, -1.0]), 3), (line(&[0.0]), 0)],
        Hazard::ZeroExtents => vec![(line(&[]), 3), (line(&[]), 0), (few(&[2, 0]), 3), (few(&[0, 2]), 0)],
        Hazard::HugeExtents => vec![(line(&[0.0, 1.0]), usize::MAX), (line(&[0.0]), HUGE)],
        Hazard::NotFinite => return Err("labels are integers"),
        Hazard::NegativeStrides | Hazard::Aliasing => vec![(line(&[2.0, 0.0, 1.0, 1.0]), 3)],
        Hazard::Rank0 => vec![(Array::scalar(1.0), 2), (Array::scalar(2.0), 2)],
        Hazard::Rank16 => return Err("does not compile: the result would have rank 17"),
    })
}

/// Returns 1 for each element of `x` that is equal to an element of `of`, and 0 for the others.
pub(crate) fn isin(x: &Array, of: &Array) -> Outcome {
    allocated(&x.shape, 1)?;
    allocated(&of.shape, 8)?;
    if x.len() > 10_000 || of.len() > 10_000 {
        return Err(Rejection::Untried);
    }
    let all: Vec<f64> = indices(&of.shape).iter().map(|index| of.at(index)).collect();
    Ok(Array::from_fn(&x.shape, |index| f64::from(all.contains(&x.at(index)))))
}

/// Returns, for each of the bins [−1, 0) and [0, 1], the number of its elements or, if `weighted`, their sum.
pub(crate) fn two_bins(x: &Array, weighted: bool) -> Outcome {
    allocated(&x.shape, 8)?;
    let sum = |contains: fn(f64) -> bool| {
        let all = x.data.iter().filter(|x| contains(**x));
        if weighted { all.sum() } else { all.count() as f64 }
    };
    Ok(Array::line(vec![sum(|x| (-1.0..0.0).contains(&x)), sum(|x| (0.0..=1.0).contains(&x))]))
}

/// Returns the densities of the bins of [`two_bins`], whose widths are 1.
pub(crate) fn two_densities(x: &Array) -> Outcome {
    let counts = two_bins(x, false)?;
    let total: f64 = counts.data.iter().sum();
    Ok(Array::line(counts.data.iter().map(|count| count / total).collect()))
}

/// Returns the gradient along an axis, for points at distance 0.5.
pub(crate) fn gradient(x: &Array, axis: usize) -> Outcome {
    check_axis(x, axis)?;
    let n = x.shape[axis];
    if n < 2 {
        return reject("Argument");
    }
    if allocated(&x.shape, 8).is_err() {
        return Err(Rejection::Untried);
    }
    Ok(lines(x, axis, n, |line| {
        let slope = |a: usize, b: usize| (line[b] - line[a]) / (0.5 * (b - a) as f64);
        (0..n).map(|k| slope(k.saturating_sub(1), (k + 1).min(n - 1))).collect()
    }))
}

/// Returns three numbers: the number of elements that are NaN or at most 0, the number of elements that are greater than 0, and 0.
pub(crate) fn positive(x: &Array) -> Outcome {
    allocated(&x.shape, 8)?;
    let count = |positive: bool| x.data.iter().filter(|x| (**x > 0.0) == positive).count() as f64;
    Ok(Array::line(vec![count(false), count(true), 0.0]))
}
