//! Dynamic tensors: copies with shifted, repeated or padded elements (`roll`, `tile`, `repeat`, `pad`), triangles of matrices, and
//! differences.

use crate::dyn_tensor::operand::value_of;
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::{numbers, typed};
use crate::engine::copy::pieces::Pad;
use crate::error::Error;
use crate::rank::IndexNumber;

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
        typed!("roll", Element, (x = self.look(); axes: &[isize] = &numbers(axes), by: &[isize] = by) => x.try_roll_axes(axes, by))
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
        typed!("tile", Element, (x = self.look(); counts: &[usize] = counts) => x.try_tile(counts))
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
        typed!("repeat", Element, (x = self.look(); axis: isize = axis.number(), count: usize = count) => x.try_repeat(axis, count))
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
        typed!("repeat", Element, (x = self.look(); axis: isize = axis.number(), counts: &[isize] = &numbers(counts)) => x.try_repeat(axis, counts))
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
        typed!("pad", Element, (x = self.look(); widths: &[(usize, usize)] = widths, how: Pad<DynScalar> = how) => {
            x.try_pad(widths, how.try_map(|value| value_of::<T>("pad", value))?)
        })
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
        typed!("tril", Element, (x = self.look(); k: isize = k) => x.try_tril(k))
    }

    /// Returns the upper triangle of each matrix: the elements from diagonal `k` on, and zeros below it. See [`tril`](DynTensor::tril).
    ///
    /// # Errors
    /// If the rank is below 2, or the device allocation fails.
    pub fn triu(&self, k: isize) -> Result<DynTensor, Error> {
        typed!("triu", Element, (x = self.look(); k: isize = k) => x.try_triu(k))
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
        typed!("take differences", Scalar, (x = self.look(); axis: isize = axis.number(), times: usize = times) => x.try_diff(axis, times))
    }
}
