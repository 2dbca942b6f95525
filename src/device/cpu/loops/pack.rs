//! Copies rows of elements between strided and contiguous memory. The functions take the size of an element instead of its type,
//! so that there is one instance for each size. The module `strips` and the copy kernels call this module.

use super::tile::transpose_tile;
use crate::device::cpu::memory::stream::copy_bytes;
use crate::element::{Element, c32, c64};
use crate::simd::kernel;

/// Calls a generic function with an element type of `$size` bytes. If several element types have this size, uses the type with
/// the smallest alignment. The called function must have the contract of the function that contains the call.
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
        // SAFETY: `$call` calls a function nested in the one that uses this macro. Both have the same contract, which the caller ensures,
        // for a type of `$size` bytes. No element type of this size has a smaller alignment. So pointers that are aligned for an element
        // type of this size are aligned for this type.
        unsafe { $call }
    };
}

/// Copies `n` elements with stride `stride`, beginning at `from`, to contiguous elements at `to`.
///
/// # Safety
/// The caller must ensure that the `n` elements of `size` bytes may be read at `from` and written at `to`, and that source and
/// result do not overlap. The pointers need no alignment.
pub(in crate::device::cpu) unsafe fn gather(
    size: usize,
    from: *const u8,
    stride: isize,
    to: *mut u8,
    n: usize,
) {
    if stride == 1 {
        // SAFETY: with unit stride, source and result have `n · size` bytes each. The caller ensures that these bytes may be read at `from`
        // and written at `to`, and that source and result do not overlap.
        return unsafe { copy_bytes(from, to, n * size) };
    }
    /// # Safety
    /// The conditions of the outer `gather`, with the size of `T` as `size`.
    unsafe fn gather<T: Copy>(from: *const u8, stride: isize, to: *mut u8, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        match stride {
            0 if n > 0 => {
                // SAFETY: the caller ensures that the element at `from` may be read.
                let value = unsafe { from.read_unaligned() };
                // SAFETY: the caller ensures that `n` elements may be written at `to`.
                unsafe { fill(value, to, n) }
            }
            // SAFETY: the stride is -1, so `gather_near::<T, -1, 1>` accesses the same elements as this function. The caller ensures its
            // conditions.
            -1 => unsafe { gather_near::<T, -1, 1>(from, to, n) },
            // For larger elements, shuffles take longer than single loads.
            // SAFETY: the stride is 2, so `gather_near::<T, 2, 1>` accesses the same elements as this function. The caller ensures its
            // conditions.
            2 if size_of::<T>() < 8 => unsafe { gather_near::<T, 2, 1>(from, to, n) },
            // SAFETY: `gather_far::<T, 1>` accesses the same elements as this function. The caller ensures its conditions.
            _ => unsafe { gather_far::<T, 1>(from, stride, to, n) },
        }
    }
    by_size!(size, gather(from, stride, to, n))
}

/// Copies `rows` rows of `n` elements to contiguous memory, one row after the other. `step` is the stride within a row, and `stride` that
/// from row to row.
///
/// # Safety
/// The caller must ensure that the elements of `size` bytes may be read at `from`, that as many may be written at `to`, and that source and
/// result do not overlap. The pointers need no alignment.
pub(in crate::device::cpu) unsafe fn gather_rows(
    size: usize,
    from: *const u8,
    [step, stride]: [isize; 2],
    to: *mut u8,
    [rows, n]: [usize; 2],
) {
    /// # Safety
    /// The conditions of the outer `gather_rows`, with the size of `T` as `size`.
    unsafe fn gather<T: Copy>(
        from: *const u8,
        step: isize,
        stride: isize,
        to: *mut u8,
        rows: usize,
        n: usize,
    ) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for r in 0..rows {
            let (from, to) = (from.wrapping_offset(r as isize * stride), to.wrapping_add(r * n));
            match n {
                // The length is passed as a constant, so that the compiler unrolls the loop.
                // SAFETY: the caller ensures that the elements of this row may be read and written.
                8 => unsafe { gather_far::<T, 1>(from, step, to, 8) },
                // SAFETY: the caller ensures that the elements of this row may be read and written.
                2 => unsafe { gather_far::<T, 1>(from, step, to, 2) },
                // SAFETY: the caller ensures that the elements of this row may be read and written.
                _ => unsafe { gather_far::<T, 1>(from, step, to, n) },
            }
        }
    }
    by_size!(size, gather(from, step, stride, to, rows, n))
}

/// Variant of [`gather`] that writes the elements in reverse: the element at `from` becomes the last of the result.
///
/// # Safety
/// The contract of [`gather`].
pub(in crate::device::cpu) unsafe fn gather_reversed(
    size: usize,
    from: *const u8,
    stride: isize,
    to: *mut u8,
    n: usize,
) {
    /// # Safety
    /// The conditions of the outer `gather_reversed`, with the size of `T` as `size`.
    unsafe fn gather<T: Copy>(from: *const u8, stride: isize, to: *mut u8, n: usize) {
        let (from, last) = (from.cast::<T>(), to.cast::<T>().wrapping_add(n).wrapping_sub(1));
        match stride {
            // SAFETY: the stride is 1, so `gather_near::<T, 1, -1>` accesses the same elements as this function. The caller ensures its
            // conditions.
            1 => unsafe { gather_near::<T, 1, -1>(from, last, n) },
            // SAFETY: `gather_far::<T, -1>` accesses the same elements as this function. The caller ensures its conditions.
            _ => unsafe { gather_far::<T, -1>(from, stride, last, n) },
        }
    }
    by_size!(size, gather(from, stride, to, n))
}

