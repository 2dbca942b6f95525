//! Reference loops for reductions. They read their operands in memory order, and use many accumulators.

use super::level::{Level, Loop, widest};
use super::{SHARED, halved};
use crate::Number;
use crate::number::Real;

/// Number of accumulators. For every element type, they fill enough registers to hide the latency of an addition.
const LANES: usize = 64;

pub(crate) fn sum<T: Number>(x: &[T]) -> T {
    folded(x, |sum, x| sum + x)
}

pub(crate) fn sum_of_squares<T: Number>(x: &[T]) -> T {
    folded(x, |sum, x| sum + x.square())
}

fn folded<T: Number>(x: &[T], f: impl Fn(T, T) -> T + Copy + Sync) -> T {
    if halved(x.len()) {
        let (low, high) = x.split_at(x.len() / 2);
        let (low, high) = rayon::join(|| widest(Fold { x: low, f }), || widest(Fold { x: high, f }));
        low + high
    } else {
        widest(Fold { x, f })
    }
}

struct Fold<'a, T, F> {
    x: &'a [T],
    f: F,
}

impl<T: Number, F: Fn(T, T) -> T> Loop for Fold<'_, T, F> {
    type Output = T;
    #[inline(always)]
    fn run<L: Level>(self) -> T {
        let zero = T::sample(0.0, 0.0);
        let mut lanes = [zero; LANES];
        let (blocks, rest) = self.x.as_chunks::<LANES>();
        for block in blocks {
            for lane in 0..LANES {
                lanes[lane] = (self.f)(lanes[lane], block[lane]);
            }
        }
        let rest = rest.iter().fold(zero, |sum, &x| (self.f)(sum, x));
        lanes.into_iter().fold(rest, |sum, lane| sum + lane)
    }
}

/// Computes the sum of each row of `x`, which has `out.len()` rows.
pub(crate) fn sum_lines<T: Number>(out: &mut [T], x: &[T]) {
    let length = x.len() / out.len();
    let some = |out: &mut [T], x: &[T]| {
        for (out, line) in out.iter_mut().zip(x.chunks_exact(length)) {
            *out = widest(Fold { x: line, f: |sum, x| sum + x });
        }
    };
    if halved(x.len()) {
        let middle = out.len() / 2;
        let (low, high) = out.split_at_mut(middle);
        let (x, y) = x.split_at(middle * length);
        rayon::join(|| some(low, x), || some(high, y));
    } else {
        some(out, x);
    }
}

/// Adds up the rows of `x`, and writes the sums to `out`. Each row has `out.len()` elements, and the rows start `stride` elements apart.
pub(crate) fn add_lines<T: Number>(out: &mut [T], x: &[T], stride: usize) {
    if halved(x.len()) && out.len() >= 64 {
        let middle = out.len() / 2;
        let (low, high) = out.split_at_mut(middle);
        rayon::join(|| add_lines_here(low, x, stride), || add_lines_here(high, &x[middle..], stride));
    } else {
        add_lines_here(out, x, stride);
    }
}

fn add_lines_here<T: Number>(out: &mut [T], x: &[T], stride: usize) {
    widest(AddLines { out, x, stride });
}

struct AddLines<'a, T> {
    out: &'a mut [T],
    x: &'a [T],
    stride: usize,
}

impl<T: Number> Loop for AddLines<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Level>(self) {
        let AddLines { out, x, stride } = self;
        let length = out.len();
        out.fill(T::sample(0.0, 0.0));
        let count = (x.len() - length) / stride + 1;
        let line = |i: usize| &x[i * stride..i * stride + length];
        let mut i = 0;
        while count - i >= 4 {
            let (a, b, c, d) = (line(i), line(i + 1), line(i + 2), line(i + 3));
            for j in 0..length {
                out[j] += (a[j] + b[j]) + (c[j] + d[j]);
            }
            i += 4;
        }
        for i in i..count {
            out.iter_mut().zip(line(i)).for_each(|(out, &x)| *out += x);
        }
    }
}

/// Sums every second element of every second row of a matrix whose rows have `length` elements.
pub(crate) fn sum_every<T: Number>(x: &[T], length: usize) -> T {
    let some = |x: &[T]| {
        let mut sum = T::sample(0.0, 0.0);
        for lines in x.chunks_exact(2 * length) {
            sum += widest(Every { x: &lines[..length] });
        }
        sum
    };
    if halved(x.len()) {
        let (low, high) = x.split_at(x.len() / length / 4 * 2 * length);
        let (low, high) = rayon::join(|| some(low), || some(high));
        low + high
    } else {
        some(x)
    }
}

struct Every<'a, T> {
    x: &'a [T],
}

impl<T: Number> Loop for Every<'_, T> {
    type Output = T;
    #[inline(always)]
    fn run<L: Level>(self) -> T {
        let mut lanes = [T::sample(0.0, 0.0); LANES / 2];
        let (blocks, rest) = self.x.as_chunks::<LANES>();
        for block in blocks {
            for (lane, to) in lanes.iter_mut().enumerate() {
                *to += block[2 * lane];
            }
        }
        lanes.into_iter().chain(rest.iter().step_by(2).copied()).sum()
    }
}

/// Returns the index of the first maximum. The elements must not include NaN.
pub(crate) fn argmax<T: Real>(x: &[T]) -> usize {
    if halved(x.len()) {
        let middle = x.len() / 2;
        let (low, high) = x.split_at(middle);
        let (low, high) = rayon::join(|| widest(ArgMax { x: low }), || widest(ArgMax { x: high }));
        if x[middle + high] > x[low] { middle + high } else { low }
    } else {
        widest(ArgMax { x })
    }
}

struct ArgMax<'a, T> {
    x: &'a [T],
}

impl<T: Real> Loop for ArgMax<'_, T> {
    type Output = usize;
    #[inline(always)]
    fn run<L: Level>(self) -> usize {
        let larger = |a: T, b: T| if b > a { b } else { a };
        let (mut best, mut at) = (self.x[0], 0);
        for (number, block) in self.x.chunks(SHARED / 32).enumerate() {
            let mut lanes = [block[0]; LANES];
            let (parts, rest) = block.as_chunks::<LANES>();
            for part in parts {
                for lane in 0..LANES {
                    lanes[lane] = larger(lanes[lane], part[lane]);
                }
            }
            let largest = lanes.into_iter().chain(rest.iter().copied()).fold(block[0], larger);
            if largest > best {
                (best, at) = (largest, number);
            }
        }
        let start = at * (SHARED / 32);
        let within = self.x[start..].iter().position(|&x| x == best);
        start + within.expect("the largest element is one of them")
    }
}
