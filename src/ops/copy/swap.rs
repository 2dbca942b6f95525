//! Exchanging the elements of two views, or of two indices along an axis.

#![forbid(unsafe_code)]

use crate::axis::AxisArg;
use crate::device::{Copy, Device};
use crate::element::Element;
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::layout::broadcast::same;
use crate::order::Order;
use crate::rank::{Dim, IndexNumber, RemoveAxes};
use crate::storage::StorageMut;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: StorageMut<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Exchanges the elements at two indices along an axis, such as two rows of a matrix. Negative indices count from the end.
    ///
    /// # Errors
    /// If the axis or an index is out of range, or an allocation fails. Nothing is exchanged then.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![[1, 2], [3, 4], [5, 6]];
    /// x.swap_indices(0, 0, -1);
    /// assert_eq!(x, tensor![[5, 6], [3, 4], [1, 2]]);
    /// ```
    #[fallible]
    pub fn swap_indices<A>(&mut self, axis: A, i: impl IndexNumber, j: impl IndexNumber)
    where
        A: AxisArg<D>,
        D: RemoveAxes<1>,
        Dev: Copy<T>,
    {
        let first = self.try_index_axis(axis, i)?.try_to_owned()?;
        let second = self.try_index_axis(axis, j)?.try_to_owned()?;
        self.try_index_axis_mut(axis, i)?.try_assign(&second)?;
        self.try_index_axis_mut(axis, j)?.try_assign(&first)
    }

    /// Exchanges the elements with those of another tensor or view of the same shape.
    ///
    /// To exchange two tensors as a whole, [`core::mem::swap`] is faster.
    ///
    /// # Errors
    /// If the shapes differ, the tensors are on different instances of the device, or an allocation fails. Nothing is exchanged then.
    ///
    /// ```
    /// use vierbein::{s, tensor};
    /// let (mut x, mut y) = (tensor![1, 2, 3, 4], tensor![[5, 6], [7, 8]]);
    /// x.slice_mut(s![..2]).swap_with(&mut y.index_axis_mut(1, 0));
    /// assert_eq!((x, y), (tensor![5, 7, 3, 4], tensor![[1, 6], [2, 8]]));
    /// ```
    #[fallible]
    pub fn swap_with<S2>(&mut self, other: &mut Tensor<T, D, O, Dev, S2>)
    where
        S2: StorageMut<T, Dev>,
        Dev: Copy<T>,
    {
        const OP: &str = "swap";
        same_instance(OP, self.device(), other.device())?;
        let (left, right) = (self.shape(), other.shape());
        if !same(left.as_ref(), right.as_ref()) {
            let reason = format!(
                "the shapes {:?} and {:?} differ; pass tensors or views of the same shape",
                left.as_ref(),
                right.as_ref()
            );
            return Err(Error::Argument { op: OP, reason });
        }
        let own = self.try_to_owned()?;
        self.try_assign(&*other)?;
        other.try_assign(&own)
    }
}
