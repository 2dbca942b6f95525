//! Views with other axes, and reshaping. Only `reshape` and `flatten` copy elements, and only if they are called on a view.

use crate::axis::AxisArg;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::layout::element_count;
use crate::order::Order;
use crate::rank::{
    AnyRank, BroadcastTo, Dim, IndexNumber, InsertAxes, IntoShape, Permutation, Rank, RemoveAxes, from_start,
};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorViewMut, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Calls `write` with the tensor's axes and `rank` axes to fill in, and returns the view that they describe. `write` is a method of
    /// [`Axes`]; it returns the offset of the view's first element.
    #[inline]
    pub(crate) fn cut<E: Dim>(
        &self,
        rank: usize,
        write: impl FnOnce(Axes<'_>, AxesMut<'_>) -> Result<isize, Error>,
    ) -> Result<ViewOf<'_, T, E, O, Dev, S>, Error> {
        self.view().derive(rank, write)
    }

    /// Returns a view whose axis `k` is axis `axes[k]` of this tensor.
    ///
    /// # Errors
    /// If `axes` is not a permutation of the tensor's axes.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// let x = Tensor::<f64, _>::zeros([2, 3, 4]);
    /// assert_eq!(x.permute([2, 0, 1]).shape(), [4, 2, 3]);
    /// assert_eq!(x.permute([-1, 0, 1]).shape(), [4, 2, 3]);
    /// ```
    #[fallible]
    pub fn permute(&self, axes: impl Permutation<D>) -> ViewOf<'_, T, D, O, Dev, S> {
        let axes = axes.axes(self.rank())?;
        self.cut(self.rank(), |from, to| from.permute(axes.as_ref(), to))
    }

    /// Returns a view with two axes exchanged.
    ///
    /// # Errors
    /// If an axis is out of range.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// let x = Tensor::<f64, _>::zeros([2, 3, 4]);
    /// assert_eq!(x.swap_axes(0, 2).shape(), [4, 3, 2]);
    /// ```
    #[fallible]
    pub fn swap_axes<A: AxisArg<D>, B: AxisArg<D>>(&self, a: A, b: B) -> ViewOf<'_, T, D, O, Dev, S> {
        self.cut(self.rank(), |from, to| from.swap_axes(a.index(self.rank()), b.index(self.rank()), to))
    }

    /// Returns a view with all axes reversed: the transpose of a matrix.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// let x = Tensor::<f64, _>::zeros([2, 3, 4]);
    /// assert_eq!(x.reverse_axes().shape(), [4, 3, 2]);
    /// ```
    #[doc(alias = "transpose")]
    pub fn reverse_axes(&self) -> ViewOf<'_, T, D, O, Dev, S> {
        self.view().transposed()
    }

    /// Returns a view with a new axis of extent 1 before axis `at`; if `at` is the rank, the new axis is the last. A negative `at` is an
    /// axis of the result, counted from the end: -1 makes the new axis the last.
    ///
    /// # Errors
    /// If `at` is out of range.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let column = tensor![1, 2, 3];
    /// assert_eq!(column.insert_axis(1).shape(), [3, 1]);
    /// assert_eq!(column.insert_axis(-1).shape(), [3, 1]);
    /// ```
    #[fallible]
    #[doc(alias = "unsqueeze")]
    #[doc(alias = "expand_dims")]
    pub fn insert_axis<R: Dim>(&self, at: impl IndexNumber) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: InsertAxes<1, Inserted = R>,
    {
        let at = from_start(at, self.rank() + 1);
        self.cut(self.rank() + 1, |from, to| from.insert_axis(at, to))
    }

    /// Returns a view without an axis of extent 1.
    ///
    /// # Errors
    /// If the axis is out of range, or its extent is not 1.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2, 3]].remove_axis(0), tensor![1, 2, 3]);
    /// ```
    #[fallible]
    #[doc(alias = "squeeze")]
    pub fn remove_axis<R: Dim, A>(&self, axis: A) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.cut(self.rank().saturating_sub(1), |from, to| from.remove_axis(axis.index(self.rank()), to))
    }

    /// Returns a view broadcast to another shape. It repeats the elements along new axes (leading if row-major, trailing if
    /// column-major) and along axes of extent 1.
    ///
    /// Nothing is copied: these axes have stride 0.
    ///
    /// # Errors
    /// If the tensor's shape does not broadcast to the new shape, or the new shape exceeds the address space.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2].broadcast_to([2, 2]), tensor![[1, 2], [1, 2]]);
    /// ```
    #[fallible]
    pub fn broadcast_to<Sh>(&self, shape: Sh) -> ViewOf<'_, T, Sh::Dim, O, Dev, S>
    where
        Sh: IntoShape,
        D: BroadcastTo<Sh::Dim>,
    {
        let shape = shape.into_shape()?;
        element_count(shape.as_ref(), size_of::<T>())?;
        let mut strides = Sh::Dim::strides(shape.as_ref().len());
        let repeats = self.axes().broadcast_to(shape.as_ref(), O::ROW_MAJOR, strides.as_mut());
        repeats.ok_or_else(|| Error::BroadcastShape {
            from: self.shape().as_ref().to_vec(),
            to: shape.as_ref().to_vec(),
            row_major: O::ROW_MAJOR,
        })?;
        Ok(self.view().with_axes(shape, strides, 0))
    }
}

