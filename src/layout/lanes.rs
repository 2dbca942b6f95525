//! Enumerates the lanes of a tensor: its one-dimensional parts along one axis.

use super::axes::{Axes, AxesMut};
use super::odometer::Odometer;
use crate::error::Error;
use crate::rank::MAX_RANK;

/// The offsets of the lanes along an axis, in elements: one for each index of the other axes.
#[derive(Debug, Clone)]
pub(crate) struct LaneOffsets {
    walk: Odometer<1>,
    left: usize,
}

impl LaneOffsets {
    /// Enumerates the lanes in row-major or column-major order of the other axes.
    ///
    /// # Errors
    /// If the axis is out of range.
    pub(crate) fn new(axes: Axes<'_>, axis: usize, row_major: bool) -> Result<LaneOffsets, Error> {
        axes.check_axis("take lanes", axis)?;
        let (mut shape, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
        let (shape, strides) = (&mut shape[..axes.rank() - 1], &mut strides[..axes.rank() - 1]);
        axes.without(axis, AxesMut::new(shape, strides));
        if !row_major {
            shape.reverse();
            strides.reverse();
        }
        Ok(LaneOffsets { walk: Odometer::row_major(shape, [strides]), left: shape.iter().product() })
    }
}

impl Iterator for LaneOffsets {
    type Item = isize;
    #[inline]
    fn next(&mut self) -> Option<isize> {
        self.left = self.left.checked_sub(1)?;
        let [offset] = self.walk.offsets();
        self.walk.advance();
        Some(offset)
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}
