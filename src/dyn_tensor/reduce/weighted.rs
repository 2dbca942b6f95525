//! Weighted means of dynamic tensors.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::{typed, vector};
use crate::error::Error;
use crate::rank::IndexNumber;

const AVERAGE: &str = "average";

impl<S: DynData> DynTensor<S> {
    /// Returns the weighted means along an axis: see [`Tensor::average`](crate::Tensor::average).
    ///
    /// # Errors
    /// * If the axis is out of range.
    /// * If the weights are not a vector with one element for each index of the axis, or their sum is zero.
    /// * If the tensors differ in element type or device, or their elements are not floating-point or complex numbers.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 5.0], [3.0, 3.0]]);
    /// assert_eq!(x.average(1, &tensor![3.0, 1.0])?.downcast_ref()?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn average<'w>(
        &self,
        axis: impl IndexNumber,
        weights: impl Into<DynView<'w>>,
    ) -> Result<DynTensor, Error> {
        typed!(AVERAGE, Inexact, (x = self.look(), weights = weights.into(); axis: isize = axis.number()) => {
            x.try_average(axis, vector(AVERAGE, "weights", weights)?)
        })
    }
}
