//! Dynamic tensors: histograms, and the number of occurrences of each integer.

use crate::device::{Device, via_host};
use crate::dispatch;
use crate::dyn_tensor::operand::{device_of, elements, lacking, line_of, needs, on_device, same_device};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{Bits, DType, Element, RealScalar};
use crate::engine::same_instance;
use crate::error::Error;
use crate::ops::Bins;
use crate::ops::reduce::bins::{
    BINCOUNT, HISTOGRAM, check_weights, densities, sums_of_bins, sums_of_integers,
};

/// Returns the values as a tensor of rank 1 with the memory order and the device of `x`.
fn line<T: Element, Dev: Device>(x: &DynView<'_>, values: Vec<T>) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(x);
    Ok(line_of(device, device.adopt(values)?, x.order()))
}

/// Checks that the weights have type `f64`, and the shape and the device of `x`. Returns them in the memory order of `x`, or `None` if
/// there are none.
fn weights_of<Dev: Device>(
    op: &'static str,
    x: &DynView<'_>,
    weights: Option<DynView<'_>>,
) -> Result<Option<Vec<f64>>, Error> {
    let Some(weights) = weights else { return Ok(None) };
    same_device(op, *x, weights)?;
    same_instance(op, device_of::<Dev>(x), device_of(&weights))?;
    if weights.dtype() != DType::F64 {
        return Err(lacking(
            op,
            weights.dtype(),
            "is not the element type of weights: convert them with `.to_dtype(DType::F64)`",
        ));
    }
    check_weights(op, x.shape(), weights.shape())?;
    // Read the weights in the memory order of `x`, even if their own order differs.
    let layout = if x.order().is_row_major() { *weights.layout() } else { weights.layout().reverse_axes() };
    let weights = weights.with_axes(layout);
    device_of::<Dev>(&weights).gather(elements(&weights)).map(Some)
}

fn counted<T: RealScalar, Dev: Device>(
    x: DynView<'_>,
    bins: &Bins<'_>,
    weights: Option<DynView<'_>>,
) -> Result<(DynTensor, DynTensor), Error> {
    let weights = weights_of::<Dev>(HISTOGRAM, &x, weights)?;
    let x = x.with_axes(x.enumeration());
    let all = via_host::read(device_of::<Dev>(&x), elements::<T, Dev>(&x))?;
    Ok(match weights {
        None => {
            let (counts, edges) = sums_of_bins(&all, bins, |_| 1i64)?;
            (line::<i64, Dev>(&x, counts)?, line::<f64, Dev>(&x, edges)?)
        }
        Some(weights) => {
            let (sums, edges) = sums_of_bins(&all, bins, |i| weights[i])?;
            (line::<f64, Dev>(&x, sums)?, line::<f64, Dev>(&x, edges)?)
        }
    })
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn histogram(
    x: DynView<'_>,
    bins: &Bins<'_>,
    weights: Option<DynView<'_>>,
) -> Result<(DynTensor, DynTensor), Error> {
    on_device!(HISTOGRAM, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => counted::<T, Dev>(x, bins, weights),
        else => Err(lacking(HISTOGRAM, x.dtype(), needs::ORDER))
    ))
}

fn densities_of<T: RealScalar, Dev: Device>(
    x: DynView<'_>,
    bins: &Bins<'_>,
) -> Result<(DynTensor, DynTensor), Error> {
    let x = x.with_axes(x.enumeration());
    let all = via_host::read(device_of::<Dev>(&x), elements::<T, Dev>(&x))?;
    let (counts, edges) = sums_of_bins(&all, bins, |_| 1i64)?;
    Ok((line::<f64, Dev>(&x, densities(&counts, &edges)?)?, line::<f64, Dev>(&x, edges)?))
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn histogram_density(x: DynView<'_>, bins: &Bins<'_>) -> Result<(DynTensor, DynTensor), Error> {
    on_device!(HISTOGRAM, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => densities_of::<T, Dev>(x, bins),
        else => Err(lacking(HISTOGRAM, x.dtype(), needs::ORDER))
    ))
}

fn counted_integers<T: RealScalar + Bits, Dev: Device>(
    x: DynView<'_>,
    least: usize,
    weights: Option<DynView<'_>>,
) -> Result<DynTensor, Error> {
    let weights = weights_of::<Dev>(BINCOUNT, &x, weights)?;
    let x = x.with_axes(x.enumeration());
    let all = via_host::read(device_of::<Dev>(&x), elements::<T, Dev>(&x))?;
    match weights {
        None => line::<i64, Dev>(&x, sums_of_integers(&all, least, |_| 1)?),
        Some(weights) => line::<f64, Dev>(&x, sums_of_integers(&all, least, |i| weights[i])?),
    }
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn bincount(x: DynView<'_>, least: usize, weights: Option<DynView<'_>>) -> Result<DynTensor, Error> {
    on_device!(BINCOUNT, x, Dev => dispatch!(
        x.dtype(),
        T in [i8, i16, i32, i64, u8, u16, u32, u64] => counted_integers::<T, Dev>(x, least, weights),
        else => Err(lacking(
            BINCOUNT,
            x.dtype(),
            "is not an integer type: convert the elements first, e.g. with `.to_dtype(DType::I64)`"
        ))
    ))
}

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
        histogram(self.look(), &bins.into(), None)
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
        histogram(self.look(), &bins.into(), Some(weights.into()))
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
        histogram_density(self.look(), &bins.into())
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
        bincount(self.look(), least, None)
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
        bincount(self.look(), least, Some(weights.into()))
    }
}
