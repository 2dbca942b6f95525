//! Axes and indices as arguments of methods. Integers are checked at run time. `Axis::<K>` and `Last` name an axis and are checked
//! at compile time.

#![forbid(unsafe_code)]

use crate::error::Error;
use crate::rank::{AnyRank, AnyShape, Dim, Rank, RemoveAxes};
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

/// An integer of any type that is the number of an axis, or an index along an axis. A negative number counts from the end: -1 is the last
/// axis or index.
///
/// So indices that a method returns are accepted as they are: `x.index_axis(0, y.argmax().item())`. A literal is an `i32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the number of an axis or an index",
    label = "expected an integer"
)]
pub trait IndexNumber: Copy {
    /// Returns the number as an `isize`. Values that exceed `isize` become `isize::MAX`, which is out of range for every tensor.
    fn number(self) -> isize;
    /// Returns the number counted from 0, if it is in range for `len` axes or indices. Otherwise returns a number that is at least `len`.
    #[doc(hidden)]
    fn within(self, len: usize) -> usize;
}

macro_rules! index_numbers {
    ($($t:ty)*; |$number:ident, $len:ident| $from_start:expr) => {$(
        #[diagnostic::do_not_recommend]
        #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions, reason = "not useless for all types")]
        impl IndexNumber for $t {
            #[inline]
            fn number(self) -> isize {
                isize::try_from(self).unwrap_or(isize::MAX)
            }
            #[inline]
            fn within(self, $len: usize) -> usize {
                let $number = self;
                $from_start
            }
        }
    )*};
}
index_numbers!(usize u64 u32 u16 u8; |number, _len| usize::try_from(number).unwrap_or(usize::MAX));
index_numbers!(isize i64 i32 i16 i8; |number, len| match number.number() {
    n @ ..0 => len.checked_add_signed(n).unwrap_or(n as usize),
    n => n as usize,
});

/// Returns the number counted from 0, if `number` is in range for `len` axes or indices. Otherwise returns `number as usize`, which is at
/// least `len`, so that an error can report it: see [`as_given`].
#[inline]
pub(crate) fn from_start(number: impl IndexNumber, len: usize) -> usize {
    number.number().within(len)
}

/// Calls [`from_start`] for each of several axes.
#[inline]
pub(crate) fn all_from_start<const N: usize>(axes: [impl IndexNumber; N], rank: usize) -> [usize; N] {
    axes.map(|axis| from_start(axis, rank))
}

/// Converts a result of [`from_start`] that is out of range back to the number that was passed.
pub(crate) fn as_given(index: usize) -> isize {
    index as isize
}

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

/// An argument that names one axis or several: `1`, `-1`, `Axis::<1>`, `Last` or `[0, 2]`. It is used by methods that keep
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

