//! Axes as arguments of methods: a `usize`, checked at run time, or `Axis::<K>`, checked at compile time.

#![forbid(unsafe_code)]

use crate::rank::Dim;
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

/// An argument that names one axis of a tensor of rank `D`: a `usize` or an [`Axis`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis of a tensor of `{D}`",
    label = "no such axis",
    note = "axes are counted from 0: the last axis of `Rank<3>` is `2` or `Axis::<2>`",
    note = "convert an index of another integer type with `k as usize`; methods such as `.sum_axes([..])` take several axes"
)]
pub trait AxisArg<D>: Copy {
    /// Returns the number of the axis, counted from 0.
    fn index(self) -> usize;
}

#[diagnostic::do_not_recommend]
impl<D: Dim> AxisArg<D> for usize {
    fn index(self) -> usize {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, const K: usize> AxisArg<D> for Axis<K>
where
    Const<K>: ToUInt,
    D::Num: IsGreater<U<K>, Output = True>,
{
    fn index(self) -> usize {
        K
    }
}

/// An axis that is not known at compile time to be the same as `Other`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{Other}` are the same axis",
    label = "the two axes must differ"
)]
pub trait DistinctAxis<Other> {}

#[diagnostic::do_not_recommend]
impl DistinctAxis<usize> for usize {}
#[diagnostic::do_not_recommend]
impl<const K: usize> DistinctAxis<usize> for Axis<K> {}
#[diagnostic::do_not_recommend]
impl<const K: usize> DistinctAxis<Axis<K>> for usize {}
#[diagnostic::do_not_recommend]
impl<const J: usize, const K: usize> DistinctAxis<Axis<K>> for Axis<J>
where
    Const<J>: ToUInt,
    Const<K>: ToUInt,
    U<J>: IsNotEqual<U<K>, Output = True>,
{
}

/// An argument that names one axis or several: `1`, `Axis::<1>` or `[0, 2]`. It is used by the reductions that keep the reduced axes
/// with extent 1.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name axes of a tensor of `{D}`",
    label = "expected one axis or an array of axes",
    note = "write `1`, `Axis::<1>` or `[0, 2]`, counted from 0"
)]
pub trait AxesArg<D>: Copy {
    /// An array of axis numbers.
    type Axes: AsRef<[usize]>;
    /// Returns the numbers of the axes, counted from 0.
    fn axes(self) -> Self::Axes;
}

#[diagnostic::do_not_recommend]
impl<D: Dim> AxesArg<D> for usize {
    type Axes = [usize; 1];
    fn axes(self) -> [usize; 1] {
        [self]
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, const K: usize> AxesArg<D> for Axis<K>
where
    Axis<K>: AxisArg<D>,
{
    type Axes = [usize; 1];
    fn axes(self) -> [usize; 1] {
        [K]
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, const N: usize> AxesArg<D> for [usize; N] {
    type Axes = [usize; N];
    fn axes(self) -> [usize; N] {
        self
    }
}
