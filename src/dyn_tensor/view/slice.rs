//! Slice arguments of dynamic tensors: the result of `s![..]`, or a list of [`SliceItem`]s.

use crate::error::Error;
use crate::layout::Layout;
pub use crate::layout::slice::SliceItem;
use crate::layout::slice::rank as slice_rank;
use crate::ops::{Bounds, NewAxis, SliceRange, Stepped};
use crate::rank::{IndexNumber, MAX_RANK};
use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

impl From<NewAxis> for SliceItem {
    fn from(_: NewAxis) -> SliceItem {
        SliceItem::Unit
    }
}

fn range(bounds: impl Bounds, step: isize) -> SliceItem {
    let (start, end, inclusive) = bounds.bounds();
    SliceItem::Span { start, end, inclusive, step }
}

impl<R: Bounds> From<Stepped<R>> for SliceItem {
    fn from(stepped: Stepped<R>) -> SliceItem {
        range(stepped.0, stepped.1)
    }
}

impl From<SliceRange> for SliceItem {
    fn from(range: SliceRange) -> SliceItem {
        range.item()
    }
}

macro_rules! positions {
    ($($t:ty)*) => {$(
        impl From<$t> for SliceItem {
            fn from(index: $t) -> SliceItem {
                SliceItem::At(index.number())
            }
        }
    )*};
}
positions!(i32 isize usize);

macro_rules! ranges {
    ($($Range:ident)*) => {$(
        impl<I: IndexNumber> From<$Range<I>> for SliceItem {
            fn from(bounds: $Range<I>) -> SliceItem {
                range(bounds, 1)
            }
        }
    )*};
}
ranges!(Range RangeInclusive RangeFrom RangeTo RangeToInclusive);

impl From<RangeFull> for SliceItem {
    fn from(all: RangeFull) -> SliceItem {
        range(all, 1)
    }
}

/// The arguments of a slice of a [`DynTensor`](crate::dyn_tensor::DynTensor): [`s![..]`](crate::s!), or a list of [`SliceItem`]s. A slice has
/// one argument for each axis of the tensor. For each axis to insert, it also has a [`NewAxis`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a slice",
    label = "expected one index or range for each axis",
    note = "write it with the macro: `s![0, 1..3, ..]`, or give a list of `SliceItem`"
)]
pub trait DynSlice {
    #[doc(hidden)]
    fn of(&self, layout: &Layout) -> Result<Layout, Error>;
}

/// Returns the layout of the slice.
fn slice(layout: &Layout, items: &[SliceItem]) -> Result<Layout, Error> {
    // The result would have more than 16 axes: `rank_below_maximum` returns the error.
    if slice_rank(items) > MAX_RANK {
        return rank_below_maximum(MAX_RANK).map(|()| *layout);
    }
    layout.slice(items)
}

impl DynSlice for &[SliceItem] {
    fn of(&self, layout: &Layout) -> Result<Layout, Error> {
        slice(layout, self)
    }
}
impl<const N: usize> DynSlice for [SliceItem; N] {
    fn of(&self, layout: &Layout) -> Result<Layout, Error> {
        slice(layout, self)
    }
}
impl DynSlice for Vec<SliceItem> {
    fn of(&self, layout: &Layout) -> Result<Layout, Error> {
        slice(layout, self)
    }
}
impl DynSlice for () {
    fn of(&self, layout: &Layout) -> Result<Layout, Error> {
        slice(layout, &[])
    }
}

macro_rules! tuples {
    () => {};
    ($first:ident $($rest:ident)*) => {
        impl<$first: Clone + Into<SliceItem>, $($rest: Clone + Into<SliceItem>),*> DynSlice for ($first, $($rest,)*) {
            #[allow(non_snake_case)]
            fn of(&self, layout: &Layout) -> Result<Layout, Error> {
                let ($first, $($rest,)*) = self.clone();
                slice(layout, &[$first.into(), $($rest.into()),*])
            }
        }
        tuples!($($rest)*);
    };
}
tuples!(A B C D E F G H I J K L M N P Q);

/// Checks that a tensor of this rank can have one more axis.
pub(crate) fn rank_below_maximum(rank: usize) -> Result<(), Error> {
    if rank < MAX_RANK {
        return Ok(());
    }
    let reason = format!(
        "cannot increase the rank of a tensor of `Rank<{rank}>` by 1: ranks run from `Rank<0>` to `Rank<16>`; \
         merge axes first with `.reshape(..)`"
    );
    Err(Error::UnsupportedRank { op: "insert an axis", reason })
}
