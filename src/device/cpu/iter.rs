//! Iteration over elements in the host's memory, one reference after the other.

use super::HostPtr;
use crate::element::Element;
use crate::layout::Layout;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;
use core::iter::FusedIterator;
use core::marker::PhantomData;

/// The elements of a strided array, the last axis of its shape fastest.
#[derive(Debug, Clone)]
struct Places<T> {
    base: HostPtr<T>,
    walk: Walk<1>,
    stride: isize,
    row_len: usize,
    /// Where the current row is, and what is left of it.
    row: HostPtr<T>,
    row_left: usize,
    left: usize,
}

impl<T: Element> Places<T> {
    fn new(base: HostPtr<T>, layout: &Layout) -> Self {
        let plan = Plan::ordered(layout.shape(), [layout.strides()]);
        let (walk, [stride], row_len) = (Walk::outer(&plan), plan.inner_strides(), plan.inner_len());
        let row = base.offset(walk.offsets()[0]);
        Places { base, walk, stride, row_len, row, row_left: row_len, left: plan.len() }
    }

    #[inline]
    fn next(&mut self) -> Option<*mut T> {
        if self.left == 0 {
            return None;
        }
        if self.row_left == 0 {
            self.walk.advance();
            self.row = self.base.offset(self.walk.offsets()[0]);
            self.row_left = self.row_len;
        }
        let place = self.row.get();
        self.row = self.row.offset(self.stride);
        self.row_left -= 1;
        self.left -= 1;
        Some(place)
    }
}

/// References to the elements of a tensor, in its order's enumeration.
#[derive(Debug, Clone)]
pub struct Iter<'a, T> {
    places: Places<T>,
    data: PhantomData<&'a [T]>,
}

/// Mutable references to the elements of a tensor, in its order's enumeration.
#[derive(Debug)]
pub struct IterMut<'a, T> {
    places: Places<T>,
    data: PhantomData<&'a mut [T]>,
}

impl<T: Element> Iter<'_, T> {
    /// The elements of a layout, its last axis fastest.
    ///
    /// # Safety
    /// All elements of the layout from `ptr` are alive and not written to during the iterator's lifetime.
    pub(crate) unsafe fn from_raw(ptr: HostPtr<T>, layout: &Layout) -> Self {
        Iter { places: Places::new(ptr, layout), data: PhantomData }
    }
}

impl<T: Element> IterMut<'_, T> {
    /// The elements of a layout, its last axis fastest.
    ///
    /// # Safety
    /// All elements of the layout from `ptr` are alive and accessed by nothing else during the iterator's lifetime, and
    /// different indices lie at different elements.
    pub(crate) unsafe fn from_raw(ptr: HostPtr<T>, layout: &Layout) -> Self {
        IterMut { places: Places::new(ptr, layout), data: PhantomData }
    }
}

impl<'a, T: Element> Iterator for Iter<'a, T> {
    type Item = &'a T;
    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        // SAFETY: every place is an element of the layout, which may be read during `'a`.
        self.places.next().map(|place| unsafe { &*place })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.places.left, Some(self.places.left))
    }
}

impl<'a, T: Element> Iterator for IterMut<'a, T> {
    type Item = &'a mut T;
    #[inline]
    fn next(&mut self) -> Option<&'a mut T> {
        // SAFETY: every place is an element of the layout, ours alone during `'a`; different indices lie at different
        // elements, and each index is visited once.
        self.places.next().map(|place| unsafe { &mut *place })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.places.left, Some(self.places.left))
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}
impl<T: Element> FusedIterator for Iter<'_, T> {}
impl<T: Element> ExactSizeIterator for IterMut<'_, T> {}
impl<T: Element> FusedIterator for IterMut<'_, T> {}
