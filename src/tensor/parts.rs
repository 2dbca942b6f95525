//! Mutable views of disjoint parts of one tensor, which exist at the same time: the halves of a split, the positions along an
//! axis, the lanes along an axis.

use super::{Tensor, TensorViewMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::lanes::LaneLayouts;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::ViewMut;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// A mutable view of a part, for as long as this one borrows.
    ///
    /// # Safety
    /// The layout is derived from this view's. As long as the part lives, nothing else accesses its elements: neither this view nor
    /// another part that is made of it.
    unsafe fn part<E: Dim>(&self, layout: &Layout) -> TensorViewMut<'a, T, E, O, Dev> {
        self.check(layout);
        Tensor {
            storage: ViewMut {
                ptr: Dev::offset(self.storage.ptr, layout.offset()),
                device: self.storage.device,
                data: PhantomData,
            },
            shape: layout.typed_shape::<E>(),
            strides: layout.typed_strides::<E>(),
            marker: PhantomData,
        }
    }

    /// The first `at` positions along an axis, and the others.
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its extent.
    pub(crate) fn halves(self, axis: usize, at: usize) -> Result<(Self, Self), Error> {
        let (low, high) = self.layout().split_at(axis, at)?;
        // SAFETY: the first positions of the axis; `self` is consumed.
        let first = unsafe { self.part(&low) };
        // SAFETY: the other positions. Indices of a mutable view are apart, so the two share no element; `self` is consumed.
        let second = unsafe { self.part(&high) };
        Ok((first, second))
    }

    /// The views at each position along an axis.
    ///
    /// # Errors
    /// If the axis is out of range.
    pub(crate) fn positions<R>(self, axis: usize) -> Result<AxisIterMut<'a, T, D, O, Dev, R>, Error> {
        self.layout().check_axis("iterate", axis)?;
        let end = self.shape.as_ref()[axis];
        Ok(AxisIterMut { base: self, axis, next: 0, end, rank: PhantomData })
    }

    /// The one-dimensional views along an axis.
    ///
    /// # Errors
    /// If the axis is out of range.
    pub(crate) fn into_lanes(self, axis: usize) -> Result<LanesMut<'a, T, D, O, Dev>, Error> {
        let layouts = LaneLayouts::new(&self.layout(), axis, O::ROW_MAJOR)?;
        Ok(LanesMut { base: self, layouts })
    }
}

/// Mutable views at each position along an axis.
pub struct AxisIterMut<'a, T: Element, D: Dim, O: Order, Dev: Device, R> {
    base: TensorViewMut<'a, T, D, O, Dev>,
    axis: usize,
    next: usize,
    end: usize,
    rank: PhantomData<R>,
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device, R: Dim> Iterator for AxisIterMut<'a, T, D, O, Dev, R> {
    type Item = TensorViewMut<'a, T, R, O, Dev>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        let layout = self.base.layout().index_axis(self.axis, self.next - 1);
        let layout = layout.expect("the position is less than the axis's extent");
        // SAFETY: each position is handed out once, and indices of a mutable view are apart, so positions share no element. The
        // view of all of them is not accessed otherwise.
        Some(unsafe { self.base.part(&layout) })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, R: Dim> ExactSizeIterator
    for AxisIterMut<'_, T, D, O, Dev, R>
{
}
impl<T: Element, D: Dim, O: Order, Dev: Device, R: Dim> FusedIterator for AxisIterMut<'_, T, D, O, Dev, R> {}

/// Mutable one-dimensional views along an axis.
pub struct LanesMut<'a, T: Element, D: Dim, O: Order, Dev: Device> {
    base: TensorViewMut<'a, T, D, O, Dev>,
    layouts: LaneLayouts,
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> Iterator for LanesMut<'a, T, D, O, Dev> {
    type Item = TensorViewMut<'a, T, Rank<1>, O, Dev>;
    fn next(&mut self) -> Option<Self::Item> {
        let layout = self.layouts.next()?;
        // SAFETY: each lane is handed out once, and indices of a mutable view are apart, so lanes share no element. The view of
        // all of them is not accessed otherwise.
        Some(unsafe { self.base.part(&layout) })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.layouts.size_hint()
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> ExactSizeIterator for LanesMut<'_, T, D, O, Dev> {}
impl<T: Element, D: Dim, O: Order, Dev: Device> FusedIterator for LanesMut<'_, T, D, O, Dev> {}

// Not derived: printing the base would read elements that are lent out.
impl<T: Element, D: Dim, O: Order, Dev: Device, R> fmt::Debug for AxisIterMut<'_, T, D, O, Dev, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AxisIterMut(positions {}..{} of axis {})", self.next, self.end, self.axis)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> fmt::Debug for LanesMut<'_, T, D, O, Dev> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LanesMut({} left)", self.layouts.size_hint().0)
    }
}
