//! Reference loops for sums along diagonals. Each element of a diagonal is in its own cache line, and often in its own page.

use super::level::{Level, Loop, widest};
use crate::Number;

/// Prefetch distance, in elements of the diagonal.
const AHEAD: usize = 24;

/// Sums every `stride`-th element.
pub(crate) fn diagonal<T: Number>(x: &[T], stride: usize) -> T {
    widest(Diagonal { x, stride })
}

struct Diagonal<'a, T> {
    x: &'a [T],
    stride: usize,
}

impl<T: Number> Loop for Diagonal<'_, T> {
    type Output = T;
    #[inline(always)]
    fn run<L: Level>(self) -> T {
        let Diagonal { x, stride } = self;
        let mut lanes = [T::sample(0.0, 0.0); 8];
        let count = x.len().div_ceil(stride);
        let mut i = 0;
        while count - i >= 8 {
            for (lane, to) in lanes.iter_mut().enumerate() {
                L::prefetch(x.as_ptr().wrapping_add((i + lane + AHEAD) * stride));
                *to += x[(i + lane) * stride];
            }
            i += 8;
        }
        let rest = x.get(i * stride..).unwrap_or_default();
        lanes.into_iter().chain(rest.iter().step_by(stride).copied()).sum()
    }
}

/// Computes `out[k] = Σ_i x[i, k, i]` for a row-major tensor `x` of shape `[n, out.len(), n]`.
pub(crate) fn diagonal_lines<T: Number>(out: &mut [T], x: &[T], n: usize) {
    widest(Lines { out, x, n });
}

struct Lines<'a, T> {
    out: &'a mut [T],
    x: &'a [T],
    n: usize,
}

impl<T: Number> Loop for Lines<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Level>(self) {
        let Lines { out, x, n } = self;
        let middle = out.len();
        out.fill(T::sample(0.0, 0.0));
        // Reads in memory order: the inner loop is along the axis of the result, whose stride in `x` is `n`.
        for i in 0..n {
            let plane = &x[i * middle * n + i..(i + 1) * middle * n];
            for (k, to) in out.iter_mut().enumerate() {
                L::prefetch(plane.as_ptr().wrapping_add((k + AHEAD) * n));
                *to += plane[k * n];
            }
        }
    }
}
