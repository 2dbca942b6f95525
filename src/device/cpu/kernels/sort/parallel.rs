//! Passes over the elements of one line on several threads, and the lengths from which lines are processed in parallel.

use crate::device::cpu::loops::threads::{join, threads};

/// Minimum number of elements along the sorted axis for which a pass over these elements runs in parallel.
pub(super) const PARALLEL_PASS_LEN: usize = 1 << 16;
/// Minimum number of elements that are partitioned on several threads. It is lower in tests, which have fewer elements.
pub(super) const PARALLEL_PARTITION_LEN: usize = if cfg!(test) { 1 << 13 } else { 1 << 18 };
/// Minimum number of elements for which the two parts of a partition are sorted in parallel.
#[cfg_attr(not(any(target_arch = "x86_64", feature = "rayon")), allow(dead_code))]
pub(super) const PARALLEL_SORT_LEN: usize = 1 << 16;

/// Splits `x` if it has at least `enough` elements, calls `f` for the parts in parallel, and combines the results. With one thread, there
/// is no split, so the result must not depend on the split.
pub(super) fn in_parallel<T: Sync, A: Send>(
    x: &[T],
    enough: usize,
    f: &(dyn Fn(&[T]) -> A + Sync),
    combine: &(dyn Fn(A, A) -> A + Sync),
) -> A {
    if x.len() < enough || threads() == 1 {
        return f(x);
    }
    let (low, high) = x.split_at(x.len() / 2);
    let (low, high) = join(|| in_parallel(low, enough, f, combine), || in_parallel(high, enough, f, combine));
    combine(low, high)
}

/// Splits `x` into parts, and calls `f` with each part and the index of its first element. The calls run in parallel if there are many
/// elements. `first` is the index of the first element of `x`.
pub(super) fn in_parts(x: &mut [u64], first: usize, f: &(dyn Fn(&mut [u64], usize) + Sync)) {
    if x.len() < PARALLEL_PASS_LEN || threads() == 1 {
        return f(x, first);
    }
    let half = x.len() / 2;
    let (low, high) = x.split_at_mut(half);
    join(|| in_parts(low, first, f), || in_parts(high, first + half, f));
}
