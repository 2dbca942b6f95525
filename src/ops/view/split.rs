//! Views of the parts of a tensor along an axis: equal parts, parts between given positions, and chunks of a given length.

use crate::axis::AxisArg;
use crate::device::{Cpu, Device};
use crate::element::Element;
use crate::error::{Error, fallible, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, IndexNumber, from_start};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorViewMut, ViewOf};
use core::ops::Range;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the view of a range of indices along an axis. The axis and the indices must be in range.
    pub(crate) fn range(&self, axis: usize, indices: Range<usize>) -> ViewOf<'_, T, D, O, Dev, S> {
        self.cut(self.rank(), |from, to| Ok(from.range(axis, indices, to))).expect("the range was checked")
    }

    /// Returns the extent of an axis.
    fn extent(&self, op: &'static str, axis: usize) -> Result<usize, Error> {
        self.axes().check_axis(op, axis)?;
        Ok(self.shape().as_ref()[axis])
    }

    /// Splits the tensor along an axis into `parts` views of equal extent.
    ///
    /// For parts that differ in extent, see [`split_at_each`](Tensor::split_at_each) and [`chunks`](Tensor::chunks).
    ///
    /// # Errors
    /// * If the axis is out of range.
    /// * If the extent of the axis is not a multiple of `parts`, or `parts` is 0.
    /// * If the allocation of the `Vec` fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3, 4], [5, 6, 7, 8]];
    /// assert_eq!(x.split(1, 2), [tensor![[1, 2], [5, 6]], tensor![[3, 4], [7, 8]]]);
    /// ```
    #[fallible]
    #[must_use]
    pub fn split<A: AxisArg<D>>(&self, axis: A, parts: usize) -> Vec<ViewOf<'_, T, D, O, Dev, S>> {
        let axis = axis.index(self.rank());
        let extent = self.extent("split", axis)?;
        let len = equal_parts(self.shape().as_ref(), axis, extent, parts)?;
        collected((0..parts).map(|k| self.range(axis, k * len..(k + 1) * len)))
    }

    /// Splits the tensor along an axis at the given positions. The first view has the indices before the first position. The second view
    /// has the indices from the first position up to, but not including, the second position, and so on. Between equal positions, the
    /// view is empty. A negative position counts from the end.
    ///
    /// # Errors
    /// * If the axis is out of range.
    /// * If a position is out of range, or less than the position before it.
    /// * If the allocation of the `Vec` fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1, 2, 3, 4, 5];
    /// assert_eq!(x.split_at_each(0, &[1, -1]), [tensor![1], tensor![2, 3, 4], tensor![5]]);
    /// ```
    #[fallible]
    #[must_use]
    pub fn split_at_each<A: AxisArg<D>>(
        &self,
        axis: A,
        positions: &[impl IndexNumber],
    ) -> Vec<ViewOf<'_, T, D, O, Dev, S>> {
        let axis = axis.index(self.rank());
        let extent = self.extent("split", axis)?;
        let ranges = ranges_between(self.shape().as_ref(), axis, extent, positions)?;
        Ok(ranges.into_iter().map(|range| self.range(axis, range)).collect())
    }

    /// Returns an iterator over views of `len` consecutive indices along an axis. The last view has fewer indices if the extent is not a
    /// multiple of `len`.
    ///
    /// # Errors
    /// If the axis is out of range, or `len` is 0.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1, 2, 3, 4, 5];
    /// let sums: Vec<i32> = x.chunks(0, 2).map(|chunk| chunk.sum().item()).collect();
    /// assert_eq!(sums, [3, 7, 5]);
    /// ```
    #[fallible]
    pub fn chunks<A: AxisArg<D>>(
        &self,
        axis: A,
        len: usize,
    ) -> impl DoubleEndedIterator<Item = ViewOf<'_, T, D, O, Dev, S>> + ExactSizeIterator {
        let axis = axis.index(self.rank());
        let extent = self.extent("cut into chunks", axis)?;
        let count = chunk_count(extent, len)?;
        Ok((0..count).map(move |k| self.range(axis, k * len..extent.min((k + 1).saturating_mul(len)))))
    }

    /// [`chunks`](Tensor::chunks) as mutable views. The views are collected in a list before the first one is returned.
    ///
    /// # Panics
    /// If the axis is out of range, `len` is 0, or the allocation of a list of the views fails.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3, 4, 5];
    /// x.chunks_mut(0, 2).for_each(|mut chunk| chunk.index_axis_mut(0, 0).fill(0));
    /// assert_eq!(x, vierbein::tensor![0, 2, 0, 4, 0]);
    /// ```
    #[track_caller]
    pub fn chunks_mut<A: AxisArg<D>>(
        &mut self,
        axis: A,
        len: usize,
    ) -> impl DoubleEndedIterator<Item = TensorViewMut<'_, T, D, O, Dev>> + ExactSizeIterator
    where
        S: StorageMut<T, Dev>,
    {
        unwrap_or_panic(self.try_chunks_mut(axis, len))
    }

    /// Fallible variant of [`chunks_mut`](Tensor::chunks_mut).
    ///
    /// # Errors
    /// For the reasons for which `chunks_mut` panics.
    pub fn try_chunks_mut<A: AxisArg<D>>(
        &mut self,
        axis: A,
        len: usize,
    ) -> Result<std::vec::IntoIter<TensorViewMut<'_, T, D, O, Dev>>, Error>
    where
        S: StorageMut<T, Dev>,
    {
        let axis = axis.index(self.rank());
        let extent = self.extent("cut into chunks", axis)?;
        let count = chunk_count(extent, len)?;
        let mut chunks = reserved(count)?;
        let mut rest = self.view_mut();
        for _ in 1..count {
            let (chunk, others) = rest.halves(axis, len)?;
            chunks.push(chunk);
            rest = others;
        }
        if count > 0 {
            chunks.push(rest);
        }
        Ok(chunks.into_iter())
    }

    /// [`chunks`](Tensor::chunks) as a parallel iterator of `rayon`.
    ///
    /// # Panics
    /// If the axis is out of range, `len` is 0, or the allocation of a list of the views fails.
    ///
    /// ```
    /// use rayon::prelude::*;
    /// let x = vierbein::Tensor::<i64, _>::arange(0..1000);
    /// assert_eq!(x.par_chunks(0, 64).map(|chunk| chunk.sum().item()).sum::<i64>(), 499_500);
    /// ```
    #[cfg(feature = "rayon")]
    #[track_caller]
    pub fn par_chunks<A: AxisArg<D>>(
        &self,
        axis: A,
        len: usize,
    ) -> rayon::vec::IntoIter<crate::TensorView<'_, T, D, O, Dev>> {
        use rayon::iter::IntoParallelIterator;
        let view: crate::TensorView<'_, T, D, O, Dev> = self.into();
        let axis = axis.index(self.rank());
        let chunks = unwrap_or_panic(view.extent("cut into chunks", axis).and_then(|extent| {
            let count = chunk_count(extent, len)?;
            let chunk = |k: usize| view.range(axis, k * len..extent.min((k + 1).saturating_mul(len)));
            collected((0..count).map(chunk))
        }));
        chunks.into_par_iter()
    }

    /// [`chunks_mut`](Tensor::chunks_mut) as a parallel iterator of `rayon`.
    ///
    /// # Panics
    /// If the axis is out of range, `len` is 0, or the allocation of a list of the views fails.
    ///
    /// ```
    /// use rayon::prelude::*;
    /// let mut x = vierbein::Tensor::<i64, vierbein::Rank<1>>::zeros([1000]);
    /// x.par_chunks_mut(0, 64).enumerate().for_each(|(k, mut chunk)| chunk.fill(k as i64));
    /// assert_eq!(x[[999]], 15);
    /// ```
    #[cfg(feature = "rayon")]
    #[track_caller]
    pub fn par_chunks_mut<A: AxisArg<D>>(
        &mut self,
        axis: A,
        len: usize,
    ) -> rayon::vec::IntoIter<TensorViewMut<'_, T, D, O, Dev>>
    where
        S: StorageMut<T, Dev>,
    {
        use rayon::iter::IntoParallelIterator;
        unwrap_or_panic(self.try_chunks_mut(axis, len)).collect::<Vec<_>>().into_par_iter()
    }
}

