//! Ranks: the number of axes as a type parameter, and the traits that compute the rank of a result.
//!
//! The crate `typenum` does the arithmetic. The traits hide its types, so that no signature and no compiler message shows them.

#![forbid(unsafe_code)]

mod any;

pub use any::{AnyRank, AnyShape};

use crate::axis::{ElementIndex, IndexNumber, Permutation};
use crate::error::Error;
use core::fmt::Debug;
use core::hash::Hash;
use core::ops::{Add, Sub};
use typenum::{Const, Diff, Max, Maximum, Sum, ToUInt, U};

/// The largest supported rank.
pub const MAX_RANK: usize = 16;

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
    D::NDIM.map_or("AnyRank".into(), |rank| format!("Rank<{rank}>"))
}

/// Returns `None` if a tensor with `rank` axes can have rank `D`. Otherwise returns the ranks that it can have, for messages.
pub(crate) fn other_rank<D: Dim>(rank: usize) -> Option<String> {
    match D::NDIM {
        Some(wanted) => (rank != wanted).then(|| wanted.to_string()),
        None => (rank > D::MAX_NDIM).then(|| format!("0 to {}", D::MAX_NDIM)),
    }
}

/// Returns an error if no tensor of rank `D` has `rank` axes. Called where the rank of a result is greater than that of the operands.
#[inline]
pub(crate) fn check_rank<D: Dim>(rank: usize) -> Result<(), Error> {
    if rank <= D::MAX_NDIM { Ok(()) } else { Err(any::too_many_axes(D::MAX_NDIM, rank)) }
}

/// Converts a typenum number to a rank.
#[doc(hidden)]
pub trait ToRank {
    type Rank: Dim;
}

/// A rank from which `K` axes can be removed: by `trace` (2), `sum_axis` and `index_axis` (1) and `sum_axes` (`K`).
///
/// To call one of these methods, a generic function needs no other bound on the rank.
///
/// ```
/// use vierbein::prelude::*;
/// fn twice_traced<T, D, O, Dev>(x: &Tensor<T, D, O, Dev>) -> Tensor<T, D::Removed, O, Dev>
/// where
///     T: Scalar,
///     D: RemoveAxes<2>,
///     O: Order,
///     Dev: Backend<T>,
/// {
///     let t = x.trace(0, 1);
///     &t + &t
/// }
/// let x: Tensor<f64, Rank<2>> = Tensor::eye(3);
/// assert_eq!(twice_traced(&x).item(), 6.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "cannot remove {K} axes from a tensor of `{Self}`",
    label = "this needs a rank of at least {K}",
    note = "`trace` removes two axes, `sum_axis` and `index_axis` one, `sum_axes([..])` as many as it names",
    note = "in generic code, bound the rank: `D: RemoveAxes<{K}>`"
)]
pub trait RemoveAxes<const K: usize>: Dim {
    /// The rank with `K` axes fewer.
    type Removed: Dim;
}

/// The rank of `D` with `K` axes fewer.
pub type Removed<D, const K: usize> = <D as RemoveAxes<K>>::Removed;

#[diagnostic::do_not_recommend]
impl<D: Dim, const K: usize> RemoveAxes<K> for D
where
    Const<K>: ToUInt,
    D::Num: Sub<U<K>>,
    Diff<D::Num, U<K>>: ToRank,
{
    type Removed = <Diff<D::Num, U<K>> as ToRank>::Rank;
}

/// A rank to which `K` axes can be added, as by `insert_axis` (1).
///
/// ```
/// use vierbein::prelude::*;
/// fn column<T: Element, D: InsertAxes<1>, O: Order>(x: TensorView<'_, T, D, O>) -> TensorView<'_, T, D::Inserted, O> {
///     x.insert_axis(-1)
/// }
/// assert_eq!(column(tensor![1, 2].view()).shape(), [2, 1]);
/// ```
#[diagnostic::on_unimplemented(
    message = "cannot increase the rank of a tensor of `{Self}` by {K}",
    label = "ranks run from `Rank<0>` to `Rank<16>`",
    note = "merge axes first with `.reshape(..)`; in generic code, bound the rank: `D: InsertAxes<{K}>`"
)]
pub trait InsertAxes<const K: usize>: Dim {
    /// The rank with `K` axes more.
    type Inserted: Dim;
}

