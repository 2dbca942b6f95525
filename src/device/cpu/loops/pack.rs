//! Elements of any type, moved by their size between rows with gaps and rows without.

use crate::device::cpu::kernels::copy::transpose_tile;
use crate::element::{Element, c32, c64};

/// A function by the size of elements, with the conditions of whoever calls it: of each size the type that needs the least
/// alignment.
macro_rules! by_size {
    ($size:expr, $f:ident($($argument:expr),*)) => {
        match $size {
            1 => by_size!(@ $f::<u8>($($argument),*)),
            2 => by_size!(@ $f::<u16>($($argument),*)),
            4 => by_size!(@ $f::<u32>($($argument),*)),
            8 => by_size!(@ $f::<c32>($($argument),*)),
            16 => by_size!(@ $f::<c64>($($argument),*)),
            _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
        }
    };
    (@ $call:expr) => {
        // SAFETY: the caller's.
        unsafe { $call }
    };
}

/// One element, `n` times.
///
/// # Safety
/// The element of `size` bytes at `from` may be read, `n` such at `to` may be written.
pub(in crate::device::cpu) unsafe fn repeat(size: usize, from: *const u8, to: *mut u8, n: usize) {
    /// # Safety
    /// As the function around it.
    unsafe fn repeat<T: Element>(from: *const u8, to: *mut u8, n: usize) {
        // SAFETY: the caller's.
        let value = unsafe { from.cast::<T>().read() };
        // SAFETY: the caller's.
        unsafe { core::slice::from_raw_parts_mut(to.cast::<T>(), n) }.fill(value);
    }
    by_size!(size, repeat(from, to, n))
}

/// `n` elements `stride` apart, side by side.
///
/// # Safety
/// The elements of `size` bytes may be read at `from` and written at `to`, which do not overlap.
pub(in crate::device::cpu) unsafe fn gather(
    size: usize,
    from: *const u8,
    stride: isize,
    to: *mut u8,
    n: usize,
) {
    if stride == 1 {
        // SAFETY: the caller's.
        return unsafe { core::ptr::copy_nonoverlapping(from, to, n * size) };
    }
    /// # Safety
    /// As the function around it.
    unsafe fn gather<T: Element>(from: *const u8, stride: isize, to: *mut u8, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for i in 0..n {
            let (from, to) = (from.wrapping_offset(i as isize * stride), to.wrapping_add(i));
            // SAFETY: the caller's; `i < n`.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
    }
    by_size!(size, gather(from, stride, to, n))
}

/// `n` elements side by side, to where they are `stride` apart.
///
/// # Safety
/// As [`gather`].
pub(in crate::device::cpu) unsafe fn scatter(
    size: usize,
    from: *const u8,
    to: *mut u8,
    stride: isize,
    n: usize,
) {
    if stride == 1 {
        // SAFETY: the caller's.
        return unsafe { core::ptr::copy_nonoverlapping(from, to, n * size) };
    }
    /// # Safety
    /// As the function around it.
    unsafe fn scatter<T: Element>(from: *const u8, to: *mut u8, stride: isize, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for i in 0..n {
            let (from, to) = (from.wrapping_add(i), to.wrapping_offset(i as isize * stride));
            // SAFETY: the caller's; `i < n`.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
    }
    by_size!(size, scatter(from, to, stride, n))
}

/// Rows whose columns are side by side, to rows that are: `to[r][c] = from[c][r]`, `shape` of them.
///
/// # Safety
/// The elements of `size` bytes may be read at `from` and written at `to`, which do not overlap.
pub(in crate::device::cpu) unsafe fn transpose(
    size: usize,
    from: *const u8,
    from_stride: isize,
    to: *mut u8,
    to_stride: isize,
    [rows, columns]: [usize; 2],
) {
    /// # Safety
    /// As the function around it.
    unsafe fn tile<T: Element>(
        from: *const u8,
        from_stride: isize,
        to: *mut u8,
        to_stride: isize,
        rows: usize,
        columns: usize,
    ) {
        // SAFETY: the caller's.
        unsafe { transpose_tile(from.cast::<T>(), from_stride, to.cast::<T>(), to_stride, rows, columns) }
    }
    by_size!(size, tile(from, from_stride, to, to_stride, rows, columns))
}
