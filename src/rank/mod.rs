//! Ranks: the number of axes as a type parameter, and the traits that compute the rank of a result.
//!
//! The crate `typenum` does the arithmetic. The traits hide its types, so that no signature and no compiler message shows them.

#![forbid(unsafe_code)]

mod any;
mod arrays;
mod number;
mod results;

pub use any::{AnyRank, AnyShape};
pub use arrays::{ElementIndex, IntoShape, Permutation, ReshapeArg};
pub use number::IndexNumber;
pub(crate) use number::{all_from_start, as_given, from_start};
pub(crate) use results::check_matrices;
pub use results::{
    Broadcast, BroadcastTo, Common, ContractRanks, InsertAxes, MatmulRanks, MatrixStack, MergeAxes,
    RemoveAxes, Removed, TakeRanks,
};
use results::{PositiveRank, ToRank};

use crate::error::Error;
use core::fmt::Debug;
use core::hash::Hash;

/// The largest rank of tensors whose rank is known at compile time, of tensors of [`AnyRank`] without a parameter, and of dynamic tensors.
/// Tensors of [`AnyRank<MAX>`](AnyRank) can have up to 64 axes.
pub const MAX_RANK: usize = 16;

/// The largest `MAX` of [`AnyRank<MAX>`](AnyRank).
pub(crate) const MAX_ANY_RANK: usize = 64;

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be made a tensor rank",
        label = "ranks run from `Rank<0>` to `Rank<16>`, and there are no others"
    )]
    pub trait Sealed {}
}

/// A rank known at compile time, from `Rank<0>` (a single value) to `Rank<16>`.
///
/// ```
/// use vierbein::{Rank, Tensor};
/// let matrix: Tensor<f64, Rank<2>> = Tensor::zeros([2, 3]);
/// let row_sums: Tensor<f64, Rank<1>> = matrix.sum_axis(1);
/// assert_eq!(row_sums.shape(), [2]);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Rank<const N: usize>;

/// The rank of a tensor: one of [`Rank<0>`](Rank) to `Rank<16>`, or [`AnyRank`].
///
/// Sealed: for bounds of generic code only. Every rank broadcasts with itself and with rank 0 without any further bound.
///
/// ```
/// use vierbein::prelude::*;
/// fn elements<D: Dim>(x: TensorView<'_, f64, D>) -> usize {
///     x.shape().as_ref().iter().product()
/// }
/// assert_eq!(elements(Tensor::zeros([2, 3]).view()), 6);
/// assert_eq!(<Rank<3> as Dim>::NDIM, Some(3));
/// assert_eq!(<vierbein::AnyRank as Dim>::NDIM, None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a supported tensor rank",
    label = "ranks run from `Rank<0>` to `Rank<16>`",
    note = "merge axes with `.reshape(..)`, or keep an array of tensors of smaller rank",
    note = "in generic code: use a rank parameter `D: Dim`, or `Rank<N>` with the bound `where Rank<N>: Dim`"
)]
pub trait Dim:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + Broadcast<Self, Common = Self>
    + Broadcast<Rank<0>, Common = Self>
{
    /// The number of axes, or `None` for [`AnyRank`].
    const NDIM: Option<usize>;
    /// The largest number of axes.
    const MAX_NDIM: usize;
    /// An array of one `usize` for each axis: a shape or an index.
    type Shape: IntoShape<Dim = Self>
        + ReshapeArg<Dim = Self>
        + Permutation<Self>
        + ElementIndex<Self>
        + AsRef<[usize]>
        + AsMut<[usize]>
        + Copy
        + Debug
        + PartialEq
        + Eq
        + Hash
        + Send
        + Sync
        + 'static;
    /// An array of one `isize` for each axis: strides, in elements.
    type Strides: AsRef<[isize]> + AsMut<[isize]> + Copy + Debug + PartialEq + Send + Sync + 'static;
    /// Returns a shape or an index with these numbers, one for each axis.
    ///
    /// # Errors
    /// If no tensor of this rank has this number of axes.
    ///
    /// ```
    /// use vierbein::{AnyRank, Dim, Rank};
    /// assert_eq!(<Rank<2>>::shape_from(&[3, 4])?, [3, 4]);
    /// assert_eq!(<AnyRank>::shape_from(&[3, 4])?, [3, 4]);
    /// assert!(<Rank<2>>::shape_from(&[3]).is_err());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    fn shape_from(numbers: &[usize]) -> Result<Self::Shape, Error> {
        if other_rank::<Self>(numbers.len()).is_some() {
            return Err(not_a_shape::<Self>(numbers));
        }
        Ok(shape_of::<Self>(numbers))
    }
    /// Variant of [`shape_from`](Dim::shape_from) for strides.
    ///
    /// # Errors
    /// If no tensor of this rank has this number of axes.
    fn strides_from(numbers: &[isize]) -> Result<Self::Strides, Error> {
        let mut strides = Self::strides(Self::shape_from(&vec![0; numbers.len()])?.as_ref().len());
        strides.as_mut().copy_from_slice(numbers);
        Ok(strides)
    }
    #[doc(hidden)]
    type Num;
    /// Returns an array of zeros for a tensor with `rank` axes.
    ///
    /// # Panics
    /// If no tensor of this rank has `rank` axes.
    #[doc(hidden)]
    fn shape(rank: usize) -> Self::Shape;
    /// Variant of [`shape`](Dim::shape) for strides.
    #[doc(hidden)]
    fn strides(rank: usize) -> Self::Strides;
}

