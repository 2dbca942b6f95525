//! The bins of a histogram, and sums of the elements in each bin.

use crate::device::via_host;
use crate::element::{Bits, Element, RealScalar};
use crate::error::Error;
use crate::layout::broadcast::same;
use core::ops::{AddAssign, RangeInclusive};

pub(crate) const HISTOGRAM: &str = "compute a histogram";
pub(crate) const BINCOUNT: &str = "count integers";

/// The bins of a [`histogram`](crate::Tensor::histogram). Methods take `impl Into<Bins>`: a number of bins, a number and a range, or edges.
///
/// Each bin contains its left edge, but not its right one. The last bin contains both edges.
///
/// ```
/// use vierbein::{Bins, tensor};
/// let x = tensor![1.0, 2.0, 2.5, 9.0];
/// let edges = [0.0, 2.0, 4.0];
/// assert_eq!(x.histogram(&edges).0, tensor![1, 2]);
/// assert_eq!(x.histogram((2, 0.0..=4.0)).0, tensor![1, 2]);
/// assert_eq!(x.histogram(Bins::Count(2)).0, tensor![3, 1]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Bins<'a> {
    /// A number of bins of equal widths, from the minimum of the elements to their maximum. If both are equal to `x`, the bins are from
    /// `x - 0.5` to `x + 0.5`.
    Count(usize),
    /// A number of bins of equal widths, from the start of a range to its end. If both are equal to `x`, the bins are from `x - 0.5` to
    /// `x + 0.5`.
    Range(usize, RangeInclusive<f64>),
    /// The edges, in ascending order: one more than the number of bins. Edges may be equal.
    Edges(&'a [f64]),
}

impl From<usize> for Bins<'_> {
    fn from(count: usize) -> Self {
        Bins::Count(count)
    }
}
impl From<(usize, RangeInclusive<f64>)> for Bins<'_> {
    fn from((count, range): (usize, RangeInclusive<f64>)) -> Self {
        Bins::Range(count, range)
    }
}
impl<'a> From<&'a [f64]> for Bins<'a> {
    fn from(edges: &'a [f64]) -> Self {
        Bins::Edges(edges)
    }
}
impl<'a, const N: usize> From<&'a [f64; N]> for Bins<'a> {
    fn from(edges: &'a [f64; N]) -> Self {
        Bins::Edges(edges)
    }
}

fn invalid(reason: String) -> Error {
    Error::Argument { op: HISTOGRAM, reason }
}

/// Returns the edges of `count` bins of equal widths from `low` to `high`.
///
/// # Errors
/// If the edges are not distinct and finite, or the allocation fails.
fn equal_edges(count: usize, low: f64, high: f64) -> Result<Vec<f64>, Error> {
    let mut edges = via_host::zeros::<f64>(count.saturating_add(1))?;
    let scale = span_scale(low, high);
    let (first, step) = (low * scale, (high * scale - low * scale) / count as f64);
    edges.iter_mut().enumerate().for_each(|(k, edge)| *edge = (first + k as f64 * step) / scale);
    edges[0] = low;
    edges[count] = high;
    if edges.windows(2).all(|pair| pair[0] < pair[1]) {
        return Ok(edges);
    }
    Err(invalid(format!(
        "{count} bins from {low} to {high} do not have edges that are distinct and finite; choose fewer bins or another range"
    )))
}

/// Returns a power of two by which to multiply `low` and `high`, so that neither their difference nor its reciprocal leaves the range of
/// numbers.
fn span_scale(low: f64, high: f64) -> f64 {
    let span = high - low;
    if span > f64::MAX / 4.0 {
        0.125
    } else if span < f64::MIN_POSITIVE * 2f64.powi(64) {
        2f64.powi(100)
    } else {
        1.0
    }
}

