//! Names that NumPy, PyTorch and ndarray have for methods of this crate. These methods work, but are deprecated: the compiler's warning
//! says which method of this crate to call.

use crate::axis::{AxisArg, IndexNumber};
use crate::device::{Device, Elementwise, Permute};
use crate::element::{CastTo, Element};
use crate::order::Order;
use crate::rank::{Dim, InsertAxes, Rank, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::{Tensor, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    #[doc(hidden)]
    #[deprecated(note = "call `insert_axis(at)`")]
    #[track_caller]
    pub fn unsqueeze<R: Dim>(&self, at: impl IndexNumber) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: InsertAxes<1, Inserted = R>,
    {
        self.insert_axis(at)
    }

    #[doc(hidden)]
    #[deprecated(note = "call `insert_axis(at)`")]
    #[track_caller]
    pub fn expand_dims<R: Dim>(&self, at: impl IndexNumber) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: InsertAxes<1, Inserted = R>,
    {
        self.insert_axis(at)
    }

    #[doc(hidden)]
    #[deprecated(note = "call `remove_axis(axis)`, which names the axis")]
    #[track_caller]
    pub fn squeeze<R: Dim, A>(&self, axis: A) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.remove_axis(axis)
    }

    #[doc(hidden)]
    #[deprecated(note = "call `reverse_axes()`, which does the same, or `t()` or `swap_axes(a, b)`")]
    pub fn transpose(&self) -> ViewOf<'_, T, D, O, Dev, S> {
        self.reverse_axes()
    }

    #[doc(hidden)]
    #[deprecated(note = "call `cast::<U>()`")]
    #[track_caller]
    pub fn astype<U: Element>(&self) -> Tensor<U, D, O, Dev>
    where
        Dev: Elementwise<T>,
        T: CastTo<U>,
    {
        self.cast()
    }

    #[doc(hidden)]
    #[deprecated(note = "call `flatten()`")]
    #[track_caller]
    pub fn ravel(self) -> Tensor<T, Rank<1>, O, Dev>
    where
        Dev: Permute<T>,
    {
        self.flatten()
    }

    #[doc(hidden)]
    #[deprecated(note = "call `to_owned()`")]
    #[track_caller]
    pub fn copy(&self) -> Tensor<T, D, O, Dev>
    where
        Dev: Permute<T>,
    {
        self.to_owned()
    }

    #[doc(hidden)]
    #[deprecated(note = "call `rank()`")]
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.rank()
    }

    #[doc(hidden)]
    #[deprecated(note = "call `len()`")]
    #[must_use]
    pub fn numel(&self) -> usize {
        self.len()
    }
}
