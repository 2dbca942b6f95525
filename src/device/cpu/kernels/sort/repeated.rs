//! Removes repeated keys of sorted lines. Only keys next to each other are compared, and only for equality. So all that matters is that
//! equal keys are adjacent.

#[cfg(target_arch = "x86_64")]
use super::vector::{Isa, Lane, Vector};

/// Moves the first key of each run of equal keys to the front, and returns the number of runs.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn remove<I: Isa, T: Lane<I>>(token: I, x: &mut [T]) -> usize {
    let (n, lanes) = (x.len(), T::Register::LANES);
    if n < 1 + 2 * lanes {
        return remove_from(x, 1, 1);
    }
    let (mut from, mut to) = (1, 1);
    let mut previous = T::Register::load(token, x);
    while from + 2 * lanes <= n {
        let keys = T::Register::load(token, &x[from..]);
        // Read before the store below, because the store can overwrite key `from + lanes - 1`, which is the first key of `next`.
        // As `to <= from`, the store overwrites no key after that one.
        let next = T::Register::load(token, &x[from + lanes - 1..]);
        let is_new = previous.less(keys) | keys.less(previous);
        keys.compress(is_new).store(&mut x[to..to + lanes]);
        to += is_new.count_ones() as usize;
        from += lanes;
        previous = next;
    }
    // `remove_from` compares with the last kept key, `to - 1`. Key `from - 1` was equal to it, but may have been overwritten.
    remove_from(x, from, to)
}

/// Continues the removal at index `from`. The keys before `from` have been processed: those that are kept are now `x[..to]`, and the last
/// of them is equal to the original key `from - 1`. Returns the number of kept keys.
pub(super) fn remove_from<T: Copy + PartialOrd>(x: &mut [T], from: usize, to: usize) -> usize {
    let mut to = to.min(x.len());
    for i in from..x.len() {
        let next = x[i];
        let is_new = x[to - 1] != next;
        // The store is unconditional, so that the loop has no branch. `to <= i`, so it overwrites no key that is still to be
        // read.
        x[to] = next;
        to += usize::from(is_new);
    }
    to
}
