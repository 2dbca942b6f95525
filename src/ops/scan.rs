//! Running sums and products along an axis.

use super::arithmetic::{Add, Mul};
use crate::axis::AxisArg;
use crate::device::{BinaryOp, Device, Reduce};
use crate::element::{Element, Scalar};
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The sums of all elements up to each one along an axis.
    ///
    /// # Panics
    /// If the axis is out of range, an integer sum does not fit (debug assertions), or the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2, 3], [4, 5, 6]].cumsum(1), tensor![[1, 3, 6], [4, 9, 15]]);
    /// ```
    #[track_caller]
    pub fn cumsum<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Reduce<T>,
    {
        expect(self.try_cumsum(axis))
    }

    /// [`cumsum`](Tensor::cumsum) with a `Result`.
    ///
    /// # Errors
    /// If the axis is out of range, an integer sum does not fit (debug assertions), or the device has no memory left.
    pub fn try_cumsum<A: AxisArg<D>>(&self, axis: A) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Reduce<T>,
    {
        self.scanned(Add, axis.index())
    }

    /// The products of all elements up to each one along an axis.
    ///
    /// # Panics
    /// If the axis is out of range, an integer product does not fit (debug assertions), or the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3, 4].cumprod(0), tensor![1, 2, 6, 24]);
    /// ```
    #[track_caller]
    pub fn cumprod<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Reduce<T>,
    {
        expect(self.try_cumprod(axis))
    }

    /// [`cumprod`](Tensor::cumprod) with a `Result`.
    ///
    /// # Errors
    /// If the axis is out of range, an integer product does not fit (debug assertions), or the device has no memory left.
    pub fn try_cumprod<A: AxisArg<D>>(&self, axis: A) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Reduce<T>,
    {
        self.scanned(Mul, axis.index())
    }

    fn scanned<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: F,
        axis: usize,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        Dev: Reduce<T>,
    {
        let from = self.layout().move_last("accumulate", &[axis])?;
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        let to = out.layout().move_last("accumulate", &[axis])?;
        let (output, device) = out.output_in(&to);
        device.scan(&op, output, self.operand_in(&from))?;
        Ok(out)
    }
}
