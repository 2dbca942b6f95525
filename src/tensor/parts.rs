//! Mutable views of disjoint parts of one tensor, which exist at the same time: the two parts of a split, the subtensors along an
//! axis, or the lanes along an axis.

use super::{Tensor, TensorViewMut, ViewOf};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::{Axes, AxesMut};
use crate::layout::lanes::LaneIndices;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::{BorrowedStorage, Storage, ViewMut};
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the view at one index along an axis, without that axis.
    ///
    /// # Errors
    /// If the axis or the index is out of range.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn at_index<E: Dim>(
        self,
        axis: usize,
        index: usize,
    ) -> Result<Tensor<T, E, O, Dev, S>, Error> {
        let (shape, strides, offset) = index_axis::<E>(self.axes(), axis, index)?;
        Ok(Tensor { storage: self.storage.moved(offset), shape, strides, marker: PhantomData })
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`at_index`](Tensor::at_index) for a borrowed tensor. Does not create a view of the whole tensor first: that would take as long as
    /// summing a short row.
    ///
    /// # Errors
    /// If the axis or the index is out of range.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn view_at_index<E: Dim>(
        &self,
        axis: usize,
        index: usize,
    ) -> Result<ViewOf<'_, T, E, O, Dev, S>, Error> {
        let (shape, strides, offset) = index_axis::<E>(self.axes(), axis, index)?;
        Ok(Tensor { storage: self.storage.share().moved(offset), shape, strides, marker: PhantomData })
    }
}

/// Returns shape, strides and offset of the view at one index along an axis, without that axis. Unlike `with_axes`, does not check that
/// the tensor contains the view's elements. Each index of the view is an index of the tensor, and views of rows are created too often for
/// a redundant check.
#[cfg_attr(not(debug_assertions), inline(always))]
fn index_axis<E: Dim>(
    axes: Axes<'_>,
    axis: usize,
    index: usize,
) -> Result<(E::Shape, E::Strides, isize), Error> {
    let rank = axes.rank().saturating_sub(1);
    let (mut shape, mut strides) = (E::shape(rank), E::strides(rank));
    let offset = axes.index_axis(axis, index, AxesMut::new(shape.as_mut(), strides.as_mut()))?;
    Ok((shape, strides, offset))
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy> Tensor<T, D, O, Dev, S> {
    /// Variant of [`at_index`](Tensor::at_index) for an axis and an index that are in range.
    ///
    /// # Panics
    /// If the axis or the index is out of range.
    #[inline]
    pub(crate) fn at_position<E: Dim>(&self, axis: usize, index: usize) -> Tensor<T, E, O, Dev, S> {
        let (shape, strides, offset) = position::<D, E>(&self.shape, &self.strides, axis, index);
        Tensor { storage: self.storage.moved(offset), shape, strides, marker: PhantomData }
    }

    /// Returns the lane along an axis that begins at an index.
    ///
    /// # Panics
    /// If the axis or the index is out of range.
    #[inline]
    pub(crate) fn lane(&self, axis: usize, index: D::Shape) -> Tensor<T, Rank<1>, O, Dev, S> {
        let (shape, strides, offset) = lane::<D>(&self.shape, &self.strides, axis, index);
        Tensor { storage: self.storage.moved(offset), shape, strides, marker: PhantomData }
    }
}

/// Returns shape, strides and offset of the subtensor at one index along an axis. All of its elements belong to
/// the tensor.
///
/// # Panics
/// If the axis or the index is out of range.
#[inline]
fn position<D: Dim, E: Dim>(
    shape: &D::Shape,
    strides: &D::Strides,
    axis: usize,
    index: usize,
) -> (E::Shape, E::Strides, isize) {
    let axes = Axes::new(shape.as_ref(), strides.as_ref());
    assert!(index < axes.shape()[axis], "the index is out of range");
    let (mut kept, mut steps) = (E::shape(axes.rank() - 1), E::strides(axes.rank() - 1));
    axes.without(axis, AxesMut::new(kept.as_mut(), steps.as_mut()));
    (kept, steps, index as isize * axes.strides()[axis])
}

/// Returns shape, strides and offset of the lane along an axis that begins at an index, which is 0 on that axis. All of its elements belong
/// to the tensor.
///
/// # Panics
/// If the axis or the index is out of range.
#[inline]
fn lane<D: Dim>(
    shape: &D::Shape,
    strides: &D::Strides,
    axis: usize,
    index: D::Shape,
) -> ([usize; 1], [isize; 1], isize) {
    let (shape, strides) = (shape.as_ref(), strides.as_ref());
    let mut offset = 0;
    for (k, &at) in index.as_ref().iter().enumerate() {
        assert!(if k == axis { at == 0 } else { at < shape[k] }, "the index is out of range");
        offset += at as isize * strides[k];
    }
    ([shape[axis]], [strides[axis]], offset)
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// Returns a mutable view of a part, with the lifetime of this view.
    ///
    /// # Safety
    /// The caller must ensure that
    ///
    /// * `shape`, `strides` and `offset` are derived from those of this view, so that different indices of the part address different
    ///   elements of this view;
    /// * until the part is dropped, nothing else accesses the elements of the part: neither this view nor another part of this view.
    unsafe fn part<E: Dim>(
        &self,
        shape: E::Shape,
        strides: E::Strides,
        offset: isize,
    ) -> TensorViewMut<'a, T, E, O, Dev> {
        let axes = Axes::new(shape.as_ref(), strides.as_ref());
        assert!(axes.within(offset, self.axes()), "the part addresses elements outside of the tensor");
        // SAFETY: this view contains all elements of the part. The caller ensures the conditions of `part`.
        unsafe { self.part_within((shape, strides, offset)) }
    }

    /// [`part`](TensorViewMut::part) without the check that this view contains the part. The iterators over parts create too many for it.
    ///
    /// # Safety
    /// The conditions of [`part`](TensorViewMut::part). In addition, this view must contain all elements of the part.
    #[inline]
    unsafe fn part_within<E: Dim>(
        &self,
        (shape, strides, offset): (E::Shape, E::Strides, isize),
    ) -> TensorViewMut<'a, T, E, O, Dev> {
        let ViewMut { ptr, device, .. } = self.storage;
        let storage = ViewMut { ptr: Dev::offset(ptr, offset), device, data: PhantomData };
        Tensor { storage, shape, strides, marker: PhantomData }
    }

    /// Splits the view into the first `at` indices along an axis, and the other indices.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its extent.
    pub(crate) fn halves(self, axis: usize, at: usize) -> Result<(Self, Self), Error> {
        let (mut low, mut high) = (self.shape, self.shape);
        let offset = self.axes().split_at(axis, at, low.as_mut(), high.as_mut())?;
        // SAFETY: `split_at` derived the shape `low` from the shape of this view: it has the first `at` indices of the axis. `self` is
        // consumed, and `second` below has the elements at the other indices, so nothing else accesses the elements of `first`.
        let first = unsafe { self.part(low, self.strides, 0) };
        // SAFETY: `split_at` derived the shape `high` and the offset from this view: they select the other indices of the axis.
        // Different indices of a mutable view address different elements, so `first` and `second` have no element in common. `self` is
        // consumed, so nothing else accesses the elements of `second`.
        let second = unsafe { self.part(high, self.strides, offset) };
        Ok((first, second))
    }

    /// Iterates over the mutable views at each index along an axis.
    ///
    /// # Errors
    /// If the axis is out of range.
    pub(crate) fn positions<R>(self, axis: usize) -> Result<AxisIterMut<'a, T, D, O, Dev, R>, Error> {
        self.axes().check_axis("iterate", axis)?;
        let end = self.shape.as_ref()[axis];
        Ok(AxisIterMut { base: self, axis, next: 0, end, rank: PhantomData })
    }

    /// Iterates over the one-dimensional mutable views along an axis.
    ///
    /// # Errors
    /// If the axis is out of range.
    pub(crate) fn into_lanes(self, axis: usize) -> Result<LanesMut<'a, T, D, O, Dev>, Error> {
        let lanes = LaneIndices::new(self.axes(), axis, O::ROW_MAJOR)?;
        Ok(LanesMut { base: self, axis, lanes })
    }
}

