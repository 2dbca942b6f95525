//! Tensors that have the elements of another tensor at other indices or several times: `roll`, `tile`, `repeat`, `pad`, and the triangles
//! of matrices.

use crate::axis::{AxesArg, AxisArg};
use crate::device::{Copy, Device, HostAccess};
use crate::element::Element;
use crate::engine::copy::join::Triangle;
use crate::engine::copy::pieces::Pad;
use crate::engine::copy::rearrange::{Counts, Rearrangement};
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{
    AnyRank, Dim, IndexNumber, IntoShape, MatrixStack, Rank, check_axis_count, check_matrices,
};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

/// How often [`repeat`](Tensor::repeat) repeats each index of an axis: an [`IndexNumber`], or one number for each index, as an array, a slice,
/// a `Vec` or a vector of `i64` on the host.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of repetitions",
    label = "expected an integer such as `2`, or one integer for each index of the axis",
    note = "a tensor of counts has elements of `i64`: `.cast::<i64>()`"
)]
pub trait RepeatCounts {
    #[doc(hidden)]
    fn counts(&self) -> Result<Counts, Error>;
}

#[diagnostic::do_not_recommend]
impl<I: IndexNumber> RepeatCounts for I {
    fn counts(&self) -> Result<Counts, Error> {
        Counts::all(*self)
    }
}

macro_rules! lists_of_counts {
    ($([$($generics:tt)*] $List:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<I: IndexNumber, $($generics)*> RepeatCounts for $List {
            fn counts(&self) -> Result<Counts, Error> {
                Counts::each(self.iter().copied())
            }
        }
    )*};
}
lists_of_counts! {
    [const N: usize] [I; N];
    [const N: usize] &[I; N];
    [] &[I];
    [] Vec<I>;
    [] &Vec<I>;
}

#[diagnostic::do_not_recommend]
impl<O: Order, Dev: HostAccess, S: Storage<i64, Dev>> RepeatCounts for Tensor<i64, Rank<1>, O, Dev, S> {
    fn counts(&self) -> Result<Counts, Error> {
        Counts::each(self.iter().copied())
    }
}

#[diagnostic::do_not_recommend]
impl<O: Order, Dev: HostAccess, S: Storage<i64, Dev>> RepeatCounts for &Tensor<i64, Rank<1>, O, Dev, S> {
    fn counts(&self) -> Result<Counts, Error> {
        (**self).counts()
    }
}

/// The shifts along the axes that [`roll_axes`](Tensor::roll_axes) names: an array if the axes are an array, and a slice if they are a slice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not shifts along the axes `{Axes}`",
    label = "expected one shift for each axis",
    note = "write `.roll_axes([0, 1], [2, -1])`, or `.roll_axes(&axes, &shifts)` for lists"
)]
pub trait Shifts<Axes> {
    /// Returns the shifts.
    fn shifts(&self) -> &[isize];
}
#[diagnostic::do_not_recommend]
impl<I, const N: usize> Shifts<[I; N]> for [isize; N] {
    fn shifts(&self) -> &[isize] {
        self
    }
}
#[diagnostic::do_not_recommend]
impl<I> Shifts<&[I]> for &[isize] {
    fn shifts(&self) -> &[isize] {
        self
    }
}
#[diagnostic::do_not_recommend]
impl<I> Shifts<&Vec<I>> for &Vec<isize> {
    fn shifts(&self) -> &[isize] {
        self
    }
}

/// The numbers of elements that [`pad`](Tensor::pad) adds before and after each axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not widths for a tensor of `{D}`",
    label = "expected a number, a pair `(before, after)`, or an array with one pair for each axis"
)]
pub trait PadWidths<D: Dim> {
    /// Returns the widths of each axis of a tensor with `rank` axes, or of another number of axes.
    #[doc(hidden)]
    fn of_axes(&self, rank: usize) -> Vec<[usize; 2]>;
}
#[diagnostic::do_not_recommend]
impl<D: Dim> PadWidths<D> for usize {
    fn of_axes(&self, rank: usize) -> Vec<[usize; 2]> {
        vec![[*self; 2]; rank]
    }
}
#[diagnostic::do_not_recommend]
impl<D: Dim> PadWidths<D> for (usize, usize) {
    fn of_axes(&self, rank: usize) -> Vec<[usize; 2]> {
        vec![[self.0, self.1]; rank]
    }
}
#[diagnostic::do_not_recommend]
impl<const N: usize> PadWidths<Rank<N>> for [(usize, usize); N]
where
    Rank<N>: Dim,
{
    fn of_axes(&self, _: usize) -> Vec<[usize; 2]> {
        self.iter().map(|&(before, after)| [before, after]).collect()
    }
}
#[diagnostic::do_not_recommend]
impl<const N: usize, const MAX: usize> PadWidths<AnyRank<MAX>> for [(usize, usize); N] {
    fn of_axes(&self, _: usize) -> Vec<[usize; 2]> {
        self.iter().map(|&(before, after)| [before, after]).collect()
    }
}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> PadWidths<AnyRank<MAX>> for &[(usize, usize)] {
    fn of_axes(&self, _: usize) -> Vec<[usize; 2]> {
        self.iter().map(|&(before, after)| [before, after]).collect()
    }
}