#[diagnostic::do_not_recommend]
impl<D: Dim, const K: usize> InsertAxes<K> for D
where
    Const<K>: ToUInt,
    D::Num: Add<U<K>>,
    Sum<D::Num, U<K>>: ToRank,
{
    type Inserted = <Sum<D::Num, U<K>> as ToRank>::Rank;
}

/// A rank of two or more. On a tensor of such a rank, `diagonal` replaces two axes by one.
///
/// ```
/// use vierbein::{MergeAxes, prelude::*};
/// fn first_diagonal<D: MergeAxes>(x: TensorView<'_, f64, D>) -> TensorView<'_, f64, D::Merged> {
///     x.diagonal(0, 1)
/// }
/// assert_eq!(first_diagonal(Tensor::eye(3).view()).shape(), [3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` has no diagonal",
    label = "a diagonal needs two axes",
    note = "a matrix with a given diagonal is `Tensor::from_diagonal(&vector)`",
    note = "in generic code, bound the rank: `D: MergeAxes`"
)]
pub trait MergeAxes: Dim {
    /// The rank with one axis fewer.
    type Merged: Dim;
}

/// The common rank of two operands that broadcast: the larger one.
///
/// ```
/// use vierbein::{Broadcast, Common, prelude::*};
/// fn product<D: Dim + Broadcast<E>, E: Dim>(
///     x: TensorView<'_, f64, D>,
///     y: TensorView<'_, f64, E>,
/// ) -> Tensor<f64, Common<D, E>> {
///     x * y
/// }
/// assert_eq!(product(tensor![1.0, 2.0].view(), tensor![[3.0], [4.0]].view()), tensor![[3.0, 6.0], [4.0, 8.0]]);
/// ```
#[diagnostic::on_unimplemented(
    message = "cannot broadcast a tensor of `{Self}` with a tensor of `{Other}`",
    label = "no common rank is known",
    note = "all ranks from `Rank<0>` to `Rank<16>` broadcast with each other",
    note = "in generic code, equal ranks and rank 0 do; bound other ranks: `D: Broadcast<E>`"
)]
pub trait Broadcast<Other> {
    /// The larger of the two ranks.
    type Common: Dim;
}

/// The rank that `D` and `E` broadcast to.
pub type Common<D, E> = <D as Broadcast<E>>::Common;

// `Rank<0>` broadcasts with every rank, including type parameters, so that `&mean - &x` needs no bound in generic code.
#[diagnostic::do_not_recommend]
impl<E: Dim> Broadcast<E> for Rank<0> {
    type Common = E;
}

/// A rank that broadcasts to a larger or equal one: for `broadcast_to`, assignments and `+=`.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` cannot be broadcast to `{Target}`",
    label = "the target has fewer axes",
    note = "remove axes with `.sum_axis(..)`, or choose one index along an axis with `.index_axis(..)`",
    note = "a tensor of `AnyRank` is converted to a rank known at compile time with `.try_into_rank()?`"
)]
pub trait BroadcastTo<Target>: Dim {}

#[diagnostic::do_not_recommend]
impl<D: Dim + Broadcast<E, Common = E>, E: Dim> BroadcastTo<E> for D {}

/// A rank of one or more.
#[doc(hidden)]
pub trait PositiveRank: Dim {}

#[diagnostic::do_not_recommend]
impl<A: PositiveRank, B: Dim> Broadcast<B> for A
where
    A::Num: Max<B::Num>,
    Maximum<A::Num, B::Num>: ToRank,
{
    type Common = <Maximum<A::Num, B::Num> as ToRank>::Rank;
}

