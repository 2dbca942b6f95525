//! The parts of operations that do not depend on the types of ranks and memory orders, which are values here.
//!
//! The functions of this module compute shapes, choose kernels, and call the device. The methods of tensors (`ops/`, `einsum/`) check ranks and
//! allocate results.

#![forbid(unsafe_code)]

pub(crate) mod contract;
pub(crate) mod copy;
#[cfg(feature = "linalg")]
pub(crate) mod decompose;
pub(crate) mod elementwise;
#[cfg(feature = "linalg")]
pub(crate) mod factorise;
#[cfg(feature = "fft")]
pub(crate) mod fourier;
pub(crate) mod gemm;
pub(crate) mod reduce;
pub(crate) mod select;
pub(crate) mod sort;

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
