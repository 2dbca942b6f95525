//! Views as arithmetic on borrowed extents and strides.
//!
//! Every view operation is written once, as a method of [`Axes`]. It reads the axes of a tensor and writes the axes of the view into
//! arrays that the caller provides. A typed tensor passes arrays of its rank, whose length the compiler knows; a
//! [`Layout`](super::Layout) passes its own arrays. The method returns the offset, in elements, from the tensor's first element to the
//! view's first element.

mod errors;

use super::{Span, along_both, contiguous_strides, foreign, is_contiguous};
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::rank::{MAX_RANK, as_given};
use core::ops::Range;
use errors::{
    axis_out_of_range, index_out_of_range, inserted_outside, no_diagonal, not_a_unit_axis, repeated_axis,
};

/// Extents and strides (in elements), one of each for every axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes<'a> {
    shape: &'a [usize],
    strides: &'a [isize],
}

/// The extents and strides (in elements) of a view, for the methods of [`Axes`] to write: one of each for every axis.
#[derive(Debug)]
pub(crate) struct AxesMut<'a> {
    shape: &'a mut [usize],
    strides: &'a mut [isize],
}

/// Returns an error if a tensor of this shape does not have the axis.
#[inline]
pub(crate) fn check_axis(op: &'static str, axis: usize, shape: &[usize]) -> Result<(), Error> {
    if axis < shape.len() { Ok(()) } else { Err(axis_out_of_range(op, axis, shape)) }
}

impl<'a> AxesMut<'a> {
    #[inline]
    pub(crate) fn new(shape: &'a mut [usize], strides: &'a mut [isize]) -> AxesMut<'a> {
        // Kernels rely on it. The comparison is of constants, except for `AnyRank`.
        assert_eq!(shape.len(), strides.len());
        AxesMut { shape, strides }
    }

    /// Returns the number of axes of the view.
    #[inline]
    pub(super) fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Borrows the axes again, so that they can be read after a method of [`Axes`] has written them.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> AxesMut<'_> {
        AxesMut { shape: self.shape, strides: self.strides }
    }

    /// Returns the axes that were written.
    #[inline]
    pub(crate) fn into_axes(self) -> Axes<'a> {
        Axes { shape: self.shape, strides: self.strides }
    }

    #[inline]
    pub(super) fn set(&mut self, axis: usize, extent: usize, stride: isize) {
        (self.shape[axis], self.strides[axis]) = (extent, stride);
    }

    /// Reverses an axis, and returns the offset from its first to its last element. Does nothing and returns 0 if the axis has extent 1, or
    /// if there are no elements.
    fn reverse(&mut self, axis: usize) -> isize {
        let (last, stride) = (self.shape[axis].saturating_sub(1), self.strides[axis]);
        if last == 0 || self.shape.contains(&0) {
            return 0;
        }
        self.strides[axis] = -stride;
        last as isize * stride
    }
}