/// A rank of tensors that can be contracted with tensors of rank `Other` over `K` axes of each operand.
#[diagnostic::on_unimplemented(
    message = "cannot contract {K} axes of `{Self}` with {K} axes of `{Other}`",
    label = "an operand has too few axes, or the result would have more than 16",
    note = "the result's rank is N + M - 2K; in generic code, bound the rank: `D: ContractRanks<E, {K}>`"
)]
pub trait ContractRanks<Other, const K: usize>: Dim {
    /// The rank of the result: `N + M - 2K`, where `N` and `M` are the ranks of the operands.
    type Contracted: Dim;
}

#[diagnostic::do_not_recommend]
impl<A: Dim, B: Dim, const K: usize> ContractRanks<B, K> for A
where
    Const<K>: ToUInt,
    A::Num: Sub<U<K>>,
    B::Num: Sub<U<K>>,
    Diff<A::Num, U<K>>: Add<Diff<B::Num, U<K>>>,
    Sum<Diff<A::Num, U<K>>, Diff<B::Num, U<K>>>: ToRank,
{
    type Contracted = <Sum<Diff<A::Num, U<K>>, Diff<B::Num, U<K>>> as ToRank>::Rank;
}

/// A rank of tensors from which [`take`](crate::Tensor::take) can select elements at positions of rank `M`. In the result, the axes of
/// the positions replace one axis of the tensor.
///
/// ```
/// use vierbein::{TakeRanks, prelude::*};
/// fn pairs<D: TakeRanks<Rank<1>>>(x: TensorView<'_, f64, D>) -> Tensor<f64, D::Taken> {
///     x.take(0, [0, 1])
/// }
/// assert_eq!(pairs(tensor![1.0, 2.0, 3.0].view()).shape(), [2]);
/// ```
#[diagnostic::on_unimplemented(
    message = "cannot take elements of a tensor of `{Self}` at positions of `{M}`",
    label = "the tensor has no axis, or the result would have more than 16",
    note = "the result's rank is N - 1 + M: the axes of the positions replace one axis",
    note = "in generic code, bound the rank: `D: TakeRanks<{M}>`"
)]
pub trait TakeRanks<M>: Dim {
    /// The rank of the result: the sum of both ranks, minus 1.
    type Taken: Dim;
}

#[diagnostic::do_not_recommend]
impl<D: Dim, M: Dim> TakeRanks<M> for D
where
    D: RemoveAxes<1>,
    D::Removed: ContractRanks<M, 0>,
{
    type Taken = <D::Removed as ContractRanks<M, 0>>::Contracted;
}

/// A rank of tensors that can be multiplied by tensors of rank `Other` in a matrix product. The axis of a vector is summed; batches of
/// matrices broadcast.
///
/// | left | right | product |
/// |---|---|---|
/// | 1 | 1 | 0 |
/// | N ≥ 2 | 1 | N − 1 |
/// | 1 | M ≥ 2 | M − 1 |
/// | N ≥ 2 | M ≥ 2 | max(N, M) |
///
/// ```
/// use vierbein::{MatmulRanks, prelude::*};
/// fn twice<D: MatmulRanks<Rank<2>, Product = R>, R: Dim>(x: TensorView<'_, f64, D>, m: &Tensor<f64, Rank<2>>) -> Tensor<f64, R> {
///     x.matmul(m) * 2.0
/// }
/// let m = tensor![[0.0, 1.0], [1.0, 0.0]];
/// assert_eq!(twice(tensor![1.0, 3.0].view(), &m), tensor![6.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "cannot multiply a tensor of `{Self}` with a tensor of `{Other}` as matrices",
    label = "expected vectors, matrices or batches of matrices",
    note = "a rank-0 tensor scales with `*`",
    note = "in generic code, bound the rank: `D: MatmulRanks<E>`"
)]
pub trait MatmulRanks<Other>: Dim {
    /// The rank of the product.
    type Product: Dim;
}

/// A rank of two or more: that of a matrix or a batch of matrices.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` has no matrices",
    label = "expected a rank of 2 or more",
    note = "a vector becomes a matrix with one column by `.insert_axis(1)`, and one with one row by `.insert_axis(0)`",
    note = "in generic code, bound the rank: `D: MatrixStack`"
)]
pub trait MatrixStack: Dim + RemoveAxes<1> + RemoveAxes<2> {}

