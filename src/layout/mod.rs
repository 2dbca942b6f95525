//! Shapes and strides, without any data: pure functions, which are tested separately.
//!
//! * [`axes`]: all view operations, on borrowed extents and strides. [`Layout`] owns axes whose number is known at run time only.
//! * [`broadcast`]: common shapes of operands.
//! * [`mod@slice`]: the axes of slices.
//! * [`plan`]: loops over several operands; [`tiling`]: the loops of a copy; [`odometer`]: stepping through loops.
//! * [`lanes`]: the one-dimensional parts along an axis.
//! * [`wide`]: loops of tensors with more than 16 axes.
//! * [`foreign`]: validation of shapes and strides from callers and foreign libraries.
//!
//! A layout is only numbers: [`Layout::new`], [`push`](Layout::push) and [`set`](Layout::set) accept any numbers. The code that turns a
//! layout into access to memory therefore checks the layout: with [`Layout::fits`] against a buffer, with
//! [`Axes::within`](axes::Axes::within) against the axes of a view, and with [`Layout::is_non_overlapping`] before anything is written.

#![forbid(unsafe_code)]

pub(crate) mod axes;
pub(crate) mod broadcast;
pub(crate) mod foreign;
pub(crate) mod lanes;
pub(crate) mod odometer;
pub(crate) mod plan;
pub(crate) mod reshape;
pub(crate) mod slice;
pub(crate) mod tiling;
pub(crate) mod wide;

use crate::error::Error;
use crate::rank::{Dim, MAX_RANK, shape_of};
use axes::{Axes, AxesMut};
use core::ops::Range;
use slice::SliceItem;

/// The extents and strides (in elements) of up to [`MAX_RANK`] axes, and the offset of the first element.
///
/// Some methods return a part of the layout, or the layout with its axes rearranged. The result addresses only elements that the
/// original addresses; mutable views of disjoint parts rely on that. Wherever a layout is applied to a buffer, bounds are checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    rank: usize,
    shape: [usize; MAX_RANK],
    strides: [isize; MAX_RANK],
    offset: isize,
}

impl Layout {
    #[inline]
    pub(crate) fn new(shape: &[usize], strides: &[isize]) -> Layout {
        debug_assert_eq!(shape.len(), strides.len());
        let mut layout =
            Layout { rank: shape.len(), shape: [1; MAX_RANK], strides: [0; MAX_RANK], offset: 0 };
        layout.shape[..shape.len()].copy_from_slice(shape);
        layout.strides[..strides.len()].copy_from_slice(strides);
        layout
    }

    /// Creates a layout without axes, to which [`push`](Layout::push) adds some.
    #[inline]
    pub(crate) fn point(offset: isize) -> Layout {
        Layout { rank: 0, shape: [1; MAX_RANK], strides: [0; MAX_RANK], offset }
    }

    /// Appends a last axis.
    #[inline]
    pub(crate) fn push(&mut self, extent: usize, stride: isize) {
        (self.shape[self.rank], self.strides[self.rank]) = (extent, stride);
        self.rank += 1;
    }

    /// Returns the layout of the real and imaginary parts of complex elements: strides and offset count parts, and an additional last axis of
    /// extent 2 has the two parts of an element. Returns `None` if there are too many axes, or a stride is too large.
    pub(crate) fn parts(&self) -> Option<Layout> {
        if self.rank == MAX_RANK {
            return None;
        }
        let mut parts = *self;
        for stride in parts.strides.iter_mut().chain([&mut parts.offset]) {
            *stride = stride.checked_mul(2)?;
        }
        parts.push(2, 1);
        Some(parts)
    }

    /// Replaces the extent and the stride of an axis.
    #[inline]
    pub(crate) fn set(&mut self, axis: usize, extent: usize, stride: isize) {
        (self.shape[axis], self.strides[axis]) = (extent, stride);
    }

    /// Adds the stride of another axis to the stride of `axis`, so that `axis` runs along both axes.
    #[inline]
    pub(crate) fn widen_step(&mut self, axis: usize, stride: isize) {
        self.strides[axis] = along_both(self.strides[axis], stride);
    }