/// Returns an empty list with capacity for `count` views or ranges.
fn reserved<V>(count: usize) -> Result<Vec<V>, Error> {
    let mut views = Vec::new();
    match views.try_reserve_exact(count) {
        Ok(()) => Ok(views),
        Err(_) => {
            let bytes = count.saturating_mul(size_of::<V>());
            Err(Error::OutOfMemory { device: Cpu.name(), bytes })
        }
    }
}

/// Collects views in a list.
///
/// # Errors
/// If the allocation of the list fails.
pub(crate) fn collected<V>(views: impl ExactSizeIterator<Item = V>) -> Result<Vec<V>, Error> {
    let mut list = reserved(views.len())?;
    list.extend(views);
    Ok(list)
}

/// Returns the extent of each part if an axis is split into `parts` equal parts.
///
/// # Errors
/// If the extent is not a multiple of `parts`, or `parts` is 0.
pub(crate) fn equal_parts(shape: &[usize], axis: usize, extent: usize, parts: usize) -> Result<usize, Error> {
    if extent.is_multiple_of(parts) && parts > 0 {
        return Ok(extent / parts);
    }
    let reason = format!(
        "axis {axis} of shape {shape:?} is not divisible into {parts} parts; pass a divisor of {extent}, or use `chunks` or `split_at_each`"
    );
    Err(Error::Argument { op: "split", reason })
}

/// Returns the ranges of indices before the first position, between neighbouring positions, and from the last position on.
///
/// # Errors
/// If a position is out of range, or less than the position before it, or if the allocation of the list fails.
pub(crate) fn ranges_between(
    shape: &[usize],
    axis: usize,
    extent: usize,
    positions: &[impl IndexNumber],
) -> Result<Vec<Range<usize>>, Error> {
    let mut ranges = reserved(positions.len().saturating_add(1))?;
    let mut start = 0;
    for &position in positions {
        let end = from_start(position, extent);
        if end < start || end > extent {
            let given: Vec<_> = positions.iter().map(|position| position.number()).collect();
            let reason = format!(
                "the positions {given:?} along axis {axis} of shape {shape:?} must be in ascending order and at most {extent}"
            );
            return Err(Error::Argument { op: "split", reason });
        }
        ranges.push(start..end);
        start = end;
    }
    ranges.push(start..extent);
    Ok(ranges)
}

/// Returns the number of chunks of `len` indices along an axis of this extent.
///
/// # Errors
/// If `len` is 0.
pub(crate) fn chunk_count(extent: usize, len: usize) -> Result<usize, Error> {
    if len > 0 {
        return Ok(extent.div_ceil(len));
    }
    Err(Error::Argument {
        op: "cut into chunks",
        reason: "the length of a chunk is 0; it must be at least 1".into(),
    })
}
