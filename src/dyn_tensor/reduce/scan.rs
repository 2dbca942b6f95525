//! Cumulative sums, products and extrema of dynamic tensors.

use super::statistics::number;
use crate::device::op::checked::{CheckedAdd, CheckedMul};
use crate::device::{BinaryOp, Reduce};
use crate::dispatch;
use crate::dyn_tensor::operand::{allocate_with, device_of, elements, lacking, needs, on_device};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, Element};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op;
use crate::rank::{IndexNumber, from_start};

fn scan<T: Element, Dev: Reduce<T>, F: BinaryOp<T, T, Output = T>>(
    op: F,
    x: DynView<'_>,
    axis: usize,
) -> Result<DynTensor, Error> {
    let from = x.layout().move_last("accumulate", &[axis], true)?;
    let layout = Layout::contiguous(x.shape(), x.order().is_row_major());
    let to = layout.move_last("accumulate", &[axis], true)?;
    let (device, operand) = (device_of::<Dev>(&x), elements::<T, Dev>(&x).with_axes(from.axes(), 0));
    allocate_with(device, layout, x.order(), &mut |out| device.scan(&op, out.in_layout(&to), operand))
}

macro_rules! scans {
    ($($(#[$doc:meta])* $method:ident, $Op:expr, $bound:ident, $need:ident, $expected:literal;)*) => {$(
        // This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
        // `precompiled-dyn`, this crate does.
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        fn $method(x: DynView<'_>, axis: usize) -> Result<DynTensor, Error> {
            on_device!("accumulate", x, Dev => dispatch!(
                x.dtype(),
                T: $bound => scan::<T, Dev, _>($Op, x, axis),
                else => Err(lacking("accumulate", x.dtype(), needs::$need))
            ))
        }

        impl<S: DynData> DynTensor<S> {
            $(#[$doc])*
            ///
            /// # Errors
            /// * If the axis is out of range.
            /// * If the elements are not numbers. Cumulative maxima and minima need real numbers.
            /// * If a sum or product of integers overflows (of 64 bits: only in builds with debug assertions).
            /// * If the device allocation fails.
            ///
            /// ```
            /// use vierbein::{DynTensor, tensor};
            /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
            #[doc = concat!("assert_eq!(x.", stringify!($method), "(1)?.downcast_ref()?, tensor!", $expected, ");")]
            /// # Ok::<(), vierbein::Error>(())
            /// ```
            pub fn $method(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
                $method(self.look(), from_start(axis, self.rank()))
            }
        }
    )*};
}
scans! {
    /// Returns the cumulative sum along an axis.
    cumsum, CheckedAdd, Scalar, NUMBERS, "[[1, 3, 6], [4, 9, 15]]";
    /// Returns the cumulative product along an axis.
    cumprod, CheckedMul, Scalar, NUMBERS, "[[1, 2, 6], [4, 20, 120]]";
    /// Returns the cumulative maximum along an axis. From a NaN on, results are NaN.
    cummax, op::Maximum, RealScalar, ORDER, "[[1, 2, 3], [4, 5, 6]]";
    /// Returns the cumulative minimum along an axis. From a NaN on, results are NaN.
    cummin, op::Minimum, RealScalar, ORDER, "[[1, 1, 1], [4, 4, 4]]";
}

impl<S: DynData> DynTensor<S> {
    /// Returns the cumulative sums along an axis, with zero in place of each NaN. A complex number with a NaN part counts as zero. Copies the
    /// tensor.
    ///
    /// # Errors
    /// If the axis is out of range, the elements are not floating-point or complex numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.0, f64::NAN, 2.0]);
    /// assert_eq!(x.nan_cumsum(0)?.downcast_ref()?, tensor![1.0, 1.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_cumsum(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        without_nan(self.look(), from_start(axis, self.rank()), 0.0)?.cumsum(axis)
    }

    /// Returns the cumulative products along an axis, with one in place of each NaN. A complex number with a NaN part counts as one. Copies
    /// the tensor.
    ///
    /// # Errors
    /// If the axis is out of range, the elements are not floating-point or complex numbers, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3.0, f64::NAN, 2.0]);
    /// assert_eq!(x.nan_cumprod(0)?.downcast_ref()?, tensor![3.0, 3.0, 6.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_cumprod(&self, axis: impl IndexNumber) -> Result<DynTensor, Error> {
        without_nan(self.look(), from_start(axis, self.rank()), 1.0)?.cumprod(axis)
    }
}

/// Returns a copy with a number in place of each NaN. Checks the axis before it allocates memory.
fn without_nan(x: DynView<'_>, axis: usize, by: f64) -> Result<DynTensor, Error> {
    x.layout().axes().check_axis("accumulate", axis)?;
    if matches!(x.dtype(), DType::F32 | DType::F64 | DType::C32 | DType::C64) {
        return x.is_nan()?.select(number(by, x.dtype()), x);
    }
    Err(lacking("accumulate", x.dtype(), needs::INEXACT))
}
