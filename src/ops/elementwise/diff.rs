//! Differences of neighbouring elements: `diff`.

use super::compute::{binary, binary_into, check_out};
use crate::axis::AxisArg;
use crate::device::{Copy, Device, Elementwise};
use crate::element::{Element, Scalar};
use crate::error::{Error, fallible};
use crate::ops::op::Sub;
use crate::order::Order;
use crate::rank::{Broadcast, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, ViewOf};

const DIFF: &str = "take differences";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the differences of neighbouring elements along an axis: `x[i + 1] - x[i]`. If `times` is 2, returns the differences of these
    /// differences, and so on. If `times` is 0, returns a copy. Each time, the extent of the axis becomes smaller by one, until it is 0.
    ///
    /// # Errors
    /// If the axis is out of range, an integer result overflows in a build with debug assertions, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 4, 8].diff(0, 1), tensor![1, 2, 4]);
    /// assert_eq!(tensor![1, 2, 4, 8].diff(0, 2), tensor![1, 2]);
    /// ```
    #[fallible]
    pub fn diff<A: AxisArg<D>>(&self, axis: A, times: usize) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T> + Copy<T>,
    {
        let mut out =
            Tensor::allocate(self.differences(axis.index(self.rank()), times)?, self.device().clone())?;
        self.write_differences(axis.index(self.rank()), times, &mut out)?;
        Ok(out)
    }

    /// [`diff`](Tensor::diff) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the axis is out of range, or `out` does not have the result's shape or is on another instance of the device: `out` is
    ///   unchanged.
    /// * If an integer result overflows in a build with debug assertions, or an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![1, 2, 4, 8].diff_into(0, 1, &mut out);
    /// assert_eq!(out, tensor![1, 2, 4]);
    /// ```
    #[fallible]
    pub fn diff_into<A: AxisArg<D>, S2>(&self, axis: A, times: usize, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: Scalar,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T> + Copy<T>,
        S2: StorageMut<T, Dev>,
    {
        let shape = self.differences(axis.index(self.rank()), times)?;
        check_out(DIFF, shape.as_ref(), self.device(), out)?;
        self.write_differences(axis.index(self.rank()), times, out)
    }

    /// Returns the shape of the differences.
    ///
    /// # Errors
    /// If the axis is out of range.
    fn differences(&self, axis: usize, times: usize) -> Result<D::Shape, Error> {
        self.axes().check_axis(DIFF, axis)?;
        let mut shape = self.shape();
        let extent = &mut shape.as_mut()[axis];
        *extent = extent.saturating_sub(times);
        Ok(shape)
    }

    /// Writes the differences to `out`, which must have their shape.
    fn write_differences<S2: StorageMut<T, Dev>>(
        &self,
        axis: usize,
        times: usize,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T> + Copy<T>,
    {
        // The last of these passes writes to `out`. After one pass for each element, there are no elements left.
        match times.min(self.shape().as_ref()[axis].max(1)) {
            0 => out.try_assign(self),
            1 => {
                let [next, previous] = neighbours(self, axis);
                binary_into(Sub, &next, &previous, out)
            }
            times => {
                let [next, previous] = neighbours(self, axis);
                binary(Sub, &next, &previous)?.write_differences(axis, times - 1, out)
            }
        }
    }
}

/// Returns all elements but the first ones along the axis, and all but the last ones.
fn neighbours<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>>(
    x: &Tensor<T, D, O, Dev, S>,
    axis: usize,
) -> [ViewOf<'_, T, D, O, Dev, S>; 2] {
    let extent = x.shape().as_ref()[axis];
    [x.range(axis, extent.min(1)..extent), x.range(axis, 0..extent.saturating_sub(1))]
}
