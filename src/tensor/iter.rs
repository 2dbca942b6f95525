//! Iteration over elements in host memory.

use super::{TensorView, TensorViewMut};
use crate::device::{HostAccess, HostPtr};
use crate::element::Element;
use crate::layout::axes::Axes;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use core::iter::FusedIterator;
use core::marker::PhantomData;

/// Returns whether all tensors of rank `D` are vectors.
const fn is_vector<D: Dim>() -> bool {
    matches!(D::NDIM, Some(1))
}

/// Iterates over the addresses of the elements of a strided array, row by row. A row is an axis that results from fusing the fastest
/// axes.
#[derive(Debug, Clone)]
struct Addresses<T, D: Dim> {
    /// The next element of the current row, and the number of elements left in the row.
    next: HostPtr<T>,
    row_left: usize,
    /// The first element of the current row, and the number of rows after it.
    row: HostPtr<T>,
    rows_left: usize,
    row_len: usize,
    stride: isize,
    /// The number of loops around a row, then their extents, strides and current indices, outermost first.
    loops: usize,
    extents: D::Shape,
    strides: D::Strides,
    index: D::Shape,
}

impl<T: Element, D: Dim> Addresses<T, D> {
    /// Starts at `first`. The last axis is fastest if `row_major` is true, else the first.
    #[inline]
    fn new(first: HostPtr<T>, axes: Axes<'_>, row_major: bool) -> Self {
        let rank = axes.rank();
        let (mut extents, mut strides, mut loops) = (D::shape(rank), D::strides(rank), 0);
        let mut empty = false;
        // A vector is one row, without loops around it. Short vectors are iterated over so often that planning would be noticeable.
        let planned = if const { is_vector::<D>() } { 0 } else { rank };
        for k in 0..planned {
            let axis = if row_major { k } else { rank - 1 - k };
            let (extent, stride) = (axes.shape()[axis], axes.strides()[axis]);
            empty |= extent == 0;
            if extent == 1 {
                continue;
            }
            if loops > 0 && strides.as_ref()[loops - 1] == stride.wrapping_mul(extent as isize) {
                extents.as_mut()[loops - 1] = extents.as_ref()[loops - 1].wrapping_mul(extent);
                strides.as_mut()[loops - 1] = stride;
            } else {
                (extents.as_mut()[loops], strides.as_mut()[loops]) = (extent, stride);
                loops += 1;
            }
        }
        let (row_len, stride) = match loops {
            0 if const { is_vector::<D>() } => (axes.shape()[0], axes.strides()[0]),
            0 => (1, 1),
            _ => {
                loops -= 1;
                (extents.as_ref()[loops], strides.as_ref()[loops])
            }
        };
        let (row_left, rows_left) = match empty {
            true => (0, 0),
            false => (row_len, extents.as_ref()[..loops].iter().product::<usize>() - 1),
        };
        let index = D::shape(rank);
        Addresses {
            next: first,
            row_left,
            row: first,
            rows_left,
            row_len,
            stride,
            loops,
            extents,
            strides,
            index,
        }
    }

    /// Advances to the next row. Returns `false` if there is no next row.
    #[inline]
    fn next_row(&mut self) -> bool {
        if self.rows_left == 0 {
            return false;
        }
        self.rows_left -= 1;
        let (extents, strides, index) = (self.extents.as_ref(), self.strides.as_ref(), self.index.as_mut());
        for k in (0..self.loops).rev() {
            index[k] += 1;
            if index[k] < extents[k] {
                self.row = self.row.offset(strides[k]);
                break;
            }
            index[k] = 0;
            self.row = self.row.offset(-strides[k] * (extents[k] as isize - 1));
        }
        (self.next, self.row_left) = (self.row, self.row_len);
        true
    }

    #[inline]
    fn next(&mut self) -> Option<*mut T> {
        if self.row_left == 0 && !self.next_row() {
            return None;
        }
        let address = self.next.get();
        self.next = self.next.offset(self.stride);
        self.row_left -= 1;
        Some(address)
    }

    #[inline]
    fn len(&self) -> usize {
        self.row_left + self.rows_left * self.row_len
    }

