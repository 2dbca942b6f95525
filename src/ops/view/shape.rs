//! Views with other axes, and reshaping. Only `reshape` and `flatten` copy elements, and only if they are called on a view.

use crate::axis::{AxisArg, DistinctAxis, IndexNumber, Permutation, from_start};
use crate::device::{Device, Permute};
use crate::element::{Element, Scalar};
use crate::error::{Error, unwrap_or_panic};
use crate::layout::axes::{Axes, AxesMut};
use crate::layout::element_count;
use crate::layout::reshape::new_extents;
use crate::order::Order;
use crate::rank::{BroadcastTo, Dim, InsertAxes, IntoShape, MergeAxes, Rank, RemoveAxes, ReshapeArg};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorViewMut, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Calls `write` with the tensor's axes and the axes to fill in, and returns the view that they describe. `write` is a method of
    /// [`Axes`]; it returns the offset of the view's first element.
    #[inline]
    pub(crate) fn cut<E: Dim>(
        &self,
        write: impl FnOnce(Axes<'_>, AxesMut<'_>) -> Result<isize, Error>,
    ) -> Result<ViewOf<'_, T, E, O, Dev, S>, Error> {
        self.view().derive(write)
    }

    /// Returns a view whose axis `k` is axis `axes[k]` of this tensor.
    ///
    /// # Panics
    /// If `axes` is not a permutation of the tensor's axes.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// let x = Tensor::<f64, _>::zeros([2, 3, 4]);
    /// assert_eq!(x.permute([2, 0, 1]).shape(), [4, 2, 3]);
    /// assert_eq!(x.permute([-1, 0, 1]).shape(), [4, 2, 3]);
    /// ```
    #[track_caller]
    pub fn permute(&self, axes: impl Permutation<D>) -> ViewOf<'_, T, D, O, Dev, S> {
        unwrap_or_panic(self.try_permute(axes))
    }

    /// Fallible variant of [`permute`](Tensor::permute).
    ///
    /// # Errors
    /// If `axes` is not a permutation of the tensor's axes.
    pub fn try_permute(&self, axes: impl Permutation<D>) -> Result<ViewOf<'_, T, D, O, Dev, S>, Error> {
        self.cut(|from, to| from.permute(axes.axes().as_ref(), to))
    }

    /// Returns a view with two axes exchanged.
    ///
    /// # Panics
    /// If an axis is out of range.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// let x = Tensor::<f64, _>::zeros([2, 3, 4]);
    /// assert_eq!(x.swap_axes(0, 2).shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn swap_axes<A: AxisArg<D>, B: AxisArg<D>>(&self, a: A, b: B) -> ViewOf<'_, T, D, O, Dev, S> {
        unwrap_or_panic(self.try_swap_axes(a, b))
    }

    /// Fallible variant of [`swap_axes`](Tensor::swap_axes).
    ///
    /// # Errors
    /// If an axis is out of range.
    pub fn try_swap_axes<A: AxisArg<D>, B: AxisArg<D>>(
        &self,
        a: A,
        b: B,
    ) -> Result<ViewOf<'_, T, D, O, Dev, S>, Error> {
        self.cut(|from, to| from.swap_axes(a.index(), b.index(), to))
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
    /// # Panics
    /// If `at` is out of range.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let column = tensor![1, 2, 3];
    /// assert_eq!(column.insert_axis(1).shape(), [3, 1]);
    /// assert_eq!(column.insert_axis(-1).shape(), [3, 1]);
    /// ```
    #[doc(alias = "unsqueeze")]
    #[doc(alias = "expand_dims")]
    #[track_caller]
    pub fn insert_axis<R: Dim>(&self, at: impl IndexNumber) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: InsertAxes<1, Inserted = R>,
    {
        unwrap_or_panic(self.try_insert_axis(at))
    }

    /// Fallible variant of [`insert_axis`](Tensor::insert_axis).
    ///
    /// # Errors
    /// If `at` is out of range.
    pub fn try_insert_axis<R: Dim>(&self, at: impl IndexNumber) -> Result<ViewOf<'_, T, R, O, Dev, S>, Error>
    where
        D: InsertAxes<1, Inserted = R>,
    {
        let at = from_start(at, D::NDIM + 1);
        self.cut(|from, to| from.insert_axis(at, to))
    }

    /// Returns a view without an axis of extent 1.
    ///
    /// # Panics
    /// If the axis is out of range, or its extent is not 1.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2, 3]].remove_axis(0), tensor![1, 2, 3]);
    /// ```
    #[doc(alias = "squeeze")]
    #[track_caller]
    pub fn remove_axis<R: Dim, A>(&self, axis: A) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        unwrap_or_panic(self.try_remove_axis(axis))
    }

    /// Fallible variant of [`remove_axis`](Tensor::remove_axis).
    ///
    /// # Errors
    /// If the axis is out of range, or its extent is not 1.
    pub fn try_remove_axis<R: Dim, A>(&self, axis: A) -> Result<ViewOf<'_, T, R, O, Dev, S>, Error>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.cut(|from, to| from.remove_axis(axis.index(), to))
    }

    /// Returns a view of the elements whose indices along axes `a` and `b` are equal. One axis, the last, replaces `a` and `b`.
    ///
    /// # Panics
    /// If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.diagonal(0, 1), tensor![1, 4]);
    /// ```
    #[track_caller]
    pub fn diagonal<R: Dim, A, B>(&self, a: A, b: B) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        unwrap_or_panic(self.try_diagonal(a, b))
    }

    /// Fallible variant of [`diagonal`](Tensor::diagonal).
    ///
    /// # Errors
    /// If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    pub fn try_diagonal<R: Dim, A, B>(&self, a: A, b: B) -> Result<ViewOf<'_, T, R, O, Dev, S>, Error>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        self.cut(|from, to| from.diagonal("take the diagonal", a.index(), b.index(), to))
    }

    /// Returns a view of diagonal `k` of axes `a` and `b`: the elements whose index along `b` is `k` more than along `a`. Diagonals with
    /// positive numbers are above the main diagonal of a matrix, those with negative numbers below it. One axis, the last, replaces `a` and
    /// `b`, which may differ in extent. A diagonal outside of the matrix is empty.
    ///
    /// # Panics
    /// If an axis is out of range, or `a` and `b` are the same axis.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.diagonal_offset(0, 1, 1), tensor![2, 6]);
    /// assert_eq!(x.diagonal_offset(0, 1, -1), tensor![4]);
    /// ```
    #[track_caller]
    pub fn diagonal_offset<R: Dim, A, B>(&self, a: A, b: B, k: isize) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        unwrap_or_panic(self.try_diagonal_offset(a, b, k))
    }

    /// Fallible variant of [`diagonal_offset`](Tensor::diagonal_offset).
    ///
    /// # Errors
    /// If an axis is out of range, or `a` and `b` are the same axis.
    pub fn try_diagonal_offset<R: Dim, A, B>(
        &self,
        a: A,
        b: B,
        k: isize,
    ) -> Result<ViewOf<'_, T, R, O, Dev, S>, Error>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        self.cut(|from, to| from.diagonal_offset("take the diagonal", [a.index(), b.index()], k, to))
    }

    /// Returns a view broadcast to another shape. It repeats the elements along new axes (leading if row-major, trailing if
    /// column-major) and along axes of extent 1.
    ///
    /// Nothing is copied: these axes have stride 0.
    ///
    /// # Panics
    /// If the tensor's shape does not broadcast to the new shape, or the new shape exceeds the address space.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2].broadcast_to([2, 2]), tensor![[1, 2], [1, 2]]);
    /// ```
    #[track_caller]
    pub fn broadcast_to<Sh>(&self, shape: Sh) -> ViewOf<'_, T, Sh::Dim, O, Dev, S>
    where
        Sh: IntoShape,
        D: BroadcastTo<Sh::Dim>,
    {
        unwrap_or_panic(self.try_broadcast_to(shape))
    }

    /// Fallible variant of [`broadcast_to`](Tensor::broadcast_to).
    ///
    /// # Errors
    /// If the tensor's shape does not broadcast to the new shape, or the new shape exceeds the address space.
    pub fn try_broadcast_to<Sh>(&self, shape: Sh) -> Result<ViewOf<'_, T, Sh::Dim, O, Dev, S>, Error>
    where
        Sh: IntoShape,
        D: BroadcastTo<Sh::Dim>,
    {
        let shape = shape.into_shape();
        element_count(shape.as_ref(), size_of::<T>())?;
        let mut strides = <Sh::Dim as Dim>::Strides::default();
        let repeats = self.axes().broadcast_to(shape.as_ref(), O::ROW_MAJOR, strides.as_mut());
        repeats.ok_or_else(|| Error::BroadcastShape {
            from: self.shape().as_ref().to_vec(),
            to: shape.as_ref().to_vec(),
            row_major: O::ROW_MAJOR,
        })?;
        Ok(self.view().with_axes(shape, strides, 0))
    }

    /// Returns a view with another shape that has the same number of elements. One extent can be -1: it is computed from the others. The
    /// k-th element in memory order stays the k-th.
    ///
    /// For an owned tensor, every shape with this number of elements is possible. For a view, the strides can make a copy necessary. Use
    /// [`reshape`](Tensor::reshape) then, which copies.
    ///
    /// # Panics
    /// If the numbers of elements differ, or a view's strides do not allow the new shape without a copy.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.as_shape([3, 2]), tensor![[1, 2], [3, 4], [5, 6]]);
    /// assert!(x.t().try_as_shape([6]).is_err());
    /// ```
    #[track_caller]
    pub fn as_shape<Sh: ReshapeArg>(&self, shape: Sh) -> ViewOf<'_, T, Sh::Dim, O, Dev, S> {
        unwrap_or_panic(self.try_as_shape(shape))
    }

    /// Fallible variant of [`as_shape`](Tensor::as_shape).
    ///
    /// # Errors
    /// If the numbers of elements differ, or a view's strides do not allow the new shape without a copy.
    pub fn try_as_shape<Sh: ReshapeArg>(
        &self,
        shape: Sh,
    ) -> Result<ViewOf<'_, T, Sh::Dim, O, Dev, S>, Error> {
        let (shape, strides) = self.reshaped(shape)?;
        Ok(self.view().with_axes(shape, strides, 0))
    }

    /// Returns the new shape and the strides that reach the same elements without a copy.
    fn reshaped<Sh: ReshapeArg>(
        &self,
        shape: Sh,
    ) -> Result<(<Sh::Dim as Dim>::Shape, <Sh::Dim as Dim>::Strides), Error> {
        let shape = new_shape::<T, Sh>(self.shape().as_ref(), shape)?;
        let mut strides = <Sh::Dim as Dim>::Strides::default();
        match self.axes().reshape(shape.as_ref(), O::ROW_MAJOR, strides.as_mut()) {
            Some(()) => Ok((shape, strides)),
            None => Err(Error::NotContiguous {
                op: "reshape without a copy",
                shape: self.shape().as_ref().to_vec(),
                strides: self.strides().as_ref().to_vec(),
                order: O::NAME,
            }),
        }
    }

    /// Converts the tensor to another shape that has the same number of elements. One extent can be -1: it is computed from the others. The
    /// k-th element in memory order stays the k-th.
    ///
    /// An owned tensor keeps its buffer. A view is copied.
    ///
    /// # Panics
    /// If the numbers of elements differ, or a copy is needed and the allocation fails.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let x = Tensor::arange(0..6);
    /// assert_eq!(x.clone().reshape([2, 3]), tensor![[0, 1, 2], [3, 4, 5]]);
    /// assert_eq!(x.clone().reshape([-1, 2]).shape(), [3, 2]);
    /// let columns = x.to_order::<ColMajor>().reshape([2, 3]);
    /// assert_eq!(columns.to_order::<RowMajor>(), tensor![[0, 2, 4], [1, 3, 5]]);
    /// ```
    #[track_caller]
    pub fn reshape<Sh: ReshapeArg>(self, shape: Sh) -> Tensor<T, Sh::Dim, O, Dev>
    where
        Dev: Permute<T>,
    {
        unwrap_or_panic(self.try_reshape(shape))
    }

    /// Fallible variant of [`reshape`](Tensor::reshape).
    ///
    /// # Errors
    /// If the numbers of elements differ, or a copy is needed and the allocation fails.
    pub fn try_reshape<Sh: ReshapeArg>(self, shape: Sh) -> Result<Tensor<T, Sh::Dim, O, Dev>, Error>
    where
        Dev: Permute<T>,
    {
        let from = self.shape();
        let shape = new_shape::<T, Sh>(from.as_ref(), shape)?;
        let owned = match self.into_result::<D>(&from) {
            Ok(owned) => owned,
            Err(view) => view.try_to_owned()?,
        };
        let (buffer, device) = owned.into_parts();
        Ok(Tensor::contiguous(buffer, shape, device))
    }

    /// Converts the tensor to rank 1, with all elements in memory order. An owned tensor keeps its buffer. A view is copied.
    ///
    /// # Panics
    /// If a view is copied and the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].flatten(), tensor![1, 2, 3, 4]);
    /// ```
    #[doc(alias = "ravel")]
    #[track_caller]
    pub fn flatten(self) -> Tensor<T, Rank<1>, O, Dev>
    where
        Dev: Permute<T>,
    {
        unwrap_or_panic(self.try_flatten())
    }

    /// Fallible variant of [`flatten`](Tensor::flatten).
    ///
    /// # Errors
    /// If a view is copied and the allocation fails.
    pub fn try_flatten(self) -> Result<Tensor<T, Rank<1>, O, Dev>, Error>
    where
        Dev: Permute<T>,
    {
        let len = self.len();
        self.try_reshape([len])
    }
}