/// Copies `n` elements with stride `stride`, beginning at `from`, to elements with stride `TO`, beginning at `to`.
///
/// # Safety
/// The caller must ensure that the `n` elements may be read at `from` and written at `to`, and that source and result do not overlap.
#[inline]
unsafe fn gather_far<T: Copy, const TO: isize>(from: *const T, stride: isize, to: *mut T, n: usize) {
    for i in 0..n as isize {
        // SAFETY: `i < n`, so the caller ensures that this element may be read. `read_unaligned` needs no alignment.
        let value = unsafe { from.wrapping_offset(i * stride).read_unaligned() };
        // SAFETY: `i < n`, so the caller ensures that this element may be written. `write_unaligned` needs no alignment.
        unsafe { to.wrapping_offset(i * TO).write_unaligned(value) };
    }
}

kernel! {
    /// Writes `value` to `n` elements at `to`.
    ///
    /// # Safety
    /// The caller must ensure that the `n` elements may be written. The pointer needs no alignment.
    unsafe fn fill[T: Copy][T](value: T, to: *mut T, n: usize) -> () {
        for i in 0..n {
            // SAFETY: `i < n`, so the caller ensures that this element may be written. `write_unaligned` needs no alignment.
            unsafe { to.wrapping_add(i).write_unaligned(value) };
        }
    }
}

kernel! {
    /// Copies `n` elements with stride `STRIDE`, beginning at `from`, to elements with stride `TO`, beginning at `to`. If the strides are
    /// small constants, the compiler loads whole registers and shuffles them. The kernel is not `wide`, that is, not compiled for registers
    /// of 64 bytes: for these, the compiler would use gather instructions, which are slower.
    ///
    /// # Safety
    /// The caller must ensure that the `n` elements may be read at `from` and written at `to`, and that source and result do not
    /// overlap.
    unsafe fn gather_near[T: Copy, const STRIDE: isize, const TO: isize][T, STRIDE, TO](
        from: *const T,
        to: *mut T,
        n: usize,
    ) -> () {
        for i in 0..n as isize {
            // SAFETY: `i < n`, so the caller ensures that this element may be read. `read_unaligned` needs no alignment.
            let value = unsafe { from.wrapping_offset(i * STRIDE).read_unaligned() };
            // SAFETY: `i < n`, so the caller ensures that this element may be written. `write_unaligned` needs no alignment.
            unsafe { to.wrapping_offset(i * TO).write_unaligned(value) };
        }
    }
}

/// Copies `n` contiguous elements at `from` to elements with stride `stride`, beginning at `to`.
///
/// # Safety
/// The caller must ensure that the `n` elements of `size` bytes may be read at `from` and written at `to`, and that source and result do
/// not overlap. The pointers need no alignment.
pub(in crate::device::cpu) unsafe fn scatter(
    size: usize,
    from: *const u8,
    to: *mut u8,
    stride: isize,
    n: usize,
) {
    if stride == 1 {
        // SAFETY: with unit stride, source and result have `n · size` bytes each. The caller ensures that these bytes may be read at `from`
        // and written at `to`, and that source and result do not overlap.
        return unsafe { copy_bytes(from, to, n * size) };
    }
    /// # Safety
    /// The conditions of the outer `scatter`, with the size of `T` as `size`.
    unsafe fn scatter<T: Element>(from: *const u8, to: *mut u8, stride: isize, n: usize) {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for i in 0..n {
            // SAFETY: `i < n`, so the caller ensures that this element may be read. `read_unaligned` needs no alignment.
            let value = unsafe { from.wrapping_add(i).read_unaligned() };
            // SAFETY: `i < n`, so the caller ensures that this element may be written. `write_unaligned` needs no alignment.
            unsafe { to.wrapping_offset(i as isize * stride).write_unaligned(value) };
        }
    }
    by_size!(size, scatter(from, to, stride, n))
}

/// Transposes a tile with [`transpose_tile`]: `to[r][c] = from[c][r]` for `r < rows` and `c < columns`. Strides count elements.
///
/// # Safety
/// The caller must ensure:
/// * The elements of `size` bytes may be read at `from` and written at `to`, and source and result do not overlap.
/// * Both pointers are aligned for an element type of this size.
pub(in crate::device::cpu) unsafe fn transpose(
    size: usize,
    from: *const u8,
    from_stride: isize,
    to: *mut u8,
    to_stride: isize,
    [rows, columns]: [usize; 2],
) {
    /// # Safety
    /// The conditions of the outer `transpose`, with the size of `T` as `size`.
    unsafe fn tile<T: Element>(
        from: *const u8,
        from_stride: isize,
        to: *mut u8,
        to_stride: isize,
        rows: usize,
        columns: usize,
    ) {
        // SAFETY: the caller ensures that the source may be read, and exclusive access to the result. It also ensures that they do not
        // overlap, and that the pointers are aligned for elements of this size.
        unsafe { transpose_tile(from.cast::<T>(), from_stride, to.cast::<T>(), to_stride, rows, columns) }
    }
    by_size!(size, tile(from, from_stride, to, to_stride, rows, columns))
}