impl<'a> Axes<'a> {
    #[inline]
    pub(crate) fn new(shape: &'a [usize], strides: &'a [isize]) -> Axes<'a> {
        // Kernels rely on it. The comparison is of constants, except for `AnyRank`.
        assert_eq!(shape.len(), strides.len());
        Axes { shape, strides }
    }

    #[inline]
    pub(crate) fn shape(self) -> &'a [usize] {
        self.shape
    }

    #[inline]
    pub(crate) fn strides(self) -> &'a [isize] {
        self.strides
    }

    #[inline]
    pub(crate) fn rank(self) -> usize {
        self.shape.len()
    }

    /// Returns the offset of an index, in elements, or `None` if the index is out of bounds or does not have one number for each axis.
    #[inline]
    pub(crate) fn offset_of(self, index: &[usize]) -> Option<isize> {
        // Ranks 1 to 3 have no loop over axes: the compiler would unroll that loop too late to keep the index in registers, and would then
        // not vectorise the loop around the access.
        match (index, self.shape, self.strides) {
            (&[i], &[l], &[s]) => (i < l).then(|| i as isize * s),
            (&[i, j], &[l, m], &[s, t]) => (i < l && j < m).then(|| i as isize * s + j as isize * t),
            (&[i, j, k], &[l, m, n], &[s, t, u]) => {
                (i < l && j < m && k < n).then(|| i as isize * s + j as isize * t + k as isize * u)
            }
            _ => {
                if index.len() != self.rank() {
                    return None;
                }
                let mut offset = 0;
                for ((&i, &extent), &stride) in index.iter().zip(self.shape).zip(self.strides) {
                    if i >= extent {
                        return None;
                    }
                    offset += i as isize * stride;
                }
                Some(offset)
            }
        }
    }

    /// Writes axis `from(k)` of this tensor as axis `k` of the view.
    #[inline]
    fn select(self, to: &mut AxesMut<'_>, from: impl Fn(usize) -> usize) {
        for k in 0..to.rank() {
            let axis = from(k);
            to.set(k, self.shape[axis], self.strides[axis]);
        }
    }

    #[inline]
    pub(crate) fn check_axis(self, op: &'static str, axis: usize) -> Result<(), Error> {
        check_axis(op, axis, self.shape)
    }

    /// Returns an error if an axis of `axes` is out of range or occurs twice.
    #[inline]
    pub(crate) fn check_distinct_axes(self, op: &'static str, axes: &[usize]) -> Result<(), Error> {
        for (k, &axis) in axes.iter().enumerate() {
            self.check_axis(op, axis)?;
            if axes[..k].contains(&axis) {
                return Err(repeated_axis(op, axes, self.shape));
            }
        }
        Ok(())
    }

    /// Permutes the axes: axis `k` of the view is axis `axes[k]`.
    #[inline]
    pub(crate) fn permute(self, axes: &[usize], mut to: AxesMut<'_>) -> Result<isize, Error> {
        self.check_distinct_axes("permute", axes)?;
        self.select(&mut to, |k| axes[k]);
        Ok(0)
    }

    #[inline]
    pub(crate) fn swap_axes(self, a: usize, b: usize, mut to: AxesMut<'_>) -> Result<isize, Error> {
        self.check_axis("swap axes", a)?;
        self.check_axis("swap axes", b)?;
        self.select(&mut to, |k| {
            if k == a {
                b
            } else if k == b {
                a
            } else {
                k
            }
        });
        Ok(0)
    }

    /// Inserts a new axis of extent 1 before axis `at`.
    #[inline]
    pub(crate) fn insert_axis(self, at: usize, mut to: AxesMut<'_>) -> Result<isize, Error> {
        if at > self.rank() {
            return Err(inserted_outside(at, self.shape));
        }
        for k in 0..to.rank() {
            let (extent, stride) = match k {
                _ if k == at => (1, 0),
                _ => {
                    let from = k - usize::from(k > at);
                    (self.shape[from], self.strides[from])
                }
            };
            to.set(k, extent, stride);
        }
        Ok(0)
    }

    /// Removes an axis. The view has the elements at index 0 of that axis. The axis must be in range.
    #[inline]
    pub(crate) fn without(self, axis: usize, mut to: AxesMut<'_>) {
        self.select(&mut to, |k| k + usize::from(k >= axis));
    }

    /// Takes a range of indices along an axis. The axis and the indices must be in range.
    pub(crate) fn range(self, axis: usize, indices: Range<usize>, mut to: AxesMut<'_>) -> isize {
        self.select(&mut to, |k| k);
        to.set(axis, indices.len(), self.strides[axis]);
        if to.shape.contains(&0) { 0 } else { indices.start as isize * self.strides[axis] }
    }

    /// Reverses the axes in `axes`: the elements at index 0 of an axis are then at its last index.
    pub(crate) fn flip(self, axes: &[usize], mut to: AxesMut<'_>) -> Result<isize, Error> {
        self.check_distinct_axes("flip", axes)?;
        self.select(&mut to, |k| k);
        Ok(axes.iter().map(|&axis| to.reverse(axis)).sum())
    }

    /// Rotates the elements in the plane of axes `a` and `b` by `turns` quarter turns, in the direction from `a` to `b`.
    pub(crate) fn rot90(self, turns: isize, a: usize, b: usize, mut to: AxesMut<'_>) -> Result<isize, Error> {
        if a.max(b) >= self.rank() {
            return Err(Error::AxisPair {
                op: "rotate",
                axes: [a, b].map(as_given),
                shape: self.shape.to_vec(),
            });
        }
        if a == b {
            return Err(repeated_axis("rotate", &[a, b], self.shape));
        }
        let turns = turns.rem_euclid(4);
        match turns % 2 {
            0 => self.select(&mut to, |k| k),
            _ => _ = self.swap_axes(a, b, to.reborrow())?,
        }
        Ok(match turns {
            1 => to.reverse(a),
            2 => to.reverse(a) + to.reverse(b),
            3 => to.reverse(b),
            _ => 0,
        })
    }

    /// Appends an axis for each axis in `axes`. The index along axis `axes[k]` of the view selects a window of `lengths[k]` adjacent
    /// elements, and the index along the appended axis `k` selects an element of the window.
    pub(crate) fn windows(
        self,
        axes: &[usize],
        lengths: &[usize],
        mut to: AxesMut<'_>,
    ) -> Result<isize, Error> {
        const OP: &str = "take windows";
        self.check_distinct_axes(OP, axes)?;
        for (&axis, &length) in axes.iter().zip(lengths) {
            if length == 0 || length > self.shape[axis] {
                let (shape, extent) = (self.shape, self.shape[axis]);
                let reason = format!(
                    "axis {axis} of shape {shape:?} has no windows of {length} elements; a length is at least 1 and at most \
                     {extent}"
                );
                return Err(Error::Argument { op: OP, reason });
            }
        }
        let rank = self.rank();
        for axis in 0..rank {
            to.set(axis, self.shape[axis], self.strides[axis]);
        }
        for (k, (&axis, &length)) in axes.iter().zip(lengths).enumerate() {
            to.set(axis, self.shape[axis] - length + 1, self.strides[axis]);
            to.set(rank + k, length, self.strides[axis]);
        }
        Ok(0)
    }

    /// Removes an axis of extent 1.
    #[inline]
    pub(crate) fn remove_axis(self, axis: usize, to: AxesMut<'_>) -> Result<isize, Error> {
        self.check_axis("remove an axis", axis)?;
        if self.shape[axis] != 1 {
            return Err(not_a_unit_axis(axis, self.shape));
        }
        self.without(axis, to);
        Ok(0)
    }

    /// Takes one index along an axis, and removes the axis.
    #[inline]
    pub(crate) fn index_axis(self, axis: usize, index: usize, to: AxesMut<'_>) -> Result<isize, Error> {
        self.check_axis("index", axis)?;
        if index >= self.shape[axis] {
            return Err(index_out_of_range("index", index, axis, self.shape));
        }
        self.without(axis, to);
        Ok(index as isize * self.strides[axis])
    }

    /// Splits the tensor along an axis into two parts: the first `at` indices, and the other indices. Writes the extents of both parts and
    /// returns the offset of the second part. Both parts have the strides of this tensor.
    #[inline]
    pub(crate) fn split_at(
        self,
        axis: usize,
        at: usize,
        low: &mut [usize],
        high: &mut [usize],
    ) -> Result<isize, Error> {
        self.check_axis("split", axis)?;
        if at > self.shape[axis] {
            return Err(index_out_of_range("split", at, axis, self.shape));
        }
        low.copy_from_slice(self.shape);
        low[axis] = at;
        high.copy_from_slice(self.shape);
        high[axis] -= at;
        // If the second part is empty, its offset is past the last index and may not be representable.
        Ok(if high[axis] > 0 { at as isize * self.strides[axis] } else { 0 })
    }

    /// Removes axes `a` and `b`, and appends one axis that runs along both. Its stride is the sum of the strides of `a` and `b`.
    // Always inlined: if the rank is known, as in the trace of a matrix, little code is left.
    #[inline(always)]
    pub(crate) fn diagonal(
        self,
        op: &'static str,
        a: usize,
        b: usize,
        mut to: AxesMut<'_>,
    ) -> Result<isize, Error> {
        if a == b || a.max(b) >= self.rank() || self.shape[a] != self.shape[b] {
            return Err(no_diagonal(op, [a, b], self.shape));
        }
        let mut kept = 0;
        // An iterator with `filter` would be slower: the compiler does not unroll its loop if the rank is known.
        for axis in 0..self.rank() {
            if axis != a && axis != b {
                to.set(kept, self.shape[axis], self.strides[axis]);
                kept += 1;
            }
        }
        to.set(kept, self.shape[a], along_both(self.strides[a], self.strides[b]));
        Ok(0)
    }

    /// [`diagonal`](Axes::diagonal) number `k`: the elements at indices `i` along `a` and `i + k` along `b`. Both axes may differ in extent.
    pub(crate) fn diagonal_offset(
        self,
        op: &'static str,
        [a, b]: [usize; 2],
        k: isize,
        mut to: AxesMut<'_>,
    ) -> Result<isize, Error> {
        if a == b || a.max(b) >= self.rank() {
            return Err(no_diagonal(op, [a, b], self.shape));
        }
        let below = if k < 0 { k.unsigned_abs() } else { 0 };
        let (from_a, from_b) = (below.min(self.shape[a]), k.max(0).unsigned_abs().min(self.shape[b]));
        let n = (self.shape[a] - from_a).min(self.shape[b] - from_b);
        let kept = (0..self.rank()).filter(|&axis| axis != a && axis != b);
        kept.clone().enumerate().for_each(|(k, axis)| to.set(k, self.shape[axis], self.strides[axis]));
        to.set(kept.count(), n, along_both(self.strides[a], self.strides[b]));
        // The offset of an empty diagonal may not be representable.
        Ok(if n > 0 { from_a as isize * self.strides[a] + from_b as isize * self.strides[b] } else { 0 })
    }

    /// Moves the axes in `last` to the end. Their order in `last` does not matter: `sum_axes([2, 0])` gives the same result as
    /// `sum_axes([0, 2])`. The moved axes are sorted, the slowest axis of the memory order (`row_major` or not) first. The other axes keep
    /// their order.
    #[inline]
    pub(crate) fn move_last(
        self,
        op: &'static str,
        last: &[usize],
        row_major: bool,
        mut to: AxesMut<'_>,
    ) -> Result<isize, Error> {
        self.check_distinct_axes(op, last)?;
        let (mut stays, mut moved) = (0, self.rank() - last.len());
        for axis in 0..self.rank() {
            if !last.contains(&axis) {
                to.set(stays, self.shape[axis], self.strides[axis]);
                stays += 1;
            }
        }
        for k in 0..self.rank() {
            let axis = if row_major { k } else { self.rank() - 1 - k };
            if last.contains(&axis) {
                to.set(moved, self.shape[axis], self.strides[axis]);
                moved += 1;
            }
        }
        Ok(0)
    }

    /// Writes the strides with which axes of extents `shape` address the elements of this tensor. The number of elements of `shape` is that
    /// of this tensor. Returns `None` if there are no such strides.
    ///
    /// Elements are iterated with the last axis fastest if `row_major`, otherwise with the first axis fastest. The old and the new axes
    /// are matched in groups with the same number of elements. The strides exist if the old axes of every group can be fused to one axis.
    pub(crate) fn reshape(self, shape: &[usize], row_major: bool, strides: &mut [isize]) -> Option<()> {
        contiguous_strides(shape, strides, row_major);
        if self.shape.contains(&0) {
            return Some(());
        }
        // Axis `k` of the old and of the new shape, counted from the slowest.
        let (old_rank, new_rank) = (self.rank(), shape.len());
        let from = |k: usize| if row_major { k } else { old_rank - 1 - k };
        let into = |k: usize| if row_major { k } else { new_rank - 1 - k };
        let (mut few, mut many) = ([0; MAX_RANK], Vec::new());
        let long = match old_rank {
            0..=MAX_RANK => &mut few[..],
            _ => {
                many.resize(old_rank, 0);
                &mut many
            }
        };
        let mut count = 0;
        for axis in (0..old_rank).map(from).filter(|&axis| self.shape[axis] != 1) {
            long[count] = axis;
            count += 1;
        }
        let (mut old, mut new) = (0, 0);
        while old < count {
            // Finds the smallest two groups, one of old and one of new axes, that have the same number of elements.
            let (first_old, first_new) = (old, new);
            let (mut n_old, mut n_new) = (self.shape[long[old]], shape[into(new)]);
            (old, new) = (old + 1, new + 1);
            while n_old != n_new {
                if n_old < n_new {
                    n_old *= self.shape[long[old]];
                    old += 1;
                } else {
                    n_new *= shape[into(new)];
                    new += 1;
                }
            }
            let group = &long[first_old..old];
            let contiguous = group
                .windows(2)
                .all(|w| self.strides[w[0]] == self.strides[w[1]] * self.shape[w[1]] as isize);
            if !contiguous {
                return None;
            }
            let mut stride = self.strides[group[group.len() - 1]];
            for axis in (first_new..new).rev().map(into) {
                strides[axis] = stride;
                stride *= shape[axis] as isize;
            }
        }
        Some(())
    }

    /// Writes the strides that broadcast these axes to `shape`: 0 along new axes, and along axes whose extent changes from 1. The last axes
    /// are matched if `row_major`, otherwise the first axes. Returns `None` if these axes do not broadcast to `shape`.
    #[inline]
    pub(crate) fn broadcast_to(self, shape: &[usize], row_major: bool, strides: &mut [isize]) -> Option<()> {
        let first = shape.len().checked_sub(self.rank())?;
        let first = if row_major { first } else { 0 };
        strides.fill(0);
        for k in 0..self.rank() {
            match (self.shape[k], shape[first + k]) {
                (from, into) if from == into => strides[first + k] = self.strides[k],
                (1, _) => {}
                _ => return None,
            }
        }
        Some(())
    }

    #[inline]
    pub(crate) fn is_contiguous(self, row_major: bool) -> bool {
        is_contiguous(self.shape, self.strides, row_major)
    }

    /// Returns whether every index of these axes, with index 0 at `offset`, addresses an element between the lowest and the highest address
    /// of the elements of `whole`.
    #[inline]
    pub(crate) fn within(self, offset: isize, whole: Axes<'_>) -> bool {
        Span::new(0, whole).contains(Span::new(offset, self))
    }

    /// Returns whether the trailing axes are the axes `of`, and the axes before them have stride 0. If so, these axes address elements of
    /// `of` only. With ranks known at compile time, this test is faster than [`within`](Axes::within).
    #[inline]
    pub(crate) fn repeats(self, of: Axes<'_>) -> bool {
        let Some(added) = self.shape.len().checked_sub(of.shape.len()) else { return false };
        self.strides[..added].iter().all(|&stride| stride == 0)
            && same(&self.shape[added..], of.shape)
            && self.strides[added..].iter().eq(of.strides)
    }

    /// Returns whether different indices address different elements, as outputs require: see [`foreign::check_no_overlap`].
    #[inline]
    pub(crate) fn is_non_overlapping(self) -> bool {
        foreign::check_no_overlap(self.shape, self.strides).is_ok()
    }
}
