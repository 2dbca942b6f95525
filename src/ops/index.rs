//! Single elements, positions along an axis, and cuts.

use super::slice::SliceOf;
use crate::axis::AxisArg;
use crate::device::{Device, HostAccess, Operand, Output};
use crate::element::Element;
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorViewMut, ViewOf};
use core::ops::{Index, IndexMut};

/// An index of one element: an array of one `usize` for each axis, as in `x[[i, j]]`.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{D}` cannot be indexed with `{Self}`",
    label = "expected one `usize` for each axis",
    note = "write `x[[i, j]]` for `Rank<2>`; several elements at once are `x.slice(s![1..3, ..])`"
)]
pub trait TensorIndex<D: Dim, Dev: Device>: Copy {
    #[doc(hidden)]
    fn index(self) -> D::Shape;
    #[doc(hidden)]
    fn of<T: Element>(self, x: Operand<'_, T, Dev>) -> Option<&T>;
    #[doc(hidden)]
    fn of_mut<T: Element>(self, x: Output<'_, T, Dev>) -> Option<&mut T>;
}

impl<const N: usize, Dev: HostAccess> TensorIndex<Rank<N>, Dev> for [usize; N]
where
    Rank<N>: Dim<Shape = [usize; N]>,
{
    fn index(self) -> [usize; N] {
        self
    }
    #[inline]
    fn of<T: Element>(self, x: Operand<'_, T, Dev>) -> Option<&T> {
        x.on_host().get(&self)
    }
    #[inline]
    fn of_mut<T: Element>(self, x: Output<'_, T, Dev>) -> Option<&mut T> {
        x.on_host().get_mut(&self)
    }
}

impl<T, D, O, Dev, S, I> Index<I> for Tensor<T, D, O, Dev, S>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
    I: TensorIndex<D, Dev>,
{
    type Output = T;
    /// The element at an index.
    ///
    /// # Panics
    /// If the index is out of bounds; [`get`](Tensor::get) returns `None` instead.
    #[track_caller]
    #[inline]
    fn index(&self, index: I) -> &T {
        match index.of(self.operand()) {
            Some(element) => element,
            None => out_of_bounds::<D>(index.index(), self.shape()),
        }
    }
}

impl<T, D, O, Dev, S, I> IndexMut<I> for Tensor<T, D, O, Dev, S>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
    S: StorageMut<T, Dev>,
    I: TensorIndex<D, Dev>,
{
    #[track_caller]
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        let shape = self.shape();
        match index.of_mut(self.output().0) {
            Some(element) => element,
            None => out_of_bounds::<D>(index.index(), shape),
        }
    }
}

#[cold]
#[track_caller]
fn out_of_bounds<D: Dim>(index: D::Shape, shape: D::Shape) -> ! {
    let pairs = index.as_ref().iter().zip(shape.as_ref());
    let (axis, (&index, _)) =
        pairs.enumerate().find(|(_, (i, n))| i >= n).expect("some index is out of bounds");
    let index = isize::try_from(index).unwrap_or(isize::MAX);
    panic!("{}", Error::Index { op: "index", index, axis, shape: shape.as_ref().to_vec() })
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The element at an index, or `None` where it is out of bounds.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.get([1, 0]), Some(&3));
    /// assert_eq!(x.get([2, 0]), None);
    /// ```
    #[inline]
    pub fn get(&self, index: D::Shape) -> Option<&T>
    where
        Dev: HostAccess,
    {
        self.operand().on_host().get(index.as_ref())
    }

