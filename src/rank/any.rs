//! The rank that is known at run time only, and its shapes.

use super::{
    Broadcast, Dim, HasRank, IntoShape, MAX_ANY_RANK, MAX_RANK, MatmulRanks, MatrixStack, MergeAxes,
    PositiveRank, ReshapeArg, ToRank, sealed,
};
use crate::error::Error;
use crate::rank::IndexNumber;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Add, Deref, DerefMut, Sub};
use typenum::private::InternalMarker;
use typenum::{Bit, Cmp, Greater, Max, UInt, UTerm, Unsigned};

/// The rank of a tensor whose number of axes is known at run time only: 0 to `MAX`, which is at most 64.
///
/// A tensor of this rank has the methods of all ranks. What the types of other ranks ensure, such as that an axis exists, is checked at run
/// time. [`into_any_rank`](crate::Tensor::into_any_rank) converts a tensor to this rank, and
/// [`try_into_rank`](crate::Tensor::try_into_rank) from it; both are free.
///
/// ```
/// use vierbein::prelude::*;
/// let x: Tensor<f64, AnyRank> = Tensor::ones(&[2, 3, 4][..]);
/// let y: Tensor<f64, AnyRank> = x.sum_axis(1);
/// assert_eq!(y.shape(), [2, 4]);
/// let matrix: Tensor<f64, Rank<2>> = y.try_into_rank()?;
/// assert!(x.try_into_rank::<Rank<2>>().is_err());
/// # Ok::<(), vierbein::Error>(())
/// ```
///
/// # More than 16 axes
/// A tensor of `AnyRank<64>` has up to 64 axes, such as the state of 24 qubits or a result of many contractions. Its shapes are [`AnyShape`]s.
/// These operations support all of its axes:
///
/// * constructors, views, iterators, comparisons, printing, and conversions between ranks;
/// * copies, assignments, `concatenate`, `stack`, and transfers between devices;
/// * elementwise functions with broadcasting, reductions, cumulative sums, and functions that are computed by these, such as `softmax`;
/// * `tensordot`, `outer`, `inner`, `dot`, `vdot` and `matmul`;
/// * decompositions of matrices, whose batch can have any number of axes;
/// * `.npy`, `.npz`, `.safetensors`, serde and DLPack.
///
/// The other operations, such as sorting along an axis, elements at positions and under masks, Fourier transforms and `einsum!`, return
/// [`Error::UnsupportedRank`] if a tensor has more than 16 axes. A [`DynTensor`](crate::DynTensor) has at most 16 axes: its conversion from a
/// tensor with more panics.
///
/// Kernels compute with at most 16 axes. Adjacent axes count as one if one stride steps through both, so the axes of contiguous tensors need
/// no further work. If more than 16 axes remain, the operands are copied first. Operations on tensors with up to 16 axes are as fast as those
/// of `AnyRank`, but a tensor is larger: it stores 64 extents and 64 strides.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::AnyShape;
/// let shape = AnyShape::<usize, 64>::new(&[2; 20])?;
/// let x: Tensor<f64, AnyRank<64>> = Tensor::from_fn(shape, |index| index[0] as f64);
/// let y = &x + x.reverse_axes();
/// assert_eq!(y.sum_axes([0, 1, 2, 3]).rank(), 16);
/// let axes: [usize; 18] = core::array::from_fn(|axis| axis);
/// assert_eq!(x.tensordot(&y, axes, axes).shape(), [2; 4]);
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AnyRank<const MAX: usize = MAX_RANK>;

/// One number for each axis of a tensor of [`AnyRank`]: its shape, an index or its strides.
///
/// It dereferences to a slice.
///
/// ```
/// use vierbein::{AnyShape, Tensor, tensor};
/// let x = tensor![[1, 2, 3]].into_any_rank();
/// assert_eq!(x.shape(), [1, 3]);
/// assert_eq!((x.shape().len(), x.shape()[1]), (2, 3));
/// let shape: AnyShape = AnyShape::new(&[2, 2])?;
/// assert_eq!(Tensor::<f64, _>::zeros(shape).len(), 4);
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct AnyShape<T = usize, const MAX: usize = MAX_RANK> {
    rank: usize,
    values: [T; MAX],
}

