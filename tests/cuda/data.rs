//! Strides and numbers to test with.

/// How many elements strides reach over; negative ones begin elsewhere.
pub(crate) fn extent(shape: &[usize], strides: &[isize]) -> usize {
    if shape.contains(&0) {
        return 1;
    }
    1 + shape.iter().zip(strides).map(|(&n, &s)| (n - 1) * s.max(0) as usize).sum::<usize>()
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
