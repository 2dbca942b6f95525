//! Cross products of dynamic tensors.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::engine::gemm::cross::CROSS;
use crate::error::Error;
use crate::rank::IndexNumber;

impl<S: DynData> DynTensor<S> {
    /// Returns the cross products of vectors of three elements along an axis: see [`Tensor::cross`](crate::Tensor::cross).
    ///
    /// # Errors
    /// * If the tensors differ in element type, order or device, or their elements are not numbers.
    /// * If the shapes do not broadcast, the axis is out of range, or an operand does not have three elements along the axis.
    /// * If an integer result overflows in a build with debug assertions, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [1, 0, 0]]);
    /// assert_eq!(x.cross(1, &tensor![4, 5, 6])?.downcast_ref()?, tensor![[-3, 6, -3], [0, -6, 5]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn cross<'b>(
        &self,
        axis: impl IndexNumber,
        other: impl Into<DynView<'b>>,
    ) -> Result<DynTensor, Error> {
        typed!(CROSS, Scalar, (x = self.look(), y = other.into(); axis: isize = axis.number()) => x.try_cross(axis, y))
    }
}
