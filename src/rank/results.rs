//! The traits that compute the rank of a result.

use super::{Dim, Rank};
use crate::error::Error;
use core::ops::{Add, Sub};
use typenum::{Const, Diff, Max, Maximum, Sum, ToUInt, U};

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
