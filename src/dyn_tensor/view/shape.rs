//! Views with other axes or another shape, and reshaping. Only `reshape` and `flatten` of a view copy elements.

use super::slice::{DynSlice, rank_below_maximum};
use crate::dyn_tensor::copy::convert::check_rank;
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::{DynTensor, DynViewMut, DynViewOf};
use crate::error::Error;
use crate::layout::reshape::new_extents;
use crate::layout::{Layout, element_count};
use crate::ops::view::shape::check_matrix;
use crate::rank::{IndexNumber, from_start};

/// Defines methods that return a view. Each has a variant that returns a mutable view. A row contains the expression for the layout
/// of the view.
macro_rules! views {
    ($(
        $(#[$doc:meta])*
        $name:ident, $name_mut:ident ($($arg:ident: $ty:ty),*) |$layout:ident, $row_major:ident $(, $size:ident)?| $body:expr;
    )*) => {$(
        impl<S: DynData> DynTensor<S> {
            $(#[$doc])*
            pub fn $name(&self $(, $arg: $ty)*) -> Result<DynViewOf<'_, S>, Error> {
                let ($layout, $row_major) = (self.layout(), self.order().is_row_major());
                let _ = $row_major;
                $( let $size = self.dtype().size(); )?
                let layout: Layout = $body?;
                Ok(DynTensor::of(self.storage().share(), layout, self.order()))
            }

            #[doc = concat!("[`", stringify!($name), "`](DynTensor::", stringify!($name), ") as a mutable view.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($name), "`](DynTensor::", stringify!($name), ").")]
            pub fn $name_mut(&mut self $(, $arg: $ty)*) -> Result<DynViewMut<'_>, Error>
            where
                S: DynDataMut,
            {
                let (whole, order) = (*self.layout(), self.order());
                let ($layout, $row_major) = (&whole, order.is_row_major());
                let _ = $row_major;
                $( let $size = self.dtype().size(); )?
                let layout: Layout = $body?;
                Ok(DynTensor::of(self.storage_mut().data_mut(), layout, order))
            }
        }
    )*};
}

views! {
    /// Returns a view whose axis `k` is axis `axes[k]` of this tensor.
    ///
    /// # Errors
    /// If `axes` is not a permutation of the tensor's axes.
    ///
    /// ```
    /// use vierbein::{DynTensor, Tensor};
    /// let x = DynTensor::from(Tensor::<f64, _>::zeros([2, 3, 4]));
    /// assert_eq!(x.permute(&[2, 0, 1])?.shape(), [4, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    permute, permute_mut(axes: &[impl IndexNumber]) |layout, _row_major| {
        let axes = axes_of(axes, layout.rank());
        all_axes(&axes, layout.rank()).and_then(|()| layout.permute(&axes))
    };

    /// Returns a view with two axes exchanged.
    ///
    /// # Errors
    /// If an axis is out of range.
    swap_axes, swap_axes_mut(a: impl IndexNumber, b: impl IndexNumber) |layout, _row_major| {
        layout.swap_axes(from_start(a, layout.rank()), from_start(b, layout.rank()))
    };

    /// Returns a view with the axes in reverse order: the transpose of a matrix.
    ///
    /// # Errors
    /// Never returns an error.
    reverse_axes, reverse_axes_mut() |layout, _row_major| Ok::<Layout, Error>(layout.reverse_axes());

    /// Returns the transpose of a matrix, as a view.
    ///
    /// # Errors
    /// If the rank is not 2.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.t()?.downcast_ref()?, tensor![[1, 3], [2, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    t, t_mut() |layout, _row_major| check_matrix(layout.rank()).map(|()| layout.reverse_axes());

    /// Returns a view with a new axis of extent 1 before axis `at`. If `at` is the rank, the new axis is the last one. A negative
    /// `at` is an axis of the result, counted from the end.
    ///
    /// # Errors
    /// If `at` is out of range, or the rank is 16.
    insert_axis, insert_axis_mut(at: impl IndexNumber) |layout, _row_major| {
        let at = from_start(at, layout.rank() + 1);
        rank_below_maximum(layout.rank()).and_then(|()| layout.insert_axis(at))
    };

    /// Returns a view without the given axis, which must have extent 1.
    ///
    /// # Errors
    /// If the axis is out of range, or if its extent is not 1.
    remove_axis, remove_axis_mut(axis: impl IndexNumber) |layout, _row_major| {
        layout.remove_axis(from_start(axis, layout.rank()))
    };

    /// Returns a view of the elements at one index along an axis. The view does not have that axis.
    ///
    /// # Errors
    /// If the axis or the index is out of range.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.index_axis(0, 1)?.downcast_ref()?, tensor![3, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    index_axis, index_axis_mut(axis: impl IndexNumber, index: impl IndexNumber) |layout, _row_major| {
        let axis = from_start(axis, layout.rank());
        let extent = layout.shape().get(axis).copied().unwrap_or(0);
        layout.index_axis(axis, from_start(index, extent))
    };

    /// Returns a view with the elements in reverse order along the given axes: index 0 becomes the last index.
    ///
    /// # Errors
    /// If an axis is out of range or named twice.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.flip(&[0])?.downcast_ref()?, tensor![[3, 4], [1, 2]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    flip, flip_mut(axes: &[impl IndexNumber]) |layout, _row_major| layout.flip(&axes_of(axes, layout.rank()));

    /// Returns a view that is rotated by `turns` quarter turns in the plane of the axes `a` and `b`, from `a` towards `b`.
    ///
    /// # Errors
    /// If an axis is out of range, or the two axes are equal.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.rot90(1, 0, 1)?.downcast_ref()?, tensor![[2, 4], [1, 3]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    rot90, rot90_mut(turns: isize, a: impl IndexNumber, b: impl IndexNumber) |layout, _row_major| {
        layout.rot90(turns, from_start(a, layout.rank()), from_start(b, layout.rank()))
    };

    /// Returns a view of the elements whose indices along axes `a` and `b` are equal. One axis, the last, replaces `a` and `b`.
    ///
    /// # Errors
    /// If the rank is below 2, if an axis is out of range, or if `a` and `b` are the same axis or differ in extent.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.diagonal(0, 1)?.downcast_ref()?, tensor![1, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    diagonal, diagonal_mut(a: impl IndexNumber, b: impl IndexNumber) |layout, _row_major| {
        let (a, b) = (from_start(a, layout.rank()), from_start(b, layout.rank()));
        layout.diagonal("take the diagonal", a, b)
    };

    /// Returns a view of diagonal `k` of axes `a` and `b`, which may differ in extent: see
    /// [`Tensor::diagonal_offset`](crate::Tensor::diagonal_offset).
    ///
    /// # Errors
    /// If the rank is below 2, if an axis is out of range, or if `a` and `b` are the same axis.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.diagonal_offset(0, 1, 1)?.downcast_ref()?, tensor![2, 6]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    diagonal_offset, diagonal_offset_mut(a: impl IndexNumber, b: impl IndexNumber, k: isize) |layout, _row_major| {
        let axes = [from_start(a, layout.rank()), from_start(b, layout.rank())];
        layout.diagonal_offset("take the diagonal", axes, k)
    };

    /// Returns the view that a [slice](crate::s!) describes, with one argument for each axis.
    ///
    /// # Errors
    /// If there are more or fewer arguments than axes, or if an index or range does not fit its axis.
    ///
    /// ```
    /// use vierbein::dyn_tensor::SliceItem;
    /// use vierbein::{DynTensor, s, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.slice(s![.., 1..;-1])?.downcast_ref()?, tensor![[3, 2], [6, 5]]);
    /// // If the rank is known at run time only:
    /// let mut items = vec![SliceItem::from(..); x.rank()];
    /// items[0] = SliceItem::from(-1);
    /// assert_eq!(x.slice(items)?.downcast_ref()?, tensor![4, 5, 6]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    slice, slice_mut(arguments: impl DynSlice) |layout, _row_major| arguments.of(layout);

    /// Returns a view with another shape that has the same number of elements. One extent can be -1: it is computed from the others. The
    /// k-th element in memory order stays the k-th.
    ///
    /// An owned tensor has such a view for every shape with this number of elements. If the strides of a view do not allow the new shape,
    /// use [`reshape`](DynTensor::reshape), which copies the elements of a view.
    ///
    /// # Errors
    /// If the numbers of elements differ, or if a view's strides do not allow the new shape without a copy.
    as_shape, as_shape_mut(shape: &[impl IndexNumber]) |layout, row_major, size| {
        new_shape(layout.shape(), shape, size).and_then(|shape| {
            layout.reshape(&shape, row_major).ok_or_else(|| Error::NotContiguous {
                op: "reshape without a copy",
                shape: layout.shape().to_vec(),
                strides: layout.strides().to_vec(),
                order: if row_major { "row-major" } else { "column-major" },
            })
        })
    };
}

