//! Histograms, and counts of integers.

use super::bins::{BINCOUNT, Bins, HISTOGRAM, check_weights, densities, sums_of_bins, sums_of_integers};
use crate::device::{Device, via_host};
use crate::element::{Bits, Element, RealScalar};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};

/// Moves the values to a vector on the device.
fn line<T: Element, O: Order, Dev: Device>(
    device: &Dev,
    values: Vec<T>,
) -> Result<Tensor<T, Rank<1>, O, Dev>, Error> {
    let len = values.len();
    Ok(Tensor::contiguous(device.adopt(values)?, [len], device.clone()))
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the number of elements in each bin, and the edges of the bins. [`Bins`] says how to choose the bins.
    ///
    /// NaN and elements outside of all bins are not counted. Elements are compared with the edges as `f64`, which rounds integers of more
    /// than 53 bits.
    ///
    /// # Errors
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
    #[fallible]
    pub fn histogram<'b>(
        &self,
        bins: impl Into<Bins<'b>>,
    ) -> (Tensor<i64, Rank<1>, O, Dev>, Tensor<f64, Rank<1>, O, Dev>)
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
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If the bins are invalid, for the reasons given for [`try_histogram`](Tensor::try_histogram): `out` is unchanged.
    /// * If the allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut counts = Tensor::zeros([2]);
    /// tensor![1, 2, 2, 4].histogram_into(&[0.0, 2.0, 4.0], &mut counts);
    /// assert_eq!(counts, tensor![1, 3]);
    /// ```
    #[fallible]
    pub fn histogram_into<'b, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        out: &mut Tensor<i64, Rank<1>, O, Dev, S2>,
    ) where
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
    /// # Errors
    /// For the reasons given for [`try_histogram`](Tensor::try_histogram).
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (densities, _) = tensor![0.5, 1.0, 1.5, 3.0].histogram_density(&[0.0, 1.0, 3.0]);
    /// assert_eq!(densities, tensor![0.25, 0.375]);
    /// ```
    #[fallible]
    pub fn histogram_density<'b>(
        &self,
        bins: impl Into<Bins<'b>>,
    ) -> (Tensor<f64, Rank<1>, O, Dev>, Tensor<f64, Rank<1>, O, Dev>)
    where
        T: RealScalar,
    {
        let (counts, edges) = self.counts_of_bins(&bins.into())?;
        Ok((line(self.device(), densities(&counts, &edges)?)?, line(self.device(), edges)?))
    }

    /// Writes the densities of [`histogram_density`](Tensor::histogram_density) to a preallocated vector or mutable view with one element
    /// for each bin.
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If the bins are invalid, for the reasons given for [`try_histogram`](Tensor::try_histogram): `out` is unchanged.
    /// * If the allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut densities = Tensor::zeros([2]);
    /// tensor![0.5, 1.0, 1.5, 3.0].histogram_density_into(&[0.0, 1.0, 3.0], &mut densities);
    /// assert_eq!(densities, tensor![0.25, 0.375]);
    /// ```
    #[fallible]
    pub fn histogram_density_into<'b, S2>(
        &self,
        bins: impl Into<Bins<'b>>,
        out: &mut Tensor<f64, Rank<1>, O, Dev, S2>,
    ) where
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
        self.in_memory_order(|x| sums_of_bins(&via_host::read(self.device(), x)?, bins, |_| 1i64))
    }

    /// Returns the sum of the weights of the elements in each bin, and the edges of the bins: a weighted
    /// [`histogram`](Tensor::histogram).
    ///
    /// # Errors
    /// * If `weights` has another shape or is on another instance of the device.
    /// * For the reasons given for [`try_histogram`](Tensor::try_histogram).
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (sums, _) = tensor![1, 2, 2, 4].histogram_weighted(&[0.0, 2.0, 4.0], tensor![0.5, 1.0, 2.0, 4.0]);
    /// assert_eq!(sums, tensor![0.5, 7.0]);
    /// ```
    #[fallible]
    pub fn histogram_weighted<'b, B>(
        &self,
        bins: impl Into<Bins<'b>>,
        weights: B,
    ) -> (Tensor<f64, Rank<1>, O, Dev>, Tensor<f64, Rank<1>, O, Dev>)
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
    /// # Errors
    /// * If `weights` has another shape, `out` does not have the result's shape, or one of them is on another instance of the device:
    ///   `out` is unchanged.
    /// * If the bins are invalid, for the reasons given for [`try_histogram`](Tensor::try_histogram): `out` is unchanged.
    /// * If the allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut sums = Tensor::zeros([2]);
    /// tensor![1, 2, 2, 4].histogram_weighted_into(&[0.0, 2.0, 4.0], tensor![0.5, 1.0, 2.0, 4.0], &mut sums);
    /// assert_eq!(sums, tensor![0.5, 7.0]);
    /// ```
    #[fallible]
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
        self.in_memory_order(|x| {
            let x = via_host::read(self.device(), x)?;
            weights.in_memory_order(|weights| {
                let weights = via_host::read(self.device(), weights)?;
                sums_of_bins(&x, bins, |i| weights[i])
            })
        })
    }

    /// Counts how often each integer from 0 to the maximum of the elements occurs. The result has at least `least` elements.
    ///
    /// # Errors
    /// If an element is negative, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 3, 1].bincount(0), tensor![0, 2, 0, 1]);
    /// assert_eq!(tensor![1, 0].bincount(4), tensor![1, 1, 0, 0]);
    /// ```
    #[fallible]
    pub fn bincount(&self, least: usize) -> Tensor<i64, Rank<1>, O, Dev>
    where
        T: RealScalar + Bits,
    {
        let counts =
            self.in_memory_order(|x| sums_of_integers(&via_host::read(self.device(), x)?, least, |_| 1i64))?;
        line(self.device(), counts)
    }

    /// Returns, for each integer from 0 to the maximum of the elements, the sum of the weights of the elements that are equal to this
    /// integer: a weighted [`bincount`](Tensor::bincount).
    ///
    /// # Errors
    /// * If `weights` has another shape or is on another instance of the device.
    /// * If an element is negative, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 3, 1].bincount_weighted(0, tensor![0.5, 2.0, 1.0]), tensor![0.0, 1.5, 0.0, 2.0]);
    /// ```
    #[fallible]
    pub fn bincount_weighted<B>(&self, least: usize, weights: B) -> Tensor<f64, Rank<1>, O, Dev>
    where
        T: RealScalar + Bits,
        B: MatchingOperand<f64, O, Dev, Dim = D>,
    {
        let weights = weights.agreed();
        same_instance(BINCOUNT, self.device(), weights.device())?;
        check_weights(BINCOUNT, self.shape().as_ref(), weights.shape().as_ref())?;
        let sums = self.in_memory_order(|x| {
            let x = via_host::read(self.device(), x)?;
            weights.in_memory_order(|weights| {
                let weights = via_host::read(self.device(), weights)?;
                sums_of_integers(&x, least, |i| weights[i])
            })
        })?;
        line(self.device(), sums)
    }
}
