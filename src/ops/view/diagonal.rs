//! Diagonals: views of them, and matrices with a given diagonal.

use crate::axis::{AxisArg, DistinctAxis};
use crate::device::{Copy, Device};
use crate::element::{Element, Scalar};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Dim, MergeAxes, Rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorViewMut, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a view of the elements whose indices along axes `a` and `b` are equal. One axis, the last, replaces `a` and `b`.
    ///
    /// # Errors
    /// If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.diagonal(0, 1), tensor![1, 4]);
    /// ```
    #[fallible]
    pub fn diagonal<R: Dim, A, B>(&self, a: A, b: B) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        self.cut(self.rank().saturating_sub(1), |from, to| {
            from.diagonal("take the diagonal", a.index(self.rank()), b.index(self.rank()), to)
        })
    }

    /// Returns a view of diagonal `k` of axes `a` and `b`: the elements whose index along `b` is `k` more than along `a`. Diagonals with
    /// positive numbers are above the main diagonal of a matrix, those with negative numbers below it. One axis, the last, replaces `a` and
    /// `b`, which may differ in extent. A diagonal outside of the matrix is empty.
    ///
    /// # Errors
    /// If an axis is out of range, or `a` and `b` are the same axis.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.diagonal_offset(0, 1, 1), tensor![2, 6]);
    /// assert_eq!(x.diagonal_offset(0, 1, -1), tensor![4]);
    /// ```
    #[fallible]
    pub fn diagonal_offset<R: Dim, A, B>(&self, a: A, b: B, k: isize) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        self.cut(self.rank().saturating_sub(1), |from, to| {
            from.diagonal_offset("take the diagonal", [a.index(self.rank()), b.index(self.rank())], k, to)
        })
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`diagonal`](Tensor::diagonal) as a mutable view.
    ///
    /// # Errors
    /// If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    ///
    /// ```
    /// let mut x = vierbein::Tensor::<f64, _>::ones([2, 2]);
    /// x.diagonal_mut(0, 1).fill(0.0);
    /// assert_eq!(x, vierbein::tensor![[0.0, 1.0], [1.0, 0.0]]);
    /// ```
    #[fallible]
    pub fn diagonal_mut<R: Dim, A, B>(&mut self, a: A, b: B) -> TensorViewMut<'_, T, R, O, Dev>
    where
        D: MergeAxes<Merged = R>,
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
        S: StorageMut<T, Dev>,
    {
        let rank = self.rank();
        let (a, b) = (a.index(rank), b.index(rank));
        self.cut_mut(rank.saturating_sub(1), |from, to| from.diagonal("take the diagonal", a, b, to))
    }
}

impl<T: Element, O: Order, Dev: Device> Tensor<T, Rank<2>, O, Dev> {
    /// Returns the square matrix with the given diagonal, and zeros elsewhere.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::from_diagonal(tensor![1, 2]), tensor![[1, 0], [0, 2]]);
    /// ```
    #[fallible]
    pub fn from_diagonal<X>(diagonal: X) -> Self
    where
        T: Scalar,
        Dev: Copy<T>,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let diagonal = diagonal.as_view();
        let [n] = diagonal.shape();
        let mut out = Self::try_zeros_in([n, n], diagonal.device())?;
        out.cut_mut::<Rank<1>>(1, |from, to| from.diagonal("write the diagonal", 0, 1, to))?
            .try_assign(&diagonal)?;
        Ok(out)
    }

    /// Returns the square matrix with the given diagonal `k`, and zeros elsewhere. Diagonals are numbered as by
    /// [`diagonal_offset`](Tensor::diagonal_offset). The matrix has `n + |k|` rows for a diagonal of `n` elements.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::from_diagonal_offset(tensor![1, 2], 1), tensor![[0, 1, 0], [0, 0, 2], [0, 0, 0]]);
    /// ```
    #[fallible]
    pub fn from_diagonal_offset<X>(diagonal: X, k: isize) -> Self
    where
        T: Scalar,
        Dev: Copy<T>,
        X: AsView<Element = T, Dim = Rank<1>, Order = O, Device = Dev>,
    {
        let diagonal = diagonal.as_view();
        let n = diagonal.len().saturating_add(k.unsigned_abs());
        let mut out = Self::try_zeros_in([n, n], diagonal.device())?;
        out.cut_mut::<Rank<1>>(1, |from, to| from.diagonal_offset("write the diagonal", [0, 1], k, to))?
            .try_assign(&diagonal)?;
        Ok(out)
    }
}
