//! Sorting, selection and search of dynamic tensors.

mod quantile;
mod search;
pub(crate) mod sets;
mod unique;

pub use unique::DynUnique;

use super::operand::{allocate_with, device_of, elements, output_of};
use super::storage::{DynData, DynDataMut};
use super::tensor::{DynTensor, DynView, DynViewMut};
use crate::device::Sort;
use crate::element::Ordered;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::sort::partition::{BOTTOM_K, PARTITION, TOP_K, check_kth, check_top};
use crate::ops::sort::{ARGSORT, LEXSORT, SORT};
use crate::rank::{IndexNumber, from_start};

/// Evaluates `$body` with `$T` as the element type of `$x` and `$Dev` as the type of its device. Returns an error if the element type is
/// not ordered.
macro_rules! ordered {
    ($op:expr, $x:expr, $T:ident, $Dev:ident => $body:expr) => {
        $crate::dyn_tensor::operand::on_device!($op, $x, $Dev => $crate::dispatch!(
            $x.dtype(),
            $T: Ordered => $body,
            else => Err($crate::dyn_tensor::operand::lacking($op, $x.dtype(), $crate::dyn_tensor::operand::needs::SORTABLE))
        ))
    };
}
pub(super) use ordered;

/// Returns a layout of the elements of `x` in which row-major iteration visits them in the memory order of `x`.
fn enumeration(x: &DynView<'_>) -> Layout {
    if x.order().is_row_major() { *x.layout() } else { x.layout().reverse_axes() }
}

