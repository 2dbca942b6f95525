//! Strides, operands, outputs and pseudorandom numbers for the tests of kernels.

use vierbein::Element;
use vierbein::device::{Device, Operand, Output};

/// Returns the number of elements from index 0 to the last element in memory. Axes with negative strides are ignored, because
/// operands account for them by an offset.
pub(crate) fn extent(shape: &[usize], strides: &[isize]) -> usize {
    if shape.contains(&0) {
        return 1;
    }
    1 + shape.iter().zip(strides).map(|(&n, &s)| (n - 1) * s.max(0) as usize).sum::<usize>()
}

/// Asserts that all elements of a layout are within a buffer of `len` elements. `offset` is the offset of the element at index 0.
fn assert_within(shape: &[usize], strides: &[isize], offset: usize, len: usize) {
    if shape.contains(&0) {
        return;
    }
    let (mut least, mut greatest) = (offset as isize, offset as isize);
    for (&n, &stride) in shape.iter().zip(strides) {
        let end = if stride < 0 { &mut least } else { &mut greatest };
        *end += (n as isize - 1) * stride;
    }
    assert!(0 <= least && greatest < len as isize, "{shape:?}, {strides:?}, from {offset} of {len}");
}

/// Returns an operand whose elements are in `buffer`. The operand's element at index 0 is element `offset` of the buffer.
pub(crate) fn operand<'a, T: Element, Dev: Device>(
    buffer: &'a Dev::Buffer<T>,
    offset: usize,
    shape: &'a [usize],
    strides: &'a [isize],
) -> Operand<'a, T, Dev> {
    assert_within(shape, strides, offset, Dev::len(buffer));
    // SAFETY: `assert_within` has checked that all elements are within the buffer, which is borrowed for `'a`. The elements of a buffer are
    // initialised.
    unsafe { Operand::from_raw(Dev::offset(Dev::ptr(buffer), offset as isize), shape, strides) }
}

/// Returns an output whose elements are in `buffer`. The output's element at index 0 is element `offset` of the buffer.
///
/// # Safety
/// Different indices must address different elements.
pub(crate) unsafe fn output<'a, T: Element, Dev: Device>(
    buffer: &'a mut Dev::Buffer<T>,
    offset: usize,
    shape: &'a [usize],
    strides: &'a [isize],
) -> Output<'a, T, Dev> {
    assert_within(shape, strides, offset, Dev::len(buffer));
    // SAFETY: `assert_within` has checked that all elements are within the buffer, which is mutably borrowed for `'a`. The caller
    // ensures that no two indices share an element.
    unsafe { Output::from_raw(Dev::offset(Dev::ptr_mut(buffer), offset as isize), shape, strides) }
}

/// Returns the strides of a contiguous row-major layout.
pub(crate) fn contiguous(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
}

/// Returns the `k`th pseudorandom number, a hash of `k`.
pub(crate) fn scrambled(k: usize) -> u64 {
    let mut x = (k as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}