    /// Creates a contiguous layout, with the last axis fastest if `row_major`, otherwise with the first axis fastest.
    pub(crate) fn contiguous(shape: &[usize], row_major: bool) -> Layout {
        let mut layout = Layout::new(shape, &[0; MAX_RANK][..shape.len()]);
        contiguous_strides(shape, &mut layout.strides[..shape.len()], row_major);
        layout
    }

    #[inline]
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape[..self.rank]
    }

    #[inline]
    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides[..self.rank]
    }

    /// Returns the offset of the first element: its distance, in elements, from the first element of the layout that this layout was
    /// derived from.
    #[inline]
    pub(crate) fn offset(&self) -> isize {
        self.offset
    }

    #[inline]
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the shape as the array type of rank `D`.
    pub(crate) fn typed_shape<D: Dim>(&self) -> D::Shape {
        shape_of::<D>(self.shape())
    }

    /// Returns the strides as the array type of rank `D`.
    pub(crate) fn typed_strides<D: Dim>(&self) -> D::Strides {
        let mut strides = D::strides(self.rank());
        strides.as_mut().copy_from_slice(self.strides());
        strides
    }

    #[inline]
    pub(crate) fn axes(&self) -> Axes<'_> {
        Axes::new(self.shape(), self.strides())
    }

    /// Returns a layout with `rank` axes. `write` calls a method of [`Axes`], which writes the axes and returns the change of the offset.
    #[inline]
    fn derive(
        &self,
        rank: usize,
        write: impl FnOnce(Axes<'_>, AxesMut<'_>) -> Result<isize, Error>,
    ) -> Result<Layout, Error> {
        let mut to = Layout { rank, ..Layout::point(self.offset) };
        to.offset += write(self.axes(), AxesMut::new(&mut to.shape[..rank], &mut to.strides[..rank]))?;
        Ok(to)
    }

    /// As [`Axes::permute`].
    pub(crate) fn permute(&self, axes: &[usize]) -> Result<Layout, Error> {
        self.derive(self.rank, |from, to| from.permute(axes, to))
    }

    /// As [`Axes::swap_axes`].
    pub(crate) fn swap_axes(&self, a: usize, b: usize) -> Result<Layout, Error> {
        self.derive(self.rank, |from, to| from.swap_axes(a, b, to))
    }

    /// Reverses the order of the axes.
    pub(crate) fn reverse_axes(&self) -> Layout {
        let mut to = *self;
        to.shape[..self.rank].reverse();
        to.strides[..self.rank].reverse();
        to
    }

    /// As [`Axes::insert_axis`].
    pub(crate) fn insert_axis(&self, at: usize) -> Result<Layout, Error> {
        self.derive(self.rank + 1, |from, to| from.insert_axis(at, to))
    }

    /// Returns the same axes with the offset moved by a number of elements.
    #[inline]
    pub(crate) fn moved(mut self, elements: isize) -> Layout {
        self.offset += elements;
        self
    }

    /// Removes an axis. The result has the elements at index 0 of that axis.
    ///
    /// # Panics
    /// If the axis is out of range.
    pub(crate) fn without(&self, axis: usize) -> Layout {
        let to = self.derive(self.rank - 1, |from, to| {
            from.without(axis, to);
            Ok(0)
        });
        to.expect("the axis is in range")
    }

    /// As [`Axes::remove_axis`].
    pub(crate) fn remove_axis(&self, axis: usize) -> Result<Layout, Error> {
        self.derive(self.rank.saturating_sub(1), |from, to| from.remove_axis(axis, to))
    }

    /// As [`Axes::index_axis`].
    pub(crate) fn index_axis(&self, axis: usize, index: usize) -> Result<Layout, Error> {
        self.derive(self.rank.saturating_sub(1), |from, to| from.index_axis(axis, index, to))
    }

    /// As [`Axes::split_at`].
    pub(crate) fn split_at(&self, axis: usize, at: usize) -> Result<(Layout, Layout), Error> {
        let (mut low, mut high, rank) = (*self, *self, self.rank);
        high.offset += self.axes().split_at(axis, at, &mut low.shape[..rank], &mut high.shape[..rank])?;
        Ok((low, high))
    }

    /// As [`Axes::range`].
    pub(crate) fn range(&self, axis: usize, indices: Range<usize>) -> Layout {
        self.derive(self.rank, |from, to| Ok(from.range(axis, indices, to))).expect("the range was checked")
    }

    /// As [`Axes::flip`].
    pub(crate) fn flip(&self, axes: &[usize]) -> Result<Layout, Error> {
        self.derive(self.rank, |from, to| from.flip(axes, to))
    }

    /// As [`Axes::rot90`].
    pub(crate) fn rot90(&self, turns: isize, a: usize, b: usize) -> Result<Layout, Error> {
        self.derive(self.rank, |from, to| from.rot90(turns, a, b, to))
    }

    /// As [`Axes::windows`]. The rank with the appended axes must not exceed [`MAX_RANK`].
    pub(crate) fn windows(&self, axes: &[usize], lengths: &[usize]) -> Result<Layout, Error> {
        self.derive(self.rank + axes.len(), |from, to| from.windows(axes, lengths, to))
    }

    /// As [`Axes::diagonal`].
    pub(crate) fn diagonal(&self, op: &'static str, a: usize, b: usize) -> Result<Layout, Error> {
        self.derive(self.rank.saturating_sub(1), |from, to| from.diagonal(op, a, b, to))
    }

    /// As [`Axes::diagonal_offset`].
    pub(crate) fn diagonal_offset(
        &self,
        op: &'static str,
        axes: [usize; 2],
        k: isize,
    ) -> Result<Layout, Error> {
        self.derive(self.rank.saturating_sub(1), |from, to| from.diagonal_offset(op, axes, k, to))
    }

    /// As [`Axes::slice`].
    ///
    /// # Panics
    /// If there is not one argument for each axis.
    pub(crate) fn slice(&self, items: &[SliceItem]) -> Result<Layout, Error> {
        self.derive(slice::rank(items), |from, to| from.slice(items, to))
    }

    /// As [`Axes::reshape`].
    pub(crate) fn reshape(&self, shape: &[usize], row_major: bool) -> Option<Layout> {
        let mut to = Layout::new(shape, &[0; MAX_RANK][..shape.len()]).moved(self.offset);
        self.axes().reshape(shape, row_major, &mut to.strides[..shape.len()])?;
        Some(to)
    }

    /// As [`Axes::broadcast_to`].
    pub(crate) fn broadcast_to(&self, shape: &[usize], row_major: bool) -> Option<Layout> {
        let mut to = Layout::new(shape, &[0; MAX_RANK][..shape.len()]).moved(self.offset);
        self.axes().broadcast_to(shape, row_major, &mut to.strides[..shape.len()])?;
        Some(to)
    }

    pub(crate) fn is_contiguous(&self, row_major: bool) -> bool {
        self.axes().is_contiguous(row_major)
    }

    /// Returns whether every index addresses one of the `len` elements of a buffer.
    #[inline]
    pub(crate) fn fits(&self, len: usize) -> bool {
        Span { lowest: 0, highest: isize::try_from(len).map_or(isize::MAX, |len| len - 1) }
            .contains(Span::new(self.offset, self.axes()))
    }

    /// Returns whether different indices address different elements, as outputs require: see [`foreign::check_no_overlap`].
    pub(crate) fn is_non_overlapping(&self) -> bool {
        self.axes().is_non_overlapping()
    }
}

