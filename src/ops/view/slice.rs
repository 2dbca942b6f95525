//! The `s!` macro, which makes a slice from one argument for each axis, and the methods that take slices. Traits compute the rank of the
//! result at compile time.

use crate::device::Device;
use crate::element::Element;
use crate::error::fallible;
use crate::layout::slice::{SliceItem, rank as slice_rank};
use crate::order::Order;
use crate::rank::{AnyRank, Dim, IndexNumber, InsertAxes, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorViewMut, ViewOf};
use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// Slice argument that inserts a new axis of extent 1.
///
/// ```
/// use vierbein::{NewAxis, s, tensor};
/// assert_eq!(tensor![1, 2].slice(s![.., NewAxis]).shape(), [2, 1]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NewAxis;

/// Slice argument for a range with a step: `s![1..8;2]` stands for `Stepped(1..8, 2)`.
#[derive(Debug, Clone, Copy)]
pub struct Stepped<R>(pub R, pub isize);

/// One argument of a slice: an index, a range, a range with a step, or [`NewAxis`].
///
/// Both type parameters are ranks. `Left` is the number of axes that the arguments before this one leave to be sliced. `Made` is the rank
/// of the result of the arguments before this one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a valid slice argument for the remaining `{Left}`",
    label = "too many arguments, or not an index or range",
    note = "a slice has one argument for each axis: an index or a range of integers; `NewAxis` adds an axis"
)]
pub trait SliceArg<Left: Dim, Made: Dim> {
    /// The number of axes that remain to be sliced after this argument, as a rank.
    type Left: Dim;
    /// The rank of the result of the arguments up to this one.
    type Made: Dim;
    #[doc(hidden)]
    fn item(self) -> SliceItem;
}

/// A slice of a tensor of rank `D`, as [`s!`](crate::s!) creates it.
#[diagnostic::on_unimplemented(
    message = "this is not a slice of a tensor of `{D}`",
    label = "expected one index or range for each axis",
    note = "write it with the macro: `s![0, 1..3, ..]`"
)]
pub trait SliceOf<D: Dim> {
    /// The rank of the result: the number of ranges and new axes. An index removes its axis.
    type Sliced: Dim;
    #[doc(hidden)]
    type Items: AsRef<[SliceItem]>;
    #[doc(hidden)]
    fn items(self) -> Self::Items;
}

impl<L: Dim, M: InsertAxes<1>> SliceArg<L, M> for NewAxis {
    type Left = L;
    type Made = M::Inserted;
    fn item(self) -> SliceItem {
        SliceItem::Unit
    }
}

// One blanket implementation for all index types, so that the rank of a slice is known before the type of an integer literal is
// inferred.
#[diagnostic::do_not_recommend]
impl<I: IndexNumber, L: RemoveAxes<1>, M: Dim> SliceArg<L, M> for I {
    type Left = L::Removed;
    type Made = M;
    fn item(self) -> SliceItem {
        SliceItem::At(self.number())
    }
}

/// The bounds of a range as signed indices, and whether the end is included.
#[doc(hidden)]
pub trait Bounds {
    fn bounds(self) -> (isize, Option<isize>, bool);
}