/// Iterator over the mutable views at each index along an axis.
pub struct AxisIterMut<'a, T: Element, D: Dim, O: Order, Dev: Device, R> {
    base: TensorViewMut<'a, T, D, O, Dev>,
    axis: usize,
    next: usize,
    end: usize,
    rank: PhantomData<R>,
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device, R: Dim> Iterator for AxisIterMut<'a, T, D, O, Dev, R> {
    type Item = TensorViewMut<'a, T, R, O, Dev>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        let base = &self.base;
        let at = position::<D, R>(&base.shape, &base.strides, self.axis, self.next - 1);
        // SAFETY: `position` derives shape, strides and offset from those of `base`, which contains all elements of the part. `next` grows,
        // so the part at each index is returned only once. Different indices of a mutable view address different elements, so no two parts
        // have an element in common. `base` is used only to derive the parts.
        Some(unsafe { base.part_within(at) })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, R: Dim> ExactSizeIterator
    for AxisIterMut<'_, T, D, O, Dev, R>
{
}
impl<T: Element, D: Dim, O: Order, Dev: Device, R: Dim> FusedIterator for AxisIterMut<'_, T, D, O, Dev, R> {}

/// Iterator over the mutable one-dimensional views along an axis.
pub struct LanesMut<'a, T: Element, D: Dim, O: Order, Dev: Device> {
    base: TensorViewMut<'a, T, D, O, Dev>,
    axis: usize,
    lanes: LaneIndices<D>,
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> Iterator for LanesMut<'a, T, D, O, Dev> {
    type Item = TensorViewMut<'a, T, Rank<1>, O, Dev>;
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.lanes.next()?;
        let base = &self.base;
        let at = lane::<D>(&base.shape, &base.strides, self.axis, index);
        // SAFETY: `lane` derives shape, strides and offset from those of `base`, which contains all elements of the lane. `LaneIndices`
        // returns each index once. Different indices of a mutable view address different elements, so no two lanes have an element in
        // common. `base` is used only to derive the lanes.
        Some(unsafe { base.part_within(at) })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lanes.size_hint()
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> ExactSizeIterator for LanesMut<'_, T, D, O, Dev> {}
impl<T: Element, D: Dim, O: Order, Dev: Device> FusedIterator for LanesMut<'_, T, D, O, Dev> {}

// Not derived: printing `base` would read elements that the returned views borrow mutably.
impl<T: Element, D: Dim, O: Order, Dev: Device, R> fmt::Debug for AxisIterMut<'_, T, D, O, Dev, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AxisIterMut(indices {}..{} of axis {})", self.next, self.end, self.axis)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> fmt::Debug for LanesMut<'_, T, D, O, Dev> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LanesMut({} left)", self.lanes.size_hint().0)
    }
}