impl<T: Copy + Default, const MAX: usize> AnyShape<T, MAX> {
    /// Creates an array from one number for each axis.
    ///
    /// # Errors
    /// If there are more than `MAX` numbers.
    pub fn new(values: &[T]) -> Result<Self, Error> {
        check_capacity(MAX, values.len())?;
        let mut to = Self::with_rank(values.len());
        to.copy_from_slice(values);
        Ok(to)
    }

    /// Returns an array with the default value for each axis.
    ///
    /// # Panics
    /// If the rank is greater than `MAX`.
    pub(super) fn with_rank(rank: usize) -> Self {
        assert!(rank <= MAX, "callers check the rank");
        AnyShape { rank, values: [T::default(); MAX] }
    }
}

impl<T: Copy + Default, const MAX: usize, const N: usize> From<[T; N]> for AnyShape<T, MAX> {
    /// Creates an array from one number for each axis. Does not compile if there are more than `MAX`.
    fn from(values: [T; N]) -> Self {
        const { assert!(N <= MAX, "there are more numbers than axes") };
        let mut to = Self::with_rank(N);
        to.copy_from_slice(&values);
        to
    }
}

/// Returns an error if a tensor of [`AnyRank<MAX>`](AnyRank) cannot have `rank` axes.
fn check_capacity(max: usize, rank: usize) -> Result<(), Error> {
    if rank <= max {
        return Ok(());
    }
    Err(too_many_axes(max, rank))
}

/// Returns the error that a tensor would have more axes than its type allows.
#[cold]
pub(super) fn too_many_axes(max: usize, rank: usize) -> Error {
    let reason = format!(
        "a tensor of rank {rank} would be the result, but `AnyRank` has ranks from 0 to {max}; merge axes first with `.reshape(..)`"
    );
    Error::UnsupportedRank { op: "create a tensor", reason }
}

impl<T, const MAX: usize> Deref for AnyShape<T, MAX> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.values[..self.rank]
    }
}
impl<T, const MAX: usize> DerefMut for AnyShape<T, MAX> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..self.rank]
    }
}
impl<T, const MAX: usize> AsRef<[T]> for AnyShape<T, MAX> {
    #[inline]
    fn as_ref(&self) -> &[T] {
        self
    }
}
impl<T, const MAX: usize> AsMut<[T]> for AnyShape<T, MAX> {
    #[inline]
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}
impl<T, const MAX: usize> IntoIterator for AnyShape<T, MAX> {
    type Item = T;
    type IntoIter = core::iter::Take<core::array::IntoIter<T, MAX>>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter().take(self.rank)
    }
}
impl<'a, T, const MAX: usize> IntoIterator for &'a AnyShape<T, MAX> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
impl<T: fmt::Debug, const MAX: usize> fmt::Debug for AnyShape<T, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
impl<T: PartialEq, const MAX: usize> PartialEq for AnyShape<T, MAX> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
impl<T: Eq, const MAX: usize> Eq for AnyShape<T, MAX> {}
impl<T: PartialEq, const MAX: usize, const N: usize> PartialEq<[T; N]> for AnyShape<T, MAX> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}
impl<T: PartialEq, const MAX: usize> PartialEq<[T]> for AnyShape<T, MAX> {
    fn eq(&self, other: &[T]) -> bool {
        **self == *other
    }
}
impl<T: Hash, const MAX: usize> Hash for AnyShape<T, MAX> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

#[diagnostic::do_not_recommend]
impl<const MAX: usize> IntoShape for AnyShape<usize, MAX> {
    type Dim = AnyRank<MAX>;
    fn into_shape(self) -> Result<Self, Error> {
        Ok(self)
    }
}
#[diagnostic::do_not_recommend]
impl IntoShape for &[usize] {
    type Dim = AnyRank;
    fn into_shape(self) -> Result<AnyShape, Error> {
        AnyShape::new(self)
    }
}
#[diagnostic::do_not_recommend]
impl IntoShape for &Vec<usize> {
    type Dim = AnyRank;
    fn into_shape(self) -> Result<AnyShape, Error> {
        AnyShape::new(self)
    }
}

