//! Single elements, given by their indices: `at`.

use super::positions::{PositionNumber, upload};
use crate::device::{Device, Select};
use crate::element::Element;
use crate::engine::{same_instance, select};
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{AnyRank, Dim, Rank};
use crate::storage::{OwnedData, Storage, StorageMut, View};
use crate::tensor::{Tensor, TensorView};

/// Indices of single elements of a tensor of rank `D`, for [`at`](Tensor::at): a slice, an array or a `Vec` of indices such as `[i, j]`,
/// or a matrix of `i64`, one row per index. The matrix can also be a tensor of [`AnyRank`]. Negative numbers count from the end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold indices of a `{O}` tensor of `{D}` on `{Dev}`",
    label = "expected a list of indices such as `[[0, 1], [2, -1]]`, or a matrix of `i64`",
    note = "each index is an array with one number per axis; positions along a single axis are the argument of `.take(axis, ..)`"
)]
pub trait Indices<D: Dim, O: Order, Dev: Device> {
    #[doc(hidden)]
    type Data<'a>: Storage<i64, Dev>
    where
        Self: 'a;
    /// Returns the indices as the rows of a matrix.
    #[doc(hidden)]
    fn rows(&self, device: &Dev) -> Result<Tensor<i64, Rank<2>, O, Dev, Self::Data<'_>>, Error>;
}

macro_rules! matrices {
    ($($Matrix:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<D: Dim, O: Order, Dev: Device, S: Storage<i64, Dev>> Indices<D, O, Dev> for $Matrix {
            type Data<'a>
                = View<'a, i64, Dev>
            where
                Self: 'a;
            fn rows(&self, _: &Dev) -> Result<TensorView<'_, i64, Rank<2>, O, Dev>, Error> {
                Ok(self.agree())
            }
        }
    )*};
}
matrices!(Tensor<i64, Rank<2>, O, Dev, S>, &Tensor<i64, Rank<2>, O, Dev, S>);

macro_rules! matrices_of_any_rank {
    ($($Matrix:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<D: Dim, O: Order, Dev: Device, S: Storage<i64, Dev>, const MAX: usize> Indices<D, O, Dev> for $Matrix {
            type Data<'a>
                = View<'a, i64, Dev>
            where
                Self: 'a;
            fn rows(&self, _: &Dev) -> Result<TensorView<'_, i64, Rank<2>, O, Dev>, Error> {
                self.agree::<i64, O, Dev>().try_into_rank().map_err(|_| {
                    let rank = self.rank();
                    let reason =
                        format!("expected a matrix with one index per row, found a tensor of `Rank<{rank}>`");
                    Error::UnsupportedRank { op: AT, reason }
                })
            }
        }
    )*};
}
matrices_of_any_rank!(Tensor<i64, AnyRank<MAX>, O, Dev, S>, &Tensor<i64, AnyRank<MAX>, O, Dev, S>);

macro_rules! lists {
    ($([$($generics:tt)*] $List:ty;)*) => {$(
        lists!(@impl [I: PositionNumber, O: Order, Dev: Device, const N: usize, $($generics)*] Rank<N>, $List);
        // The number of axes is checked at run time.
        lists!(
            @impl [I: PositionNumber, O: Order, Dev: Device, const N: usize, const MAX: usize, $($generics)*]
            AnyRank<MAX>, $List
        );
    )*};
    (@impl [$($generics:tt)*] $D:ty, $List:ty) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Indices<$D, O, Dev> for $List
        where
            $D: Dim,
        {
            type Data<'a>
                = OwnedData<i64, Dev>
            where
                Self: 'a;
            fn rows(&self, device: &Dev) -> Result<Tensor<i64, Rank<2>, O, Dev>, Error> {
                let (rows, columns) = (self.len(), N);
                let number = |k: usize| match O::ROW_MAJOR {
                    true => self[k / columns][k % columns],
                    false => self[k % rows][k / rows],
                };
                upload([rows, columns], (0..rows * columns).map(|k| number(k).position()), device)
            }
        }
    };
}
lists! {
    [] &[[I; N]];
    [] Vec<[I; N]>;
    [] &Vec<[I; N]>;
    [const M: usize] [[I; N]; M];
    [const M: usize] &[[I; N]; M];
}

/// The name of the operation in messages.
pub(crate) const AT: &str = "take elements";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the elements at the given indices, as a vector.
    ///
    /// The indices are a list of arrays, with one number per axis, or a matrix of `i64` with one row per index, as
    /// [`nonzero`](Tensor::nonzero) returns. Negative numbers count from the end.
    ///
    /// # Errors
    /// * If an index is out of bounds.
    /// * If a matrix of indices does not have one column per axis, or is on another instance of the device.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.at([[0, 0], [1, -1], [0, 0]]), tensor![1, 6, 1]);
    /// assert_eq!(x.at(x.gt(4).nonzero()), tensor![5, 6]);
    /// ```
    ///
    /// ```
    /// use vierbein::tensor;
    /// let error = tensor![[1, 2], [3, 4]].try_at([[0, 0], [1, 2]]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot take elements: index 2 is out of bounds for axis 1 of shape [2, 2], whose extent is 2"
    /// );
    /// ```
    #[fallible]
    pub fn at<I: Indices<D, O, Dev>>(&self, indices: I) -> Tensor<T, Rank<1>, O, Dev>
    where
        Dev: Select<T>,
    {
        let rows = indices.rows(self.device())?;
        same_instance(AT, self.device(), rows.device())?;
        select::check_indices(AT, self.shape().as_ref(), &rows.shape())?;
        Tensor::allocate_with([rows.shape()[0]], self.device().clone(), |out, device| {
            select::pick(AT, device, out, self.operand(), rows.operand())
        })
    }

    /// [`at`](Tensor::at) into a preallocated vector or mutable view with one element for each index. Checks all indices before it writes
    /// an element.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device.
    /// * If an index is out of bounds, or a matrix of indices does not have one column per axis.
    /// * If the allocation for a list of indices fails.
    ///
    /// `out` is unchanged then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![[1, 2, 3], [4, 5, 6]].at_into([[0, 0], [1, -1]], &mut out);
    /// assert_eq!(out, tensor![1, 6]);
    /// ```
    #[fallible]
    pub fn at_into<I: Indices<D, O, Dev>, S2>(&self, indices: I, out: &mut Tensor<T, Rank<1>, O, Dev, S2>)
    where
        Dev: Select<T>,
        S2: StorageMut<T, Dev>,
    {
        let rows = indices.rows(self.device())?;
        same_instance(AT, self.device(), rows.device())?;
        select::check_indices(AT, self.shape().as_ref(), &rows.shape())?;
        check_out(AT, &[rows.shape()[0]], self.device(), out)?;
        select::check_rows::<T, Dev>(AT, self.device(), self.shape().as_ref(), rows.operand())?;
        let (output, device) = out.output();
        select::pick(AT, device, output, self.operand(), rows.operand())
    }
}
