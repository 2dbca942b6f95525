//! Strides and numbers to test with.

use vierbein::Element;
use vierbein::device::{Device, Operand, Output};

/// How many elements strides reach over; negative ones begin elsewhere.
pub(crate) fn extent(shape: &[usize], strides: &[isize]) -> usize {
    if shape.contains(&0) {
        return 1;
    }
    1 + shape.iter().zip(strides).map(|(&n, &s)| (n - 1) * s.max(0) as usize).sum::<usize>()
}

/// Whether strides from an offset on stay within so many elements.
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

/// Elements of a buffer, of which index 0 is at an offset.
pub(crate) fn operand<'a, T: Element, Dev: Device>(
    buffer: &'a Dev::Buffer<T>,
    offset: usize,
    shape: &'a [usize],
    strides: &'a [isize],
) -> Operand<'a, T, Dev> {
    assert_within(shape, strides, offset, Dev::len(buffer));
    // SAFETY: every index lies within the buffer.
    unsafe { Operand::from_raw(Dev::offset(Dev::ptr(buffer), offset as isize), shape, strides) }
}

/// Elements of a buffer to write.
///
/// # Safety
/// No two indices are at one element.
pub(crate) unsafe fn output<'a, T: Element, Dev: Device>(
    buffer: &'a mut Dev::Buffer<T>,
    offset: usize,
    shape: &'a [usize],
    strides: &'a [isize],
) -> Output<'a, T, Dev> {
    assert_within(shape, strides, offset, Dev::len(buffer));
    // SAFETY: every index lies within the buffer; the rest is the caller's.
    unsafe { Output::from_raw(Dev::offset(Dev::ptr_mut(buffer), offset as isize), shape, strides) }
}

/// The last axis fastest.
pub(crate) fn dense(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
}

/// Numbers without a pattern.
pub(crate) fn scrambled(k: usize) -> u64 {
    let mut x = (k as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}