#[diagnostic::do_not_recommend]
impl MatmulRanks<Rank<1>> for Rank<1> {
    type Product = Rank<0>;
}
#[diagnostic::do_not_recommend]
impl<B: MatrixStack> MatmulRanks<B> for Rank<1> {
    type Product = Removed<B, 1>;
}

/// Returns an error if a tensor with `rank` axes has no matrices. For [`MatrixStack`], this can only happen with [`AnyRank`].
///
/// # Errors
/// [`Error::UnsupportedRank`], with the text of the compiler's message for other ranks.
#[inline]
pub(crate) fn check_matrices(op: &'static str, rank: usize) -> Result<(), Error> {
    if rank >= 2 {
        return Ok(());
    }
    let reason = format!("a tensor of `Rank<{rank}>` has no matrices: expected a rank of 2 or more");
    Err(Error::UnsupportedRank { op, reason })
}

/// A rank that is `N`, or that may be `N` at run time: [`Rank<N>`](Rank) or [`AnyRank`].
///
/// ```
/// use vierbein::{HasRank, prelude::*};
/// fn last<D: HasRank<1>>(x: TensorView<'_, f64, D>) -> f64 {
///     x[x.unravel_index(-1)]
/// }
/// assert_eq!(last(tensor![1.0, 2.0].view()), 2.0);
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

/// A shape: an array of extents, one for each axis. Its length is the rank.
///
/// ```
/// use vierbein::{IntoShape, Tensor};
/// fn blank<Sh: IntoShape>(shape: Sh) -> Tensor<u8, Sh::Dim> {
///     Tensor::zeros(shape)
/// }
/// assert_eq!(blank([2, 3, 4]).rank(), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "expected an array of extents such as `[2, 3]`",
    note = "a shape is an array `[usize; N]` with N from 0 to 16"
)]
pub trait IntoShape: Copy {
    /// The rank: the length of the array.
    type Dim: Dim;
    /// Returns the extents, one for each axis.
    ///
    /// # Errors
    /// If there are more extents than axes are supported.
    fn into_shape(self) -> Result<<Self::Dim as Dim>::Shape, Error>;
}

#[diagnostic::do_not_recommend]
impl<const N: usize> IntoShape for [usize; N]
where
    Rank<N>: Dim<Shape = [usize; N]>,
{
    type Dim = Rank<N>;
    #[inline]
    fn into_shape(self) -> Result<[usize; N], Error> {
        Ok(self)
    }
}

/// The argument of `reshape`: a shape as an array or a tuple with one [`IndexNumber`] for each axis. One extent can be -1: it is
/// computed from the number of elements.
///
/// A tuple can mix types: `(n, -1)`, where `n` is a `usize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "expected an array of extents such as `[2, 3]` or `[2, -1]`",
    note = "a shape is an array or a tuple of integers"
)]
pub trait ReshapeArg: Copy {
    /// The rank: the length of the array or tuple.
    type Dim: Dim;
    /// Returns the extents. One of them can be -1.
    ///
    /// # Errors
    /// If there are more extents than axes are supported.
    fn extents(self) -> Result<<Self::Dim as Dim>::Strides, Error>;
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const N: usize> ReshapeArg for [I; N]
where
    Rank<N>: Dim<Strides = [isize; N]>,
{
    type Dim = Rank<N>;
    #[inline]
    fn extents(self) -> Result<[isize; N], Error> {
        Ok(self.map(IndexNumber::number))
    }
}

macro_rules! reshape_tuples {
    ($($n:literal: $($I:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($I: IndexNumber),*> ReshapeArg for ($($I,)*) {
            type Dim = Rank<$n>;
            #[allow(non_snake_case, reason = "each variable is named after its type")]
            fn extents(self) -> Result<[isize; $n], Error> {
                let ($($I,)*) = self;
                Ok([$($I.number()),*])
            }
        }
    )*};
}
reshape_tuples! {
    1: A; 2: A B; 3: A B C; 4: A B C D; 5: A B C D E; 6: A B C D E F; 7: A B C D E F G; 8: A B C D E F G H;
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