    /// Folds the remaining addresses, with one inner loop per row.
    #[inline]
    fn fold<A>(mut self, mut state: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        loop {
            // The compiler vectorises only a loop whose stride it knows, and whose addresses it knows not to wrap around.
            if self.stride == 1 {
                let first = self.next.get();
                for k in 0..self.row_left {
                    // SAFETY: the `row_left` elements from `first` on are in a row, so they are in one allocation.
                    state = f(state, unsafe { first.add(k) });
                }
            } else {
                for _ in 0..self.row_left {
                    state = f(state, self.next.get());
                    self.next = self.next.offset(self.stride);
                }
            }
            if !self.next_row() {
                return state;
            }
        }
    }
}

/// Iterator over references to the elements of a tensor, in its memory order.
#[derive(Debug, Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Iter<'a, T, D: Dim> {
    addresses: Addresses<T, D>,
    data: PhantomData<&'a [T]>,
}

/// Iterator over mutable references to the elements of a tensor, in its memory order.
#[derive(Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct IterMut<'a, T, D: Dim> {
    addresses: Addresses<T, D>,
    data: PhantomData<&'a mut [T]>,
}

impl<'a, T: Element, D: Dim, O: Order, Dev: HostAccess> TensorView<'a, T, D, O, Dev> {
    /// Iterates over references to the elements in memory order, with the lifetime of the view.
    #[inline]
    pub(crate) fn into_elements(self) -> Iter<'a, T, D> {
        let first = HostPtr::new(Dev::host_ptr(self.storage.ptr()));
        Iter { addresses: Addresses::new(first, self.axes(), O::ROW_MAJOR), data: PhantomData }
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: HostAccess> TensorViewMut<'a, T, D, O, Dev> {
    /// Iterates over mutable references to the elements in memory order, with the lifetime of the view.
    #[inline]
    pub(crate) fn into_elements_mut(self) -> IterMut<'a, T, D> {
        let first = HostPtr::new(Dev::host_ptr(self.storage.ptr()));
        IterMut { addresses: Addresses::new(first, self.axes(), O::ROW_MAJOR), data: PhantomData }
    }
}

impl<'a, T: Element, D: Dim> Iterator for Iter<'a, T, D> {
    type Item = &'a T;
    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        // SAFETY: `into_elements` made the addresses from a view, so each points to an initialised, aligned element. The view
        // borrows the elements for `'a`, so nothing writes to them.
        self.addresses.next().map(|address| unsafe { &*address })
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.addresses.len(), Some(self.addresses.len()))
    }
    #[inline]
    fn fold<A, F: FnMut(A, &'a T) -> A>(self, state: A, mut f: F) -> A {
        // SAFETY: `into_elements` made the addresses from a view, so each points to an initialised, aligned element. The view
        // borrows the elements for `'a`, so nothing writes to them.
        self.addresses.fold(state, |state, address| f(state, unsafe { &*address }))
    }
}

impl<'a, T: Element, D: Dim> Iterator for IterMut<'a, T, D> {
    type Item = &'a mut T;
    #[inline]
    fn next(&mut self) -> Option<&'a mut T> {
        // SAFETY: `into_elements_mut` made the addresses from a mutable view, so each points to an initialised, aligned element,
        // which the view borrows exclusively for `'a`. Different indices of the view address different elements, and each index is
        // visited once, so no two references are to the same element.
        self.addresses.next().map(|address| unsafe { &mut *address })
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.addresses.len(), Some(self.addresses.len()))
    }
    #[inline]
    fn fold<A, F: FnMut(A, &'a mut T) -> A>(self, state: A, mut f: F) -> A {
        // SAFETY: `into_elements_mut` made the addresses from a mutable view, so each points to an initialised, aligned element,
        // which the view borrows exclusively for `'a`. Different indices of the view address different elements, and each index is
        // visited once, so no two references are to the same element.
        self.addresses.fold(state, |state, address| f(state, unsafe { &mut *address }))
    }
}

impl<T: Element, D: Dim> ExactSizeIterator for Iter<'_, T, D> {}
impl<T: Element, D: Dim> FusedIterator for Iter<'_, T, D> {}
impl<T: Element, D: Dim> ExactSizeIterator for IterMut<'_, T, D> {}
impl<T: Element, D: Dim> FusedIterator for IterMut<'_, T, D> {}
