//! Operations without rank and memory order in their types, which both faces call: the typed one (`ops/`, `einsum/`) and the
//! dynamic one (`dyn_tensor/`). They take operands and outputs, find out how to compute, and ask the device. Allocating a result is
//! left to the face.

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
/// [`Error::Devices`] if not.
#[inline]
pub(crate) fn same_instance<Dev: Device>(op: &'static str, left: &Dev, right: &Dev) -> Result<(), Error> {
    if left.same_instance(right) {
        return Ok(());
    }
    Err(Error::Devices { op, left: format!("{left:?}"), right: format!("{right:?}") })
}
