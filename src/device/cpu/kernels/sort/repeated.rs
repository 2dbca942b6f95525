//! Removes repeated numbers of sorted lines. Only adjacent numbers are compared, and only for equality. So all that matters is that equal
//! numbers are adjacent.

#[cfg(target_arch = "x86_64")]
use crate::simd::vector::{OrderedVector, SimdKernel};

/// See [`remove`].
#[cfg(target_arch = "x86_64")]
struct Remove<'a, V: OrderedVector> {
    isa: V::Isa,
    x: &'a mut [V::Lane],
}

#[cfg(target_arch = "x86_64")]
impl<V: OrderedVector> SimdKernel<V, usize> for Remove<'_, V> {
    #[inline(always)]
    unsafe fn run(self) -> usize {
        let Remove { isa, x } = self;
        if x.len() < 1 + 2 * V::LANES {
            return remove_from(x, 1, 1);
        }
        let (mut from, mut to) = (1, 1);
        let mut previous = V::from_slice(isa, x);
        while from + 2 * V::LANES <= x.len() {
            let numbers = V::from_slice(isa, &x[from..]);
            // Read before the store below, because the store can overwrite number `from + LANES - 1`, which is the first one of `next`.
            // As `to <= from`, the store overwrites no number after that one.
            let next = V::from_slice(isa, &x[from + V::LANES - 1..]);
            let is_new = previous.less(numbers) | numbers.less(previous);
            numbers.compress(is_new).to_slice(&mut x[to..to + V::LANES]);
            to += is_new.count_ones() as usize;
            from += V::LANES;
            previous = next;
        }
        // `remove_from` compares with the last kept number, `to - 1`. Number `from - 1` was equal to it, but may have been overwritten.
        remove_from(x, from, to)
    }
}

/// Moves the first number of each run of equal numbers to the front, and returns the number of runs.
#[cfg(target_arch = "x86_64")]
pub(super) fn remove<V: OrderedVector>(isa: V::Isa, x: &mut [V::Lane]) -> usize {
    // SAFETY: `isa` exists, so the processor has the instruction set. `Remove::run` has no other conditions.
    unsafe { V::within(Remove::<V> { isa, x }) }
}

/// Continues the removal at index `from`. The numbers before `from` have been processed: those that are kept are now `x[..to]`, and the last
/// of them is equal to the original number `from - 1`. Returns the number of kept numbers.
pub(super) fn remove_from<T: Copy + PartialOrd>(x: &mut [T], from: usize, mut to: usize) -> usize {
    let Some(&(mut previous)) = x.get(to - 1) else { return 0 };
    for i in from..x.len() {
        let next = x[i];
        // The store is unconditional, so that the loop has no branch. `to <= i`, so it overwrites no number that is still to be read.
        x[to] = next;
        to += usize::from(previous != next);
        previous = next;
    }
    to
}
