//! Axes and indices as arguments of methods. Integers are checked at run time. `Axis::<K>` and `Last` name an axis and are checked
//! at compile time.

#![forbid(unsafe_code)]

use crate::rank::{AnyRank, Dim, IndexNumber, RemoveAxes, all_from_start, from_start};
use typenum::{Const, IsGreater, IsNotEqual, ToUInt, True, U};

/// An axis known at compile time, counted from 0.
///
/// The program does not compile if the tensor has no such axis, or if both axes of `trace` or `diagonal` are the same.
///
/// ```
/// use vierbein::{Axis, Tensor, tensor};
/// let x = tensor![[1, 2], [3, 4]];
/// assert_eq!(x.sum_axis(Axis::<0>), tensor![4, 6]);
/// assert_eq!(x.trace(Axis::<0>, Axis::<1>).item(), 5);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Axis<const K: usize>;

/// The last axis, known at compile time. The program does not compile if the tensor has rank 0.
///
/// ```
/// use vierbein::{Last, tensor};
/// assert_eq!(tensor![[1, 2], [3, 4]].sum_axis(Last), tensor![3, 7]);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Last;

/// An argument that names one axis of a tensor of rank `D`: an [`IndexNumber`], an [`Axis`] or [`Last`]. A negative [`IndexNumber`]
/// counts from the end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis of a tensor of `{D}`",
    label = "no such axis",
    note = "axes are counted from 0, or from the end with negative numbers: the last axis of `Rank<3>` is `2`, `-1`, `Axis::<2>` or `Last`",
    note = "methods such as `.sum_axes([..])` take several axes"
)]
pub trait AxisArg<D>: Copy {
    /// Returns the number of the axis of a tensor with `rank` axes, counted from 0, or a number that is not less than `rank` if there is no
    /// such axis.
    fn index(self, rank: usize) -> usize;
}

#[diagnostic::do_not_recommend]
impl<D: Dim, I: IndexNumber> AxisArg<D> for I {
    #[inline]
    fn index(self, rank: usize) -> usize {
        from_start(self, rank)
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, const K: usize> AxisArg<D> for Axis<K>
where
    Const<K>: ToUInt,
    D::Num: IsGreater<U<K>, Output = True>,
{
    #[inline]
    fn index(self, _: usize) -> usize {
        K
    }
}

#[diagnostic::do_not_recommend]
impl<D: RemoveAxes<1>> AxisArg<D> for Last {
    #[inline]
    fn index(self, rank: usize) -> usize {
        // Without axes, the number is out of range.
        rank.saturating_sub(1)
    }
}

/// An axis that can differ from the axis `Other`. Not implemented if the types show that the axes are the same: `Axis::<1>` and
/// `Axis::<1>`, or `Last` and `Last`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{Other}` are the same axis",
    label = "the two axes must differ"
)]
pub trait DistinctAxis<Other> {}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, J: IndexNumber> DistinctAxis<J> for I {}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const K: usize> DistinctAxis<I> for Axis<K> {}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const K: usize> DistinctAxis<Axis<K>> for I {}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber> DistinctAxis<I> for Last {}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber> DistinctAxis<Last> for I {}
#[diagnostic::do_not_recommend]
impl<const K: usize> DistinctAxis<Axis<K>> for Last {}
#[diagnostic::do_not_recommend]
impl<const K: usize> DistinctAxis<Last> for Axis<K> {}
#[diagnostic::do_not_recommend]
impl<const J: usize, const K: usize> DistinctAxis<Axis<K>> for Axis<J>
where
    Const<J>: ToUInt,
    Const<K>: ToUInt,
    U<J>: IsNotEqual<U<K>, Output = True>,
{
}

/// An argument that names one axis or several: `1`, `-1`, `Axis::<1>`, `Last`, `[0, 2]` or `&list[..]`. It is used by methods that keep
/// the rank, such as `sum_keepdims`, `flip` and `softmax`. For no axes, pass `[0; 0]`: the element type of `[]` cannot be inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name axes of a tensor of `{D}`",
    label = "expected one axis or an array of axes",
    note = "write `1`, `-1`, `Axis::<1>` or `[0, 2]`, counted from 0, or from the end with negative numbers"
)]
pub trait AxesArg<D>: Copy {
    /// An array of axis numbers.
    type Axes: AsRef<[usize]>;
    /// Returns the numbers of the axes of a tensor with `rank` axes, counted from 0. A number that is not less than `rank` means that there is
    /// no such axis.
    fn axes(self, rank: usize) -> Self::Axes;
}

#[diagnostic::do_not_recommend]
impl<D: Dim, I: IndexNumber> AxesArg<D> for I {
    type Axes = [usize; 1];
    fn axes(self, rank: usize) -> [usize; 1] {
        [from_start(self, rank)]
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, const K: usize> AxesArg<D> for Axis<K>
where
    Axis<K>: AxisArg<D>,
{
    type Axes = [usize; 1];
    fn axes(self, _: usize) -> [usize; 1] {
        [K]
    }
}

#[diagnostic::do_not_recommend]
impl<D: RemoveAxes<1>> AxesArg<D> for Last {
    type Axes = [usize; 1];
    fn axes(self, rank: usize) -> [usize; 1] {
        [AxisArg::<D>::index(self, rank)]
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, I: IndexNumber, const N: usize> AxesArg<D> for [I; N] {
    type Axes = [usize; N];
    fn axes(self, rank: usize) -> [usize; N] {
        all_from_start(self, rank)
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, I: IndexNumber> AxesArg<D> for &[I] {
    type Axes = Vec<usize>;
    fn axes(self, rank: usize) -> Vec<usize> {
        self.iter().map(|&axis| from_start(axis, rank)).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, I: IndexNumber> AxesArg<D> for &Vec<I> {
    type Axes = Vec<usize>;
    fn axes(self, rank: usize) -> Vec<usize> {
        AxesArg::<D>::axes(&self[..], rank)
    }
}

/// The axes that a method such as `sum_axes` removes: an array, whose length determines the rank of the result. For a tensor of
/// [`AnyRank`], also a slice.
///
/// ```
/// use vierbein::{Tensor, tensor};
/// let x = Tensor::<f64, _>::ones([2, 3, 4]);
/// assert_eq!(x.sum_axes([0, -1]).shape(), [3]);
/// let axes = vec![0, 2];
/// assert_eq!(x.into_any_rank().sum_axes(&axes).shape(), [3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name axes to remove from a tensor of `{D}`",
    label = "expected an array of axes",
    note = "write `[0, 2]`, counted from 0, or from the end with negative numbers",
    note = "if the number of axes is known at run time only, so is the rank: call `.into_any_rank()` first"
)]
pub trait AxesToRemove<D>: AxesArg<D> {
    /// The rank of the result.
    type Remaining: Dim;
}

#[diagnostic::do_not_recommend]
impl<D: RemoveAxes<N>, I: IndexNumber, const N: usize> AxesToRemove<D> for [I; N] {
    type Remaining = D::Removed;
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const MAX: usize> AxesToRemove<AnyRank<MAX>> for &[I] {
    type Remaining = AnyRank<MAX>;
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const MAX: usize> AxesToRemove<AnyRank<MAX>> for &Vec<I> {
    type Remaining = AnyRank<MAX>;
}
