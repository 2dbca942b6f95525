//! Views with reversed axes: flips and rotations by quarter turns.

use crate::axis::{AxesArg, AxisArg, DistinctAxis};
use crate::device::Device;
use crate::element::Element;
use crate::error::fallible;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::{Tensor, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a view with one or more axes reversed: index 0 of the view is the last index of `self`.
    ///
    /// # Errors
    /// If an axis is out of range or named twice.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.flip(0), tensor![[3, 4], [1, 2]]);
    /// assert_eq!(x.flip([0, 1]), tensor![[4, 3], [2, 1]]);
    /// ```
    #[fallible]
    #[doc(alias = "reverse")]
    pub fn flip(&self, axes: impl AxesArg<D>) -> ViewOf<'_, T, D, O, Dev, S> {
        let axes = axes.axes(self.rank());
        self.cut(self.rank(), |from, to| from.flip(axes.as_ref(), to))
    }

    /// Returns a view that is rotated by `turns` quarter turns in the plane of the axes `a` and `b`, from `a` towards `b`. A negative
    /// number of turns rotates in the other direction.
    ///
    /// # Errors
    /// If an axis is out of range, or the two axes are equal.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.rot90(1, 0, 1), tensor![[2, 4], [1, 3]]);
    /// assert_eq!(x.rot90(-1, 0, 1), tensor![[3, 1], [4, 2]]);
    /// ```
    #[fallible]
    pub fn rot90<A, B>(&self, turns: isize, a: A, b: B) -> ViewOf<'_, T, D, O, Dev, S>
    where
        A: AxisArg<D> + DistinctAxis<B>,
        B: AxisArg<D>,
    {
        let (a, b) = (a.index(self.rank()), b.index(self.rank()));
        self.cut(self.rank(), |from, to| from.rot90(turns, a, b, to))
    }
}