/// The rank of a matrix: 2.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` is not a matrix",
    label = "expected `Rank<2>`",
    note = "choose the axes with `.swap_axes(a, b)` or `.permute([..])`, or reverse all with `.reverse_axes()`"
)]
pub trait MatrixRank: Dim {}
#[diagnostic::do_not_recommend]
impl MatrixRank for Rank<2> {}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> MatrixRank for AnyRank<MAX> {}

/// Returns an error if a tensor with `rank` axes is not a matrix.
#[inline]
pub(crate) fn check_matrix(rank: usize) -> Result<(), Error> {
    if rank == 2 {
        return Ok(());
    }
    let reason = format!(
        "a tensor of `Rank<{rank}>` is not a matrix: expected `Rank<2>`; choose the axes with `.swap_axes(a, b)` or \
         `.permute(..)`, or reverse all with `.reverse_axes()`"
    );
    Err(Error::UnsupportedRank { op: "transpose", reason })
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the transpose of a matrix, as a view.
    ///
    /// # Errors
    /// If the rank is known at run time only and is not 2.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].t(), tensor![[1, 3], [2, 4]]);
    /// ```
    #[fallible]
    pub fn t(&self) -> ViewOf<'_, T, D, O, Dev, S>
    where
        D: MatrixRank,
    {
        check_matrix(self.rank())?;
        Ok(self.reverse_axes())
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Variant of `cut` that returns a mutable view.
    #[inline]
    pub(crate) fn cut_mut<E: Dim>(
        &mut self,
        rank: usize,
        write: impl FnOnce(Axes<'_>, AxesMut<'_>) -> Result<isize, Error>,
    ) -> Result<TensorViewMut<'_, T, E, O, Dev>, Error>
    where
        S: StorageMut<T, Dev>,
    {
        self.view_mut().derive(rank, write)
    }

    /// [`permute`](Tensor::permute) as a mutable view.
    ///
    /// # Errors
    /// If `axes` is not a permutation of the tensor's axes.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// x.permute_mut([1, 0]).assign(&vierbein::tensor![[5, 6], [7, 8]]);
    /// assert_eq!(x, vierbein::tensor![[5, 7], [6, 8]]);
    /// ```
    #[fallible]
    pub fn permute_mut(&mut self, axes: impl Permutation<D>) -> TensorViewMut<'_, T, D, O, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        let axes = axes.axes(self.rank())?;
        self.cut_mut(self.rank(), |from, to| from.permute(axes.as_ref(), to))
    }

    /// [`reverse_axes`](Tensor::reverse_axes) as a mutable view.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// x.reverse_axes_mut().index_axis_mut(0, 0).fill(0);
    /// assert_eq!(x, vierbein::tensor![[0, 2], [0, 4]]);
    /// ```
    pub fn reverse_axes_mut(&mut self) -> TensorViewMut<'_, T, D, O, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        self.view_mut().transposed()
    }

    /// [`as_order`](Tensor::as_order) as a mutable view.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let mut x = tensor![[0, 0], [0, 0]];
    /// x.as_order_mut::<ColMajor>().assign(&tensor![1, 2].into_order());
    /// assert_eq!(x, tensor![[1, 1], [2, 2]]);
    /// ```
    pub fn as_order_mut<P: Order>(&mut self) -> TensorViewMut<'_, T, D, P, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        self.view_mut().in_order()
    }
}
