//! Sorting, selection and search of dynamic tensors.

pub(crate) mod sets;

use super::operand::{
    DynOperand, agree, allocate_with, device_of, elements, lacking, line_of, needs, on_device, output_of,
    same_device, scalar_for,
};
use super::storage::{DynData, DynDataMut};
use super::tensor::{DynTensor, DynView, DynViewMut};
use crate::axis::{IndexNumber, from_start};
use crate::device::{Device, Operand, Output, Permute, Reduce};
use crate::dispatch;
use crate::element::{DType, Ordered, RealScalar, Scalar};
use crate::engine::reduce::reduced_last;
use crate::engine::same_instance;
use crate::engine::sort::nan_quantile::nan_quantile;
use crate::engine::sort::unique_slices;
use crate::engine::sort::weighted_quantile::{WEIGHTED_QUANTILE, check_weights, weighted_quantile};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::ordering::{
    ARGSORT, BOTTOM_K, DIGITIZE, IS_IN, LEXSORT, MEDIAN, NAN_MEDIAN, NAN_QUANTILE, PARTITION, QUANTILE,
    SEARCH, SORT, TOP_K, UNIQUE, UNIQUE_SLICES, check_kth, check_levels, check_rising, check_top,
};
use crate::ops::{Quantile, Side};
use crate::order::MemoryOrder;

/// Evaluates `$body` with `$T` as the element type of `$x` and `$Dev` as the type of its device. Returns an error if the element type is
/// not ordered.
macro_rules! ordered {
    ($op:expr, $x:expr, $T:ident, $Dev:ident => $body:expr) => {
        on_device!($op, $x, $Dev => dispatch!(
            $x.dtype(),
            $T: Ordered => $body,
            else => Err(lacking($op, $x.dtype(), needs::SORTABLE))
        ))
    };
}

/// The result of [`DynTensor::unique_with`]: the distinct elements, and at which indices they occur. All NaNs count as equal.
///
/// For [`DynTensor::unique_slices_with`], the fields have distinct slices along an axis instead of distinct elements, and indices along
/// this axis instead of flat indices.
#[derive(Debug)]
pub struct DynUnique {
    /// The distinct elements, in ascending order.
    pub values: DynTensor,
    /// For each value, the flat index of the first element that is equal to it, counted in memory order, as `i64`.
    pub first: DynTensor,
    /// For each element of the operand, in memory order, the index of its value in `values`, as `i64`.
    pub inverse: DynTensor,
    /// For each value, the number of elements that are equal to it, as `i64`.
    pub counts: DynTensor,
}

/// Returns a layout of the elements of `x` in which row-major iteration visits them in the memory order of `x`.
fn enumeration(x: &DynView<'_>) -> Layout {
    if x.order().is_row_major() { *x.layout() } else { x.layout().reverse_axes() }
}

