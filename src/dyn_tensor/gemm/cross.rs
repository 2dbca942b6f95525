//! Cross products of dynamic tensors.

use crate::dyn_tensor::copy::join::concatenate;
use crate::dyn_tensor::operand::agree;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::engine::gemm::cross::{CROSS, FACTORS, arrange};
use crate::error::Error;
use crate::rank::{IndexNumber, MAX_RANK, from_start};

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn cross(x: DynView<'_>, y: DynView<'_>, axis: impl IndexNumber) -> Result<DynTensor, Error> {
    let order = agree(CROSS, x, y)?;
    let rank = x.rank().max(y.rank());
    let (axis, mut shape) = (from_start(axis, rank), [0; MAX_RANK]);
    let [of_x, of_y] = arrange(axis, x.shape(), y.shape(), order.is_row_major(), &mut shape[..rank])?;
    let (a, b) = (|k| x.range(of_x, k..k + 1), |k| y.range(of_y, k..k + 1));
    let component = |[i, j]: [usize; 2]| a(i).try_mul(b(j))?.try_sub(&a(j).try_mul(b(i))?);
    let [first, second, third] = FACTORS.map(component);
    concatenate(axis, &[&first?, &second?, &third?])
}

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
        cross(self.look(), other.into(), axis)
    }
}
