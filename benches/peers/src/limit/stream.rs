//! Reference loops for copies and elementwise operations, similar to those of the STREAM benchmark.

use super::halved;
use super::level::{Level, Loop, widest};
use crate::Number;

/// Minimum size in bytes of outputs that are written with non-temporal stores. Ordinary stores keep smaller outputs in the caches,
/// where the next loop finds them.
const STREAMED_BYTES: usize = 16 << 20;
/// Elements per iteration. For every element type, their size is a multiple of 64 bytes.
const BLOCK: usize = 16;

/// Copies elements. In parallel, two threads copy one half each.
pub(crate) fn copy<T: Number>(out: &mut [T], from: &[T]) {
    if halved(out.len()) {
        let middle = out.len() / 2;
        let (low, high) = out.split_at_mut(middle);
        rayon::join(|| low.copy_from_slice(&from[..middle]), || high.copy_from_slice(&from[middle..]));
    } else {
        out.copy_from_slice(from);
    }
}

/// Computes `out[i] = f([a[i], b[i], ..])` for the operands `a`, `b`, ..
pub(crate) fn over<T: Number, const K: usize>(
    out: &mut [T],
    operands: [&[T]; K],
    f: impl Fn([T; K]) -> T + Copy + Sync,
) {
    let streamed = size_of_val(out) >= STREAMED_BYTES;
    halves(out, operands, f, streamed);
}

fn halves<T: Number, const K: usize>(
    out: &mut [T],
    operands: [&[T]; K],
    f: impl Fn([T; K]) -> T + Copy + Sync,
    streamed: bool,
) {
    if halved(out.len()) {
        let middle = out.len() / 2;
        let (low, high) = out.split_at_mut(middle);
        rayon::join(
            || widest(Over { out: low, operands: operands.map(|x| &x[..middle]), f, streamed }),
            || widest(Over { out: high, operands: operands.map(|x| &x[middle..]), f, streamed }),
        );
    } else {
        widest(Over { out, operands, f, streamed });
    }
}

/// Computes [`over`] for each row of `length` elements of `out`. `line(i)` returns the operands and the function for row `i`.
pub(crate) fn over_lines<'a, T: Number, const K: usize, F: Fn([T; K]) -> T + Copy + Sync>(
    out: &mut [T],
    length: usize,
    line: impl Fn(usize) -> ([&'a [T]; K], F) + Sync,
) {
    let streamed = size_of_val(out) >= STREAMED_BYTES;
    let some = |first: usize, out: &mut [T]| {
        for (i, out) in out.chunks_exact_mut(length).enumerate() {
            let (operands, f) = line(first + i);
            widest(Over { out, operands, f, streamed });
        }
    };
    if halved(out.len()) {
        let middle = out.len() / length / 2;
        let (low, high) = out.split_at_mut(middle * length);
        rayon::join(|| some(0, low), || some(middle, high));
    } else {
        some(0, out);
    }
}

/// Computes `out[i] = f(out[i], a[i])`. If `a` is `None`, computes `out[i] = f(out[i], out[i])`.
pub(crate) fn update<T: Number>(out: &mut [T], a: Option<&[T]>, f: impl Fn(T, T) -> T + Copy + Sync) {
    if halved(out.len()) {
        let middle = out.len() / 2;
        let (low, high) = out.split_at_mut(middle);
        rayon::join(
            || widest(Update { out: low, a: a.map(|a| &a[..middle]), f }),
            || widest(Update { out: high, a: a.map(|a| &a[middle..]), f }),
        );
    } else {
        widest(Update { out, a, f });
    }
}

struct Over<'a, T, F, const K: usize> {
    out: &'a mut [T],
    operands: [&'a [T]; K],
    f: F,
    streamed: bool,
}

impl<T: Number, F: Fn([T; K]) -> T, const K: usize> Loop for Over<'_, T, F, K> {
    type Output = ();
    #[inline(always)]
    fn run<L: Level>(self) {
        let Over { out, operands, f, streamed } = self;
        let length = out.len();
        assert!(operands.iter().all(|operand| operand.len() == length));
        let sources = operands.map(<[T]>::as_ptr);
        // SAFETY: all operands have `length` elements, as was asserted, and `value` is only called for `i < length`.
        let value = |i: usize| f(sources.map(|source| unsafe { *source.wrapping_add(i) }));
        let to = out.as_mut_ptr();
        let mut done = 0;
        if L::STREAMS && streamed {
            while done < length && !to.wrapping_add(done).addr().is_multiple_of(64) {
                // SAFETY: `done < length`, the length of `out`.
                unsafe { to.wrapping_add(done).write(value(done)) };
                done += 1;
            }
            while length - done >= BLOCK {
                let block: [T; BLOCK] = std::array::from_fn(|lane| value(done + lane));
                let (to, from) = (to.wrapping_add(done).cast::<u8>(), block.as_ptr().cast::<u8>());
                for at in (0..size_of::<[T; BLOCK]>()).step_by(64) {
                    // SAFETY: `at + 64` is at most the size of `block` in bytes. `length - done >= BLOCK`, so the output also has this
                    // many bytes from `done` on. `block` is a local variable, so it does not overlap the output. The first loop aligned
                    // `to` to 64 bytes, and `at` and the size of `block` are multiples of 64. `widest` selects a level whose
                    // instruction set the machine has.
                    unsafe { L::store(to.wrapping_add(at), from.wrapping_add(at)) };
                }
                done += BLOCK;
            }
        }
        for i in done..length {
            // SAFETY: `i < length`, the length of `out`.
            unsafe { to.wrapping_add(i).write(value(i)) };
        }
    }
}

struct Update<'a, T, F> {
    out: &'a mut [T],
    a: Option<&'a [T]>,
    f: F,
}

impl<T: Number, F: Fn(T, T) -> T> Loop for Update<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn run<L: Level>(self) {
        match self.a {
            Some(a) => self.out.iter_mut().zip(a).for_each(|(out, &a)| *out = (self.f)(*out, a)),
            None => self.out.iter_mut().for_each(|out| *out = (self.f)(*out, *out)),
        }
    }
}

/// Computes `out[i] = a[2i] + b[i]`.
pub(crate) fn add_stepped<T: Number>(out: &mut [T], a: &[T], b: &[T]) {
    if halved(out.len()) {
        let middle = out.len() / 2;
        let (low, high) = out.split_at_mut(middle);
        rayon::join(
            || widest(AddStepped { out: low, a: &a[..2 * middle], b: &b[..middle] }),
            || widest(AddStepped { out: high, a: &a[2 * middle..], b: &b[middle..] }),
        );
    } else {
        widest(AddStepped { out, a, b });
    }
}

struct AddStepped<'a, T> {
    out: &'a mut [T],
    a: &'a [T],
    b: &'a [T],
}

impl<T: Number> Loop for AddStepped<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Level>(self) {
        let (pairs, _) = self.a.as_chunks::<2>();
        for ((out, pair), &b) in self.out.iter_mut().zip(pairs).zip(self.b) {
            *out = pair[0] + b;
        }
    }
}
