//! Iterators over elements, over views along an axis, and over lanes.

use crate::axis::AxisArg;
use crate::device::{Device, HostAccess};
use crate::element::Element;
use crate::error::fallible;
use crate::layout::lanes::LaneIndices;
use crate::layout::odometer::advance;
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::{BorrowedStorage, Storage, StorageMut};
#[cfg(feature = "rayon")]
use crate::tensor::TensorViewMut;
use crate::tensor::{AxisIterMut, Iter, IterMut, LanesMut, Tensor, TensorView};
use core::iter::FusedIterator;
use core::marker::PhantomData;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Iterates over the elements in memory order: the last axis fastest if row-major, the first if column-major. The strides do
    /// not affect the order.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.t().iter().copied().collect::<Vec<_>>(), [1, 3, 2, 4]);
    /// ```
    pub fn iter(&self) -> Iter<'_, T, D>
    where
        Dev: HostAccess,
    {
        self.agree::<T, O, Dev>().into_elements()
    }

    /// Iterates over the elements with their indices, in memory order.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// for ([i, j], &value) in x.indexed_iter() {
    ///     assert_eq!(x[[i, j]], value);
    /// }
    /// ```
    pub fn indexed_iter(&self) -> impl ExactSizeIterator<Item = (D::Shape, &T)>
    where
        Dev: HostAccess,
    {
        let (shape, mut next) = (self.shape(), D::shape(self.rank()));
        self.iter().map(move |element| {
            let index = next;
            advance(next.as_mut(), shape.as_ref(), O::ROW_MAJOR);
            (index, element)
        })
    }

    /// Iterates over the views at each index along an axis.
    ///
    /// # Errors
    /// If the axis is out of range.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// let sums: Vec<i32> = x.axis_iter(0).map(|row| row.sum().item()).collect();
    /// assert_eq!(sums, [3, 7]);
    /// ```
    #[fallible]
    pub fn axis_iter<R: Dim, A>(&self, axis: A) -> AxisIter<T, D, O, Dev, S::Shared<'_>, R>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        let axis = axis.index(self.rank());
        self.axes().check_axis("iterate", axis)?;
        let end = self.shape().as_ref()[axis];
        Ok(AxisIter { base: self.view(), axis, next: 0, end, rank: PhantomData })
    }

    /// Variant of [`axis_iter`](Tensor::axis_iter) that returns an indexed parallel iterator of rayon.
    ///
    /// # Panics
    /// If the axis is out of range.
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// let sums: Vec<i32> = x.par_axis_iter(0).map(|row| row.sum().item()).collect();
    /// assert_eq!(sums, [3, 7]);
    /// ```
    #[cfg(feature = "rayon")]
    #[track_caller]
    pub fn par_axis_iter<R: Dim, A>(
        &self,
        axis: A,
    ) -> impl rayon::iter::IndexedParallelIterator<Item = Tensor<T, R, O, Dev, S::Shared<'_>>>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let views = self.axis_iter(axis);
        (0..views.len()).into_par_iter().map(move |i| views.at(i))
    }

    /// Iterates over the one-dimensional views along an axis: one view for each index of the other axes, in memory order.
    ///
    /// # Errors
    /// If the axis is out of range.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// let columns: Vec<_> = x.lanes(0).map(|lane| lane.to_vec()).collect();
    /// assert_eq!(columns, [[1, 3], [2, 4]]);
    /// ```
    #[fallible]
    pub fn lanes<A>(&self, axis: A) -> Lanes<T, D, O, Dev, S::Shared<'_>>
    where
        D: RemoveAxes<1>,
        A: AxisArg<D>,
    {
        let axis = axis.index(self.rank());
        let indices = LaneIndices::new(self.axes(), axis, O::ROW_MAJOR)?;
        Ok(Lanes { base: self.view(), axis, indices })
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Iterates over mutable references to the elements, in memory order.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[0, 0], [0, 0]];
    /// for (k, element) in x.iter_mut().enumerate() {
    ///     *element = k as i32;
    /// }
    /// assert_eq!(x, vierbein::tensor![[0, 1], [2, 3]]);
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, T, D>
    where
        Dev: HostAccess,
        S: StorageMut<T, Dev>,
    {
        self.view_mut().into_elements_mut()
    }

    /// Iterates over the mutable views at each index along an axis.
    ///
    /// # Errors
    /// If the axis is out of range.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// for (i, mut row) in x.axis_iter_mut(0).enumerate() {
    ///     row.fill(i as i32);
    /// }
    /// assert_eq!(x, vierbein::tensor![[0, 0], [1, 1]]);
    /// ```
    #[fallible]
    pub fn axis_iter_mut<R: Dim, A>(&mut self, axis: A) -> AxisIterMut<'_, T, D, O, Dev, R>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        let axis = axis.index(self.rank());
        self.view_mut().positions(axis)
    }

    /// Variant of [`axis_iter_mut`](Tensor::axis_iter_mut) that returns an indexed parallel iterator of rayon.
    ///
    /// Allocates a `Vec` of all views first. If that allocation fails, the process aborts.
    ///
    /// # Panics
    /// If the axis is out of range.
    ///
    /// ```
    /// use rayon::prelude::*;
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// x.par_axis_iter_mut(1).for_each(|mut column| column.fill(0));
    /// assert_eq!(x, vierbein::tensor![[0, 0], [0, 0]]);
    /// ```
    #[cfg(feature = "rayon")]
    #[track_caller]
    pub fn par_axis_iter_mut<R: Dim, A>(
        &mut self,
        axis: A,
    ) -> impl rayon::iter::IndexedParallelIterator<Item = TensorViewMut<'_, T, R, O, Dev>>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        use rayon::iter::IntoParallelIterator;
        self.axis_iter_mut(axis).collect::<Vec<_>>().into_par_iter()
    }

    /// [`lanes`](Tensor::lanes) as mutable views.
    ///
    /// # Errors
    /// If the axis is out of range.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[3, 1], [2, 4]];
    /// for mut lane in x.lanes_mut(1) {
    ///     lane.as_mut_slice().sort();
    /// }
    /// assert_eq!(x, vierbein::tensor![[1, 3], [2, 4]]);
    /// ```
    #[fallible]
    pub fn lanes_mut<A>(&mut self, axis: A) -> LanesMut<'_, T, D, O, Dev>
    where
        D: RemoveAxes<1>,
        A: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        let axis = axis.index(self.rank());
        self.view_mut().into_lanes(axis)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Element, D: Dim, O: Order, Dev: HostAccess, S: Storage<T, Dev>> IntoIterator
    for &'a Tensor<T, D, O, Dev, S>
{
    type Item = &'a T;
    type IntoIter = Iter<'a, T, D>;
    fn into_iter(self) -> Iter<'a, T, D> {
        self.iter()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Element, D: Dim, O: Order, Dev: HostAccess, S: StorageMut<T, Dev>> IntoIterator
    for &'a mut Tensor<T, D, O, Dev, S>
{
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T, D>;
    fn into_iter(self) -> IterMut<'a, T, D> {
        self.iter_mut()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Element, D: Dim, O: Order, Dev: HostAccess> IntoIterator for TensorView<'a, T, D, O, Dev> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T, D>;
    /// Iterates over the elements, in memory order. The references have the lifetime `'a` of the borrowed elements, so they can outlive the
    /// view.
    fn into_iter(self) -> Iter<'a, T, D> {
        self.into_elements()
    }
}