macro_rules! ranges {
    ($($Range:ty [$($I:ident)?], |$r:ident| $bounds:expr;)*) => {$(
        impl$(<$I: IndexNumber>)? Bounds for $Range {
            fn bounds(self) -> (isize, Option<isize>, bool) {
                let $r = self;
                $bounds
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($I: IndexNumber,)? L: RemoveAxes<1>, M: InsertAxes<1>> SliceArg<L, M> for $Range {
            type Left = L::Removed;
            type Made = M::Inserted;
            fn item(self) -> SliceItem {
                let (start, end, inclusive) = self.bounds();
                SliceItem::Span { start, end, inclusive, step: 1 }
            }
        }
    )*};
}
ranges! {
    RangeFull [], |_all| (0, None, false);
    Range<I> [I], |r| (r.start.number(), Some(r.end.number()), false);
    RangeInclusive<I> [I], |r| (r.start().number(), Some(r.end().number()), true);
    RangeFrom<I> [I], |r| (r.start.number(), None, false);
    RangeTo<I> [I], |r| (0, Some(r.end.number()), false);
    RangeToInclusive<I> [I], |r| (0, Some(r.end.number()), true);
}

#[diagnostic::do_not_recommend]
impl<R: Bounds, L: RemoveAxes<1>, M: InsertAxes<1>> SliceArg<L, M> for Stepped<R> {
    type Left = L::Removed;
    type Made = M::Inserted;
    fn item(self) -> SliceItem {
        let (start, end, inclusive) = self.0.bounds();
        SliceItem::Span { start, end, inclusive, step: self.1 }
    }
}

/// A range in a slice, with a step. This type is `Copy`. [`s!`](crate::s!) converts `Range` and the other ranges that are not `Copy` to
/// this type, so that a slice can be used several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceRange {
    start: isize,
    end: Option<isize>,
    inclusive: bool,
    step: isize,
}

impl SliceRange {
    fn new(range: impl Bounds, step: isize) -> Self {
        let (start, end, inclusive) = range.bounds();
        SliceRange { start, end, inclusive, step }
    }

    pub(crate) fn item(self) -> SliceItem {
        let SliceRange { start, end, inclusive, step } = self;
        SliceItem::Span { start, end, inclusive, step }
    }
}

#[diagnostic::do_not_recommend]
impl<L: RemoveAxes<1>, M: InsertAxes<1>> SliceArg<L, M> for SliceRange {
    type Left = L::Removed;
    type Made = M::Inserted;
    fn item(self) -> SliceItem {
        SliceRange::item(self)
    }
}

/// An argument of [`s!`](crate::s!). The macro calls its method `copied`, which converts ranges that are not `Copy` to [`SliceRange`].
///
/// If the argument is a `Range`, `RangeInclusive`, `RangeFrom` or [`Stepped`], this wrapper has an inherent method `copied`, which takes
/// precedence over the method of the trait [`UnchangedPart`]. The trait's method exists for all arguments, even invalid ones, and returns the
/// argument as it is. So the macro accepts invalid arguments. The compiler reports them where the slice is used, because the rank of the tensor is known there.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct SlicePart<A>(pub A);

#[doc(hidden)]
pub trait UnchangedPart {
    type Argument;
    fn copied(self) -> Self::Argument;
}
impl<A> UnchangedPart for SlicePart<A> {
    type Argument = A;
    fn copied(self) -> A {
        self.0
    }
}

macro_rules! copied {
    ($($Range:ty [$I:ident: $bound:ident], |$x:ident| $range:expr;)*) => {$(
        impl<$I: $bound> SlicePart<$Range> {
            #[doc(hidden)]
            pub fn copied(self) -> SliceRange {
                let $x = self.0;
                $range
            }
        }
    )*};
}
copied! {
    Range<I> [I: IndexNumber], |x| SliceRange::new(x, 1);
    RangeInclusive<I> [I: IndexNumber], |x| SliceRange::new(x, 1);
    RangeFrom<I> [I: IndexNumber], |x| SliceRange::new(x, 1);
    Stepped<R> [R: Bounds], |x| SliceRange::new(x.0, x.1);
}

/// Implemented by `Rank<0>`: no axis remains after the last argument of a slice.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this slice has no arguments for the remaining `{Self}`",
    label = "too few arguments",
    note = "a slice has one argument for each axis; write `..` to keep an axis whole"
)]
pub trait AllAxesSliced {}
impl AllAxesSliced for Rank<0> {}
// For `AnyRank`, the number of arguments is checked at run time.
impl<const MAX: usize> AllAxesSliced for AnyRank<MAX> {}

/// A list of arguments whose number is known at run time.
#[diagnostic::do_not_recommend]
impl<'a, const MAX: usize> SliceOf<AnyRank<MAX>> for &'a [SliceItem] {
    type Sliced = AnyRank<MAX>;
    type Items = &'a [SliceItem];
    fn items(self) -> &'a [SliceItem] {
        self
    }
}

/// The value of [`SliceArg::Made`] before the first argument: the result has no axes yet.
type R0 = Rank<0>;