/// A permutation of the axes of a tensor of rank `D`: an array with one [`IndexNumber`] for each axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a permutation of the axes of a tensor of `{D}`",
    label = "expected an array with one axis number for each axis",
    note = "write `.permute([2, 0, 1])` for a tensor of `Rank<3>`"
)]
pub trait Permutation<D: Dim>: Copy {
    /// Returns the axes of a tensor with `rank` axes, counted from 0. A number that is not less than the rank means that there is no such axis.
    ///
    /// # Errors
    /// If there is not one number for each axis.
    fn axes(self, rank: usize) -> Result<D::Shape, Error>;
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const N: usize> Permutation<Rank<N>> for [I; N]
where
    Rank<N>: Dim<Shape = [usize; N]>,
{
    #[inline]
    fn axes(self, _: usize) -> Result<[usize; N], Error> {
        Ok(all_from_start(self, N))
    }
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const N: usize, const MAX: usize> Permutation<AnyRank<MAX>> for [I; N] {
    fn axes(self, rank: usize) -> Result<AnyShape<usize, MAX>, Error> {
        permutation(&self, rank)
    }
}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const MAX: usize> Permutation<AnyRank<MAX>> for &[I] {
    fn axes(self, rank: usize) -> Result<AnyShape<usize, MAX>, Error> {
        permutation(self, rank)
    }
}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const MAX: usize> Permutation<AnyRank<MAX>> for &Vec<I> {
    fn axes(self, rank: usize) -> Result<AnyShape<usize, MAX>, Error> {
        permutation(self, rank)
    }
}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> Permutation<AnyRank<MAX>> for AnyShape<usize, MAX> {
    fn axes(self, rank: usize) -> Result<AnyShape<usize, MAX>, Error> {
        permutation(&self, rank)
    }
}

/// Returns the axes of a permutation, counted from 0.
///
/// # Errors
/// If there is not one number for each axis.
fn permutation<const MAX: usize>(
    axes: &[impl IndexNumber],
    rank: usize,
) -> Result<AnyShape<usize, MAX>, Error> {
    let mut to = AnyRank::<MAX>::shape(rank);
    if axes.len() != rank {
        let axes: Vec<isize> = axes.iter().map(|axis| axis.number()).collect();
        let reason = format!("{axes:?} does not have one number for each axis of a tensor of rank {rank}");
        return Err(Error::UnsupportedRank { op: "permute", reason });
    }
    for (to, &axis) in to.iter_mut().zip(axes) {
        *to = from_start(axis, rank);
    }
    Ok(to)
}

/// An index of one element for [`get`](crate::Tensor::get): an array of one [`IndexNumber`] for each axis. Negative numbers count from the end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index of an element of a tensor of `{D}`",
    label = "expected an array with one number for each axis",
    note = "write `x.get([i, j])` for `Rank<2>`, or `x.get([0; 0])` for `Rank<0>`"
)]
pub trait ElementIndex<D: Dim>: Copy {
    /// Returns the index counted from 0, or `None` if there is not one number for each axis. A number that is not less than the extent means
    /// that there is no such element.
    fn counted_from_start(self, shape: &D::Shape) -> Option<D::Shape>;
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const N: usize> ElementIndex<Rank<N>> for [I; N]
where
    Rank<N>: Dim<Shape = [usize; N]>,
{
    #[inline]
    fn counted_from_start(self, shape: &[usize; N]) -> Option<[usize; N]> {
        Some(core::array::from_fn(|axis| self[axis].within(shape[axis])))
    }
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const N: usize, const MAX: usize> ElementIndex<AnyRank<MAX>> for [I; N] {
    #[inline]
    fn counted_from_start(self, shape: &AnyShape<usize, MAX>) -> Option<AnyShape<usize, MAX>> {
        element_index(&self, shape)
    }
}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const MAX: usize> ElementIndex<AnyRank<MAX>> for &[I] {
    #[inline]
    fn counted_from_start(self, shape: &AnyShape<usize, MAX>) -> Option<AnyShape<usize, MAX>> {
        element_index(self, shape)
    }
}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> ElementIndex<AnyRank<MAX>> for AnyShape<usize, MAX> {
    #[inline]
    fn counted_from_start(self, shape: &AnyShape<usize, MAX>) -> Option<AnyShape<usize, MAX>> {
        element_index(&self, shape)
    }
}

/// Returns an index counted from 0, or `None` if there is not one number for each axis.
#[inline]
pub(crate) fn element_index<const MAX: usize>(
    index: &[impl IndexNumber],
    shape: &AnyShape<usize, MAX>,
) -> Option<AnyShape<usize, MAX>> {
    let mut to = *shape;
    for (to, number) in to.iter_mut().zip(index) {
        *to = number.within(*to);
    }
    (index.len() == to.len()).then_some(to)
}

#[cfg(test)]
mod tests {
    use super::{as_given, from_start};

    #[test]
    fn negative_numbers_count_from_the_end() {
        assert_eq!([-3, -1, 0, 2].map(|n| from_start(n, 3)), [0, 2, 0, 2]);
        assert_eq!((from_start(2isize, 3), from_start(2usize, 3)), (2, 2));
    }

    #[test]
    fn numbers_out_of_range_stay_recoverable() {
        for (number, len) in [(3, 3), (-4, 3), (0, 0), (-1, 0), (i32::MAX, 3), (i32::MIN, 3)] {
            let index = from_start(number, len);
            assert!(index >= len);
            assert_eq!(as_given(index), number as isize);
        }
        assert_eq!(as_given(from_start(isize::MIN, 5)), isize::MIN);
        assert_eq!(as_given(from_start(usize::MAX, 5)), isize::MAX);
    }
}