/// The lowest and the highest offset over all indices, in elements. If there are zero elements, `lowest` exceeds `highest`.
#[derive(Debug, Clone, Copy)]
struct Span {
    lowest: isize,
    highest: isize,
}

impl Span {
    /// Computes the span of all indices. If an offset overflows `isize`, returns the span of all numbers, which no buffer
    /// contains.
    #[inline]
    fn new(offset: isize, axes: Axes<'_>) -> Span {
        let (mut lowest, mut highest, mut overflow) = (offset, offset, false);
        for (&n, &stride) in axes.shape().iter().zip(axes.strides()) {
            if n == 0 {
                return Span { lowest: isize::MAX, highest: isize::MIN };
            }
            let (last, too_far) = ((n - 1) as isize).overflowing_mul(stride);
            let (low, too_low) = lowest.overflowing_add(last.min(0));
            let (high, too_high) = highest.overflowing_add(last.max(0));
            (lowest, highest) = (low, high);
            overflow |= too_far | too_low | too_high | (n > isize::MAX as usize && stride != 0);
        }
        if overflow { Span { lowest: isize::MIN, highest: isize::MAX } } else { Span { lowest, highest } }
    }

    /// Returns whether this span contains all offsets of `part`. Every span contains the empty span.
    #[inline]
    fn contains(self, part: Span) -> bool {
        part.lowest > part.highest || (self.lowest <= part.lowest && part.highest <= self.highest)
    }
}

