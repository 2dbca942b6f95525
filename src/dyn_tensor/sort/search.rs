//! Dynamic tensors: searches for elements in sorted elements and in sets.

use crate::device::family::sort::SEARCH;
use crate::dyn_tensor::operand::DynOperand;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::{typed, vector};
use crate::error::Error;
use crate::ops::Side;
use crate::ops::sort::search::{DIGITIZE, IS_IN};

impl<S: DynData> DynTensor<S> {
    /// Returns, for each element of `values`, the index at which it can be inserted in `self` so that `self` stays sorted, as `i64`: see
    /// [`Tensor::searchsorted`](crate::Tensor::searchsorted).
    ///
    /// # Errors
    /// * If `self` does not have rank 1, or is not sorted. Only builds with debug assertions check the order.
    /// * If the operands differ in element type, memory order or device.
    /// * If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, Side, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 2, 3]);
    /// assert_eq!(x.searchsorted(&tensor![2, 9], Side::Left)?.downcast_ref()?, tensor![1_i64, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn searchsorted<'b>(
        &self,
        values: impl Into<DynOperand<'b>>,
        side: Side,
    ) -> Result<DynTensor, Error> {
        let mut kept = None;
        let values = values.into().beside(SEARCH, self.look(), &mut kept)?;
        typed!(SEARCH, Ordered, (x = self.look(), values = values; side: Side = side) => x.try_searchsorted(values, side))
    }

    /// Returns a mask of the elements that are equal to an element of `of`. NaN is not equal to NaN.
    ///
    /// # Errors
    /// * If the operands differ in element type, memory order or device.
    /// * If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3, 1, 4]);
    /// assert_eq!(x.isin(&tensor![1, 3])?.downcast_ref()?, tensor![true, true, false]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn isin<'b>(&self, of: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
        let mut kept = None;
        let of = of.into().beside(IS_IN, self.look(), &mut kept)?;
        typed!(IS_IN, Ordered, (x = self.look(), of = of) => x.try_isin(of))
    }

    /// Returns, for each element, the number of its bin, as `i64`: see [`Tensor::digitize`](crate::Tensor::digitize).
    ///
    /// # Errors
    /// * If `edges` does not have rank 1, or the edges are not in ascending order.
    /// * If the operands differ in element type, memory order or device.
    /// * If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, Side, tensor};
    /// let x = DynTensor::from(tensor![0.5, 1.0, 9.0]);
    /// assert_eq!(x.digitize(&tensor![1.0, 2.0], Side::Left)?.downcast_ref()?, tensor![0_i64, 1, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn digitize<'b>(&self, edges: impl Into<DynOperand<'b>>, closed: Side) -> Result<DynTensor, Error> {
        let mut kept = None;
        let edges = edges.into().beside(DIGITIZE, self.look(), &mut kept)?;
        typed!(DIGITIZE, Ordered, (x = self.look(), edges = edges; closed: Side = closed) => {
            x.try_digitize(vector(DIGITIZE, "edges", edges)?, closed)
        })
    }
}
