//! Lists of positions in host memory: borrowed as `i64`, or copied to a device. A position is an index along an axis.

use super::capability::Same;
use super::cpu::{Cpu, CpuBuffer};
use super::{Device, via_host};
use crate::error::Error;

/// Names of the operations that check positions, for error messages.
pub(crate) const TAKE: &str = "take";
pub(crate) const SCATTER: &str = "scatter";
pub(crate) const CHECK: &str = "check positions";

/// Borrows positions as `i64`. Returns `None` if `isize` has another size or alignment than `i64`.
pub(crate) fn isize_as_i64(list: &[isize]) -> Option<&[i64]> {
    if size_of::<isize>() != size_of::<i64>() || align_of::<isize>() != align_of::<i64>() {
        return None;
    }
    // SAFETY: both types are signed integers of the same size and alignment, as was checked, so all bytes are valid. The slice has the
    // lifetime of the list.
    Some(unsafe { core::slice::from_raw_parts(list.as_ptr().cast(), list.len()) })
}

/// Borrows a list of positions as numbers of type `i64` with the same bits. Returns `None` if `usize` has another size or alignment than
/// `i64`. Positions that exceed the maximum of `i64` are negative in the result.
pub(crate) fn usize_as_i64(list: &[usize]) -> Option<&[i64]> {
    if size_of::<usize>() != size_of::<i64>() || align_of::<usize>() != align_of::<i64>() {
        return None;
    }
    // SAFETY: both types are integers of the same size and alignment, as was checked, so all bytes are valid. The slice has the lifetime
    // of the list.
    Some(unsafe { core::slice::from_raw_parts(list.as_ptr().cast(), list.len()) })
}

/// Copies numbers to a new buffer of `len` elements on the device.
///
/// # Errors
/// If an allocation fails, or if the device reports an error.
pub(crate) fn upload<Dev: Device>(
    len: usize,
    numbers: impl Iterator<Item = i64>,
    device: &Dev,
) -> Result<Dev::Buffer<i64>, Error> {
    let fill = |to: &mut [i64]| to.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
    if let Some(same) = Same::of(&Cpu, device) {
        // `CpuBuffer::any` can reuse a buffer of the pool. In new memory, the system would clear each page on the first access.
        let mut buffer = CpuBuffer::any(len)?;
        fill(buffer.as_mut_slice());
        return Ok(same.buffer(buffer));
    }
    let mut data = via_host::zeros(len)?;
    fill(&mut data);
    device.adopt(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_borrowed_if_they_have_64_bits() {
        if cfg!(target_pointer_width = "64") {
            assert_eq!(usize_as_i64(&[3, 0, usize::MAX]), Some(&[3, 0, -1][..]));
            assert_eq!(isize_as_i64(&[3, -1]), Some(&[3, -1][..]));
        } else {
            assert_eq!((usize_as_i64(&[3]), isize_as_i64(&[3])), (None, None));
        }
    }
}