/// Returns the shape of a tensor of rank `D` as its array.
///
/// # Panics
/// If no tensor of rank `D` has this number of axes.
#[inline]
pub(crate) fn shape_of<D: Dim>(extents: &[usize]) -> D::Shape {
    let mut shape = D::shape(extents.len());
    shape.as_mut().copy_from_slice(extents);
    shape
}

#[cold]
fn not_a_shape<D: Dim>(numbers: &[usize]) -> Error {
    let reason =
        format!("{numbers:?} does not have one number for each axis of a tensor of `{}`", name::<D>());
    Error::UnsupportedRank { op: "create a shape", reason }
}

/// Returns the name of a rank, for messages.
pub(crate) fn name<D: Dim>() -> String {
    match D::NDIM {
        Some(rank) => format!("Rank<{rank}>"),
        None if D::MAX_NDIM == MAX_RANK => "AnyRank".into(),
        None => format!("AnyRank<{}>", D::MAX_NDIM),
    }
}

/// Returns the type of tensors with `rank` axes, for messages.
pub(crate) fn name_of_rank(rank: usize) -> String {
    if rank <= MAX_RANK { format!("Rank<{rank}>") } else { format!("AnyRank<{MAX_ANY_RANK}>") }
}

/// Returns `None` if a tensor with `rank` axes can have rank `D`. Otherwise returns the ranks that it can have, for messages.
pub(crate) fn other_rank<D: Dim>(rank: usize) -> Option<String> {
    match D::NDIM {
        Some(wanted) => (rank != wanted).then(|| wanted.to_string()),
        None => (rank > D::MAX_NDIM).then(|| format!("0 to {}", D::MAX_NDIM)),
    }
}

/// Returns an error if a tensor has more than [`MAX_RANK`] axes, for operations that do not support such tensors.
#[inline]
pub(crate) fn check_axis_count(op: &'static str, shape: &[usize]) -> Result<(), Error> {
    if shape.len() <= MAX_RANK { Ok(()) } else { Err(too_many_axes_for(op, shape)) }
}

#[cold]
fn too_many_axes_for(op: &'static str, shape: &[usize]) -> Error {
    let reason = format!(
        "the tensor of shape {shape:?} has rank {}, but this operation supports ranks from 0 to {MAX_RANK}; merge axes first with \
         `.reshape(..)`",
        shape.len()
    );
    Error::UnsupportedRank { op, reason }
}

/// Returns an error if no tensor of rank `D` has `rank` axes. Called where the rank of a result is greater than that of the operands.
#[inline]
pub(crate) fn check_rank<D: Dim>(rank: usize) -> Result<(), Error> {
    if rank <= D::MAX_NDIM { Ok(()) } else { Err(any::too_many_axes(D::MAX_NDIM, rank)) }
}

