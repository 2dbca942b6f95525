//! Enumerates the lanes of a tensor: its one-dimensional parts along one axis.

use super::axes::Axes;
use super::odometer::advance;
use crate::error::Error;
use crate::rank::{Dim, shape_of};

/// The lanes along an axis, by the index of their first element. This index is 0 on the axis.
#[derive(Debug, Clone)]
pub(crate) struct LaneIndices<D: Dim> {
    next: D::Shape,
    /// The extents of the tensor, but 1 for the axis of the lanes.
    shape: D::Shape,
    left: usize,
    row_major: bool,
}

impl<D: Dim> LaneIndices<D> {
    /// Enumerates the lanes in row-major or column-major order of the other axes. `axes` are those of a tensor of rank `D`.
    ///
    /// # Errors
    /// If the axis is out of range.
    pub(crate) fn new(axes: Axes<'_>, axis: usize, row_major: bool) -> Result<LaneIndices<D>, Error> {
        axes.check_axis("take lanes", axis)?;
        let mut shape = shape_of::<D>(axes.shape());
        shape.as_mut()[axis] = 1;
        let left = shape.as_ref().iter().product();
        Ok(LaneIndices { next: D::shape(axes.rank()), shape, left, row_major })
    }
}

impl<D: Dim> Iterator for LaneIndices<D> {
    type Item = D::Shape;
    #[inline]
    fn next(&mut self) -> Option<D::Shape> {
        self.left = self.left.checked_sub(1)?;
        let index = self.next;
        advance(self.next.as_mut(), self.shape.as_ref(), self.row_major);
        Some(index)
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<D: Dim> ExactSizeIterator for LaneIndices<D> {}
