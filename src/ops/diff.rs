//! Differences of neighbouring elements: `diff`.

use super::compute::binary;
use super::op::Sub;
use crate::axis::AxisArg;
use crate::device::{Device, Elementwise, Permute};
use crate::element::{Element, Scalar};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Broadcast, Dim};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the differences of neighbouring elements along an axis: `x[i + 1] - x[i]`. If `times` is 2, returns the differences of these
    /// differences, and so on. If `times` is 0, returns a copy. Each time, the extent of the axis becomes smaller by one, until it is 0.
    ///
    /// # Panics
    /// If the axis is out of range, an integer result overflows in a build with debug assertions, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 4, 8].diff(0, 1), tensor![1, 2, 4]);
    /// assert_eq!(tensor![1, 2, 4, 8].diff(0, 2), tensor![1, 2]);
    /// ```
    #[track_caller]
    pub fn diff<A: AxisArg<D>>(&self, axis: A, times: usize) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T> + Permute<T>,
    {
        unwrap_or_panic(self.try_diff(axis, times))
    }

    /// Fallible variant of [`diff`](Tensor::diff).
    ///
    /// # Errors
    /// For the reasons for which `diff` panics.
    pub fn try_diff<A: AxisArg<D>>(&self, axis: A, times: usize) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Scalar,
        D: Broadcast<D, Common = D>,
        Dev: Elementwise<T> + Permute<T>,
    {
        let axis = axis.index();
        self.axes().check_axis("take differences", axis)?;
        if times == 0 {
            return self.try_to_owned();
        }
        let mut result = differences(self, axis)?;
        for _ in 1..times.min(self.shape().as_ref()[axis].max(1)) {
            result = differences(&result, axis)?;
        }
        Ok(result)
    }
}

fn differences<T, D, O, Dev, S>(
    x: &Tensor<T, D, O, Dev, S>,
    axis: usize,
) -> Result<Tensor<T, D, O, Dev>, Error>
where
    T: Scalar,
    D: Dim + Broadcast<D, Common = D>,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
{
    let extent = x.shape().as_ref()[axis];
    let last = extent.saturating_sub(1);
    binary(Sub, &x.range(axis, extent.min(1)..extent), &x.range(axis, 0..last))
}