/// A rank that is `N`, or that may be `N` at run time: [`Rank<N>`](Rank) or [`AnyRank`].
///
/// ```
/// use vierbein::{HasRank, prelude::*};
/// fn first_above<D: HasRank<1>>(sorted: TensorView<'_, f64, D>, value: f64) -> i64 {
///     sorted.searchsorted(Tensor::scalar(value), Side::Right).item()
/// }
/// assert_eq!(first_above(tensor![1.0, 2.0, 4.0].view(), 2.0), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` does not have rank {N}",
    label = "expected `Rank<{N}>`, or `AnyRank`",
    note = "`.reshape(..)`, `.flatten()`, `.insert_axis(..)` and `.index_axis(..)` change the rank",
    note = "in generic code, bound the rank: `D: HasRank<{N}>`"
)]
pub trait HasRank<const N: usize>: Dim {}
#[diagnostic::do_not_recommend]
impl<const N: usize> HasRank<N> for Rank<N> where Rank<N>: Dim {}

/// Returns an error if a tensor of shape `shape` does not have `N` axes. For [`HasRank<N>`](HasRank), this can only happen with [`AnyRank`].
#[inline]
pub(crate) fn check_has_rank<const N: usize>(op: &'static str, shape: &[usize]) -> Result<(), Error> {
    if shape.len() == N { Ok(()) } else { Err(has_other_rank(op, N, shape)) }
}

#[cold]
fn has_other_rank(op: &'static str, wanted: usize, shape: &[usize]) -> Error {
    let reason = format!(
        "the tensor of shape {shape:?} has rank {}, not {wanted}; `.reshape(..)`, `.flatten()`, `.insert_axis(..)` and \
         `.index_axis(..)` change the rank",
        shape.len()
    );
    Error::UnsupportedRank { op, reason }
}

macro_rules! ranks {
    ($($n:literal $num:ident),* $(,)?) => {$(
        impl sealed::Sealed for Rank<$n> {}
        #[diagnostic::do_not_recommend]
        impl Dim for Rank<$n> {
            const NDIM: Option<usize> = Some($n);
            const MAX_NDIM: usize = $n;
            type Shape = [usize; $n];
            type Strides = [isize; $n];
            type Num = typenum::$num;
            #[inline(always)]
            fn shape(rank: usize) -> [usize; $n] {
                debug_assert_eq!(rank, $n);
                [0; $n]
            }
            #[inline(always)]
            fn strides(rank: usize) -> [isize; $n] {
                debug_assert_eq!(rank, $n);
                [0; $n]
            }
        }
        #[diagnostic::do_not_recommend]
        impl ToRank for typenum::$num { type Rank = Rank<$n>; }
    )*
        #[test]
        fn each_rank_is_its_number() {
            $(
                assert_eq!(<Rank<$n> as Dim>::NDIM, Some($n));
                assert_eq!(<<Rank<$n> as Dim>::Num as typenum::Unsigned>::USIZE, $n);
                assert_eq!(<typenum::$num as ToRank>::Rank::NDIM, Some($n));
            )*
        }
    };
}
macro_rules! positive_ranks {
    ($($n:literal)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PositiveRank for Rank<$n> {}
    )*};
}
macro_rules! matrix_ranks {
    ($($n:literal)*) => {$(
        #[diagnostic::do_not_recommend]
        impl MatrixStack for Rank<$n> {}
        #[diagnostic::do_not_recommend]
        impl MergeAxes for Rank<$n> { type Merged = Rank<{ $n - 1 }>; }
        #[diagnostic::do_not_recommend]
        impl MatmulRanks<Rank<1>> for Rank<$n> { type Product = Rank<{ $n - 1 }>; }
        #[diagnostic::do_not_recommend]
        impl<B: MatrixStack> MatmulRanks<B> for Rank<$n> where Rank<$n>: Broadcast<B> {
            type Product = <Rank<$n> as Broadcast<B>>::Common;
        }
    )*};
}
ranks!(
    0 U0, 1 U1, 2 U2, 3 U3, 4 U4, 5 U5, 6 U6, 7 U7, 8 U8, 9 U9, 10 U10, 11 U11, 12 U12, 13 U13, 14 U14, 15 U15, 16 U16,
);
positive_ranks!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
matrix_ranks!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