    /// A view at one position along an axis, which is gone then.
    ///
    /// # Panics
    /// If the axis or the position is out of range.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.index_axis(1, 0), tensor![1, 3]);
    /// ```
    #[track_caller]
    pub fn index_axis<R: Dim, A>(&self, axis: A, index: usize) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        expect(self.try_index_axis(axis, index))
    }

    /// [`index_axis`](Tensor::index_axis) with a `Result`.
    ///
    /// # Errors
    /// If the axis or the position is out of range.
    pub fn try_index_axis<R: Dim, A>(
        &self,
        axis: A,
        index: usize,
    ) -> Result<ViewOf<'_, T, R, O, Dev, S>, Error>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.cut(|layout| layout.index_axis(axis.index(), index))
    }

    /// Views of the first `at` positions along an axis and of the others.
    ///
    /// # Panics
    /// If the axis is out of range, or `at` exceeds its length.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1, 2, 3, 4, 5];
    /// let (low, high) = x.split_at(0, 2);
    /// assert_eq!((low.len(), high[[0]]), (2, 3));
    /// ```
    #[track_caller]
    pub fn split_at<A: AxisArg<D>>(
        &self,
        axis: A,
        at: usize,
    ) -> (ViewOf<'_, T, D, O, Dev, S>, ViewOf<'_, T, D, O, Dev, S>) {
        expect(self.try_split_at(axis, at))
    }

    /// [`split_at`](Tensor::split_at) with a `Result`.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its length.
    pub fn try_split_at<A: AxisArg<D>>(
        &self,
        axis: A,
        at: usize,
    ) -> Result<(ViewOf<'_, T, D, O, Dev, S>, ViewOf<'_, T, D, O, Dev, S>), Error> {
        let (low, high) = self.layout().split_at(axis.index(), at)?;
        Ok((self.view().with_layout(&low), self.view().with_layout(&high)))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The element at an index to change, or `None` where it is out of bounds.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2];
    /// *x.get_mut([1]).unwrap() = 7;
    /// assert_eq!(x, vierbein::tensor![1, 7]);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, index: D::Shape) -> Option<&mut T>
    where
        Dev: HostAccess,
        S: StorageMut<T, Dev>,
    {
        self.output().0.on_host().get_mut(index.as_ref())
    }

    /// [`index_axis`](Tensor::index_axis) as a mutable view.
    ///
    /// # Panics
    /// If the axis or the position is out of range.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// x.index_axis_mut(0, 1).fill(0);
    /// assert_eq!(x, vierbein::tensor![[1, 2], [0, 0]]);
    /// ```
    #[track_caller]
    pub fn index_axis_mut<R: Dim, A>(&mut self, axis: A, index: usize) -> TensorViewMut<'_, T, R, O, Dev>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        expect(self.try_index_axis_mut(axis, index))
    }

    /// [`index_axis_mut`](Tensor::index_axis_mut) with a `Result`.
    ///
    /// # Errors
    /// If the axis or the position is out of range.
    pub fn try_index_axis_mut<R: Dim, A>(
        &mut self,
        axis: A,
        index: usize,
    ) -> Result<TensorViewMut<'_, T, R, O, Dev>, Error>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        self.cut_mut(|layout| layout.index_axis(axis.index(), index))
    }

    /// Mutable views of the first `at` positions along an axis and of the others.
    ///
    /// # Panics
    /// If the axis is out of range, or `at` exceeds its length.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3];
    /// let (mut low, high) = x.split_at_mut(0, 1);
    /// low.assign(&high.index_axis(0, 1));
    /// assert_eq!(x, vierbein::tensor![3, 2, 3]);
    /// ```
    #[track_caller]
    pub fn split_at_mut<A: AxisArg<D>>(
        &mut self,
        axis: A,
        at: usize,
    ) -> (TensorViewMut<'_, T, D, O, Dev>, TensorViewMut<'_, T, D, O, Dev>)
    where
        S: StorageMut<T, Dev>,
    {
        expect(self.try_split_at_mut(axis, at))
    }

    /// [`split_at_mut`](Tensor::split_at_mut) with a `Result`.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its length.
    pub fn try_split_at_mut<A: AxisArg<D>>(
        &mut self,
        axis: A,
        at: usize,
    ) -> Result<(TensorViewMut<'_, T, D, O, Dev>, TensorViewMut<'_, T, D, O, Dev>), Error>
    where
        S: StorageMut<T, Dev>,
    {
        self.view_mut().halves(axis.index(), at)
    }
}

/// Mutable views that give themselves away for a part, which borrows for as long as they did.
impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// [`index_axis_mut`](Tensor::index_axis_mut) that takes the view, so that the part outlives this variable.
    ///
    /// # Panics
    /// If the axis or the position is out of range.
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
    #[track_caller]
    pub fn into_index_axis<R: Dim, A>(self, axis: A, index: usize) -> TensorViewMut<'a, T, R, O, Dev>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        expect(self.try_into_index_axis(axis, index))
    }

    /// [`into_index_axis`](TensorViewMut::into_index_axis) with a `Result`.
    ///
    /// # Errors
    /// If the axis or the position is out of range.
    pub fn try_into_index_axis<R: Dim, A>(
        self,
        axis: A,
        index: usize,
    ) -> Result<TensorViewMut<'a, T, R, O, Dev>, Error>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        let layout = self.layout().index_axis(axis.index(), index)?;
        Ok(self.with_layout(&layout))
    }

    /// [`slice_mut`](Tensor::slice_mut) that takes the view, so that the part outlives this variable.
    ///
    /// # Panics
    /// If an index or range does not fit its axis.
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
    #[track_caller]
    pub fn into_slice<R: Dim, A>(self, arguments: A) -> TensorViewMut<'a, T, R, O, Dev>
    where
        A: SliceOf<D, Sliced = R>,
    {
        expect(self.try_into_slice(arguments))
    }

    /// [`into_slice`](TensorViewMut::into_slice) with a `Result`.
    ///
    /// # Errors
    /// If an index or range does not fit its axis.
    pub fn try_into_slice<R: Dim, A>(self, arguments: A) -> Result<TensorViewMut<'a, T, R, O, Dev>, Error>
    where
        A: SliceOf<D, Sliced = R>,
    {
        let (items, count) = arguments.items();
        let layout = self.layout().slice(&items[..count])?;
        Ok(self.with_layout(&layout))
    }

    /// [`split_at_mut`](Tensor::split_at_mut) that takes the view, so that the parts outlive this variable.
    ///
    /// # Panics
    /// If the axis is out of range, or `at` exceeds its length.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3];
    /// let (mut low, mut high) = x.view_mut().into_split_at(0, 1);
    /// low.fill(0);
    /// high.fill(9);
    /// assert_eq!(x, vierbein::tensor![0, 9, 9]);
    /// ```
    #[track_caller]
    pub fn into_split_at<A: AxisArg<D>>(self, axis: A, at: usize) -> (Self, Self) {
        expect(self.try_into_split_at(axis, at))
    }

    /// [`into_split_at`](TensorViewMut::into_split_at) with a `Result`.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its length.
    pub fn try_into_split_at<A: AxisArg<D>>(self, axis: A, at: usize) -> Result<(Self, Self), Error> {
        self.halves(axis.index(), at)
    }
}