/// Implements [`SliceOf`] for tuples of 1 to 16 arguments. The associated types `Left` and `Made` of each argument are the type parameters
/// of the next one.
macro_rules! tuples {
    ([$($done:tt)*] ($l:ident $m:ident)) => {};
    ([$($done:tt)*] ($l:ident $m:ident) ($arg:ident $left:ident $made:ident) $($rest:tt)*) => {
        tuples!(@impl $($done)* ($arg $l $m $left $made); $left $made);
        tuples!([$($done)* ($arg $l $m $left $made)] ($left $made) $($rest)*);
    };
    (@impl $(($arg:ident $l:ident $m:ident $left:ident $made:ident))*; $last:ident $sliced:ident) => {
        #[allow(non_snake_case)]
        impl<L0: Dim, $($arg, $left: Dim, $made: Dim,)*> SliceOf<L0> for ($($arg,)*)
        where
            $($arg: SliceArg<$l, $m, Left = $left, Made = $made>,)*
            $last: AllAxesSliced,
        {
            type Sliced = $sliced;
            type Items = [SliceItem; [$(stringify!($arg)),*].len()];
            fn items(self) -> Self::Items {
                let ($($arg,)*) = self;
                [$(SliceArg::<$l, $m>::item($arg)),*]
            }
        }
    };
}
tuples!([] (L0 R0) (A L1 M1) (B L2 M2) (C L3 M3) (D L4 M4) (E L5 M5) (F L6 M6) (G L7 M7) (H L8 M8)
    (I L9 M9) (J L10 M10) (K L11 M11) (L L12 M12) (M L13 M13) (N L14 M14) (P L15 M15) (Q L16 M16));

/// A slice: one argument for each axis, and [`NewAxis`](crate::NewAxis) for each axis to insert.
///
/// | argument | selects | axis in the result |
/// |---|---|---|
/// | `3`, `-1` | one index; a negative index counts from the end: `-1` is the last | none |
/// | `1..4`, `1..=3`, `2..`, `..-1` | a range, with Rust's bounds; a negative bound counts from the end | yes |
/// | `..` | all indices of the axis | yes |
/// | `0..9;2` | every second index of the range | yes |
/// | `0..9;-1` | the range, reversed | yes |
/// | `NewAxis` | | a new one of extent 1 |
///
/// ```
/// use vierbein::{NewAxis, Rank, Tensor, s, tensor};
/// let x = Tensor::arange(0..24).reshape([2, 3, 4]);
/// let y: Tensor<i32, Rank<2>> = x.slice(s![0, .., 1..4;2]).to_owned();
/// assert_eq!(y, tensor![[1, 3], [5, 7], [9, 11]]);
/// // A slice is `Copy`.
/// let first = s![.., 0, 0..2];
/// assert_eq!(x.slice(first) + x.slice(first), tensor![[0, 2], [24, 26]]);
/// assert_eq!(x.slice(s![-1, ..;-1, NewAxis, 0]).shape(), [3, 1]);
/// ```
#[macro_export]
macro_rules! s {
    ($($argument:expr $(; $step:expr)?),* $(,)?) => {
        {
            // Clippy would reject `1..-1` as an empty range. In a slice, -1 counts from the end.
            #[allow(clippy::reversed_empty_ranges)]
            let arguments = ($($crate::s!(@argument $argument $(; $step)?),)*);
            arguments
        }
    };
    (@argument $argument:expr) => {{
        #[allow(unused_imports)]
        use $crate::UnchangedPart as _;
        $crate::SlicePart($argument).copied()
    }};
    (@argument $argument:expr; $step:expr) => { $crate::s!(@argument $crate::Stepped($argument, $step)) };
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the view of the elements that a slice, an [`s!`](crate::s!) expression, selects.
    ///
    /// # Errors
    /// If an index or range is out of range for its axis, or a step is 0.
    ///
    /// ```
    /// use vierbein::{s, tensor};
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.slice(s![.., 1..]), tensor![[2, 3], [5, 6]]);
    /// assert_eq!(x.slice(s![-1, ..;-1]), tensor![6, 5, 4]);
    /// ```
    #[fallible]
    pub fn slice<R: Dim, A>(&self, arguments: A) -> ViewOf<'_, T, R, O, Dev, S>
    where
        A: SliceOf<D, Sliced = R>,
    {
        let items = arguments.items();
        self.cut(slice_rank(items.as_ref()), |from, to| from.slice(items.as_ref(), to))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`slice`](Tensor::slice) as a mutable view.
    ///
    /// # Errors
    /// If an index or range is out of range for its axis, or a step is 0.
    ///
    /// ```
    /// use vierbein::{s, tensor};
    /// let mut x = tensor![[1, 2, 3], [4, 5, 6]];
    /// x.slice_mut(s![.., 1..]).fill(0);
    /// assert_eq!(x, tensor![[1, 0, 0], [4, 0, 0]]);
    /// ```
    #[fallible]
    pub fn slice_mut<R: Dim, A>(&mut self, arguments: A) -> TensorViewMut<'_, T, R, O, Dev>
    where
        A: SliceOf<D, Sliced = R>,
        S: StorageMut<T, Dev>,
    {
        let items = arguments.items();
        self.cut_mut(slice_rank(items.as_ref()), |from, to| from.slice(items.as_ref(), to))
    }
}
