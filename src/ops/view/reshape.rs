//! Views and tensors with another shape that has the same number of elements.

use crate::device::{Copy, Device};
use crate::element::Element;
use crate::error::{Error, fallible};
use crate::layout::reshape::new_extents;
use crate::order::Order;
use crate::rank::{Dim, Rank, ReshapeArg};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorViewMut, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a view with another shape that has the same number of elements. One extent can be -1: it is computed from the others. The
    /// k-th element in memory order stays the k-th.
    ///
    /// For an owned tensor, every shape with this number of elements is possible. For a view, the strides can make a copy necessary. Use
    /// [`reshape`](Tensor::reshape) then, which copies.
    ///
    /// # Errors
    /// If the numbers of elements differ, or a view's strides do not allow the new shape without a copy.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.as_shape([3, 2]), tensor![[1, 2], [3, 4], [5, 6]]);
    /// assert!(x.t().try_as_shape([6]).is_err());
    /// ```
    #[fallible]
    pub fn as_shape<Sh: ReshapeArg>(&self, shape: Sh) -> ViewOf<'_, T, Sh::Dim, O, Dev, S> {
        let (shape, strides) = self.reshaped(shape)?;
        Ok(self.view().with_axes(shape, strides, 0))
    }

    /// Returns the new shape and the strides that reach the same elements without a copy.
    fn reshaped<Sh: ReshapeArg>(
        &self,
        shape: Sh,
    ) -> Result<(<Sh::Dim as Dim>::Shape, <Sh::Dim as Dim>::Strides), Error> {
        let shape = new_shape::<T, Sh>(self.shape().as_ref(), shape)?;
        let mut strides = Sh::Dim::strides(shape.as_ref().len());
        match self.axes().reshape(shape.as_ref(), O::ROW_MAJOR, strides.as_mut()) {
            Some(()) => Ok((shape, strides)),
            None => Err(Error::NotContiguous {
                op: "reshape without a copy",
                shape: self.shape().as_ref().to_vec(),
                strides: self.strides().as_ref().to_vec(),
                order: O::NAME,
            }),
        }
    }

    /// Converts the tensor to another shape that has the same number of elements. One extent can be -1: it is computed from the others. The
    /// k-th element in memory order stays the k-th.
    ///
    /// An owned tensor keeps its buffer. A view is copied.
    ///
    /// # Errors
    /// If the numbers of elements differ, or a copy is needed and the allocation fails.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let x = Tensor::arange(0..6);
    /// assert_eq!(x.clone().reshape([2, 3]), tensor![[0, 1, 2], [3, 4, 5]]);
    /// assert_eq!(x.clone().reshape([-1, 2]).shape(), [3, 2]);
    /// let columns = x.to_order::<ColMajor>().reshape([2, 3]);
    /// assert_eq!(columns.to_order::<RowMajor>(), tensor![[0, 2, 4], [1, 3, 5]]);
    /// ```
    #[fallible]
    pub fn reshape<Sh: ReshapeArg>(self, shape: Sh) -> Tensor<T, Sh::Dim, O, Dev>
    where
        Dev: Copy<T>,
    {
        let from = self.shape();
        let shape = new_shape::<T, Sh>(from.as_ref(), shape)?;
        let owned = match self.into_result::<D>(&from) {
            Ok(owned) => owned,
            Err(view) => view.try_to_owned()?,
        };
        let (buffer, device) = owned.into_parts();
        Ok(Tensor::contiguous(buffer, shape, device))
    }

    /// Converts the tensor to rank 1, with all elements in memory order. An owned tensor keeps its buffer. A view is copied.
    ///
    /// # Errors
    /// If a view is copied and the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].flatten(), tensor![1, 2, 3, 4]);
    /// ```
    #[fallible]
    #[doc(alias = "ravel")]
    pub fn flatten(self) -> Tensor<T, Rank<1>, O, Dev>
    where
        Dev: Copy<T>,
    {
        let len = self.len();
        self.try_reshape([len])
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`as_shape`](Tensor::as_shape) as a mutable view.
    ///
    /// # Errors
    /// If the numbers of elements differ, or a view's strides do not allow the new shape without a copy.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3, 4];
    /// x.as_shape_mut([2, 2]).index_axis_mut(1, 0).fill(0);
    /// assert_eq!(x, vierbein::tensor![0, 2, 0, 4]);
    /// ```
    #[fallible]
    pub fn as_shape_mut<Sh: ReshapeArg>(&mut self, shape: Sh) -> TensorViewMut<'_, T, Sh::Dim, O, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        let (shape, strides) = self.reshaped(shape)?;
        Ok(self.view_mut().with_axes(shape, strides, 0))
    }
}

/// Returns the shape of a reshaped tensor whose shape was `from`.
fn new_shape<T, Sh: ReshapeArg>(from: &[usize], shape: Sh) -> Result<<Sh::Dim as Dim>::Shape, Error> {
    let extents = shape.extents()?;
    let mut to = Sh::Dim::shape(extents.as_ref().len());
    new_extents(from, extents.as_ref(), size_of::<T>(), to.as_mut())?;
    Ok(to)
}
