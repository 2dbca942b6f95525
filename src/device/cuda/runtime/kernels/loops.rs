//! Loop nests as kernel parameters: extents and strides are passed by value, so that they need no separate copy to the device.

use crate::device::cuda::runtime::codegen::arguments::Argument;
use crate::rank::MAX_RANK;

/// A divisor of indices, with the constants for a division by multiplication and shift (Granlund and Montgomery, PLDI 1994).
/// Mirrors the struct `Divisor` of `prelude.cu`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Divisor {
    d: u64,
    m: u32,
    s: u32,
}

impl Divisor {
    /// Precomputes the division by `d`.
    ///
    /// # Panics
    /// If `d` is zero.
    pub(super) fn new(d: usize) -> Divisor {
        assert!(d > 0, "the divisor must be positive");
        let d = d as u64;
        if d >= 1 << 31 {
            // The multiplication is used for indices n < 2³¹ only. So n is less than `d`, and n / d is 0. With these constants, kernels
            // compute (0 + n) >> 31, which is 0.
            return Divisor { d, m: 0, s: 31 };
        }
        let s = d.next_power_of_two().trailing_zeros();
        let m = ((1u64 << 32) * ((1u64 << s) - d) / d + 1) as u32;
        Divisor { d, m, s }
    }
}

/// A loop nest over `K` operands, innermost loop first. Mirrors the struct `Loops` of `prelude.cu`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Loops<const K: usize> {
    count: u32,
    unused: u32,
    length: [Divisor; MAX_RANK],
    step: [[i64; MAX_RANK]; K],
}

// SAFETY: the type is `repr(C)` and has the members of the struct `Loops` in `prelude.cu`. So both have the same layout.
unsafe impl<const K: usize> Argument for Loops<K> {}
// SAFETY: the type is `repr(C)` and has the members of the struct `Divisor` in `prelude.cu`. So both have the same layout.
unsafe impl Argument for Divisor {}

impl<const K: usize> Loops<K> {
    pub(super) fn none() -> Loops<K> {
        Loops {
            count: 0,
            unused: 0,
            length: [Divisor { d: 1, m: 1, s: 0 }; MAX_RANK],
            step: [[0; MAX_RANK]; K],
        }
    }

    /// Creates loops from their lengths and steps, which are listed from the outermost to the innermost loop.
    pub(super) fn new(shape: &[usize], steps: &[[isize; K]]) -> Loops<K> {
        let mut loops = Loops::none();
        for (&length, step) in shape.iter().zip(steps).rev() {
            loops.push(length, *step);
        }
        loops
    }

    /// Adds a loop outside the loops that were added before.
    pub(super) fn push(&mut self, length: usize, step: [isize; K]) {
        let at = self.count as usize;
        self.length[at] = Divisor::new(length);
        for (to, step) in self.step.iter_mut().zip(step) {
            to[at] = step as i64;
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Divisor;

    fn quotient(n: u32, by: Divisor) -> u32 {
        let high = ((u64::from(n) * u64::from(by.m)) >> 32) as u32;
        (high + n) >> by.s
    }

    #[test]
    fn divides() {
        let some = [1, 2, 3, 5, 6, 7, 10, 31, 32, 33, 1000, 65_535, 65_537, (1 << 30) + 1, (1 << 31) - 1];
        for d in some {
            let by = Divisor::new(d);
            let near = |n: usize| n.saturating_sub(1)..=n + 1;
            let last = (1 << 31) - 1;
            for n in
                near(0).chain(near(d)).chain(near(5 * d)).chain(near(last / d * d)).chain([12_345_678, last])
            {
                let n = n.min(last);
                assert_eq!(quotient(n as u32, by) as usize, n / d, "{n} / {d}");
            }
        }
        for d in [1 << 31, (1 << 31) + 5, 1 << 40] {
            assert_eq!(quotient((1 << 31) - 1, Divisor::new(d)), 0);
        }
    }
}
