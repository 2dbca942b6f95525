//! Removes repeated keys of sorted lines.

#[cfg(target_arch = "x86_64")]
use super::vector::{Isa, Lane, Vector};

/// Moves the first key of each run of equal keys to the front, and returns their number. The keys are sorted.
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
        // Read before it is overwritten: `to <= from`, so the register that is written ends at `from + lanes` or before.
        let next = T::Register::load(token, &x[from + lanes - 1..]);
        let is_new = previous.less(keys);
        keys.compress(is_new).store(&mut x[to..to + lanes]);
        to += is_new.count_ones() as usize;
        from += lanes;
        previous = next;
    }
    // The key before the rest is the last one that was kept, or equal to it. It may have been overwritten where it was.
    remove_from(x, from, to)
}

/// Continues at index `from`, when `to` keys have been kept. All keys before `from` are equal to a kept one.
pub(super) fn remove_from<T: Copy + PartialOrd>(x: &mut [T], from: usize, to: usize) -> usize {
    let mut to = to.min(x.len());
    for i in from..x.len() {
        let next = x[i];
        let is_new = x[to - 1] != next;
        // Written in any case, so that the loop has no branch. `to <= i`, so no key is lost that is still to be read.
        x[to] = next;
        to += usize::from(is_new);
    }
    to
}
