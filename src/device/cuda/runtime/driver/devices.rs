//! The GPUs of this machine: their number and their names, and the driver's texts for errors.

use crate::device::cuda::runtime::libraries;
use crate::error::Error;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{DriverError, result};

/// Returns the name of the device type with this ordinal.
pub(in crate::device::cuda) fn name_of(ordinal: usize) -> String {
    format!("Cuda<{ordinal}>")
}

/// Counts the GPUs. If no GPU can be used, returns the reason.
pub(super) fn devices() -> Result<usize, String> {
    libraries::driver()?;
    let none = "the driver found no usable GPU; compute on `Cpu`";
    let failed = |error: DriverError| match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => none.to_string(),
        _ => format!("the driver could not be initialised: {}; compute on `Cpu`", describe(error)),
    };
    result::init().map_err(failed)?;
    match result::device::get_count().map_err(failed)? {
        count if count > 0 => Ok(count as usize),
        _ => Err(none.into()),
    }
}

/// Counts the GPUs. The error names the device `Cuda`, without an ordinal.
pub(in crate::device::cuda) fn count() -> Result<usize, Error> {
    devices().map_err(|reason| Error::DeviceUnavailable { device: "Cuda".into(), reason })
}

pub(super) fn no_such(ordinal: usize, count: usize) -> String {
    let there = match count {
        1 => "only `Cuda<0>`".to_string(),
        2 => "`Cuda<0>` and `Cuda<1>`".to_string(),
        _ => format!("`Cuda<0>` to `Cuda<{}>`", count - 1),
    };
    format!("there is no GPU {ordinal} on this machine, {there}")
}

/// Returns the driver's text for an error. Panics if the driver's library is missing.
pub(super) fn describe(error: DriverError) -> String {
    let text = error.error_string().map_or("unknown error".into(), |text| text.to_string_lossy());
    format!("{text} (CUDA error {})", error.0 as u32)
}