/// Copies the scalar that a rearrangement needs, if any, to a tensor of rank 0 on the device of `x`.
fn scalar_on_device<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>>(
    x: &Tensor<T, D, O, Dev, S>,
    scalar: Option<T>,
) -> Result<Option<Tensor<T, Rank<0>, O, Dev>>, Error> {
    scalar.map(|scalar| Tensor::try_scalar_in(scalar, x.device())).transpose()
}

/// Defines four methods per row: one that returns a new tensor of the same rank, its variant with a preallocated output, and the fallible
/// variants of both. The body of a row gets the shape of the operand and changes it to the shape of the result. It evaluates to the
/// rearrangement and the scalar that [`Rearrangement::write`] needs.
macro_rules! copies {
    ($(
        $(#[$doc:meta])*
        $name:ident, $into:ident
        [$($generic:tt)*] ($($arg:ident: $ty:ty),*) [$($bound:tt)*]
        |$shape:ident| $body:expr;
    )*) => {
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {$(
            $(#[$doc])*
            #[fallible]
            pub fn $name<$($generic)*>(&self $(, $arg: $ty)*) -> Tensor<T, D, O, Dev>
            where
                Dev: Copy<T>,
                $($bound)*
            {
                let mut result = self.shape();
                check_axis_count(stringify!($name), result.as_ref())?;
                let $shape = result.as_mut();
                let (rearrangement, scalar): (Rearrangement, Option<T>) = $body;
                let scalar = scalar_on_device(self, scalar)?;
                Tensor::allocate_with(result, self.device().clone(), |out, device| {
                    let scalar = scalar.as_ref().map(Tensor::operand);
                    rearrangement.write(device, O::ROW_MAJOR, self.operand(), scalar, out)
                })
            }

            #[doc = concat!("[`", stringify!($name), "`](Tensor::", stringify!($name), ") into a preallocated tensor or mutable view of exactly the result's shape.")]
            ///
            /// # Errors
            #[doc = concat!("For the reasons given for [`", stringify!($name), "`](Tensor::", stringify!($name), "), or if `out` does not have the result's shape. `out` is unchanged then.")]
            #[fallible]
            pub fn $into<S2: StorageMut<T, Dev>, $($generic)*>(
                &self $(, $arg: $ty)*, out: &mut Tensor<T, D, O, Dev, S2>,
            )
            where
                Dev: Copy<T>,
                $($bound)*
            {
                let mut result = self.shape();
                check_axis_count(stringify!($name), result.as_ref())?;
                let $shape = result.as_mut();
                let (rearrangement, scalar): (Rearrangement, Option<T>) = $body;
                check_out(stringify!($name), result.as_ref(), self.device(), out)?;
                let scalar = scalar_on_device(self, scalar)?;
                let (output, device) = out.output();
                let scalar = scalar.as_ref().map(Tensor::operand);
                rearrangement.write(device, O::ROW_MAJOR, self.operand(), scalar, output)
            }
        )*}
    };
}

copies! {
    /// Returns a copy whose elements are shifted along an axis: the element at index `i` moves to index `i + by`. Elements that are
    /// shifted past one end reappear at the other.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3, 4].roll(0, 1), tensor![4, 1, 2, 3]);
    /// assert_eq!(tensor![[1, 2], [3, 4]].roll(-1, -1), tensor![[2, 1], [4, 3]]);
    /// ```
    roll, roll_into
    [A: AxisArg<D>] (axis: A, by: isize) [] |shape| {
        (Rearrangement::roll(shape, &[axis.index(shape.len())], &[by])?, None)
    };

    /// Returns a copy whose elements are shifted by `by[k]` along each axis `axes[k]`, as [`roll`](Tensor::roll) does along one axis. If an
    /// axis is named twice, its shifts are added.
    ///
    /// # Errors
    /// If an axis is out of range, the lists differ in length, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].roll_axes([0, 1], [1, 1]), tensor![[4, 3], [2, 1]]);
    /// ```
    roll_axes, roll_axes_into
    [A: AxesArg<D>, B: Shifts<A>] (axes: A, by: B) [] |shape| {
        (Rearrangement::roll(shape, axes.axes(shape.len()).as_ref(), by.shifts())?, None)
    };

    /// Returns a tensor that consists of copies of `self`: `counts[k]` of them along axis `k`.
    ///
    /// # Errors
    /// If the result exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2]].tile([2, 2]), tensor![[1, 2, 1, 2], [1, 2, 1, 2]]);
    /// ```
    tile, tile_into
    [C: IntoShape<Dim = D>] (counts: C) [] |shape| (Rearrangement::tile(shape, counts.into_shape()?.as_ref())?, None);

    /// Returns a tensor in which each index along an axis is repeated. `counts` is the number of times for all indices, or has one number
    /// for each index: see [`RepeatCounts`].
    ///
    /// # Errors
    /// * If the axis is out of range, or `counts` is a list without one count for each index, or a count is negative.
    /// * If the result exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2].repeat(0, 3), tensor![1, 1, 1, 2, 2, 2]);
    /// assert_eq!(tensor![[1, 2, 3]].repeat(1, [2, 0, 1]), tensor![[1, 1, 3]]);
    /// let counts = tensor![2.0, 3.0].cast::<i64>();
    /// assert_eq!(tensor![1, 2].repeat(0, &counts), tensor![1, 1, 2, 2, 2]);
    /// ```
    repeat, repeat_into
    [A: AxisArg<D>, C: RepeatCounts] (axis: A, counts: C) [] |shape| {
        (Rearrangement::repeat(shape, axis.index(shape.len()), counts.counts()?)?, None)
    };

    /// Returns a copy with elements added before and after each axis. `how` says which elements: see [`Pad`].
    ///
    /// The widths are one number for both ends of all axes, one pair `(before, after)` for all axes, or an array with one pair for each
    /// axis.
    ///
    /// # Errors
    /// * If elements are added to an axis of extent 0 and `how` is not [`Pad::Constant`].
    /// * If the result exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Pad, tensor};
    /// let x = tensor![1, 2, 3];
    /// assert_eq!(x.pad(1, Pad::Constant(0)), tensor![0, 1, 2, 3, 0]);
    /// assert_eq!(x.pad((2, 1), Pad::Reflect), tensor![3, 2, 1, 2, 3, 2]);
    /// assert_eq!(tensor![[1, 2]].pad([(1, 0), (0, 1)], Pad::Edge), tensor![[1, 2, 2], [1, 2, 2]]);
    /// ```
    pad, pad_into
    [W: PadWidths<D>] (widths: W, how: Pad<T>) [] |shape| {
        let widths = widths.of_axes(shape.len());
        let constant = if let Pad::Constant(value) = how { Some(value) } else { None };
        (Rearrangement::pad(shape, widths, how.try_map(|_| Ok(()))?, size_of::<T>())?, constant)
    };

    /// Returns the lower triangle of a matrix: the elements on diagonal `k` and below it, and zeros above it. Diagonal 0 is the main
    /// diagonal; diagonals with positive numbers are above it. In a batch, the axes of the matrices are the last two (row-major) or the
    /// first two (column-major).
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].tril(0), tensor![[1, 0], [3, 4]]);
    /// ```
    tril, tril_into
    [] (k: isize) [D: MatrixStack] |shape| {
        check_matrices("tril", shape.len())?;
        (Rearrangement::Triangle(Triangle::Lower, k), Some(T::default()))
    };

    /// Returns the upper triangle of a matrix: the elements on diagonal `k` and above it, and zeros below it. Diagonals and batches are as
    /// described at [`tril`](Tensor::tril).
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].triu(1), tensor![[0, 2], [0, 0]]);
    /// ```
    triu, triu_into
    [] (k: isize) [D: MatrixStack] |shape| {
        check_matrices("triu", shape.len())?;
        (Rearrangement::Triangle(Triangle::Upper, k), Some(T::default()))
    };
}
