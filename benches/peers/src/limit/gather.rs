//! Reference loops for elements at positions and under masks, as a user would write them with slices.

use super::halved;
use crate::Number;

/// Computes `out[i] = a[at[i]]`.
pub(crate) fn take<T: Number>(out: &mut [T], a: &[T], at: &[i64]) {
    let some = |out: &mut [T], at: &[i64]| {
        for (out, &k) in out.iter_mut().zip(at) {
            *out = a[k as usize];
        }
    };
    if halved(out.len()) {
        let (low, high) = out.split_at_mut(at.len() / 2);
        let (at_low, at_high) = at.split_at(at.len() / 2);
        rayon::join(|| some(low, at_low), || some(high, at_high));
    } else {
        some(out, at);
    }
}

/// Copies row `at[i]` of `length` elements of `a` to row `i` of `out`.
pub(crate) fn take_rows<T: Number>(out: &mut [T], a: &[T], at: &[i64], length: usize) {
    let some = |out: &mut [T], at: &[i64]| {
        for (out, &k) in out.chunks_exact_mut(length).zip(at) {
            out.copy_from_slice(&a[k as usize * length..][..length]);
        }
    };
    if halved(out.len()) {
        let (at_low, at_high) = at.split_at(at.len() / 2);
        let (low, high) = out.split_at_mut(at_low.len() * length);
        rayon::join(|| some(low, at_low), || some(high, at_high));
    } else {
        some(out, at);
    }
}

/// Computes `out[at[i]] += a[i]` on one thread, so that values with equal positions are added in the order of `i`.
pub(crate) fn scatter_add<T: Number>(out: &mut [T], a: &[T], at: &[i64]) {
    for (&k, &a) in at.iter().zip(a) {
        out[k as usize] += a;
    }
}

/// Copies the elements at which the mask is `true`, without a branch that depends on the mask. The output must have one more element than
/// the mask has `true` elements, because each element is written before the mask is read.
pub(crate) fn compress<T: Number>(out: &mut [T], a: &[T], mask: &[bool]) {
    let mut to = 0;
    for (&a, &mask) in a.iter().zip(mask) {
        out[to] = a;
        to += usize::from(mask);
    }
}

/// Writes `value` to the elements at which the mask is `true`.
pub(crate) fn fill_masked<T: Number>(out: &mut [T], mask: &[bool], value: T) {
    for (out, &mask) in out.iter_mut().zip(mask) {
        *out = if mask { value } else { *out };
    }
}