/// Returns the numbers as extents.
fn extents<const MAX: usize>(numbers: &[impl IndexNumber]) -> Result<AnyShape<isize, MAX>, Error> {
    check_capacity(MAX, numbers.len())?;
    let mut to = AnyShape::with_rank(numbers.len());
    for (to, number) in to.iter_mut().zip(numbers) {
        *to = number.number();
    }
    Ok(to)
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber, const MAX: usize> ReshapeArg for AnyShape<I, MAX> {
    type Dim = AnyRank<MAX>;
    fn extents(self) -> Result<AnyShape<isize, MAX>, Error> {
        extents(&self)
    }
}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber> ReshapeArg for &[I] {
    type Dim = AnyRank;
    fn extents(self) -> Result<AnyShape<isize>, Error> {
        extents(self)
    }
}
#[diagnostic::do_not_recommend]
impl<I: IndexNumber> ReshapeArg for &Vec<I> {
    type Dim = AnyRank;
    fn extents(self) -> Result<AnyShape<isize>, Error> {
        extents(self)
    }
}

impl<const MAX: usize> sealed::Sealed for AnyRank<MAX> {}

#[diagnostic::do_not_recommend]
impl<const MAX: usize> Dim for AnyRank<MAX> {
    const NDIM: Option<usize> = None;
    const MAX_NDIM: usize = {
        assert!(MAX <= MAX_ANY_RANK, "ranks run from 0 to 64");
        MAX
    };
    type Shape = AnyShape<usize, MAX>;
    type Strides = AnyShape<isize, MAX>;
    type Num = AnyNum<MAX>;
    #[inline]
    fn shape(rank: usize) -> Self::Shape {
        AnyShape::with_rank(rank)
    }
    #[inline]
    fn strides(rank: usize) -> Self::Strides {
        AnyShape::with_rank(rank)
    }
}

#[diagnostic::do_not_recommend]
impl<const MAX: usize> PositiveRank for AnyRank<MAX> {}
#[diagnostic::do_not_recommend]
impl<const N: usize, const MAX: usize> HasRank<N> for AnyRank<MAX> {}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> MatrixStack for AnyRank<MAX> {}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> MergeAxes for AnyRank<MAX> {
    type Merged = Self;
}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> MatmulRanks<super::Rank<1>> for AnyRank<MAX> {
    type Product = Self;
}
#[diagnostic::do_not_recommend]
impl<const MAX: usize, B: MatrixStack> MatmulRanks<B> for AnyRank<MAX>
where
    Self: Broadcast<B>,
{
    type Product = <Self as Broadcast<B>>::Common;
}

/// The number of axes of [`AnyRank`] in computations with typenum's numbers: any sum, difference or maximum with it is unknown, too.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct AnyNum<const MAX: usize>;

impl<const MAX: usize> ToRank for AnyNum<MAX> {
    type Rank = AnyRank<MAX>;
}

impl<const MAX: usize, R> Sub<R> for AnyNum<MAX> {
    type Output = Self;
    fn sub(self, _: R) -> Self {
        self
    }
}

// Any number may be greater than any other, so that `Axis::<K>` is checked at run time.
impl<const MAX: usize, R> Cmp<R> for AnyNum<MAX> {
    type Output = Greater;
    fn compare<IM: InternalMarker>(&self, _: &R) -> Greater {
        Greater
    }
}

/// Implements `$Trait` for two operands of which at least one is an `AnyNum`. Two operands with different `MAX` have no result.
macro_rules! unknown {
    ($($Trait:ident $method:ident;)*) => {$(
        impl<const MAX: usize> $Trait<AnyNum<MAX>> for AnyNum<MAX> {
            type Output = Self;
            fn $method(self, _: Self) -> Self {
                self
            }
        }
        impl<const MAX: usize, U: Unsigned, B: Bit> $Trait<UInt<U, B>> for AnyNum<MAX> {
            type Output = Self;
            fn $method(self, _: UInt<U, B>) -> Self {
                self
            }
        }
        impl<const MAX: usize> $Trait<UTerm> for AnyNum<MAX> {
            type Output = Self;
            fn $method(self, _: UTerm) -> Self {
                self
            }
        }
        impl<const MAX: usize, U: Unsigned, B: Bit> $Trait<AnyNum<MAX>> for UInt<U, B> {
            type Output = AnyNum<MAX>;
            fn $method(self, other: AnyNum<MAX>) -> AnyNum<MAX> {
                other
            }
        }
        impl<const MAX: usize> $Trait<AnyNum<MAX>> for UTerm {
            type Output = AnyNum<MAX>;
            fn $method(self, other: AnyNum<MAX>) -> AnyNum<MAX> {
                other
            }
        }
    )*};
}
unknown!(Add add; Max max;);