fn sort_lines<T: Ordered, Dev: Reduce<T>>(
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

fn sorting_indices<T: Ordered, Dev: Reduce<T>>(
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

fn partition_lines<T: Ordered, Dev: Reduce<T>>(
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

fn selected<T: Ordered, Dev: Reduce<T>>(
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

/// Computes quantiles along an axis. If `keeps_axis`, the result has the axis, with extent `levels`. Otherwise, the axis is removed.
/// `compute` takes an output whose last axis has extent `levels`, and the elements with the axis last.
fn quantiles_of<T: RealScalar, Dev: Device>(
    op: &'static str,
    x: DynView<'_>,
    axis: usize,
    levels: usize,
    keeps_axis: bool,
    compute: impl Fn(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
) -> Result<DynTensor, Error> {
    let row_major = x.order().is_row_major();
    let mut from = *x.layout();
    reduced_last(op, false, x.layout().axes(), &[axis], row_major, from.axes_mut())?;
    let (layout, to) = if keeps_axis {
        let mut shape = x.shape().to_vec();
        shape[axis] = levels;
        let layout = Layout::contiguous(&shape, row_major);
        (layout, layout.move_last(op, &[axis], row_major)?)
    } else {
        let layout = Layout::contiguous(&from.shape()[..x.rank() - 1], row_major);
        (layout, layout.insert_axis(layout.rank())?)
    };
    let (device, operand) = (device_of::<Dev>(&x), elements::<T, Dev>(&x).with_axes(from.axes(), 0));
    allocate_with::<<T as Scalar>::Float, Dev>(device, layout, x.order(), &mut |out| {
        compute(device, out.in_layout(&to), operand)
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn quantile(
    op: &'static str,
    x: DynView<'_>,
    axis: usize,
    levels: &[f64],
    method: Option<Quantile>,
    keeps_axis: bool,
) -> Result<DynTensor, Error> {
    on_device!(op, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => quantiles_of::<T, Dev>(op, x, axis, levels.len(), keeps_axis, |device, out, a| {
            device.quantile(out, a, levels, method)
        }),
        else => Err(lacking(op, x.dtype(), needs::ORDER))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn quantile_of_weighted(
    x: DynView<'_>,
    axis: usize,
    levels: &[f64],
    weights: DynView<'_>,
    keeps_axis: bool,
) -> Result<DynTensor, Error> {
    const OP: &str = WEIGHTED_QUANTILE;
    check_levels(levels)?;
    x.layout().axes().check_axis(OP, axis)?;
    same_device(OP, x, weights)?;
    if weights.rank() != 1 {
        let reason = format!("expected weights as a vector, found a tensor of shape {:?}", weights.shape());
        return Err(Error::UnsupportedRank { op: OP, reason });
    }
    if weights.dtype() != DType::F64 {
        let fix = "is not the element type of weights: convert them with `.to_dtype(DType::F64)`";
        return Err(lacking(OP, weights.dtype(), fix));
    }
    let weights = weights.to_vec::<f64>()?;
    check_weights(x.shape(), axis, &weights)?;
    on_device!(OP, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => quantiles_of::<T, Dev>(OP, x, axis, levels.len(), keeps_axis, |device, out, a| {
            weighted_quantile(device, out, a, levels, &weights)
        }),
        else => Err(lacking(OP, x.dtype(), needs::ORDER))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn quantile_without_nan(
    op: &'static str,
    x: DynView<'_>,
    axis: usize,
    levels: &[f64],
    method: Option<Quantile>,
    keeps_axis: bool,
) -> Result<DynTensor, Error> {
    on_device!(op, x, Dev => dispatch!(
        x.dtype(),
        T: RealFloat => quantiles_of::<T, Dev>(op, x, axis, levels.len(), keeps_axis, |device, out, a| {
            nan_quantile(device, out, a, levels, method)
        }),
        else => Err(lacking(op, x.dtype(), needs::FLOATS))
    ))
}

/// Computes a median of all elements by `compute`, which takes an output of shape `[1]` and all elements, in memory order as for typed
/// tensors.
fn median_of_all<T: RealScalar, Dev: Device>(
    x: DynView<'_>,
    compute: impl Fn(&Dev, Output<'_, T::Float, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
) -> Result<DynTensor, Error> {
    let (device, row_major) = (device_of::<Dev>(&x), x.order().is_row_major());
    let (to, from) = (Layout::contiguous(&[1], row_major), enumeration(&x));
    allocate_with::<<T as Scalar>::Float, Dev>(
        device,
        Layout::contiguous(&[], row_major),
        x.order(),
        &mut |out| compute(device, out.in_layout(&to), elements::<T, Dev>(&x).with_axes(from.axes(), 0)),
    )
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn median(x: DynView<'_>) -> Result<DynTensor, Error> {
    if x.is_empty() {
        return Err(Error::Empty { op: MEDIAN, shape: x.shape().to_vec() });
    }
    on_device!(MEDIAN, x, Dev => dispatch!(
        x.dtype(),
        T: RealScalar => median_of_all::<T, Dev>(x, |device, out, a| device.quantile(out, a, &[0.5], None)),
        else => Err(lacking(MEDIAN, x.dtype(), needs::ORDER))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn median_without_nan(x: DynView<'_>) -> Result<DynTensor, Error> {
    if x.is_empty() {
        return Err(Error::Empty { op: NAN_MEDIAN, shape: x.shape().to_vec() });
    }
    on_device!(NAN_MEDIAN, x, Dev => dispatch!(
        x.dtype(),
        T: RealFloat => {
            median_of_all::<T, Dev>(x, |device, out, a| nan_quantile(device, out, a, &[0.5], None))
        },
        else => Err(lacking(NAN_MEDIAN, x.dtype(), needs::FLOATS))
    ))
}

fn different<T: Ordered, Dev: Reduce<T>>(x: DynView<'_>) -> Result<DynTensor, Error> {
    let (layout, device) = (enumeration(&x), device_of::<Dev>(&x));
    let buffer = device.unique(elements::<T, Dev>(&x).with_axes(layout.axes(), 0))?;
    Ok(line_of(device, buffer, x.order()))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique(x: DynView<'_>) -> Result<DynTensor, Error> {
    ordered!(UNIQUE, x, T, Dev => different::<T, Dev>(x))
}

fn different_counts<T: Ordered, Dev: Reduce<T>>(x: DynView<'_>) -> Result<(DynTensor, DynTensor), Error> {
    let (layout, device) = (enumeration(&x), device_of::<Dev>(&x));
    let (values, counts) = device.unique_counts(elements::<T, Dev>(&x).with_axes(layout.axes(), 0))?;
    Ok((line_of(device, values, x.order()), line_of::<i64, Dev>(device, counts, x.order())))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique_counts(x: DynView<'_>) -> Result<(DynTensor, DynTensor), Error> {
    ordered!(UNIQUE, x, T, Dev => different_counts::<T, Dev>(x))
}

fn different_with<T: Ordered, Dev: Reduce<T>>(x: DynView<'_>) -> Result<DynUnique, Error> {
    let (layout, device) = (enumeration(&x), device_of::<Dev>(&x));
    let (values, places) = device.unique_with(elements::<T, Dev>(&x).with_axes(layout.axes(), 0))?;
    let [first, inverse, counts] = places.map(|buffer| line_of::<i64, Dev>(device, buffer, x.order()));
    Ok(DynUnique { values: line_of(device, values, x.order()), first, inverse, counts })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique_with(x: DynView<'_>) -> Result<DynUnique, Error> {
    ordered!(UNIQUE, x, T, Dev => different_with::<T, Dev>(x))
}

fn different_slices<T: Ordered, Dev: Permute<T>>(x: DynView<'_>, axis: usize) -> Result<DynUnique, Error> {
    let (device, order) = (device_of::<Dev>(&x), x.order());
    let along = unique_slices::taking(UNIQUE_SLICES, axis, order.is_row_major());
    let [first, inverse, counts] = unique_slices::unique_slices(device, elements::<T, Dev>(&x), along)?
        .map(|buffer| line_of::<i64, Dev>(device, buffer, order));
    let mut layout = *x.layout();
    layout.set(axis, first.len(), 1);
    let layout = Layout::contiguous(layout.shape(), order.is_row_major());
    let at = first.look();
    let values = allocate_with(device, layout, order, &mut |out| {
        along.take(device, out, elements::<T, Dev>(&x), elements::<i64, Dev>(&at), false)
    })?;
    Ok(DynUnique { values, first, inverse, counts })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn unique_slices_with(x: DynView<'_>, axis: usize) -> Result<DynUnique, Error> {
    ordered!(UNIQUE_SLICES, x, T, Dev => different_slices::<T, Dev>(x, axis))
}

/// Checks that a tensor has rank 1.
fn check_line(op: &'static str, name: &str, x: &DynView<'_>) -> Result<(), Error> {
    if x.rank() == 1 {
        return Ok(());
    }
    let reason = format!("{name} has rank {}, but must have rank 1; call `.reshape(..)` first", x.rank());
    Err(Error::UnsupportedRank { op, reason })
}

fn places<T: Ordered, Dev: Reduce<T>>(
    op: &'static str,
    sorted: DynView<'_>,
    values: DynView<'_>,
    right: bool,
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&sorted);
    same_instance(op, device, device_of(&values))?;
    if op == DIGITIZE {
        check_rising(&device.gather(elements::<T, Dev>(&sorted))?)?;
    }
    let layout = Layout::contiguous(values.shape(), order.is_row_major());
    allocate_with(device, layout, order, &mut |out| {
        device.search(out, elements::<T, Dev>(&sorted), elements::<T, Dev>(&values), right)
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn search(
    op: &'static str,
    sorted: DynView<'_>,
    values: DynView<'_>,
    right: bool,
) -> Result<DynTensor, Error> {
    let order = agree(op, sorted, values)?;
    let name = if op == DIGITIZE { "the tensor of edges" } else { "the tensor to search" };
    check_line(op, name, &sorted)?;
    ordered!(op, sorted, T, Dev => places::<T, Dev>(op, sorted, values, right, order))
}

fn members<T: Ordered, Dev: Reduce<T>>(x: DynView<'_>, of: DynView<'_>) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&x);
    same_instance(IS_IN, device, device_of(&of))?;
    let layout = Layout::contiguous(x.shape(), x.order().is_row_major());
    allocate_with(device, layout, x.order(), &mut |out| {
        device.contains(out, elements::<T, Dev>(&x), elements::<T, Dev>(&of))
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn isin(x: DynView<'_>, of: DynView<'_>) -> Result<DynTensor, Error> {
    agree(IS_IN, x, of)?;
    ordered!(IS_IN, x, T, Dev => members::<T, Dev>(x, of))
}

fn sorting_columns<T: Ordered, Dev: Reduce<T>>(x: DynView<'_>) -> Result<DynTensor, Error> {
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

    /// Returns the median of all elements, as a tensor of rank 0: `f64` for integers. It is NaN if an element is NaN.
    ///
    /// # Errors
    /// If the tensor is empty, the elements are not real numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7, 1], [3, 4]]);
    /// assert_eq!(x.median()?.item()?, 3.5.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn median(&self) -> Result<DynTensor, Error> {
        median(self.look())
    }

    /// Returns the medians along an axis, which is removed. They are `f64` for integers. A median is NaN if one of its elements is NaN.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, the elements are not real numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7, 1, 2], [3, 4, 0]]);
    /// assert_eq!(x.median_axis(1)?.downcast_ref()?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn median_axis(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        quantile(MEDIAN, self.look(), from_start(axis, self.rank()), &[0.5], None, false)
    }

    /// Returns the quantiles of one level, from 0 to 1, along an axis, which is removed. They are `f64` for integers. A quantile is NaN if
    /// one of its elements is NaN.
    ///
    /// # Errors
    /// * If the level is not from 0 to 1.
    /// * Those of [`median_axis`](DynTensor::median_axis).
    ///
    /// ```
    /// use vierbein::{DynTensor, Quantile, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0, 4.0, 8.0, 16.0]]);
    /// assert_eq!(x.quantile(1, 0.75, Quantile::Linear)?.downcast_ref()?, tensor![8.0]);
    /// assert_eq!(x.quantiles(1, &[0.0, 0.5], Quantile::Linear)?.downcast_ref()?, tensor![[1.0, 4.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn quantile(&self, axis: impl IndexNumber, level: f64, method: Quantile) -> Result<DynTensor, Error> {
        check_levels(&[level])?;
        quantile(QUANTILE, self.look(), from_start(axis, self.rank()), &[level], Some(method), false)
    }

    /// Returns the quantiles of several levels along an axis. In the result, index `k` of the axis contains the quantiles of `levels[k]`.
    ///
    /// # Errors
    /// Those of [`quantile`](DynTensor::quantile).
    pub fn quantiles(
        &self,
        axis: impl IndexNumber,
        levels: &[f64],
        method: Quantile,
    ) -> Result<DynTensor, Error> {
        check_levels(levels)?;
        quantile(QUANTILE, self.look(), from_start(axis, self.rank()), levels, Some(method), true)
    }

    /// Returns the median of all elements that are not NaN, as a tensor of rank 0. It is NaN if all elements are NaN.
    ///
    /// # Errors
    /// If the tensor is empty, the elements are not real floating-point numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7.0, f64::NAN], [3.0, 4.0]]);
    /// assert_eq!(x.nan_median()?.item()?, 4.0.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_median(&self) -> Result<DynTensor, Error> {
        median_without_nan(self.look())
    }

    /// Returns the medians, along an axis, of the elements that are not NaN. The axis is removed. A median is NaN if all its elements are
    /// NaN.
    ///
    /// # Errors
    /// If the axis is out of range or has zero elements, the elements are not real floating-point numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[7.0, f64::NAN, 2.0], [3.0, 4.0, 0.0]]);
    /// assert_eq!(x.nan_median_axis(1)?.downcast_ref()?, tensor![4.5, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_median_axis(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        quantile_without_nan(NAN_MEDIAN, self.look(), from_start(axis, self.rank()), &[0.5], None, false)
    }

    /// Returns the weighted quantiles of one level along an axis, which is removed: see
    /// [`Tensor::quantile_weighted`](crate::Tensor::quantile_weighted). The weights are a vector of `f64` on the same device.
    ///
    /// # Errors
    /// * If the weights are not a vector of `f64` with one element for each index of the axis, or are on another device.
    /// * If a weight is negative or not finite, or all are zero.
    /// * Those of [`quantile`](DynTensor::quantile).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0, 4.0], [9.0, 8.0, 7.0]]);
    /// assert_eq!(x.quantile_weighted(1, 0.5, &tensor![1.0, 1.0, 4.0])?.downcast_ref()?, tensor![4.0, 7.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn quantile_weighted<'w>(
        &self,
        axis: impl IndexNumber,
        level: f64,
        weights: impl Into<DynView<'w>>,
    ) -> Result<DynTensor, Error> {
        quantile_of_weighted(self.look(), from_start(axis, self.rank()), &[level], weights.into(), false)
    }

    /// Returns the weighted quantiles of several levels along an axis. In the result, index `k` of the axis contains the quantiles of
    /// `levels[k]`.
    ///
    /// # Errors
    /// Those of [`quantile_weighted`](DynTensor::quantile_weighted).
    pub fn quantiles_weighted<'w>(
        &self,
        axis: impl IndexNumber,
        levels: &[f64],
        weights: impl Into<DynView<'w>>,
    ) -> Result<DynTensor, Error> {
        quantile_of_weighted(self.look(), from_start(axis, self.rank()), levels, weights.into(), true)
    }

    /// Returns the quantiles of one level, along an axis, of the elements that are not NaN. The level is from 0 to 1. The axis is removed.
    /// A quantile is NaN if all its elements are NaN.
    ///
    /// # Errors
    /// * If the level is not from 0 to 1.
    /// * Those of [`nan_median_axis`](DynTensor::nan_median_axis).
    ///
    /// ```
    /// use vierbein::{DynTensor, Quantile, tensor};
    /// let x = DynTensor::from(tensor![[8.0, f64::NAN, 2.0], [3.0, 4.0, 0.0]]);
    /// assert_eq!(x.nan_quantile(1, 0.25, Quantile::Linear)?.downcast_ref()?, tensor![3.5, 1.5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_quantile(
        &self,
        axis: impl IndexNumber,
        level: f64,
        method: Quantile,
    ) -> Result<DynTensor, Error> {
        check_levels(&[level])?;
        let axis = from_start(axis, self.rank());
        quantile_without_nan(NAN_QUANTILE, self.look(), axis, &[level], Some(method), false)
    }

    /// Returns the quantiles of several levels, along an axis, of the elements that are not NaN. In the result, index `k` of the axis
    /// contains the quantiles of `levels[k]`.
    ///
    /// # Errors
    /// Those of [`nan_quantile`](DynTensor::nan_quantile).
    pub fn nan_quantiles(
        &self,
        axis: impl IndexNumber,
        levels: &[f64],
        method: Quantile,
    ) -> Result<DynTensor, Error> {
        check_levels(levels)?;
        let axis = from_start(axis, self.rank());
        quantile_without_nan(NAN_QUANTILE, self.look(), axis, levels, Some(method), true)
    }

    /// Returns the distinct elements, in ascending order, as a tensor of rank 1. If there are NaNs, the last element is one NaN.
    /// Of −0.0 and 0.0, the result contains the one that is first in memory order.
    ///
    /// # Errors
    /// If the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[3, 1, 3], [2, 1, 3]]);
    /// assert_eq!(x.unique()?.downcast_ref()?, tensor![1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique(&self) -> Result<DynTensor, Error> {
        unique(self.look())
    }

    /// Returns the distinct elements, in ascending order, and for each of them the number of its occurrences, as `i64`.
    ///
    /// # Errors
    /// Those of [`unique`](DynTensor::unique).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (values, counts) = DynTensor::from(tensor![3, 1, 3]).unique_counts()?;
    /// assert_eq!(values.downcast_ref()?, tensor![1, 3]);
    /// assert_eq!(counts.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_counts(&self) -> Result<(DynTensor, DynTensor), Error> {
        unique_counts(self.look())
    }

    /// Returns the distinct elements, their first indices and their counts, and for each element the index of its value: see
    /// [`Tensor::unique_with`](crate::Tensor::unique_with).
    ///
    /// # Errors
    /// Those of [`unique`](DynTensor::unique).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3, 1, 3]).unique_with()?;
    /// assert_eq!(x.values.downcast_ref()?, tensor![1, 3]);
    /// assert_eq!(x.counts.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_with(&self) -> Result<DynUnique, Error> {
        unique_with(self.look())
    }

    /// Returns the distinct slices along an axis, in ascending order: see [`Tensor::unique_slices`](crate::Tensor::unique_slices).
    ///
    /// # Errors
    /// If the axis is out of range, the element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[2, 1], [1, 5], [2, 1]]);
    /// assert_eq!(x.unique_slices(0)?.downcast_ref()?, tensor![[1, 5], [2, 1]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_slices(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        Ok(self.unique_slices_with(axis)?.values)
    }

    /// Returns the distinct slices along an axis, the index at which each occurs first, and how often each occurs. Also returns, for each slice
    /// of `self`, its index among the distinct slices: see [`Tensor::unique_slices_with`](crate::Tensor::unique_slices_with).
    ///
    /// # Errors
    /// Those of [`unique_slices`](DynTensor::unique_slices).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[2, 1], [1, 5], [2, 1]]).unique_slices_with(0)?;
    /// assert_eq!(x.inverse.downcast_ref()?, tensor![1_i64, 0, 1]);
    /// assert_eq!(x.counts.downcast_ref()?, tensor![1_i64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn unique_slices_with(&self, axis: impl IndexNumber) -> Result<DynUnique, Error> {
        unique_slices_with(self.look(), from_start(axis, self.rank()))
    }

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
        with_operand(SEARCH, self.look(), values.into(), |values| {
            search(SEARCH, self.look(), values, side == Side::Right)
        })
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
        with_operand(IS_IN, self.look(), of.into(), |of| isin(self.look(), of))
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
        with_operand(DIGITIZE, self.look(), edges.into(), |edges| {
            search(DIGITIZE, edges, self.look(), closed == Side::Left)
        })
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

/// Calls `f` with a tensor operand, or with a scalar as a tensor of rank 0.
fn with_operand(
    op: &'static str,
    x: DynView<'_>,
    operand: DynOperand<'_>,
    f: impl FnOnce(DynView<'_>) -> Result<DynTensor, Error>,
) -> Result<DynTensor, Error> {
    match operand {
        DynOperand::OfTensor(operand) => f(operand),
        DynOperand::OfScalar(scalar) => f(scalar_for(op, x, scalar)?.look()),
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
