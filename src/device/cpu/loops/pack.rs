//! Moves elements of any type, by their size, between strided and contiguous rows.

use crate::device::cpu::kernels::copy::transpose_tile;
use crate::element::{Element, c32, c64};
use crate::simd::kernel;

/// Calls a function with the type for a size of elements: of all types of the size, the one with the least alignment. The
/// function's conditions are those of the function around the call.
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
        // SAFETY: the function has the contract of the one around it, for a type of `$size` bytes; no element type of this size
        // has less alignment.
        unsafe { $call }
    };
}

/// Writes one element `n` times.
///
/// # Safety
/// The caller must ensure that the element of `size` bytes at `from` may be read, that it has exclusive access to `n` such
/// at `to`, and that pointers are aligned for an element type of this size.
pub(in crate::device::cpu) unsafe fn repeat(size: usize, from: *const u8, to: *mut u8, n: usize) {
    /// # Safety
    /// As the outer `repeat`, for the size of `T`.
    unsafe fn repeat<T: Element>(from: *const u8, to: *mut u8, n: usize) {
        // SAFETY: the element at `from` may be read and is aligned, as the caller ensures.
        let value = unsafe { from.cast::<T>().read() };
        // SAFETY: `n` elements at `to` may be written and are aligned, as the caller ensures; elements may have any bytes.
        unsafe { core::slice::from_raw_parts_mut(to.cast::<T>(), n) }.fill(value);
    }
    by_size!(size, repeat(from, to, n))
}

/// Copies `n` elements, `stride` elements apart at `from`, to contiguous ones at `to`.
///
/// # Safety
/// The caller must ensure that the `n` elements of `size` bytes may be read at `from` and written at `to`, and that they do not
/// overlap. Pointers need no alignment.
pub(in crate::device::cpu) unsafe fn gather(
    size: usize,
    from: *const u8,
    stride: isize,
    to: *mut u8,
    n: usize,
) {
    if stride == 1 {
        // SAFETY: with unit stride, `n · size` bytes on each side, which may be read and written and do not overlap.
        return unsafe { core::ptr::copy_nonoverlapping(from, to, n * size) };
    }
    /// # Safety
    /// As the outer `gather`, for the size of `T`.
    unsafe fn gather<T: Copy>(from: *const u8, stride: isize, to: *mut u8, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        match stride {
            // SAFETY: as for any stride; this one is -1.
            -1 => unsafe { gather_near::<T, -1>(from, to, n) },
            // SAFETY: as for any stride; this one is 2. Shuffles of larger elements take longer than loads.
            2 if size_of::<T>() < 8 => unsafe { gather_near::<T, 2>(from, to, n) },
            _ => {
                for i in 0..n {
                    // SAFETY: `i < n`: one of the elements that the caller may read.
                    let value = unsafe { from.wrapping_offset(i as isize * stride).read_unaligned() };
                    // SAFETY: one of the elements that the caller may write.
                    unsafe { to.wrapping_add(i).write_unaligned(value) };
                }
            }
        }
    }
    by_size!(size, gather(from, stride, to, n))
}

kernel! {
    /// Copies `n` elements, `STRIDE` elements apart at `from`, to contiguous ones at `to`. With a small constant stride, the
    /// compiler loads registers and shuffles them.
    ///
    /// # Safety
    /// The caller must ensure that the elements may be read at `from` and written at `to`, and that they do not overlap.
    wide unsafe fn gather_near[T: Copy, const STRIDE: isize][T, STRIDE](from: *const T, to: *mut T, n: usize) -> () {
        for i in 0..n {
            // SAFETY: `i < n`: one of the elements that the caller may read.
            let value = unsafe { from.wrapping_offset(i as isize * STRIDE).read_unaligned() };
            // SAFETY: one of the elements that the caller may write.
            unsafe { to.wrapping_add(i).write_unaligned(value) };
        }
    }
}

/// Copies `n` contiguous elements at `from` to elements `stride` elements apart at `to`.
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
        // SAFETY: with unit stride, `n · size` bytes on each side, which may be read and written and do not overlap.
        return unsafe { core::ptr::copy_nonoverlapping(from, to, n * size) };
    }
    /// # Safety
    /// As the outer `scatter`, for the size of `T`.
    unsafe fn scatter<T: Element>(from: *const u8, to: *mut u8, stride: isize, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for i in 0..n {
            let (from, to) = (from.wrapping_add(i), to.wrapping_offset(i as isize * stride));
            // SAFETY: `i < n`: one of the elements that the caller may read and write; pointers are aligned.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
    }
    by_size!(size, scatter(from, to, stride, n))
}

/// Transposes: `to[r][c] = from[c][r]`, for the extents `[rows, columns]`, as [`transpose_tile`]. The strides count elements.
///
/// # Safety
/// The caller must ensure that the elements of `size` bytes may be read at `from` and written at `to`, and that they do not
/// overlap.
pub(in crate::device::cpu) unsafe fn transpose(
    size: usize,
    from: *const u8,
    from_stride: isize,
    to: *mut u8,
    to_stride: isize,
    [rows, columns]: [usize; 2],
) {
    /// # Safety
    /// As the outer `transpose`, for the size of `T`.
    unsafe fn tile<T: Element>(
        from: *const u8,
        from_stride: isize,
        to: *mut u8,
        to_stride: isize,
        rows: usize,
        columns: usize,
    ) {
        // SAFETY: `transpose_tile` has this function's contract: the source is readable, the result exclusive, no overlap.
        unsafe { transpose_tile(from.cast::<T>(), from_stride, to.cast::<T>(), to_stride, rows, columns) }
    }
    by_size!(size, tile(from, from_stride, to, to_stride, rows, columns))
}
