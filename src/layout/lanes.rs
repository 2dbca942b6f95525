//! The one-dimensional parts of a layout along one axis.

use super::Layout;
use super::walk::Walk;
use crate::error::Error;

/// The layouts of the lanes along an axis, one for each index of the other axes. Different lanes share no index of the layout.
#[derive(Debug, Clone)]
pub(crate) struct LaneLayouts {
    lane: Layout,
    walk: Walk<1>,
    left: usize,
}

impl LaneLayouts {
    /// Lanes in row-major or column-major order of the other axes.
    ///
    /// # Errors
    /// If the axis is out of range.
    pub(crate) fn new(layout: &Layout, axis: usize, row_major: bool) -> Result<LaneLayouts, Error> {
        layout.check_axis("take lanes", axis)?;
        let lane = Layout::new(&layout.shape()[axis..=axis], &layout.strides()[axis..=axis]);
        let others = layout.without(axis);
        let others = if row_major { others } else { others.reverse_axes() };
        let walk = Walk::row_major(others.shape(), [others.strides()]);
        Ok(LaneLayouts { lane, walk, left: others.shape().iter().product() })
    }
}

impl Iterator for LaneLayouts {
    type Item = Layout;
    fn next(&mut self) -> Option<Layout> {
        self.left = self.left.checked_sub(1)?;
        let [offset] = self.walk.offsets();
        self.walk.advance();
        Some(self.lane.moved(offset))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}
