//! Cumulative sums and products along an axis.

use crate::axis::AxisArg;
use crate::device::op::checked::{CheckedAdd, CheckedMul};
use crate::device::{BinaryOp, Device, Elementwise, Reduce, wide};
use crate::element::{Element, Inexact, Scalar};
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::ops::elementwise::compute::check_out;
use crate::ops::select::FillMasked;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the cumulative sums along an axis.
    ///
    /// On the host, the elements are added sequentially. So the error of the n-th cumulative sum grows as O(n · ε), whereas the error of
    /// a [`sum`](Tensor::sum) of n elements grows as O(log n · ε).
    ///
    /// # Errors
    /// If the axis is out of range, an integer sum overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2, 3], [4, 5, 6]].cumsum(1), tensor![[1, 3, 6], [4, 9, 15]]);
    /// ```
    #[fallible]
    pub fn cumsum<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Reduce<T>,
    {
        self.scanned(CheckedAdd, axis.index(self.rank()))
    }

    /// Returns the cumulative products along an axis.
    ///
    /// # Errors
    /// If the axis is out of range, an integer product overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3, 4].cumprod(0), tensor![1, 2, 6, 24]);
    /// ```
    #[fallible]
    pub fn cumprod<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Reduce<T>,
    {
        self.scanned(CheckedMul, axis.index(self.rank()))
    }

    /// Returns the cumulative sums along an axis, with zero in place of each NaN. A complex number with a NaN part counts as zero. Copies the
    /// tensor.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nan_cumsum(0), tensor![1.0, 1.0, 3.0]);
    /// ```
    #[fallible]
    pub fn nan_cumsum<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        Dev: Reduce<T> + Elementwise<T>,
    {
        self.without_nan(T::zero())?.try_cumsum(axis)
    }

    /// Returns the cumulative products along an axis, with one in place of each NaN. A complex number with a NaN part counts as one. Copies
    /// the tensor.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![3.0, f64::NAN, 2.0].nan_cumprod(0), tensor![3.0, 3.0, 6.0]);
    /// ```
    #[fallible]
    pub fn nan_cumprod<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        Dev: Reduce<T> + Elementwise<T>,
    {
        self.without_nan(T::one())?.try_cumprod(axis)
    }

    /// Returns a copy with another value in place of each NaN.
    fn without_nan(&self, value: T) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Reduce<T> + Elementwise<T>,
    {
        let mask = self.try_is_nan()?;
        Tensor::allocate_with(self.shape(), self.device().clone(), |out, device| {
            let operands = (self.operand(), mask.operand());
            wide::map::<D, (T, bool), _, _>(&FillMasked(value), device, out, operands)
        })
    }

    /// [`cumsum`](Tensor::cumsum) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device, or the axis is out of range: `out` is unchanged.
    /// * If an integer sum overflows (of 64 bits: only in builds with debug assertions): `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[1, 2], [3, 4]].cumsum_into(0, &mut out);
    /// assert_eq!(out, tensor![[1, 2], [4, 6]]);
    /// ```
    #[fallible]
    pub fn cumsum_into<A: AxisArg<D>, S2>(&self, axis: A, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: Scalar,
        Dev: Reduce<T>,
        S2: StorageMut<T, Dev>,
    {
        self.scan_into(CheckedAdd, axis.index(self.rank()), out)
    }

    /// [`cumprod`](Tensor::cumprod) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device, or the axis is out of range: `out` is unchanged.
    /// * If an integer product overflows (of 64 bits: only in builds with debug assertions): `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[1, 2], [3, 4]].cumprod_into(0, &mut out);
    /// assert_eq!(out, tensor![[1, 2], [3, 8]]);
    /// ```
    #[fallible]
    pub fn cumprod_into<A: AxisArg<D>, S2>(&self, axis: A, out: &mut Tensor<T, D, O, Dev, S2>)
    where
        T: Scalar,
        Dev: Reduce<T>,
        S2: StorageMut<T, Dev>,
    {
        self.scan_into(CheckedMul, axis.index(self.rank()), out)
    }

    pub(crate) fn scanned<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: F,
        axis: usize,
    ) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        Dev: Reduce<T>,
    {
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        self.scan_into(op, axis, &mut out)?;
        Ok(out)
    }

    pub(crate) fn scan_into<F: BinaryOp<T, T, Output = T>, S2: StorageMut<T, Dev>>(
        &self,
        op: F,
        axis: usize,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        Dev: Reduce<T>,
    {
        const NAME: &str = "accumulate";
        let (mut shape, mut from, mut to) =
            (D::shape(self.rank()), D::strides(self.rank()), D::strides(self.rank()));
        self.axes().move_last(NAME, &[axis], O::ROW_MAJOR, AxesMut::new(shape.as_mut(), from.as_mut()))?;
        check_out(NAME, self.shape().as_ref(), self.device(), out)?;
        out.axes().move_last(NAME, &[axis], O::ROW_MAJOR, AxesMut::new(shape.as_mut(), to.as_mut()))?;
        let (output, device) = out.output_with_axes(Axes::new(shape.as_ref(), to.as_ref()), 0);
        let operand = self.operand_with_axes(Axes::new(shape.as_ref(), from.as_ref()), 0);
        wide::scan::<D, _, _, _>(&op, device, output, operand)
    }
}