/// Returns the shape of a reshaped tensor whose shape was `from`.
fn new_shape<T, Sh: ReshapeArg>(from: &[usize], shape: Sh) -> Result<<Sh::Dim as Dim>::Shape, Error> {
    let mut to = <Sh::Dim as Dim>::Shape::default();
    new_extents(from, shape.extents().as_ref(), size_of::<T>(), to.as_mut())?;
    Ok(to)
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

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the transpose of a matrix, as a view.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].t(), tensor![[1, 3], [2, 4]]);
    /// ```
    pub fn t(&self) -> ViewOf<'_, T, D, O, Dev, S>
    where
        D: MatrixRank,
    {
        self.reverse_axes()
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Variant of `cut` that returns a mutable view.
    #[inline]
    pub(crate) fn cut_mut<E: Dim>(
        &mut self,
        write: impl FnOnce(Axes<'_>, AxesMut<'_>) -> Result<isize, Error>,
    ) -> Result<TensorViewMut<'_, T, E, O, Dev>, Error>
    where
        S: StorageMut<T, Dev>,
    {
        self.view_mut().derive(write)
    }

    /// [`permute`](Tensor::permute) as a mutable view.
    ///
    /// # Panics
    /// If `axes` is not a permutation of the tensor's axes.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// x.permute_mut([1, 0]).assign(&vierbein::tensor![[5, 6], [7, 8]]);
    /// assert_eq!(x, vierbein::tensor![[5, 7], [6, 8]]);
    /// ```
    #[track_caller]
    pub fn permute_mut(&mut self, axes: impl Permutation<D>) -> TensorViewMut<'_, T, D, O, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        unwrap_or_panic(self.try_permute_mut(axes))
    }

    /// Fallible variant of [`permute_mut`](Tensor::permute_mut).
    ///
    /// # Errors
    /// If `axes` is not a permutation of the tensor's axes.
    pub fn try_permute_mut(
        &mut self,
        axes: impl Permutation<D>,
    ) -> Result<TensorViewMut<'_, T, D, O, Dev>, Error>
    where
        S: StorageMut<T, Dev>,
    {
        self.cut_mut(|from, to| from.permute(axes.axes().as_ref(), to))
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

    /// [`diagonal`](Tensor::diagonal) as a mutable view.
    ///
    /// # Panics
    /// If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    ///
    /// ```
    /// let mut x = vierbein::Tensor::<f64, _>::ones([2, 2]);
    /// x.diagonal_mut(0, 1).fill(0.0);
    /// assert_eq!(x, vierbein::tensor![[0.0, 1.0], [1.0, 0.0]]);
    /// ```
    #[track_caller]
    pub fn diagonal_mut<R: Dim, A, B>(&mut self, a: A, b: B) -> TensorViewMut<'_, T, R, O, Dev>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        unwrap_or_panic(self.try_diagonal_mut(a, b))
    }

    /// Fallible variant of [`diagonal_mut`](Tensor::diagonal_mut).
    ///
    /// # Errors
    /// If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    pub fn try_diagonal_mut<R: Dim, A, B>(
        &mut self,
        a: A,
        b: B,
    ) -> Result<TensorViewMut<'_, T, R, O, Dev>, Error>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        self.cut_mut(|from, to| from.diagonal("take the diagonal", a.index(), b.index(), to))
    }

    /// [`as_shape`](Tensor::as_shape) as a mutable view.
    ///
    /// # Panics
    /// If the numbers of elements differ, or a view's strides do not allow the new shape without a copy.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3, 4];
    /// x.as_shape_mut([2, 2]).index_axis_mut(1, 0).fill(0);
    /// assert_eq!(x, vierbein::tensor![0, 2, 0, 4]);
    /// ```
    #[track_caller]
    pub fn as_shape_mut<Sh: ReshapeArg>(&mut self, shape: Sh) -> TensorViewMut<'_, T, Sh::Dim, O, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        unwrap_or_panic(self.try_as_shape_mut(shape))
    }

    /// Fallible variant of [`as_shape_mut`](Tensor::as_shape_mut).
    ///
    /// # Errors
    /// If the numbers of elements differ, or a view's strides do not allow the new shape without a copy.
    pub fn try_as_shape_mut<Sh: ReshapeArg>(
        &mut self,
        shape: Sh,
    ) -> Result<TensorViewMut<'_, T, Sh::Dim, O, Dev>, Error>
    where
        S: StorageMut<T, Dev>,
    {
        let (shape, strides) = self.reshaped(shape)?;
        Ok(self.view_mut().with_axes(shape, strides, 0))
    }
}

