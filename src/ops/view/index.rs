//! Views at one index along an axis, and splitting along an axis.

use super::slice::SliceOf;
use crate::axis::AxisArg;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, fallible};
use crate::layout::slice::rank as slice_rank;
use crate::order::Order;
use crate::rank::{Dim, IndexNumber, RemoveAxes, from_start};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{IndexArray, Tensor, TensorViewMut, ViewOf, not_an_index};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns an axis and an index along it, both counted from 0. An index that is out of range stays out of range: see [`from_start`].
    #[inline]
    fn along<A: AxisArg<D>>(&self, axis: A, index: impl IndexNumber) -> (usize, usize) {
        let axis = axis.index(self.rank());
        let extent = self.shape().as_ref().get(axis).copied().unwrap_or(0);
        (axis, from_start(index, extent))
    }

    /// Returns the index of an element, given its flat index in memory order, which methods such as [`argmax`](Tensor::argmax) return. A
    /// negative flat index counts from the end.
    ///
    /// # Errors
    /// If the flat index is out of range.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1.0, 2.0, 7.0], [4.0, 5.0, 6.0]];
    /// assert_eq!(x.unravel_index(x.argmax().item()), [0, 2]);
    /// ```
    #[fallible]
    pub fn unravel_index(&self, flat: impl IndexNumber) -> D::Shape {
        let mut rest = from_start(flat, self.len());
        if rest >= self.len() {
            let shape = vec![self.len()];
            return Err(Error::IndexOutOfBounds { op: "unravel", index: flat.number(), axis: 0, shape });
        }
        let (shape, mut index) = (self.shape(), D::shape(self.rank()));
        for k in 0..self.rank() {
            let axis = if O::ROW_MAJOR { self.rank() - 1 - k } else { k };
            let extent = shape.as_ref()[axis];
            index.as_mut()[axis] = rest % extent;
            rest /= extent;
        }
        Ok(index)
    }

    /// Returns the flat index, in memory order, of the element at an index. The inverse of [`unravel_index`](Tensor::unravel_index).
    ///
    /// # Errors
    /// If the index is out of range.
    ///
    /// ```
    /// assert_eq!(vierbein::tensor![[1, 2, 7], [4, 5, 6]].ravel_index([1, -1]), 5);
    /// ```
    #[fallible]
    pub fn ravel_index(&self, index: impl IndexArray<D>) -> usize {
        let shape = self.shape();
        let (at, shape) = (index.counted_from_start(&shape), shape.as_ref());
        if self.axes().offset_of(at.as_ref()).is_none() {
            return Err(not_an_index("ravel", &index.given(), at.as_ref(), shape));
        }
        let mut flat = 0;
        for k in 0..self.rank() {
            let axis = if O::ROW_MAJOR { k } else { self.rank() - 1 - k };
            flat = flat * shape[axis] + at.as_ref()[axis];
        }
        Ok(flat)
    }

    /// Returns the view at one index along an axis, without that axis. A negative index counts from the end.
    ///
    /// # Errors
    /// If the axis or the index is out of range.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.index_axis(1, 0), tensor![1, 3]);
    /// assert_eq!(x.index_axis(0, -1), tensor![3, 4]);
    /// ```
    #[fallible]
    // Always inlined, as are the functions that it calls, because loops create a view for each row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn index_axis<R: Dim, A>(&self, axis: A, index: impl IndexNumber) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        let (axis, index) = self.along(axis, index);
        self.view_at_index(axis, index)
    }

    /// Splits the tensor along an axis: returns a view of the indices below `at`, and a view of the others. A
    /// negative `at` counts from the end.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its extent.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1, 2, 3, 4, 5];
    /// let (low, high) = x.split_at(0, 2);
    /// assert_eq!((low.len(), high[[0]]), (2, 3));
    /// ```
    #[fallible]
    pub fn split_at<A: AxisArg<D>>(
        &self,
        axis: A,
        at: impl IndexNumber,
    ) -> (ViewOf<'_, T, D, O, Dev, S>, ViewOf<'_, T, D, O, Dev, S>) {
        let (axis, at) = self.along(axis, at);
        let (mut low, mut high, strides) = (self.shape(), self.shape(), self.strides());
        let offset = self.axes().split_at(axis, at, low.as_mut(), high.as_mut())?;
        Ok((self.view().with_axes(low, strides, 0), self.view().with_axes(high, strides, offset)))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the view of [`index_axis`](Tensor::index_axis) as a mutable view.
    ///
    /// # Errors
    /// If the axis or the index is out of range.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// x.index_axis_mut(0, 1).fill(0);
    /// assert_eq!(x, vierbein::tensor![[1, 2], [0, 0]]);
    /// ```
    #[fallible]
    pub fn index_axis_mut<R: Dim, A>(
        &mut self,
        axis: A,
        index: impl IndexNumber,
    ) -> TensorViewMut<'_, T, R, O, Dev>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        let (axis, index) = self.along(axis, index);
        self.view_mut().at_index(axis, index)
    }

    /// Splits the tensor along an axis: returns a mutable view of the indices below `at`, and a mutable view of the others.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its extent.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3];
    /// let (mut low, high) = x.split_at_mut(0, 1);
    /// low.assign(&high.index_axis(0, 1));
    /// assert_eq!(x, vierbein::tensor![3, 2, 3]);
    /// ```
    #[fallible]
    pub fn split_at_mut<A: AxisArg<D>>(
        &mut self,
        axis: A,
        at: impl IndexNumber,
    ) -> (TensorViewMut<'_, T, D, O, Dev>, TensorViewMut<'_, T, D, O, Dev>)
    where
        S: StorageMut<T, Dev>,
    {
        let (axis, at) = self.along(axis, at);
        self.view_mut().halves(axis, at)
    }
}