fn sort_lines<T: Ordered, Dev: Sort<T>>(
    mut x: DynViewMut<'_>,
    lines: &Layout,
    descending: bool,
) -> Result<(), Error> {
    let (output, device) = output_of::<T, Dev>(&mut x);
    device.sort(output.with_axes(lines.axes(), 0), descending)
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn sort(x: DynViewMut<'_>, axis: usize, descending: bool) -> Result<(), Error> {
    let lines = x.layout().move_last(SORT, &[axis], x.order().is_row_major())?;
    ordered!(SORT, x, T, Dev => sort_lines::<T, Dev>(x, &lines, descending))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn sorted(x: DynView<'_>, axis: usize, descending: bool) -> Result<DynTensor, Error> {
    x.layout().axes().check_axis(SORT, axis)?;
    ordered!(SORT, x, T, Dev => {
        let mut out = x.to_owned()?;
        let lines = out.layout().move_last(SORT, &[axis], x.order().is_row_major())?;
        sort_lines::<T, Dev>(out.view_mut(), &lines, descending)?;
        Ok(out)
    })
}

fn sorting_indices<T: Ordered, Dev: Sort<T>>(
    x: DynView<'_>,
    axis: usize,
    descending: bool,
) -> Result<DynTensor, Error> {
    let row_major = x.order().is_row_major();
    let from = x.layout().move_last(ARGSORT, &[axis], row_major)?;
    let layout = Layout::contiguous(x.shape(), row_major);
    let to = layout.move_last(ARGSORT, &[axis], row_major)?;
    let (device, operand) = (device_of::<Dev>(&x), elements::<T, Dev>(&x).with_axes(from.axes(), 0));
    allocate_with(device, layout, x.order(), &mut |out| {
        device.argsort(out.in_layout(&to), operand, descending)
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn argsort(x: DynView<'_>, axis: usize, descending: bool) -> Result<DynTensor, Error> {
    ordered!(ARGSORT, x, T, Dev => sorting_indices::<T, Dev>(x, axis, descending))
}

fn partition_lines<T: Ordered, Dev: Sort<T>>(
    mut x: DynViewMut<'_>,
    lines: &Layout,
    k: usize,
) -> Result<(), Error> {
    let (output, device) = output_of::<T, Dev>(&mut x);
    device.partition(output.with_axes(lines.axes(), 0), k)
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn partition(x: DynView<'_>, axis: usize, k: usize) -> Result<DynTensor, Error> {
    ordered!(PARTITION, x, T, Dev => {
        let mut out = x.to_owned()?;
        let lines = out.layout().move_last(PARTITION, &[axis], x.order().is_row_major())?;
        partition_lines::<T, Dev>(out.view_mut(), &lines, k)?;
        Ok(out)
    })
}

fn selected<T: Ordered, Dev: Sort<T>>(
    x: DynView<'_>,
    axis: usize,
    k: usize,
    descending: bool,
) -> Result<(DynTensor, DynTensor), Error> {
    let row_major = x.order().is_row_major();
    let from = x.layout().move_last(TOP_K, &[axis], row_major)?;
    let mut shape = x.shape().to_vec();
    shape[axis] = k;
    let layout = Layout::contiguous(&shape, row_major);
    let to = layout.move_last(TOP_K, &[axis], row_major)?;
    let (device, operand) = (device_of::<Dev>(&x), elements::<T, Dev>(&x).with_axes(from.axes(), 0));
    let mut values = None;
    let indices = allocate_with(device, layout, x.order(), &mut |mut indices| {
        values = Some(allocate_with(device, layout, x.order(), &mut |values| {
            device.top_k(values.in_layout(&to), indices.reborrow().in_layout(&to), operand, descending)
        })?);
        Ok(())
    })?;
    Ok((values.expect("the closure was called"), indices))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn top_k(
    op: &'static str,
    x: DynView<'_>,
    axis: usize,
    k: usize,
    descending: bool,
) -> Result<(DynTensor, DynTensor), Error> {
    check_top(op, x.layout().axes(), axis, k)?;
    ordered!(op, x, T, Dev => selected::<T, Dev>(x, axis, k, descending))
}

fn sorting_columns<T: Ordered, Dev: Sort<T>>(x: DynView<'_>) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    let layout = Layout::contiguous(&x.shape()[1..], true);
    allocate_with(device, layout, x.order(), &mut |out| device.lexsort(out, elements::<T, Dev>(&x)))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn lexsort(x: DynView<'_>) -> Result<DynTensor, Error> {
    if x.rank() != 2 {
        let reason = format!("expected a matrix, found rank {}; its rows are the keys", x.rank());
        return Err(Error::UnsupportedRank { op: LEXSORT, reason });
    }
    ordered!(LEXSORT, x, T, Dev => sorting_columns::<T, Dev>(x))
}

impl<S: DynData> DynTensor<S> {
    /// Returns the elements sorted along an axis, in ascending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// If the axis is out of range, the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[3, 1, 2], [6, 5, 4]]);
    /// assert_eq!(x.sort(1)?.downcast_ref()?, tensor![[1, 2, 3], [4, 5, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn sort(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        sorted(self.look(), from_start(axis, self.rank()), false)
    }

    /// Returns the elements sorted along an axis, in descending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// Those of [`sort`](DynTensor::sort).
    pub fn sort_descending(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        sorted(self.look(), from_start(axis, self.rank()), true)
    }

    /// Returns the indices, along an axis, that sort the elements in ascending order, as `i64`. The sort is stable. NaN is last.
    ///
    /// # Errors
    /// Those of [`sort`](DynTensor::sort).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![30, 10, 20, 10]);
    /// assert_eq!(x.argsort(0)?.downcast_ref()?, tensor![1_i64, 3, 2, 0]);
    /// assert_eq!(x.argsort_descending(0)?.downcast_ref()?, tensor![0_i64, 2, 1, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn argsort(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        argsort(self.look(), from_start(axis, self.rank()), false)
    }

    /// Returns the indices, along an axis, that sort the elements in descending order, as `i64`. The sort is stable. NaN is last.
    ///
    /// # Errors
    /// Those of [`sort`](DynTensor::sort).
    pub fn argsort_descending(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        argsort(self.look(), from_start(axis, self.rank()), true)
    }

    /// Returns the elements, partitioned along an axis: the element at index `k` is that of the sorted tensor, no element before it is
    /// greater, and no element after it is less. NaN counts as greater than all numbers.
    ///
    /// # Errors
    /// * If `k` is not an index along the axis.
    /// * Those of [`sort`](DynTensor::sort).
    pub fn partition(&self, axis: impl IndexNumber, k: impl IndexNumber) -> Result<DynTensor, Error> {
        let axis = from_start(axis, self.rank());
        partition(self.look(), axis, check_kth(self.layout().axes(), axis, k)?)
    }

    /// Returns the `k` greatest elements along an axis, the greatest first, and their indices as `i64`: see
    /// [`Tensor::top_k`](crate::Tensor::top_k).
    ///
    /// # Errors
    /// * If the axis has fewer than `k` elements.
    /// * Those of [`sort`](DynTensor::sort).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (values, indices) = DynTensor::from(tensor![10, 40, 30]).top_k(0, 2)?;
    /// assert_eq!(values.downcast_ref()?, tensor![40, 30]);
    /// assert_eq!(indices.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn top_k(&self, axis: impl IndexNumber, k: usize) -> Result<(DynTensor, DynTensor), Error> {
        top_k(TOP_K, self.look(), from_start(axis, self.rank()), k, true)
    }

    /// Returns the `k` smallest elements along an axis, the smallest first, and their indices as `i64`: see
    /// [`Tensor::bottom_k`](crate::Tensor::bottom_k).
    ///
    /// # Errors
    /// * If the axis has fewer than `k` elements.
    /// * Those of [`sort`](DynTensor::sort).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (values, indices) = DynTensor::from(tensor![10, 40, 30]).bottom_k(0, 2)?;
    /// assert_eq!(values.downcast_ref()?, tensor![10, 30]);
    /// assert_eq!(indices.downcast_ref()?, tensor![0_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn bottom_k(&self, axis: impl IndexNumber, k: usize) -> Result<(DynTensor, DynTensor), Error> {
        top_k(BOTTOM_K, self.look(), from_start(axis, self.rank()), k, false)
    }

    /// Returns the indices that sort the columns of a matrix, as `i64`. The last row is the primary key; ties are resolved by the row
    /// before it, and so on. The sort is stable.
    ///
    /// # Errors
    /// If the rank is not 2, the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[2, 1, 3], [7, 5, 5]]);
    /// assert_eq!(x.lexsort()?.downcast_ref()?, tensor![1_i64, 2, 0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn lexsort(&self) -> Result<DynTensor, Error> {
        lexsort(self.look())
    }
}

impl<S: DynDataMut> DynTensor<S> {
    /// Sorts the elements along an axis in place, in ascending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// * If the axis is out of range, or the element type is not ordered: the tensor is unchanged.
    /// * If the allocation of workspace fails: some lines along the axis may have been sorted.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![3, 1, 2]);
    /// x.sort_inplace(0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn sort_inplace(&mut self, axis: impl IndexNumber) -> Result<(), Error> {
        let axis = from_start(axis, self.rank());
        sort(self.view_mut(), axis, false)
    }

    /// Sorts the elements along an axis in place, in descending order. NaN is last. −0.0 and 0.0 are equal and keep their relative order.
    ///
    /// # Errors
    /// Those of [`sort_inplace`](DynTensor::sort_inplace).
    pub fn sort_descending_inplace(&mut self, axis: impl IndexNumber) -> Result<(), Error> {
        let axis = from_start(axis, self.rank());
        sort(self.view_mut(), axis, true)
    }
}