/// Returns the stride of a step along two axes at once: the sum of their strides. It can overflow only if no such step is taken, for
/// example if there are zero elements.
#[inline]
pub(crate) fn along_both(a: isize, b: isize) -> isize {
    a.wrapping_add(b)
}

/// Writes the strides of a contiguous layout. Extents of 0 count as 1, so that no stride becomes 0.
#[inline]
pub(crate) fn contiguous_strides(shape: &[usize], strides: &mut [isize], row_major: bool) {
    let mut stride = 1isize;
    for step in 0..shape.len() {
        let k = if row_major { shape.len() - 1 - step } else { step };
        strides[k] = stride;
        stride = stride.wrapping_mul(shape[k].max(1) as isize);
    }
}

/// Returns whether the elements are contiguous in row-major (`row_major`) or column-major order. Strides of axes of extent 0 or 1
/// do not matter.
#[inline]
pub(crate) fn is_contiguous(shape: &[usize], strides: &[isize], row_major: bool) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let mut expected = 1isize;
    (0..shape.len()).all(|step| {
        let k = if row_major { shape.len() - 1 - step } else { step };
        let fits = shape[k] == 1 || strides[k] == expected;
        expected = expected.wrapping_mul(shape[k] as isize);
        fits
    })
}

/// Returns the number of elements of a shape, after checking that elements, bytes and contiguous strides fit in `isize`.
// Always inlined: if the rank is known, little code is left.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn element_count(shape: &[usize], element_bytes: usize) -> Result<usize, Error> {
    let overflow = || Error::Overflow { shape: shape.to_vec(), element_bytes };
    // Extents of 0 count as 1 here: the strides of an empty tensor must be representable too.
    let span = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d.max(1))).ok_or_else(overflow)?;
    let bytes = span.checked_mul(element_bytes.max(1)).ok_or_else(overflow)?;
    if bytes > isize::MAX as usize {
        return Err(overflow());
    }
    Ok(if shape.contains(&0) { 0 } else { span })
}