impl<T: Element, O: Order, Dev: Device> Tensor<T, Rank<2>, O, Dev> {
    /// Returns the square matrix with the given diagonal, and zeros elsewhere.
    ///
    /// # Panics
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::from_diagonal(tensor![1, 2]), tensor![[1, 0], [0, 2]]);
    /// ```
    #[track_caller]
    pub fn from_diagonal<X>(diagonal: X) -> Self
    where
        T: Scalar,
        Dev: Permute<T>,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        unwrap_or_panic(Self::try_from_diagonal(diagonal))
    }

    /// Fallible variant of [`from_diagonal`](Tensor::from_diagonal).
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_from_diagonal<X>(diagonal: X) -> Result<Self, Error>
    where
        T: Scalar,
        Dev: Permute<T>,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let diagonal = diagonal.as_view();
        let [n] = diagonal.shape();
        let mut out = Self::try_zeros_in([n, n], diagonal.device())?;
        out.cut_mut::<Rank<1>>(|from, to| from.diagonal("write the diagonal", 0, 1, to))?
            .try_assign(&diagonal)?;
        Ok(out)
    }

    /// Returns the square matrix with the given diagonal `k`, and zeros elsewhere. Diagonals are numbered as by
    /// [`diagonal_offset`](Tensor::diagonal_offset). The matrix has `n + |k|` rows for a diagonal of `n` elements.
    ///
    /// # Panics
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::from_diagonal_offset(tensor![1, 2], 1), tensor![[0, 1, 0], [0, 0, 2], [0, 0, 0]]);
    /// ```
    #[track_caller]
    pub fn from_diagonal_offset<X>(diagonal: X, k: isize) -> Self
    where
        T: Scalar,
        Dev: Permute<T>,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        unwrap_or_panic(Self::try_from_diagonal_offset(diagonal, k))
    }

    /// Fallible variant of [`from_diagonal_offset`](Tensor::from_diagonal_offset).
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_from_diagonal_offset<X>(diagonal: X, k: isize) -> Result<Self, Error>
    where
        T: Scalar,
        Dev: Permute<T>,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let diagonal = diagonal.as_view();
        let n = diagonal.len().saturating_add(k.unsigned_abs());
        let mut out = Self::try_zeros_in([n, n], diagonal.device())?;
        out.cut_mut::<Rank<1>>(|from, to| from.diagonal_offset("write the diagonal", [0, 1], k, to))?
            .try_assign(&diagonal)?;
        Ok(out)
    }
}
