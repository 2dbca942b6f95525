//! Dynamic tensors: views of parts along an axis, which are equal parts, parts between given positions, chunks, single indices, lanes or
//! windows.

use super::shape::axes_of;
use super::slice::rank_below_maximum;
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::{DynTensor, DynViewMut, DynViewOf};
use crate::error::Error;
use crate::layout::lanes::LaneIndices;
use crate::layout::{Layout, element_count};
use crate::ops::{chunk_count, collected, equal_parts, ranges_between};
use crate::rank::{AnyRank, IndexNumber, from_start};
use core::ops::Range;

impl<S: DynData> DynTensor<S> {
    /// Returns the view of the given indices along an axis. The caller must ensure that the axis and the indices exist.
    pub(crate) fn range(&self, axis: usize, indices: Range<usize>) -> DynViewOf<'_, S> {
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

    /// Splits the tensor along an axis: returns a view of the indices below `at`, and a view of the others. A negative `at` counts from the
    /// end.
    ///
    /// Typed tensors can also be split into mutable views, by [`split_at_mut`](crate::Tensor::split_at_mut): see
    /// [`downcast_mut`](DynTensor::downcast_mut).
    ///
    /// # Errors
    /// If the axis is out of range, or `at` exceeds its extent.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// let (low, high) = x.split_at(1, 1)?;
    /// assert_eq!(low.downcast_ref()?, tensor![[1], [4]]);
    /// assert_eq!(high.downcast_ref()?, tensor![[2, 3], [5, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn split_at(
        &self,
        axis: impl IndexNumber,
        at: impl IndexNumber,
    ) -> Result<(DynViewOf<'_, S>, DynViewOf<'_, S>), Error> {
        let axis = from_start(axis, self.rank());
        let extent = self.shape().get(axis).copied().unwrap_or(0);
        let (low, high) = self.layout().split_at(axis, from_start(at, extent))?;
        let part = |layout| DynTensor::of(self.storage().share(), layout, self.order());
        Ok((part(low), part(high)))
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

    /// Calls `f` with consecutive mutable views, each with extent `len` along an axis, in ascending order. The last view is shorter if the
    /// extent of the tensor is not a multiple of `len`.
    ///
    /// A dynamic mutable view borrows the whole memory of its tensor, so there is only one at a time. Therefore this is not an iterator, as
    /// [`Tensor::chunks_mut`](crate::Tensor::chunks_mut) is.
    ///
    /// # Errors
    /// * If the axis is out of range, or `len` is 0.
    /// * If `f` returns an error. It is then not called again.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![1, 2, 3, 4, 5]);
    /// let mut k = 0;
    /// x.for_each_chunk_mut(0, 2, |mut chunk| {
    ///     k += 1;
    ///     chunk.fill(10 * k)
    /// })?;
    /// assert_eq!(x.downcast_ref()?, tensor![10, 10, 20, 20, 30]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[doc(alias = "chunks_mut")]
    pub fn for_each_chunk_mut(
        &mut self,
        axis: impl IndexNumber,
        len: usize,
        mut f: impl FnMut(DynViewMut<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        S: DynDataMut,
    {
        let (axis, extent) = self.extent("cut into chunks", axis)?;
        for k in 0..chunk_count(extent, len)? {
            let layout = self.layout().range(axis, k * len..extent.min((k + 1).saturating_mul(len)));
            let order = self.order();
            f(DynTensor::of(self.storage_mut().data_mut(), layout, order))?;
        }
        Ok(())
    }

    /// Returns an iterator over the views at each index along an axis. The views do not have that axis.
    ///
    /// # Errors
    /// If the axis is out of range.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// for (row, sum) in x.axis_iter(0)?.zip([3, 7]) {
    ///     assert_eq!(row.sum()?.item()?, sum.into());
    /// }
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn axis_iter(
        &self,
        axis: impl IndexNumber,
    ) -> Result<impl DoubleEndedIterator<Item = DynViewOf<'_, S>> + ExactSizeIterator, Error> {
        let (axis, extent) = self.extent("iterate", axis)?;
        Ok((0..extent).map(move |k| {
            let layout = self.layout().index_axis(axis, k).expect("the axis and the index are in range");
            DynTensor::of(self.storage().share(), layout, self.order())
        }))
    }

    /// Returns an iterator over the views of rank 1 along an axis: one view for each index of the other axes, in memory order.
    ///
    /// # Errors
    /// If the axis is out of range.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// let columns: Vec<_> = x.lanes(0)?.map(|lane| lane.to_vec::<i32>()).collect::<Result<_, _>>()?;
    /// assert_eq!(columns, [[1, 3], [2, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn lanes(
        &self,
        axis: impl IndexNumber,
    ) -> Result<impl ExactSizeIterator<Item = DynViewOf<'_, S>>, Error> {
        let (axis, extent) = self.extent("take lanes", axis)?;
        let indices = LaneIndices::<AnyRank>::new(self.layout().axes(), axis, self.order().is_row_major())?;
        Ok(indices.map(move |index| {
            let strides = self.layout().strides();
            let first: isize = strides.iter().zip(index.iter()).map(|(stride, &i)| i as isize * stride).sum();
            let lane = Layout::new(&[extent], &[strides[axis]]).moved(self.layout().offset() + first);
            DynTensor::of(self.storage().share(), lane, self.order())
        }))
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
