//! Flat indices of dynamic tensors, and exchanging elements.

use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::{DynTensor, DynViewMut};
use crate::error::Error;
use crate::rank::{IndexNumber, from_start};

impl<S: DynData> DynTensor<S> {
    /// Returns the index of an element, given its flat index in memory order, which methods such as [`argmax`](DynTensor::argmax) return. A
    /// negative flat index counts from the end.
    ///
    /// # Errors
    /// If the flat index is out of range.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0, 7.0], [4.0, 5.0, 6.0]]);
    /// let flat = i64::try_from(x.argmax()?.item()?)?;
    /// assert_eq!(x.unravel_index(flat)?, [0, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unravel_index(&self, flat: impl IndexNumber) -> Result<Vec<usize>, Error> {
        let mut rest = from_start(flat, self.len());
        if rest >= self.len() {
            let shape = vec![self.len()];
            return Err(Error::IndexOutOfBounds { op: "unravel", index: flat.number(), axis: 0, shape });
        }
        let rank = self.rank();
        let mut index = vec![0; rank];
        for k in 0..rank {
            let axis = if self.order().is_row_major() { rank - 1 - k } else { k };
            index[axis] = rest % self.shape()[axis];
            rest /= self.shape()[axis];
        }
        Ok(index)
    }

    /// Returns the flat index, in memory order, of the element at an index. The inverse of [`unravel_index`](DynTensor::unravel_index).
    ///
    /// # Errors
    /// If the index is out of range, or does not have one number for each axis.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// assert_eq!(DynTensor::from(tensor![[1, 2, 7], [4, 5, 6]]).ravel_index(&[1, -1])?, 5);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn ravel_index(&self, index: &[impl IndexNumber]) -> Result<usize, Error> {
        let (shape, rank) = (self.shape(), self.rank());
        if index.len() != rank {
            let reason = format!(
                "an index of a tensor of `Rank<{rank}>` has one number for each axis, and this one has {}",
                index.len()
            );
            return Err(Error::Argument { op: "ravel", reason });
        }
        let mut flat = 0;
        for k in 0..rank {
            let axis = if self.order().is_row_major() { k } else { rank - 1 - k };
            let at = from_start(index[axis], shape[axis]);
            if at >= shape[axis] {
                let index = index[axis].number();
                return Err(Error::IndexOutOfBounds { op: "ravel", index, axis, shape: shape.to_vec() });
            }
            flat = flat * shape[axis] + at;
        }
        Ok(flat)
    }
}

impl<S: DynDataMut> DynTensor<S> {
    /// Exchanges the elements at two indices along an axis, such as two rows of a matrix. Negative indices count from the end.
    ///
    /// # Errors
    /// If the axis or an index is out of range, dynamic tensors do not compute on the device, or an allocation fails. Nothing is exchanged
    /// then.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![[1, 2], [3, 4], [5, 6]]);
    /// x.swap_indices(0, 0, -1)?;
    /// assert_eq!(x.downcast_ref()?, tensor![[5, 6], [3, 4], [1, 2]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn swap_indices(
        &mut self,
        axis: impl IndexNumber,
        i: impl IndexNumber,
        j: impl IndexNumber,
    ) -> Result<(), Error> {
        let first = self.index_axis(axis, i)?.to_owned()?;
        let second = self.index_axis(axis, j)?.to_owned()?;
        self.index_axis_mut(axis, i)?.assign(&second)?;
        self.index_axis_mut(axis, j)?.assign(&first)
    }

    /// Exchanges the elements with those of another tensor or view of the same shape, element type, memory order and device.
    ///
    /// To exchange two tensors as a whole, [`core::mem::swap`] is faster.
    ///
    /// # Errors
    /// If the tensors differ in shape, element type, memory order or device, dynamic tensors do not compute on the device, or an allocation
    /// fails. Nothing is exchanged then.
    ///
    /// ```
    /// use vierbein::{DynTensor, s, tensor};
    /// let mut x = DynTensor::from(tensor![1, 2, 3, 4]);
    /// let mut y = DynTensor::from(tensor![[5, 6], [7, 8]]);
    /// x.slice_mut(s![..2])?.swap_with(y.index_axis_mut(1, 0)?)?;
    /// assert_eq!(x.downcast_ref()?, tensor![5, 7, 3, 4]);
    /// assert_eq!(y.downcast_ref()?, tensor![[1, 6], [2, 8]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn swap_with(&mut self, mut other: DynViewMut<'_>) -> Result<(), Error> {
        if self.shape() != other.shape() {
            let reason = format!(
                "the shapes {:?} and {:?} differ; pass tensors or views of the same shape",
                self.shape(),
                other.shape()
            );
            return Err(Error::Argument { op: "swap", reason });
        }
        let own = self.to_owned()?;
        self.assign(&other)?;
        other.assign(&own)
    }
}
