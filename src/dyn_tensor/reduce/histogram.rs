//! Dynamic tensors: histograms, and the number of occurrences of each integer.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::ops::Bins;
use crate::ops::reduce::bins::{BINCOUNT, HISTOGRAM};

impl<S: DynData> DynTensor<S> {
    /// Returns the number of elements in each bin, as `i64`, and the edges of the bins, as `f64`: see
    /// [`Tensor::histogram`](crate::Tensor::histogram).
    ///
    /// # Errors
    /// * If there are no bins, the edges are not in ascending order, or the range is not finite or not in ascending order.
    /// * If only a number of bins is given, and the tensor is empty or an element is not finite.
    /// * If the elements are not real numbers, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (counts, edges) = DynTensor::from(tensor![1, 2, 2, 4, 5]).histogram(2)?;
    /// assert_eq!(counts.downcast_ref()?, tensor![3_i64, 2]);
    /// assert_eq!(edges.downcast_ref()?, tensor![1.0, 3.0, 5.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn histogram<'b>(&self, bins: impl Into<Bins<'b>>) -> Result<(DynTensor, DynTensor), Error> {
        typed!(HISTOGRAM, RealScalar -> (DynTensor, DynTensor), (x = self.look(); bins: Bins<'_> = bins.into()) => x.try_histogram(bins))
    }

    /// Returns the sum of the weights of the elements in each bin, as `f64`, and the edges of the bins. See
    /// [`histogram`](DynTensor::histogram).
    ///
    /// # Errors
    /// * If the weights are not `f64`, or have another shape or device.
    /// * Those of [`histogram`](DynTensor::histogram).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 2, 4]);
    /// let (sums, _) = x.histogram_weighted(&[0.0, 2.0, 4.0], &tensor![0.5, 1.0, 2.0, 4.0])?;
    /// assert_eq!(sums.downcast_ref()?, tensor![0.5, 7.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn histogram_weighted<'b, 'w>(
        &self,
        bins: impl Into<Bins<'b>>,
        weights: impl Into<DynView<'w>>,
    ) -> Result<(DynTensor, DynTensor), Error> {
        let weights = weights.into().as_order(self.order());
        typed!(HISTOGRAM, RealScalar -> (DynTensor, DynTensor), (x = self.look(), weights as f64 = weights; bins: Bins<'_> = bins.into()) => {
            x.try_histogram_weighted(bins, weights)
        })
    }

    /// Returns the density of the elements in each bin, and the edges of the bins, both as `f64`. See
    /// [`Tensor::histogram_density`](crate::Tensor::histogram_density).
    ///
    /// # Errors
    /// Those of [`histogram`](DynTensor::histogram).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (densities, _) = DynTensor::from(tensor![0.5, 1.0, 1.5, 3.0]).histogram_density(&[0.0, 1.0, 3.0])?;
    /// assert_eq!(densities.downcast_ref()?, tensor![0.25, 0.375]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn histogram_density<'b>(&self, bins: impl Into<Bins<'b>>) -> Result<(DynTensor, DynTensor), Error> {
        typed!(HISTOGRAM, RealScalar -> (DynTensor, DynTensor), (x = self.look(); bins: Bins<'_> = bins.into()) => x.try_histogram_density(bins))
    }

    /// Counts how often each integer from 0 to the maximum occurs, as `i64`. The counts are padded with zeros to at least `least` elements.
    ///
    /// # Errors
    /// If the elements are not integers, an element is negative, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 3, 1]);
    /// assert_eq!(x.bincount(0)?.downcast_ref()?, tensor![0_i64, 2, 0, 1]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn bincount(&self, least: usize) -> Result<DynTensor, Error> {
        typed!(BINCOUNT, [Integer or COUNTS], (x = self.look(); least: usize = least) => x.try_bincount(least))
    }

    /// Returns, for each integer from 0 to the maximum, the sum of the weights of the elements that are equal to it, as `f64`. See
    /// [`bincount`](DynTensor::bincount).
    ///
    /// # Errors
    /// * If the weights are not `f64`, or have another shape or device.
    /// * Those of [`bincount`](DynTensor::bincount).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 3, 1]);
    /// assert_eq!(x.bincount_weighted(0, &tensor![0.5, 2.0, 1.0])?.downcast_ref()?, tensor![0.0, 1.5, 0.0, 2.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn bincount_weighted<'w>(
        &self,
        least: usize,
        weights: impl Into<DynView<'w>>,
    ) -> Result<DynTensor, Error> {
        let weights = weights.into().as_order(self.order());
        typed!(BINCOUNT, [Integer or COUNTS], (x = self.look(), weights as f64 = weights; least: usize = least) => {
            x.try_bincount_weighted(least, weights)
        })
    }
}
