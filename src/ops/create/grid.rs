//! Grids of coordinates (`meshgrid`), and functions of all pairs of elements (`outer_map`).

use crate::device::{Device, Elementwise, RunsClosures};
use crate::element::Element;
use crate::error::{Error, fallible};
use crate::ops::elementwise::operands::SameOrderOperand;
use crate::order::Order;
use crate::rank::{Broadcast, ContractRanks, Dim, Rank, check_rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorView};

/// Returns the coordinates of all points of a grid as N views of rank N, one for each coordinate. View `k` has the element `axes[k][i_k]`
/// at index `[i_0, .., i_(N - 1)]`.
///
/// Axis `k` of each view has the extent of `axes[k]` (NumPy's `indexing="ij"`). Nothing is copied, so the axes are references or views.
///
/// # Errors
/// If the shape of the grid exceeds the address space.
///
/// ```
/// use vierbein::{meshgrid, tensor};
/// let (rows, columns) = (tensor![0.0, 1.0], tensor![0.0, 10.0, 20.0]);
/// let [y, x] = meshgrid([&rows, &columns]);
/// assert_eq!(&y + &x, tensor![[0.0, 10.0, 20.0], [1.0, 11.0, 21.0]]);
/// let [_, x] = meshgrid([rows.view(), columns.flip(0)]);
/// assert_eq!(x, tensor![[20.0, 10.0, 0.0], [20.0, 10.0, 0.0]]);
/// ```
#[fallible(free)]
pub fn meshgrid<'a, X, T, O, Dev, const N: usize>(axes: [X; N]) -> [TensorView<'a, T, Rank<N>, O, Dev>; N]
where
    X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev> + Into<TensorView<'a, T, Rank<1>, O, Dev>>,
    T: Element,
    O: Order,
    Dev: Device,
    Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]>,
{
    let axes: [TensorView<'a, T, Rank<1>, O, Dev>; N] = axes.map(X::into);
    let shape = axes.map(|axis| axis.len());
    crate::layout::element_count(&shape, size_of::<T>())?;
    let mut k = 0;
    Ok(axes.map(|axis| {
        let mut strides = [0; N];
        strides[k] = axis.strides()[0];
        k += 1;
        axis.with_axes(shape, strides, 0)
    }))
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Calls a closure on all pairs of an element of `self` and an element of `other`, on the host, in unspecified order. The result has
    /// the axes of `self`, then those of `other`.
    ///
    /// [`outer`](Tensor::outer) computes the products of all pairs.
    ///
    /// # Errors
    /// If the result exceeds the address space, or an allocation on the host fails.
    ///
    /// # Panics
    /// If the closure panics. The unfinished result is dropped then.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let distances = tensor![0.0, 1.0].outer_map(&tensor![0.0, 3.0], |x, y| f64::abs(x - y));
    /// assert_eq!(distances, tensor![[0.0, 3.0], [1.0, 2.0]]);
    /// ```
    #[fallible]
    pub fn outer_map<V, B, R, F>(&self, other: B, f: F) -> Tensor<V, R, O, Dev>
    where
        V: Element,
        B: SameOrderOperand<O, Dev>,
        D: ContractRanks<B::Dim, 0, Contracted = R>,
        R: Dim + Broadcast<R, Common = R>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element) -> V + Sync,
    {
        let other = other.aligned();
        let (left, right) = self.pairs::<V, _, _, R>(&other)?;
        left.try_zip_map(&right, f)
    }

    /// [`outer_map`](Tensor::outer_map) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// If `out` does not have the result's shape, or a tensor is on another instance of the device. Nothing is written then.
    ///
    /// # Panics
    /// If the closure panics. `out` may be partly written then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![0.0, 1.0].outer_map_into(&tensor![0.0, 3.0], |x, y| f64::abs(x - y), &mut out);
    /// assert_eq!(out, tensor![[0.0, 3.0], [1.0, 2.0]]);
    /// ```
    #[fallible]
    pub fn outer_map_into<V, B, R, F, S2>(&self, other: B, f: F, out: &mut Tensor<V, R, O, Dev, S2>)
    where
        V: Element,
        B: SameOrderOperand<O, Dev>,
        D: ContractRanks<B::Dim, 0, Contracted = R>,
        R: Dim + Broadcast<R, Common = R>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element) -> V + Sync,
        S2: StorageMut<V, Dev>,
    {
        let other = other.aligned();
        let (left, right) = self.pairs::<V, _, _, R>(&other)?;
        left.try_zip_map_into(&right, f, out)
    }

    /// Returns views of `self` and `other` with the axes of `self`, then those of `other`.
    ///
    /// # Errors
    /// If a tensor of `V` with these axes exceeds the address space.
    fn pairs<'a, V: Element, U: Element, E: Dim, R: Dim>(
        &'a self,
        other: &'a TensorView<'_, U, E, O, Dev>,
    ) -> Result<Pair<'a, T, U, R, O, Dev>, Error> {
        let rank = self.rank() + other.rank();
        check_rank::<R>(rank)?;
        let mut shape = R::shape(rank);
        let (left, right) = shape.as_mut().split_at_mut(self.rank());
        left.copy_from_slice(self.shape().as_ref());
        right.copy_from_slice(other.shape().as_ref());
        crate::layout::element_count(shape.as_ref(), size_of::<T>().max(size_of::<V>()))?;
        let (mut of_left, mut of_right) = (R::strides(rank), R::strides(rank));
        of_left.as_mut()[..self.rank()].copy_from_slice(self.strides().as_ref());
        of_right.as_mut()[self.rank()..].copy_from_slice(other.strides().as_ref());
        let left = TensorView::from(self).with_axes(shape, of_left, 0);
        Ok((left, other.as_view().with_axes(shape, of_right, 0)))
    }
}

/// Two views of the same shape.
type Pair<'a, T, U, R, O, Dev> = (TensorView<'a, T, R, O, Dev>, TensorView<'a, U, R, O, Dev>);