/// Methods that consume a mutable view and return a part of it with the same lifetime.
impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// Variant of [`index_axis_mut`](Tensor::index_axis_mut) that consumes the view. The result has the same lifetime `'a`.
    ///
    /// # Errors
    /// If the axis or the index is out of range.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// fn last_row<'a>(x: TensorViewMut<'a, i32, Rank<2>>) -> TensorViewMut<'a, i32, Rank<1>> {
    ///     let [rows, _] = x.shape();
    ///     x.into_index_axis(0, rows - 1)
    /// }
    /// let mut x = tensor![[1, 2], [3, 4]];
    /// last_row(x.view_mut()).fill(0);
    /// assert_eq!(x, tensor![[1, 2], [0, 0]]);
    /// ```
    #[fallible]
    pub fn into_index_axis<R: Dim, A>(
        self,
        axis: A,
        index: impl IndexNumber,
    ) -> TensorViewMut<'a, T, R, O, Dev>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        let (axis, index) = self.along(axis, index);
        self.at_index(axis, index)
    }

    /// Variant of [`slice_mut`](Tensor::slice_mut) that consumes the view. The result has the same lifetime `'a`.
    ///
    /// # Errors
    /// If an index or range is out of range for its axis.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// fn inner<'a>(x: TensorViewMut<'a, i32, Rank<1>>) -> TensorViewMut<'a, i32, Rank<1>> {
    ///     x.into_slice(s![1..-1])
    /// }
    /// let mut x = tensor![1, 2, 3, 4];
    /// inner(x.view_mut()).fill(0);
    /// assert_eq!(x, tensor![1, 0, 0, 4]);
    /// ```
    #[fallible]
    pub fn into_slice<R: Dim, A>(self, arguments: A) -> TensorViewMut<'a, T, R, O, Dev>
    where
        A: SliceOf<D, Sliced = R>,
    {
        let items = arguments.items();
        self.derive(slice_rank(items.as_ref()), |from, to| from.slice(items.as_ref(), to))
    }

    /// Variant of [`split_at_mut`](Tensor::split_at_mut) that consumes the view. The results have the same lifetime `'a`.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its extent.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3];
    /// let (mut low, mut high) = x.view_mut().into_split_at(0, 1);
    /// low.fill(0);
    /// high.fill(9);
    /// assert_eq!(x, vierbein::tensor![0, 9, 9]);
    /// ```
    #[fallible]
    pub fn into_split_at<A: AxisArg<D>>(self, axis: A, at: impl IndexNumber) -> (Self, Self) {
        let (axis, at) = self.along(axis, at);
        self.halves(axis, at)
    }
}
