//! Copies rows of elements between strided and contiguous memory. The functions take the size of an element instead of its type, so
//! that there is one instance for each size. Called by `strips` and by the copy kernels.

use crate::device::cpu::kernels::copy::transpose_tile;
use crate::element::{Element, c32, c64};
use crate::simd::kernel;

/// Calls a generic function with an element type of `$size` bytes. If several types have this size, it is the one with the smallest
/// alignment. The called function must have the contract of the function that contains the call.
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
        // SAFETY: the called function has the contract of the surrounding one, for a type of `$size` bytes. No element type of this
        // size has less alignment, so the pointers are aligned for it.
        unsafe { $call }
    };
}

/// Writes one element `n` times.
///
/// # Safety
/// The caller must ensure:
/// * The element of `size` bytes at `from` may be read.
/// * It has exclusive access to `n` such elements at `to`.
/// * Both pointers are aligned for an element type of this size.
pub(in crate::device::cpu) unsafe fn repeat(size: usize, from: *const u8, to: *mut u8, n: usize) {
    /// # Safety
    /// As the outer `repeat`, for the size of `T`.
    unsafe fn repeat<T: Element>(from: *const u8, to: *mut u8, n: usize) {
        // SAFETY: the element at `from` may be read and is aligned, as the caller ensures.
        let value = unsafe { from.cast::<T>().read() };
        // SAFETY: `n` elements at `to` may be written and are aligned, as the caller ensures; for these types, any bytes are a
        // valid value.
        unsafe { core::slice::from_raw_parts_mut(to.cast::<T>(), n) }.fill(value);
    }
    by_size!(size, repeat(from, to, n))
}

/// Copies `n` elements with stride `stride` at `from` to contiguous elements at `to`.
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
        // SAFETY: with unit stride, these are `n · size` bytes, which may be read and written and do not overlap.
        return unsafe { core::ptr::copy_nonoverlapping(from, to, n * size) };
    }
    /// # Safety
    /// As the outer `gather`, for the size of `T`.
    unsafe fn gather<T: Copy>(from: *const u8, stride: isize, to: *mut u8, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        match stride {
            // SAFETY: `gather_near` has this function's contract, for stride -1.
            -1 => unsafe { gather_near::<T, -1>(from, to, n) },
            // For larger elements, shuffles take longer than single loads.
            // SAFETY: `gather_near` has this function's contract, for stride 2.
            2 if size_of::<T>() < 8 => unsafe { gather_near::<T, 2>(from, to, n) },
            _ => {
                for i in 0..n {
                    // SAFETY: `i < n`: an element that may be read by the contract.
                    let value = unsafe { from.wrapping_offset(i as isize * stride).read_unaligned() };
                    // SAFETY: `i < n`: an element that may be written by the contract.
                    unsafe { to.wrapping_add(i).write_unaligned(value) };
                }
            }
        }
    }
    by_size!(size, gather(from, stride, to, n))
}

kernel! {
    /// Copies `n` elements with stride `STRIDE` at `from` to contiguous elements at `to`. With a small constant stride, the
    /// compiler loads whole registers and shuffles them.
    ///
    /// # Safety
    /// The caller must ensure that the elements may be read at `from` and written at `to`, and that they do not overlap.
    wide unsafe fn gather_near[T: Copy, const STRIDE: isize][T, STRIDE](from: *const T, to: *mut T, n: usize) -> () {
        for i in 0..n {
            // SAFETY: `i < n`: an element that may be read by the contract.
            let value = unsafe { from.wrapping_offset(i as isize * STRIDE).read_unaligned() };
            // SAFETY: `i < n`: an element that may be written by the contract.
            unsafe { to.wrapping_add(i).write_unaligned(value) };
        }
    }
}

/// Copies `n` contiguous elements at `from` to elements with stride `stride` at `to`.
///
/// # Safety
/// The caller must ensure:
/// * The `n` elements of `size` bytes may be read at `from` and written at `to`, and do not overlap.
/// * Unless `stride` is 1, both pointers are aligned for an element type of this size.
pub(in crate::device::cpu) unsafe fn scatter(
    size: usize,
    from: *const u8,
    to: *mut u8,
    stride: isize,
    n: usize,
) {
    if stride == 1 {
        // SAFETY: with unit stride, these are `n · size` bytes, which may be read and written and do not overlap.
        return unsafe { core::ptr::copy_nonoverlapping(from, to, n * size) };
    }
    /// # Safety
    /// As the outer `scatter`, for the size of `T`.
    unsafe fn scatter<T: Element>(from: *const u8, to: *mut u8, stride: isize, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for i in 0..n {
            let (from, to) = (from.wrapping_add(i), to.wrapping_offset(i as isize * stride));
            // SAFETY: `i < n`: an element that may be read and written by the contract; the pointers are aligned.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
    }
    by_size!(size, scatter(from, to, stride, n))
}

/// Transposes a tile: `to[r][c] = from[c][r]`, for the extents `[rows, columns]`. See [`transpose_tile`]. Strides count elements.
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
        // SAFETY: by the contract, the source is readable, the result is exclusive, and they do not overlap.
        unsafe { transpose_tile(from.cast::<T>(), from_stride, to.cast::<T>(), to_stride, rows, columns) }
    }
    by_size!(size, tile(from, from_stride, to, to_stride, rows, columns))
}
