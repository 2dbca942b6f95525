//! Repeats each element of a contiguous run two to four times: the kernel of `repeat` with a small count.

/// Maximum number of copies of each element. More copies are written by other kernels, one element at a time.
pub(super) const MAX_COPIES: usize = 4;

/// Writes `copies` copies of each of `n` contiguous elements of `unit` bytes. `unit` is 1, 2, 4, 8 or 16, and `copies` is from 2 to
/// [`MAX_COPIES`].
///
/// # Safety
/// The caller must ensure that `n` elements from `from` on are readable, and exclusive access to `n * copies` elements from `to` on. They
/// need no alignment.
pub(super) unsafe fn repeat(unit: usize, copies: usize, from: *const u8, to: *mut u8, n: usize) {
    macro_rules! by_copies {
        ($unit:literal) => {
            match copies {
                // SAFETY: `each` has the contract of `repeat`, for elements of `unit` bytes and 2 copies. The caller ensures it.
                2 => unsafe { each::<[u8; $unit], 2>(from.cast(), to.cast(), n) },
                // SAFETY: `each` has the contract of `repeat`, for elements of `unit` bytes and 3 copies. The caller ensures it.
                3 => unsafe { each::<[u8; $unit], 3>(from.cast(), to.cast(), n) },
                // SAFETY: `each` has the contract of `repeat`, for elements of `unit` bytes and 4 copies. The caller ensures it.
                4 => unsafe { each::<[u8; $unit], 4>(from.cast(), to.cast(), n) },
                _ => unreachable!("unsupported number of copies: {copies}"),
            }
        };
    }
    match unit {
        1 => by_copies!(1),
        2 => by_copies!(2),
        4 => by_copies!(4),
        8 => by_copies!(8),
        16 => by_copies!(16),
        _ => unreachable!("unsupported element size: {unit} bytes"),
    }
}

/// # Safety
/// The contract of [`repeat`], for elements of the type `P` and `C` copies.
unsafe fn each<P: Copy, const C: usize>(from: *const P, to: *mut P, n: usize) {
    let to = to.cast::<[P; C]>();
    for i in 0..n {
        // SAFETY: `i < n`, so the caller ensures that this element is readable.
        let element = unsafe { from.wrapping_add(i).read_unaligned() };
        // SAFETY: `i < n`, so the caller ensures exclusive access to these `C` elements.
        unsafe { to.wrapping_add(i).write_unaligned([element; C]) };
    }
}
