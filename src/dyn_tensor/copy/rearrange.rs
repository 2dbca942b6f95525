//! Dynamic tensors: copies with shifted, repeated or padded elements (`roll`, `tile`, `repeat`, `pad`), triangles of matrices, and
//! differences.

use crate::device::Copy;
use crate::dispatch;
use crate::dyn_tensor::operand::{allocate_with, device_of, elements, on_device, scalar_beside, scalar_for};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::view::shape::axes_of;
use crate::element::Element;
use crate::engine::copy::join::Triangle;
use crate::engine::copy::pieces::Pad;
use crate::engine::copy::rearrange::{Counts, Rearrangement};
use crate::error::Error;
use crate::layout::Layout;
use crate::rank::{IndexNumber, MAX_RANK, from_start};

/// Writes a rearrangement of `x` to a new tensor. `x` must have element type `T` and be on `Dev`. `scalar` is the value of the elements
/// that are not copied from `x`, if the rearrangement has such elements.
fn rearranged<T: Element, Dev: Copy<T>>(
    x: DynView<'_>,
    rearrangement: &Rearrangement,
    scalar: Option<DynView<'_>>,
    shape: &[usize],
) -> Result<DynTensor, Error> {
    let (device, order) = (device_of::<Dev>(&x), x.order());
    let row_major = order.is_row_major();
    allocate_with(device, Layout::contiguous(shape, row_major), order, &mut |out| {
        let scalar = scalar.as_ref().map(elements::<T, Dev>);
        rearrangement.write(device, row_major, elements::<T, Dev>(&x), scalar, out)
    })
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn write(
    op: &'static str,
    x: DynView<'_>,
    rearrangement: &Rearrangement,
    scalar: Option<DynView<'_>>,
    shape: &[usize],
) -> Result<DynTensor, Error> {
    on_device!(op, x, Dev => dispatch!(x.dtype(), T => rearranged::<T, Dev>(x, rearrangement, scalar, shape)))
}

/// Returns a rearranged copy of `x`. `rearrange` gets the shape of `x`, overwrites it with the shape of the result, and returns the
/// rearrangement.
fn copied<S: DynData>(
    op: &'static str,
    x: &DynTensor<S>,
    rearrange: impl FnOnce(&mut [usize]) -> Result<Rearrangement, Error>,
) -> Result<DynTensor, Error> {
    let mut shape = [0; MAX_RANK];
    let shape = &mut shape[..x.rank()];
    shape.copy_from_slice(x.shape());
    let rearrangement = rearrange(shape)?;
    write(op, x.look(), &rearrangement, None, shape)
}

fn triangle<S: DynData>(
    op: &'static str,
    x: &DynTensor<S>,
    kept: Triangle,
    k: isize,
) -> Result<DynTensor, Error> {
    if x.rank() < 2 {
        let reason = format!("a tensor of rank {} has no matrices; the rank must be at least 2", x.rank());
        return Err(Error::UnsupportedRank { op, reason });
    }
    let zero = scalar_beside(op, x.look(), DynScalar::zero(x.dtype()))?;
    write(op, x.look(), &Rearrangement::Triangle(kept, k), Some(zero.look()), x.shape())
}

impl<S: DynData> DynTensor<S> {
    /// Returns a copy whose elements are shifted by `by[k]` along `axes[k]`: the element at index `i` moves to index `i + by[k]`, modulo
    /// the extent.
    ///
    /// # Errors
    /// If an axis is out of range, the numbers of axes and shifts differ, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3, 4]);
    /// assert_eq!(x.roll(&[0], &[1])?.downcast_ref()?, tensor![4, 1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn roll(&self, axes: &[impl IndexNumber], by: &[isize]) -> Result<DynTensor, Error> {
        let axes = axes_of(axes, self.rank());
        copied("roll", self, |shape| Rearrangement::roll(shape, &axes, by))
    }

    /// Returns a tensor that consists of copies of this tensor: `counts[k]` of them along axis `k`.
    ///
    /// # Errors
    /// If there is not one count for each axis, the result exceeds the address space, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2]);
    /// assert_eq!(x.tile(&[2])?.downcast_ref()?, tensor![1, 2, 1, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn tile(&self, counts: &[usize]) -> Result<DynTensor, Error> {
        copied("tile", self, |shape| Rearrangement::tile(shape, counts))
    }

    /// Returns a tensor in which the elements at each index of an axis are repeated `count` times.
    ///
    /// # Errors
    /// If the axis is out of range, the result exceeds the address space, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2]);
    /// assert_eq!(x.repeat(0, 2)?.downcast_ref()?, tensor![1, 1, 2, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn repeat(&self, axis: impl IndexNumber, count: usize) -> Result<DynTensor, Error> {
        let axis = from_start(axis, self.rank());
        copied("repeat", self, |shape| Rearrangement::repeat(shape, axis, Counts::All(count)))
    }

    /// Returns a tensor in which the elements at index `i` of an axis are repeated `counts[i]` times.
    ///
    /// # Errors
    /// If the axis is out of range, there is not one count for each of its indices, a count is negative, the result exceeds the address
    /// space, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3]);
    /// assert_eq!(x.repeat_each(0, &[2, 0, 1])?.downcast_ref()?, tensor![1, 1, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn repeat_each(
        &self,
        axis: impl IndexNumber,
        counts: &[impl IndexNumber],
    ) -> Result<DynTensor, Error> {
        let axis = from_start(axis, self.rank());
        copied("repeat", self, |shape| {
            Rearrangement::repeat(shape, axis, Counts::each(counts.iter().copied())?)
        })
    }

    /// Returns a copy with additional elements at both ends of each axis. `widths[k]` is the number of elements `(before, after)` along
    /// axis `k`, and [`Pad`] determines their values.
    ///
    /// # Errors
    /// * If the number of pairs of widths differs from the rank, or a constant has another type than the elements.
    /// * If an axis with extent 0 would be padded with its own elements.
    /// * If the result exceeds the address space, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, Pad, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3]);
    /// assert_eq!(x.pad(&[(1, 1)], Pad::Constant(0.into()))?.downcast_ref()?, tensor![0, 1, 2, 3, 0]);
    /// assert_eq!(x.pad(&[(2, 0)], Pad::Wrap)?.downcast_ref()?, tensor![2, 3, 1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn pad(&self, widths: &[(usize, usize)], how: Pad<DynScalar>) -> Result<DynTensor, Error> {
        const OP: &str = "pad";
        let constant = match how {
            Pad::Constant(value) => Some(scalar_for(OP, self.look(), value)?),
            _ => None,
        };
        let mut shape = [0; MAX_RANK];
        let shape = &mut shape[..self.rank()];
        shape.copy_from_slice(self.shape());
        let widths = widths.iter().map(|&(before, after)| [before, after]).collect();
        let rearrangement = Rearrangement::pad(shape, widths, how.kind(), self.dtype().size())?;
        write(OP, self.look(), &rearrangement, constant.as_ref().map(DynTensor::look), shape)
    }

    /// Returns the lower triangle of each matrix: the elements up to diagonal `k`, and zeros above it. In row-major order, the last two
    /// axes are those of the matrices; in column-major order, the first two.
    ///
    /// # Errors
    /// If the rank is below 2, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.tril(0)?.downcast_ref()?, tensor![[1, 0], [3, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn tril(&self, k: isize) -> Result<DynTensor, Error> {
        triangle("tril", self, Triangle::Lower, k)
    }

    /// Returns the upper triangle of each matrix: the elements from diagonal `k` on, and zeros below it. See [`tril`](DynTensor::tril).
    ///
    /// # Errors
    /// If the rank is below 2, or the device allocation fails.
    pub fn triu(&self, k: isize) -> Result<DynTensor, Error> {
        triangle("triu", self, Triangle::Upper, k)
    }

    /// Returns the differences of neighbouring elements along an axis. If `times` is more than 1, the differences of the previous result
    /// are computed again, `times` times in all. If `times` is 0, the result is a copy.
    ///
    /// # Errors
    /// * If the axis is out of range, or the elements are not numbers.
    /// * If an integer result overflows in a build with debug assertions.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 4, 8]);
    /// assert_eq!(x.diff(0, 2)?.downcast_ref()?, tensor![1, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn diff(&self, axis: impl IndexNumber, times: usize) -> Result<DynTensor, Error> {
        let axis = from_start(axis, self.rank());
        self.layout().axes().check_axis("take differences", axis)?;
        let mut result = self.to_owned()?;
        for _ in 0..times.min(self.shape()[axis].max(1)) {
            let extent = result.shape()[axis];
            let from_second = result.range(axis, extent.min(1)..extent);
            result = from_second.try_sub(result.range(axis, 0..extent.saturating_sub(1)))?;
        }
        Ok(result)
    }
}
