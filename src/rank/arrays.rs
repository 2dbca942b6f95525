//! Arguments with one number for each axis: shapes, permutations and indices.

use super::number::{IndexNumber, all_from_start, from_start};
use super::{AnyRank, AnyShape, Dim, Rank};
use crate::error::Error;

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
fn element_index<const MAX: usize>(
    index: &[impl IndexNumber],
    shape: &AnyShape<usize, MAX>,
) -> Option<AnyShape<usize, MAX>> {
    let mut to = *shape;
    for (to, number) in to.iter_mut().zip(index) {
        *to = number.within(*to);
    }
    (index.len() == to.len()).then_some(to)
}
