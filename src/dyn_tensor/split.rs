//! Dynamic tensors: views of parts along an axis, which are equal parts, parts between given positions, chunks or windows.

use super::shape::axes_of;
use super::slice::rank_below_maximum;
use super::storage::DynData;
use super::tensor::{DynTensor, DynViewOf};
use crate::axis::{IndexNumber, from_start};
use crate::error::Error;
use crate::layout::element_count;
use crate::ops::{chunk_count, collected, equal_parts, ranges_between};
use core::ops::Range;

impl<S: DynData> DynTensor<S> {
    /// Returns the view of the given indices along an axis. The caller must ensure that the axis and the indices exist.
    pub(super) fn range(&self, axis: usize, indices: Range<usize>) -> DynViewOf<'_, S> {
        DynTensor::of(self.storage().share(), self.layout().range(axis, indices), self.order())
    }

    /// Returns an axis, counted from 0, and its extent. Returns an error if the axis is out of range.
    fn extent(&self, op: &'static str, axis: impl IndexNumber) -> Result<(usize, usize), Error> {
        let axis = from_start(axis, self.rank());
        self.layout().axes().check_axis(op, axis)?;
        Ok((axis, self.shape()[axis]))
    }

    /// Splits the tensor along an axis into `parts` views of equal extent.
    ///
    /// # Errors
    /// If the axis is out of range, or its extent is not a multiple of `parts`, or `parts` is 0.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3, 4]);
    /// assert_eq!(x.split(0, 2)?[1].downcast_ref()?, tensor![3, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn split(&self, axis: impl IndexNumber, parts: usize) -> Result<Vec<DynViewOf<'_, S>>, Error> {
        let (axis, extent) = self.extent("split", axis)?;
        let len = equal_parts(self.shape(), axis, extent, parts)?;
        collected((0..parts).map(|k| self.range(axis, k * len..(k + 1) * len)))
    }

    /// Splits the tensor along an axis at the given positions, which must be in ascending order; equal positions give an empty view.
    /// Negative positions count from the end.
    ///
    /// # Errors
    /// If the axis is out of range, a position exceeds the extent of the axis, or the positions are not in ascending order.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3, 4]);
    /// assert_eq!(x.split_at_each(0, &[1, -1])?[1].downcast_ref()?, tensor![2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn split_at_each(
        &self,
        axis: impl IndexNumber,
        positions: &[impl IndexNumber],
    ) -> Result<Vec<DynViewOf<'_, S>>, Error> {
        let (axis, extent) = self.extent("split", axis)?;
        let ranges = ranges_between(self.shape(), axis, extent, positions)?;
        Ok(ranges.into_iter().map(|range| self.range(axis, range)).collect())
    }

    /// Returns an iterator over consecutive views, each with extent `len` along an axis. The last view is shorter if the extent of the
    /// tensor is not a multiple of `len`.
    ///
    /// # Errors
    /// If the axis is out of range, or `len` is 0.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3]);
    /// assert_eq!(x.chunks(0, 2)?.last().unwrap().shape(), [1]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn chunks(
        &self,
        axis: impl IndexNumber,
        len: usize,
    ) -> Result<impl DoubleEndedIterator<Item = DynViewOf<'_, S>> + ExactSizeIterator, Error> {
        let (axis, extent) = self.extent("cut into chunks", axis)?;
        let count = chunk_count(extent, len)?;
        Ok((0..count).map(move |k| self.range(axis, k * len..extent.min((k + 1).saturating_mul(len)))))
    }

    /// Returns a view of all windows of `lengths[k]` elements along `axes[k]`. In the view, the index along `axes[k]` is the first index
    /// of a window, and the indices along the additional last axes are those inside the window.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice.
    /// * If the numbers of axes and lengths differ, or a length is 0 or exceeds the extent of its axis.
    /// * If the rank of the view would exceed 16.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3]);
    /// assert_eq!(x.windows(&[0], &[2])?.downcast_ref()?, tensor![[1, 2], [2, 3]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn windows(&self, axes: &[impl IndexNumber], lengths: &[usize]) -> Result<DynViewOf<'_, S>, Error> {
        if axes.len() != lengths.len() {
            let reason = format!(
                "there are {} axes and {} lengths; pass one length for each axis",
                axes.len(),
                lengths.len()
            );
            return Err(Error::Argument { op: "take windows", reason });
        }
        if !axes.is_empty() {
            rank_below_maximum(self.rank() + axes.len() - 1)?;
        }
        let layout = self.layout().windows(&axes_of(axes, self.rank()), lengths)?;
        element_count(layout.shape(), self.dtype().size())?;
        Ok(DynTensor::of(self.storage().share(), layout, self.order()))
    }
}
