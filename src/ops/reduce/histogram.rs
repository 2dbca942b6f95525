//! Histograms, and counts of integers.

use crate::device::{Device, via_host};
use crate::element::{Bits, Element, RealScalar};
use crate::engine::same_instance;
use crate::error::{Error, unwrap_or_panic};
use crate::layout::broadcast::same;
use crate::ops::elementwise::compute::check_out;
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};
use core::ops::{AddAssign, RangeInclusive};

pub(crate) const HISTOGRAM: &str = "compute a histogram";
pub(crate) const BINCOUNT: &str = "count integers";

/// The bins of a [`histogram`](Tensor::histogram). Methods take `impl Into<Bins>`: a number of bins, a number and a range, or edges.
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

/// Moves the values to a vector on the device.
fn line<T: Element, O: Order, Dev: Device>(
    device: &Dev,
    values: Vec<T>,
) -> Result<Tensor<T, Rank<1>, O, Dev>, Error> {
    let len = values.len();
    Ok(Tensor::contiguous(device.adopt(values)?, [len], device.clone()))
}

/// The count or the sum of weights of each bin, and the edges of the bins.
type Histogram<U, O, Dev> = (Tensor<U, Rank<1>, O, Dev>, Tensor<f64, Rank<1>, O, Dev>);

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the number of elements in each bin, and the edges of the bins. [`Bins`] says how to choose the bins.
    ///
    /// NaN and elements outside of all bins are not counted. Elements are compared with the edges as `f64`, which rounds integers of more
    /// than 53 bits.
    ///
    /// # Panics
    /// * If the number of bins is 0, there are fewer than two edges, or the edges are not in ascending order.
    /// * If the range is not finite, ends below its start, or is too narrow for distinct edges.
    /// * If only a number of bins is given, and the tensor is empty or an element is not finite.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (counts, edges) = tensor![1, 2, 2, 4, 5].histogram(2);
    /// assert_eq!(counts, tensor![3, 2]);
    /// assert_eq!(edges, tensor![1.0, 3.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn histogram<'b>(
        &self,
        bins: impl Into<Bins<'b>>,
    ) -> (Tensor<i64, Rank<1>, O, Dev>, Tensor<f64, Rank<1>, O, Dev>)
    where
        T: RealScalar,
    {
        unwrap_or_panic(self.try_histogram(bins))
    }

    /// Fallible variant of [`histogram`](Tensor::histogram).
    ///
    /// # Errors
    /// * If the number of bins is 0, there are fewer than two edges, or the edges are not in ascending order.
    /// * If the range is not finite, ends below its start, or is too narrow for distinct edges.
    /// * If only a number of bins is given, and the tensor is empty or an element is not finite.
    /// * If the allocation fails.
    pub fn try_histogram<'b>(&self, bins: impl Into<Bins<'b>>) -> Result<Histogram<i64, O, Dev>, Error>
    where
        T: RealScalar,
    {
        let (counts, edges) = self.counts_of_bins(&bins.into())?;
        Ok((line(self.device(), counts)?, line(self.device(), edges)?))
    }

    /// Writes the counts of [`histogram`](Tensor::histogram) to a preallocated vector or mutable view with one element for each bin.
    ///
    /// The edges are not returned. If you need them, pass them as [`Bins::Edges`].
    ///
    /// # Panics
    /// * If `out` does not have the result's shape, or is on another instance of the device.
    /// * For the reasons given for [`histogram`](Tensor::histogram).
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut counts = Tensor::zeros([2]);
    /// tensor![1, 2, 2, 4].histogram_into(&[0.0, 2.0, 4.0], &mut counts);
    /// assert_eq!(counts, tensor![1, 3]);
    /// ```
    #[track_caller]
    pub fn histogram_into<'b, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        out: &mut Tensor<i64, Rank<1>, O, Dev, S2>,
    ) where
        T: RealScalar,
        S2: StorageMut<i64, Dev>,
    {
        unwrap_or_panic(self.try_histogram_into(bins, out));
    }

    /// Fallible variant of [`histogram_into`](Tensor::histogram_into).
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If the bins are invalid, for the reasons given for [`try_histogram`](Tensor::try_histogram): `out` is unchanged.
    /// * If the allocation fails: `out` may be partly written.
    pub fn try_histogram_into<'b, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        out: &mut Tensor<i64, Rank<1>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: RealScalar,
        S2: StorageMut<i64, Dev>,
    {
        let (counts, _) = self.counts_of_bins(&bins.into())?;
        check_out(HISTOGRAM, &[counts.len()], self.device(), out)?;
        out.try_overwrite(counts)
    }

    /// Returns the density of the elements in each bin, and the edges of the bins: the share of the counted elements that are in the bin,
    /// divided by the width of the bin. So the densities times the widths add up to 1.
    ///
    /// See [`histogram`](Tensor::histogram). If no element is in a bin, and for bins of width zero, the densities are infinite or NaN.
    ///
    /// # Panics
    /// For the reasons given for [`histogram`](Tensor::histogram).
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (densities, _) = tensor![0.5, 1.0, 1.5, 3.0].histogram_density(&[0.0, 1.0, 3.0]);
    /// assert_eq!(densities, tensor![0.25, 0.375]);
    /// ```
    #[track_caller]
    pub fn histogram_density<'b>(
        &self,
        bins: impl Into<Bins<'b>>,
    ) -> (Tensor<f64, Rank<1>, O, Dev>, Tensor<f64, Rank<1>, O, Dev>)
    where
        T: RealScalar,
    {
        unwrap_or_panic(self.try_histogram_density(bins))
    }

    /// Fallible variant of [`histogram_density`](Tensor::histogram_density).
    ///
    /// # Errors
    /// For the reasons given for [`try_histogram`](Tensor::try_histogram).
    pub fn try_histogram_density<'b>(
        &self,
        bins: impl Into<Bins<'b>>,
    ) -> Result<Histogram<f64, O, Dev>, Error>
    where
        T: RealScalar,
    {
        let (counts, edges) = self.counts_of_bins(&bins.into())?;
        Ok((line(self.device(), densities(&counts, &edges)?)?, line(self.device(), edges)?))
    }

    /// Writes the densities of [`histogram_density`](Tensor::histogram_density) to a preallocated vector or mutable view with one element
    /// for each bin.
    ///
    /// # Panics
    /// * If `out` does not have the result's shape, or is on another instance of the device.
    /// * For the reasons given for [`histogram`](Tensor::histogram).
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut densities = Tensor::zeros([2]);
    /// tensor![0.5, 1.0, 1.5, 3.0].histogram_density_into(&[0.0, 1.0, 3.0], &mut densities);
    /// assert_eq!(densities, tensor![0.25, 0.375]);
    /// ```
    #[track_caller]
    pub fn histogram_density_into<'b, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        out: &mut Tensor<f64, Rank<1>, O, Dev, S2>,
    ) where
        T: RealScalar,
        S2: StorageMut<f64, Dev>,
    {
        unwrap_or_panic(self.try_histogram_density_into(bins, out));
    }

    /// Fallible variant of [`histogram_density_into`](Tensor::histogram_density_into).
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If the bins are invalid, for the reasons given for [`try_histogram`](Tensor::try_histogram): `out` is unchanged.
    /// * If the allocation fails: `out` may be partly written.
    pub fn try_histogram_density_into<'b, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        out: &mut Tensor<f64, Rank<1>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: RealScalar,
        S2: StorageMut<f64, Dev>,
    {
        let (counts, edges) = self.counts_of_bins(&bins.into())?;
        check_out(HISTOGRAM, &[counts.len()], self.device(), out)?;
        out.try_overwrite(densities(&counts, &edges)?)
    }

    /// Returns the number of elements in each bin, and the edges of the bins.
    fn counts_of_bins(&self, bins: &Bins<'_>) -> Result<(Vec<i64>, Vec<f64>), Error>
    where
        T: RealScalar,
    {
        let layout = self.enumeration();
        let x = via_host::read(self.device(), self.operand_in(&layout))?;
        sums_of_bins(&x, bins, |_| 1i64)
    }

    /// Returns the sum of the weights of the elements in each bin, and the edges of the bins: a weighted
    /// [`histogram`](Tensor::histogram).
    ///
    /// # Panics
    /// * If `weights` has another shape.
    /// * For the reasons given for [`histogram`](Tensor::histogram).
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (sums, _) = tensor![1, 2, 2, 4].histogram_weighted(&[0.0, 2.0, 4.0], tensor![0.5, 1.0, 2.0, 4.0]);
    /// assert_eq!(sums, tensor![0.5, 7.0]);
    /// ```
    #[track_caller]
    pub fn histogram_weighted<'b, B>(
        &self,
        bins: impl Into<Bins<'b>>,
        weights: B,
    ) -> (Tensor<f64, Rank<1>, O, Dev>, Tensor<f64, Rank<1>, O, Dev>)
    where
        T: RealScalar,
        B: MatchingOperand<f64, O, Dev, Dim = D>,
    {
        unwrap_or_panic(self.try_histogram_weighted(bins, weights))
    }

    /// Fallible variant of [`histogram_weighted`](Tensor::histogram_weighted).
    ///
    /// # Errors
    /// * If `weights` has another shape or is on another instance of the device.
    /// * For the reasons given for [`try_histogram`](Tensor::try_histogram).
    pub fn try_histogram_weighted<'b, B>(
        &self,
        bins: impl Into<Bins<'b>>,
        weights: B,
    ) -> Result<Histogram<f64, O, Dev>, Error>
    where
        T: RealScalar,
        B: MatchingOperand<f64, O, Dev, Dim = D>,
    {
        let (sums, edges) = self.weights_of_bins(&bins.into(), &weights.agreed())?;
        Ok((line(self.device(), sums)?, line(self.device(), edges)?))
    }

    /// Writes the sums of [`histogram_weighted`](Tensor::histogram_weighted) to a preallocated vector or mutable view with one element for
    /// each bin.
    ///
    /// The edges are not returned. If you need them, pass them as [`Bins::Edges`].
    ///
    /// # Panics
    /// * If `weights` has another shape, or `out` does not have the result's shape or is on another instance of the device.
    /// * For the reasons given for [`histogram`](Tensor::histogram).
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut sums = Tensor::zeros([2]);
    /// tensor![1, 2, 2, 4].histogram_weighted_into(&[0.0, 2.0, 4.0], tensor![0.5, 1.0, 2.0, 4.0], &mut sums);
    /// assert_eq!(sums, tensor![0.5, 7.0]);
    /// ```
    #[track_caller]
    pub fn histogram_weighted_into<'b, B, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        weights: B,
        out: &mut Tensor<f64, Rank<1>, O, Dev, S2>,
    ) where
        T: RealScalar,
        B: MatchingOperand<f64, O, Dev, Dim = D>,
        S2: StorageMut<f64, Dev>,
    {
        unwrap_or_panic(self.try_histogram_weighted_into(bins, weights, out));
    }

    /// Fallible variant of [`histogram_weighted_into`](Tensor::histogram_weighted_into).
    ///
    /// # Errors
    /// * If `weights` has another shape, `out` does not have the result's shape, or one of them is on another instance of the device:
    ///   `out` is unchanged.
    /// * If the bins are invalid, for the reasons given for [`try_histogram`](Tensor::try_histogram): `out` is unchanged.
    /// * If the allocation fails: `out` may be partly written.
    pub fn try_histogram_weighted_into<'b, B, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        weights: B,
        out: &mut Tensor<f64, Rank<1>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: RealScalar,
        B: MatchingOperand<f64, O, Dev, Dim = D>,
        S2: StorageMut<f64, Dev>,
    {
        let (sums, _) = self.weights_of_bins(&bins.into(), &weights.agreed())?;
        check_out(HISTOGRAM, &[sums.len()], self.device(), out)?;
        out.try_overwrite(sums)
    }

    /// Returns the sum of the weights of the elements in each bin, and the edges of the bins.
    fn weights_of_bins(
        &self,
        bins: &Bins<'_>,
        weights: &TensorView<'_, f64, D, O, Dev>,
    ) -> Result<(Vec<f64>, Vec<f64>), Error>
    where
        T: RealScalar,
    {
        same_instance(HISTOGRAM, self.device(), weights.device())?;
        check_weights(HISTOGRAM, self.shape().as_ref(), weights.shape().as_ref())?;
        let (layout, of_weights) = (self.enumeration(), weights.enumeration());
        let (x, weights) = (
            via_host::read(self.device(), self.operand_in(&layout))?,
            via_host::read(weights.device(), weights.operand_in(&of_weights))?,
        );
        sums_of_bins(&x, bins, |i| weights[i])
    }

    /// Counts how often each integer from 0 to the maximum of the elements occurs. The result has at least `least` elements.
    ///
    /// # Panics
    /// If an element is negative, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 3, 1].bincount(0), tensor![0, 2, 0, 1]);
    /// assert_eq!(tensor![1, 0].bincount(4), tensor![1, 1, 0, 0]);
    /// ```
    #[track_caller]
    pub fn bincount(&self, least: usize) -> Tensor<i64, Rank<1>, O, Dev>
    where
        T: RealScalar + Bits,
    {
        unwrap_or_panic(self.try_bincount(least))
    }

    /// Fallible variant of [`bincount`](Tensor::bincount).
    ///
    /// # Errors
    /// If an element is negative, or the allocation fails.
    pub fn try_bincount(&self, least: usize) -> Result<Tensor<i64, Rank<1>, O, Dev>, Error>
    where
        T: RealScalar + Bits,
    {
        let layout = self.enumeration();
        let x = via_host::read(self.device(), self.operand_in(&layout))?;
        line(self.device(), sums_of_integers(&x, least, |_| 1i64)?)
    }

    /// Returns, for each integer from 0 to the maximum of the elements, the sum of the weights of the elements that are equal to this
    /// integer: a weighted [`bincount`](Tensor::bincount).
    ///
    /// # Panics
    /// If `weights` has another shape, an element is negative, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 3, 1].bincount_weighted(0, tensor![0.5, 2.0, 1.0]), tensor![0.0, 1.5, 0.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn bincount_weighted<B>(&self, least: usize, weights: B) -> Tensor<f64, Rank<1>, O, Dev>
    where
        T: RealScalar + Bits,
        B: MatchingOperand<f64, O, Dev, Dim = D>,
    {
        unwrap_or_panic(self.try_bincount_weighted(least, weights))
    }

    /// Fallible variant of [`bincount_weighted`](Tensor::bincount_weighted).
    ///
    /// # Errors
    /// * If `weights` has another shape or is on another instance of the device.
    /// * If an element is negative, or the allocation fails.
    pub fn try_bincount_weighted<B>(
        &self,
        least: usize,
        weights: B,
    ) -> Result<Tensor<f64, Rank<1>, O, Dev>, Error>
    where
        T: RealScalar + Bits,
        B: MatchingOperand<f64, O, Dev, Dim = D>,
    {
        let weights = weights.agreed();
        same_instance(BINCOUNT, self.device(), weights.device())?;
        check_weights(BINCOUNT, self.shape().as_ref(), weights.shape().as_ref())?;
        let (layout, of_weights) = (self.enumeration(), weights.enumeration());
        let (x, weights) = (
            via_host::read(self.device(), self.operand_in(&layout))?,
            via_host::read(weights.device(), weights.operand_in(&of_weights))?,
        );
        line(self.device(), sums_of_integers(&x, least, |i| weights[i])?)
    }
}
