//! Operations without rank and memory order in their types, which both faces call: the typed one (`ops/`, `einsum/`) and the
//! dynamic one (`dyn_tensor/`). They take operands and outputs, choose the kernels, and call the device. The faces allocate the
//! results.

#![forbid(unsafe_code)]

pub(crate) mod contract;
pub(crate) mod elementwise;
pub(crate) mod matmul;
pub(crate) mod reduce;

use crate::device::Device;
use crate::error::Error;

/// Checks that two operands live on the same instance of their device.
///
/// # Errors
/// [`Error::DeviceInstanceMismatch`] if they do not.
#[inline]
pub(crate) fn same_instance<Dev: Device>(op: &'static str, left: &Dev, right: &Dev) -> Result<(), Error> {
    if left.same_instance(right) {
        return Ok(());
    }
    Err(Error::DeviceInstanceMismatch { op, left: format!("{left:?}"), right: format!("{right:?}") })
}
