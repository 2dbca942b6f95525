//! The operations that typed tensors (`ops/`, `einsum/`) and dynamic tensors (`dyn_tensor/`) share. Ranks and memory orders are
//! values here, not types.
//!
//! The functions of this module compute shapes, choose kernels, and call the device. The callers allocate the results.

#![forbid(unsafe_code)]

pub(crate) mod choose;
pub(crate) mod contract;
pub(crate) mod convolve;
pub(crate) mod cross;
pub(crate) mod elementwise;
#[cfg(feature = "linalg")]
pub(crate) mod factorise;
#[cfg(feature = "fft")]
pub(crate) mod fft;
#[cfg(feature = "fft")]
pub(crate) mod fft_convolve;
pub(crate) mod interpolate;
pub(crate) mod join;
#[cfg(feature = "linalg")]
pub(crate) mod linalg;
pub(crate) mod matmul;
pub(crate) mod nan_quantile;
pub(crate) mod pieces;
pub(crate) mod rearrange;
pub(crate) mod reduce;
pub(crate) mod spacing;
#[cfg(feature = "linalg")]
pub(crate) mod truncation;
pub(crate) mod unique_slices;
pub(crate) mod weighted_quantile;
pub(crate) mod weights;

use crate::device::Device;
use crate::error::Error;

/// Checks that `left` and `right`, the devices of two operands, are the same instance.
///
/// # Errors
/// [`Error::DeviceInstanceMismatch`] if they are different instances.
#[inline]
pub(crate) fn same_instance<Dev: Device>(op: &'static str, left: &Dev, right: &Dev) -> Result<(), Error> {
    if left.same_instance(right) {
        return Ok(());
    }
    Err(Error::DeviceInstanceMismatch { op, left: format!("{left:?}"), right: format!("{right:?}") })
}