/// Sorts axes, or labels of axes, by insertion: there are at most [`MAX_RANK`] of them. The sort is stable. The sort of the standard
/// library would add more machine code for each type of key.
pub(crate) fn sort_axes_by_key<A, K: Ord>(axes: &mut [A], key: impl Fn(&A) -> K) {
    for i in 1..axes.len() {
        let mut k = i;
        while k > 0 && key(&axes[k - 1]) > key(&axes[k]) {
            axes.swap(k - 1, k);
            k -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_layouts() {
        assert_eq!(Layout::contiguous(&[2, 3, 4], true).strides(), [12, 4, 1]);
        assert_eq!(Layout::contiguous(&[2, 3, 4], false).strides(), [1, 2, 6]);
        assert!(is_contiguous(&[2, 1, 3], &[3, 77, 1], true));
        assert!(!is_contiguous(&[2, 3], &[1, 2], true));
        assert!(is_contiguous(&[2, 3], &[1, 2], false));
        assert!(is_contiguous(&[0, 3], &[9, 9], true));
    }

    #[test]
    fn counts_are_checked() {
        assert_eq!(element_count(&[2, 3], 8).unwrap(), 6);
        assert_eq!(element_count(&[0, 3], 8).unwrap(), 0);
        assert_eq!(element_count(&[], 8).unwrap(), 1);
        for shape in [&[usize::MAX, 2][..], &[usize::MAX / 8 + 1], &[0, usize::MAX, 2]] {
            assert!(matches!(element_count(shape, 8), Err(Error::Overflow { .. })), "{shape:?}");
        }
    }

    #[test]
    fn reshapes_regroup_contiguous_axes_only() {
        let rows = Layout::contiguous(&[4, 6], true);
        assert_eq!(rows.reshape(&[2, 2, 3, 2], true).unwrap().strides(), [12, 6, 2, 1]);
        assert_eq!(rows.reshape(&[24], true).unwrap().strides(), [1]);
        let turned = rows.permute(&[1, 0]).unwrap();
        assert_eq!(turned.reshape(&[24], true), None);
        assert_eq!(turned.reshape(&[2, 3, 4], true).unwrap().strides(), [3, 1, 6]);
        assert_eq!(turned.reshape(&[24], false).unwrap().strides(), [1]);
        let every_other = Layout::new(&[3], &[2]);
        assert_eq!(every_other.reshape(&[3, 1], true).unwrap().strides()[0], 2);
        assert!(Layout::new(&[0, 3], &[3, 1]).reshape(&[3, 0, 7], true).is_some());
    }

    /// Returns the offsets of all indices, by enumeration.
    fn offsets(layout: &Layout) -> Vec<isize> {
        let mut all = vec![layout.offset()];
        for (&n, &stride) in layout.shape().iter().zip(layout.strides()) {
            all = all.iter().flat_map(|&at| (0..n as isize).map(move |i| at + i * stride)).collect();
        }
        all
    }

    #[test]
    fn fits_and_within_agree_with_enumerated_offsets() {
        let whole = Layout::new(&[3, 2], &[-4, 1]);
        let inside_whole = -8..=1;
        for shape in [[1, 1, 1], [2, 3, 1], [3, 1, 2], [0, 3, 2], [2, 2, 2]] {
            for code in 0..9isize.pow(3) {
                for offset in [-9, -3, 0, 1, 7] {
                    let strides = [code % 9 - 4, code / 9 % 9 - 4, code / 81 - 4];
                    let layout = Layout::new(&shape, &strides).moved(offset);
                    let all = offsets(&layout);
                    for len in [0, 1, 8, 20] {
                        let expected = all.iter().all(|at| (0..len as isize).contains(at));
                        assert_eq!(layout.fits(len), expected, "{layout:?} in {len}");
                    }
                    let expected = all.iter().all(|at| inside_whole.contains(at));
                    assert_eq!(layout.axes().within(layout.offset(), whole.axes()), expected, "{layout:?}");
                }
            }
        }
    }

    #[test]
    fn offsets_that_overflow_are_in_no_buffer() {
        for (shape, stride) in
            [(2, isize::MAX), (2, isize::MIN), (usize::MAX, 1), (usize::MAX, -1), (3, isize::MIN)]
        {
            for offset in [isize::MIN, -1, 0, 1, isize::MAX] {
                let layout = Layout::new(&[shape], &[stride]).moved(offset);
                assert!(!layout.fits(isize::MAX as usize / 8), "{layout:?}");
                assert!(!layout.axes().within(offset, Axes::new(&[1 << 20], &[-8])), "{layout:?}");
                assert!(!layout.axes().within(offset, Axes::new(&[1 << 20], &[8])), "{layout:?}");
            }
        }
        assert!(Layout::new(&[0, usize::MAX], &[isize::MAX, isize::MIN]).fits(0));
        assert!(Layout::new(&[usize::MAX], &[0]).fits(1));
    }

    #[test]
    fn diagonals_add_strides() {
        let cube = Layout::contiguous(&[3, 4, 3], true);
        let diagonal = cube.diagonal("trace", 0, 2).unwrap();
        assert_eq!((diagonal.shape(), diagonal.strides()), (&[4, 3][..], &[3, 13][..]));
        assert!(matches!(cube.diagonal("trace", 0, 1), Err(Error::ExtentMismatch { .. })));
        assert!(matches!(cube.diagonal("trace", 2, 2), Err(Error::RepeatedAxis { .. })));
        assert!(matches!(cube.diagonal("trace", 0, 3), Err(Error::AxisPair { .. })));
    }
}