/// Iterator over the views at each index along an axis.
#[derive(Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct AxisIter<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>, R> {
    base: Tensor<T, D, O, Dev, S>,
    axis: usize,
    next: usize,
    end: usize,
    rank: PhantomData<R>,
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy, R: Dim>
    AxisIter<T, D, O, Dev, S, R>
{
    fn at(&self, index: usize) -> Tensor<T, R, O, Dev, S> {
        self.base.at_position(self.axis, index)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy, R: Dim> Iterator
    for AxisIter<T, D, O, Dev, S, R>
{
    type Item = Tensor<T, R, O, Dev, S>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(self.at(self.next - 1))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy, R: Dim> DoubleEndedIterator
    for AxisIter<T, D, O, Dev, S, R>
{
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.at(self.end))
    }
}

/// Iterator over the one-dimensional views along an axis.
#[derive(Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Lanes<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> {
    base: Tensor<T, D, O, Dev, S>,
    axis: usize,
    indices: LaneIndices<D>,
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy> Iterator
    for Lanes<T, D, O, Dev, S>
{
    type Item = Tensor<T, Rank<1>, O, Dev, S>;
    fn next(&mut self) -> Option<Self::Item> {
        Some(self.base.lane(self.axis, self.indices.next()?))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indices.size_hint()
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy, R: Dim> ExactSizeIterator
    for AxisIter<T, D, O, Dev, S, R>
{
}
impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy, R: Dim> FusedIterator
    for AxisIter<T, D, O, Dev, S, R>
{
}
impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy> ExactSizeIterator
    for Lanes<T, D, O, Dev, S>
{
}
impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy> FusedIterator
    for Lanes<T, D, O, Dev, S>
{
}
