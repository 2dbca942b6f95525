//! Traces of dynamic tensors: sums of diagonals.

use crate::device::Reduce;
use crate::dispatch;
use crate::dyn_tensor::operand::{allocate_with, device_of, elements, lacking, needs, on_device};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op;
use crate::rank::{IndexNumber, from_start};

fn sum_diagonal<T: Scalar, Dev: Reduce<T>>(x: DynView<'_>, diagonal: &Layout) -> Result<DynTensor, Error> {
    let result = &diagonal.shape()[..diagonal.rank() - 1];
    let layout = Layout::contiguous(result, x.order().is_row_major());
    let (device, operand) = (
        device_of::<Dev>(&x),
        elements::<T, Dev>(&x).with_axes(diagonal.axes(), diagonal.offset() - x.layout().offset()),
    );
    allocate_with(device, layout, x.order(), &mut |out| device.reduce(&op::Sum, out, operand))
}

/// Returns the layout of a diagonal of two axes, with the diagonal as its last axis: the main one, for which the axes must agree in extent,
/// or diagonal `k`.
pub(crate) fn diagonal_of(x: DynView<'_>, a: usize, b: usize, k: Option<isize>) -> Result<Layout, Error> {
    if x.rank() < 2 {
        let reason = format!(
            "cannot remove 2 axes from a tensor of `Rank<{}>`: this needs a rank of at least 2",
            x.rank()
        );
        return Err(Error::UnsupportedRank { op: "trace", reason });
    }
    match k {
        None => x.layout().diagonal("trace", a, b),
        Some(k) => x.layout().diagonal_offset("trace", [a, b], k),
    }
}

/// Sums a diagonal of two axes: the main one, for which they must agree in extent, or diagonal `k`.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn trace(x: DynView<'_>, a: usize, b: usize, k: Option<isize>) -> Result<DynTensor, Error> {
    let diagonal = diagonal_of(x, a, b, k)?;
    on_device!("trace", x, Dev => dispatch!(
        x.dtype(),
        T: Scalar => sum_diagonal::<T, Dev>(x, &diagonal),
        else => Err(lacking("trace", x.dtype(), needs::NUMBERS))
    ))
}

impl<S: DynData> DynTensor<S> {
    /// Sums the elements whose indices along axes `a` and `b` are equal, and removes both axes. The elements are read through a
    /// view of the diagonal, without a copy.
    ///
    /// # Errors
    /// * If the rank is below 2, or an axis is out of range.
    /// * If `a` and `b` are the same axis, or differ in extent.
    /// * If the elements are not numbers.
    /// * If an integer sum overflows (of 64 bits: only in builds with debug assertions).
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.trace(0, 1)?.item()?, 5.into());
    /// assert_eq!(
    ///     x.index_axis(0, 0)?.trace(0, 1).unwrap_err().to_string(),
    ///     "trace: cannot remove 2 axes from a tensor of `Rank<1>`: this needs a rank of at least 2"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn trace(&self, a: impl IndexNumber, b: impl IndexNumber) -> Result<DynTensor, Error> {
        trace(self.look(), from_start(a, self.rank()), from_start(b, self.rank()), None)
    }

    /// Sums diagonal `k` of axes `a` and `b`, which may differ in extent, and removes both axes. See
    /// [`Tensor::diagonal_offset`](crate::Tensor::diagonal_offset).
    ///
    /// # Errors
    /// * If the rank is below 2, an axis is out of range, or `a` and `b` are the same axis.
    /// * If the elements are not numbers.
    /// * If an integer sum overflows (of 64 bits: only in builds with debug assertions).
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.trace_offset(0, 1, 1)?.item()?, 8.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn trace_offset(
        &self,
        a: impl IndexNumber,
        b: impl IndexNumber,
        k: isize,
    ) -> Result<DynTensor, Error> {
        trace(self.look(), from_start(a, self.rank()), from_start(b, self.rank()), Some(k))
    }
}
