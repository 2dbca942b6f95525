//! Selection along an axis: partitions (`partition`) and the greatest elements (`top_k`).

use crate::axis::{AxisArg, IndexNumber, as_given, from_start};
use crate::device::{Device, Permute, Reduce};
use crate::element::{Element, Ordered};
use crate::error::{Error, unwrap_or_panic};
use crate::layout::axes::{Axes, AxesMut};
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;

pub(crate) const PARTITION: &str = "partition";
pub(crate) const TOP_K: &str = "find the greatest elements";

/// Checks the axis and the index `k` along it. Returns `k`, counted from the start if it is negative.
///
/// # Errors
/// If the axis is out of range, or `k` is out of range for its extent.
pub(crate) fn check_kth(axes: Axes<'_>, axis: usize, k: impl IndexNumber) -> Result<usize, Error> {
    axes.check_axis(PARTITION, axis)?;
    let shape = axes.shape();
    let k = from_start(k, shape[axis]);
    if k < shape[axis] {
        return Ok(k);
    }
    Err(Error::IndexOutOfBounds { op: PARTITION, index: as_given(k), axis, shape: shape.to_vec() })
}

/// Checks the axis, and that its extent is at least `k`.
///
/// # Errors
/// If the axis is out of range, or its extent is less than `k`.
pub(crate) fn check_top(axes: Axes<'_>, axis: usize, k: usize) -> Result<(), Error> {
    axes.check_axis(TOP_K, axis)?;
    let shape = axes.shape();
    if k <= shape[axis] {
        return Ok(());
    }
    let reason = format!(
        "{k} elements were requested, but axis {axis} of shape {shape:?} has {}; request fewer",
        shape[axis]
    );
    Err(Error::Argument { op: TOP_K, reason })
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the elements, partitioned along an axis: the element at index `k` is the one that [`sort`](Tensor::sort) would put there. No
    /// element before it is greater, and no element after it is less. The order of the elements on each side is unspecified.
    ///
    /// NaN is last. A partition is faster than a sort.
    ///
    /// # Panics
    /// If the axis is out of range, `k` is not an index along it, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![40, 10, 30, 20].partition(0, 1);
    /// assert_eq!(x[[1]], 20);
    /// assert_eq!(x[[0]], 10);
    /// ```
    #[track_caller]
    pub fn partition<A: AxisArg<D>>(&self, axis: A, k: impl IndexNumber) -> Tensor<T, D, O, Dev>
    where
        T: Ordered,
        Dev: Permute<T> + Reduce<T>,
    {
        unwrap_or_panic(self.try_partition(axis, k))
    }

    /// Fallible variant of [`partition`](Tensor::partition).
    ///
    /// # Errors
    /// If the axis is out of range, `k` is not an index along it, or the allocation fails.
    pub fn try_partition<A: AxisArg<D>>(
        &self,
        axis: A,
        k: impl IndexNumber,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Ordered,
        Dev: Permute<T> + Reduce<T>,
    {
        let k = check_kth(self.axes(), axis.index(), k)?;
        let mut out = self.try_to_owned()?;
        let (mut shape, mut strides) = (D::Shape::default(), D::Strides::default());
        let to = AxesMut::new(shape.as_mut(), strides.as_mut());
        out.axes().move_last(PARTITION, &[axis.index()], O::ROW_MAJOR, to)?;
        let (output, device) = out.output_with_axes(Axes::new(shape.as_ref(), strides.as_ref()), 0);
        device.partition(output, k)?;
        Ok(out)
    }

    /// Returns the `k` greatest elements along an axis, the greatest first, and their indices along the axis.
    ///
    /// Equal elements are in ascending order of their indices. NaN is last: it is among the results only if there are fewer than `k` other
    /// elements.
    ///
    /// # Panics
    /// If the axis is out of range, it has fewer than `k` elements, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (values, indices) = tensor![[10, 40, 30], [70, 50, 70]].top_k(1, 2);
    /// assert_eq!(values, tensor![[40, 30], [70, 70]]);
    /// assert_eq!(indices, tensor![[1, 2], [0, 2]]);
    /// ```
    #[track_caller]
    pub fn top_k<A: AxisArg<D>>(&self, axis: A, k: usize) -> (Tensor<T, D, O, Dev>, Tensor<i64, D, O, Dev>)
    where
        T: Ordered,
        Dev: Reduce<T>,
    {
        unwrap_or_panic(self.try_top_k(axis, k))
    }

    /// Fallible variant of [`top_k`](Tensor::top_k).
    ///
    /// # Errors
    /// If the axis is out of range, it has fewer than `k` elements, or the allocation fails.
    #[allow(clippy::type_complexity)]
    pub fn try_top_k<A: AxisArg<D>>(
        &self,
        axis: A,
        k: usize,
    ) -> Result<(Tensor<T, D, O, Dev>, Tensor<i64, D, O, Dev>), Error>
    where
        T: Ordered,
        Dev: Reduce<T>,
    {
        let axis = axis.index();
        check_top(self.axes(), axis, k)?;
        let mut shape = self.shape();
        shape.as_mut()[axis] = k;
        let mut values = Tensor::<T, D, O, Dev>::allocate(shape, self.device().clone())?;
        let mut indices = Tensor::<i64, D, O, Dev>::allocate(shape, self.device().clone())?;
        let (mut from_shape, mut from) = (D::Shape::default(), D::Strides::default());
        let (mut to_shape, mut to) = (D::Shape::default(), D::Strides::default());
        let last = |axes: Axes<'_>, to| axes.move_last(TOP_K, &[axis], O::ROW_MAJOR, to);
        last(self.axes(), AxesMut::new(from_shape.as_mut(), from.as_mut()))?;
        // Both results are contiguous and have the same strides.
        last(values.axes(), AxesMut::new(to_shape.as_mut(), to.as_mut()))?;
        let axes = Axes::new(to_shape.as_ref(), to.as_ref());
        let (to_indices, _) = indices.output_with_axes(axes, 0);
        let (to_values, device) = values.output_with_axes(axes, 0);
        let operand = self.operand_with_axes(Axes::new(from_shape.as_ref(), from.as_ref()), 0);
        device.top_k(to_values, to_indices, operand)?;
        Ok((values, indices))
    }
}