fn all_axes(axes: &[usize], rank: usize) -> Result<(), Error> {
    if axes.len() == rank {
        return Ok(());
    }
    let reason = format!("{axes:?} does not have one number for each axis of a tensor of `Rank<{rank}>`");
    Err(Error::UnsupportedRank { op: "permute", reason })
}

/// Checks the requested shape of a tensor of shape `from`, and computes the extent that is -1, if there is one. Each element of the
/// tensor has `size` bytes.
fn new_shape(from: &[usize], shape: &[impl IndexNumber], size: usize) -> Result<Vec<usize>, Error> {
    check_rank("reshape", shape.len())?;
    let extents: Vec<isize> = shape.iter().map(|extent| extent.number()).collect();
    let mut to = vec![0; shape.len()];
    new_extents(from, &extents, size, &mut to).map(|()| to)
}

/// Converts axes that may be counted from the end into axes counted from 0.
pub(crate) fn axes_of(axes: &[impl IndexNumber], rank: usize) -> Vec<usize> {
    axes.iter().map(|&axis| from_start(axis, rank)).collect()
}

impl<S: DynData> DynTensor<S> {
    /// Returns a view broadcast to another shape. The view repeats the elements along axes of extent 1 and along new axes, which come first
    /// in row-major order and last in column-major order. No elements are copied: these axes have stride 0.
    ///
    /// # Errors
    /// If the tensor's shape does not broadcast to the new shape, or if the new shape has more than 16 axes or exceeds the address
    /// space.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2]);
    /// assert_eq!(x.broadcast_to(&[2, 2])?.downcast_ref()?, tensor![[1, 2], [1, 2]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<DynViewOf<'_, S>, Error> {
        check_rank("broadcast", shape.len())?;
        element_count(shape, self.dtype().size())?;
        let row_major = self.order().is_row_major();
        let layout = self.layout().broadcast_to(shape, row_major).ok_or_else(|| Error::BroadcastShape {
            from: self.shape().to_vec(),
            to: shape.to_vec(),
            row_major,
        })?;
        Ok(DynTensor::of(self.storage().share(), layout, self.order()))
    }

    /// Converts the tensor to another shape that has the same number of elements. One extent can be -1: it is computed from the
    /// others. The k-th element in memory order stays the k-th. An owned tensor keeps its memory; a view is copied.
    ///
    /// # Errors
    /// If the numbers of elements differ, or if the device allocation of a copy fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, Tensor, tensor};
    /// let x = DynTensor::from(Tensor::<i32, _>::arange(0..6)).reshape(&[2, 3])?;
    /// assert_eq!(x.downcast_ref()?, tensor![[0, 1, 2], [3, 4, 5]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn reshape(self, shape: &[impl IndexNumber]) -> Result<DynTensor, Error> {
        let shape = new_shape(self.shape(), shape, self.dtype().size())?;
        let order = self.order();
        let storage = self.into_owned()?.into_storage();
        Ok(DynTensor::of(storage, Layout::contiguous(&shape, order.is_row_major()), order))
    }

    /// Converts into a tensor of rank 1 with all elements in memory order. An owned tensor keeps its memory; a view is copied.
    ///
    /// # Errors
    /// If the device allocation of a copy fails.
    pub fn flatten(self) -> Result<DynTensor, Error> {
        let len = self.len();
        self.reshape(&[len])
    }
}