/// Returns the edges of the bins for the elements `x`.
fn edges_of<T: RealScalar>(bins: &Bins<'_>, x: &[T]) -> Result<Vec<f64>, Error> {
    match bins {
        Bins::Count(0) | Bins::Range(0, _) => {
            Err(invalid("0 bins were requested; request at least one".into()))
        }
        Bins::Count(count) => {
            if x.is_empty() {
                return Err(invalid(
                    "there are no elements to take a range from; pass a range or edges".into(),
                ));
            }
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for element in x {
                let value = element.in_f64();
                if !value.is_finite() {
                    return Err(invalid(format!("{element} is among the elements; pass a range or edges")));
                }
                (low, high) = (low.min(value), high.max(value));
            }
            if low == high {
                equal_edges(*count, low - 0.5, high + 0.5)
            } else {
                equal_edges(*count, low, high)
            }
        }
        Bins::Range(count, range) => {
            let (low, high) = (*range.start(), *range.end());
            if !(low <= high && low.is_finite() && high.is_finite()) {
                return Err(invalid(format!(
                    "the range from {low} to {high} must be finite and must not end below its start"
                )));
            }
            if low == high {
                equal_edges(*count, low - 0.5, high + 0.5)
            } else {
                equal_edges(*count, low, high)
            }
        }
        Bins::Edges(edges) => {
            if edges.len() < 2 {
                return Err(invalid(format!("{} edges enclose no bin; pass at least two", edges.len())));
            }
            if let Some(i) = edges
                .windows(2)
                .position(|pair| pair[0].partial_cmp(&pair[1]).is_none_or(|order| order.is_gt()))
            {
                let (edge, before) = (edges[i + 1], edges[i]);
                return Err(invalid(format!(
                    "edge {} is {edge}, after {before}; the edges must be in ascending order; sort them first",
                    i + 1
                )));
            }
            let mut copy = via_host::zeros(edges.len())?;
            copy.copy_from_slice(edges);
            Ok(copy)
        }
    }
}

/// Returns the sum of the weights of the elements in each bin, and the edges of the bins. `weight(i)` is the weight of element `x[i]`.
pub(crate) fn sums_of_bins<T: RealScalar, U: Element + AddAssign>(
    x: &[T],
    bins: &Bins<'_>,
    weight: impl Fn(usize) -> U,
) -> Result<(Vec<U>, Vec<f64>), Error> {
    let edges = edges_of(bins, x)?;
    let count = edges.len() - 1;
    let mut sums = via_host::zeros::<U>(count)?;
    let (low, high) = (edges[0], edges[count]);
    let equal_widths = !matches!(bins, Bins::Edges(_));
    let scale = span_scale(low, high);
    let (first, per_unit) = (low * scale, count as f64 / (high * scale - low * scale));
    for (i, x) in x.iter().enumerate() {
        let x = x.in_f64();
        if !(low <= x && x <= high) {
            continue;
        }
        let bin = if equal_widths {
            // The product is rounded, so the index of the bin can be wrong. The comparisons with the edges correct it.
            let mut bin = (((x * scale - first) * per_unit) as usize).min(count - 1);
            while x < edges[bin] {
                bin -= 1;
            }
            while bin + 1 < count && x >= edges[bin + 1] {
                bin += 1;
            }
            bin
        } else {
            (edges.partition_point(|&edge| edge <= x) - 1).min(count - 1)
        };
        sums[bin] += weight(i);
    }
    Ok((sums, edges))
}

/// Returns the share of the counted elements in each bin, divided by the width of the bin.
pub(crate) fn densities(counts: &[i64], edges: &[f64]) -> Result<Vec<f64>, Error> {
    let total = counts.iter().sum::<i64>() as f64;
    let mut densities = via_host::zeros::<f64>(counts.len())?;
    for ((to, &count), edge) in densities.iter_mut().zip(counts).zip(edges.windows(2)) {
        // Halves, because the width may not be representable.
        *to = count as f64 / total / (edge[1] / 2.0 - edge[0] / 2.0) / 2.0;
    }
    Ok(densities)
}

/// Returns, for each integer from 0 to the maximum of `x`, the sum of the weights of the elements that are equal to this integer. The
/// result has at least `least` elements. `weight(i)` is the weight of element `x[i]`.
pub(crate) fn sums_of_integers<T: RealScalar + Bits, U: Element + AddAssign>(
    x: &[T],
    least: usize,
    weight: impl Fn(usize) -> U,
) -> Result<Vec<U>, Error> {
    let mut count = least;
    for (i, x) in x.iter().enumerate() {
        if x.in_i128() < 0 {
            let reason = format!("element {i} is {x}; the elements must not be negative");
            return Err(Error::Argument { op: BINCOUNT, reason });
        }
        count = count.max(usize::try_from(x.in_i128()).unwrap_or(usize::MAX).saturating_add(1));
    }
    let mut sums = via_host::zeros::<U>(count)?;
    x.iter().enumerate().for_each(|(i, x)| sums[x.in_i128() as usize] += weight(i));
    Ok(sums)
}

/// Checks that there is one weight for each element.
///
/// # Errors
/// If weights and elements have different shapes.
pub(crate) fn check_weights(op: &'static str, shape: &[usize], weights: &[usize]) -> Result<(), Error> {
    if same(shape, weights) {
        return Ok(());
    }
    let reason =
        format!("the weights have shape {weights:?}, the elements {shape:?}; pass a weight for each element");
    Err(Error::Argument { op, reason })
}
