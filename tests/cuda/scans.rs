//! Compares cumulative sums and products on the GPU with the host, for short and long lanes, all kinds of strides, many and few lanes,
//! and integers that overflow.

use crate::data::{contiguous, extent, operand, output, scrambled};
use crate::gpu::there;
use vierbein::device::{BinaryOp, Device, Reduce};
use vierbein::op::{Add, Mul, Sub};
use vierbein::prelude::*;
use vierbein::{Cuda, Error, c32};

fn run<Dev: Device + Default + Reduce<T>, T: Scalar, F: BinaryOp<T, T, Output = T>>(
    op: &F,
    shape: &[usize],
    [to, from]: [&[isize]; 2],
    data: &[T],
) -> Result<Vec<T>, Error> {
    let device = Dev::default();
    let a = device.adopt(data.to_vec())?;
    let mut out = device.adopt(vec![T::zero(); extent(shape, to)])?;
    // If the stride of an axis is negative, index 0 is the last element of the axis in memory.
    let back: usize =
        shape.iter().zip(from).map(|(&n, &s)| n.saturating_sub(1) * s.min(0).unsigned_abs()).sum();
    // SAFETY: in each output layout of this file, different indices address different elements.
    let to = unsafe { output(&mut out, 0, shape, to) };
    device.scan(op, to, operand(&a, back, shape, from)).map(|()| device.release(out).unwrap())
}

fn compare<T: Scalar, F: BinaryOp<T, T, Output = T>>(
    op: F,
    shape: &[usize],
    strides: [&[isize]; 2],
    value: impl Fn(usize) -> T,
    close: impl Fn(T, T) -> bool,
) where
    Cuda: Reduce<T>,
    Cpu: Reduce<T>,
{
    let forwards: Vec<isize> = strides[1].iter().map(|s| s.abs()).collect();
    let data: Vec<T> = (0..extent(shape, &forwards)).map(value).collect();
    let what = || format!("{} of {}, {shape:?}, {strides:?}", F::NAME, T::DTYPE);
    match (run::<Cpu, T, F>(&op, shape, strides, &data), run::<Cuda, T, F>(&op, shape, strides, &data)) {
        (Ok(expected), Ok(found)) => {
            for (k, (&x, &y)) in expected.iter().zip(&found).enumerate() {
                assert!(close(x, y), "{}: {x} and {y} at {k}", what());
            }
        }
        (expected, found) => assert_eq!(expected.err(), found.err(), "{}", what()),
    }
}

/// Returns shapes with the strides of the result and of the operand.
fn cases() -> Vec<(Vec<usize>, Vec<isize>, Vec<isize>)> {
    let lengths = [0, 1, 2, 7, 8, 9, 31, 33, 255, 257, 2047, 2048, 2049, 2056, 5000, 8191, 16_385, 40_000];
    let mut cases: Vec<_> = lengths.into_iter().map(|n| (vec![n], vec![1], vec![1])).collect();
    let mut add =
        |shape: &[usize], to: &[isize], from: &[isize]| cases.push((shape.into(), to.into(), from.into()));
    for shape in [[5, 300], [3, 9000], [300, 5], [0, 4], [4, 0]] {
        let [m, n] = shape.map(|n| n as isize);
        add(&shape, &contiguous(&shape), &[n, 1]);
        add(&shape, &contiguous(&shape), &[1, m]);
        add(&shape, &[1, m], &[-n, -1]);
        add(&shape, &[1, m], &[0, 1]);
        add(&shape, &[2 * n + 1, 2], &[n, 1]);
    }
    // The first two of these cases have enough lanes for one thread per lane. The lanes are interleaved in the first case,
    // and short and contiguous in the second.
    add(&[16_500, 9], &[1, 16_500], &[1, 16_500]);
    add(&[17_000, 5], &[5, 1], &[5, 1]);
    add(&[4, 3, 700], &[700, 2800, 1], &[2100, 700, 1]);
    cases
}

#[test]
fn sums_and_products() {
    if !there() {
        return;
    }
    for (shape, to, from) in cases() {
        let strides = [&to[..], &from[..]];
        let small = |k| (scrambled(k) % 7) as i64 - 3;
        compare(Add, &shape, strides, small, |x, y| x == y);
        compare(Sub, &shape, strides, small, |x, y| x == y);
        let sign = |k| [1i32, -1, 1, 1][scrambled(k) as usize % 4];
        compare(Mul, &shape, strides, sign, |x, y| x == y);
        let near = |k| 1.0 + (scrambled(k) % 201) as f64 * 1e-6 - 1e-4;
        let close = |x: f64, y: f64| (x - y).abs() <= 1e-11 * x.abs();
        compare(Add, &shape, strides, near, close);
        compare(Mul, &shape, strides, near, close);
        compare(Sub, &shape, strides, near, |x, y| (x - y).abs() <= 1e-11 * x.abs().max(1.0));
        let complex = |k| Complex::new(near(k) as f32, 1e-3);
        compare::<c32, _>(Add, &shape, strides, complex, |x, y| (x - y).norm() <= 2e-3 * x.norm());
    }
}

/// A cumulative sum that overflows has the same outcome as on the host: an error in builds with debug assertions. If only an
/// intermediate result of the kernel overflows, that is no error.
#[test]
fn integer_overflow_equals_host() {
    if !there() {
        return;
    }
    for length in [3, 100, 3000, 40_000] {
        for at in [1, length / 2, length - 1] {
            for first in [0, 1] {
                let value = |k| if k == at { i32::MAX } else { i32::from(k == 0) * first };
                compare(Add, &[length], [&[1], &[1]], value, |x, y| x == y);
                compare(Mul, &[length], [&[1], &[1]], |k| value(k).max(1 + i32::from(k == 0)), |x, y| x == y);
            }
        }
        // Of four consecutive elements, two are `i64::MAX` and two are `-i64::MAX`. For the first `value`, the sums of some chunks
        // overflow, although no cumulative sum does. For the second `value`, the cumulative sum overflows at index 1.
        let value = |k| [i64::MAX, -i64::MAX, -i64::MAX, i64::MAX][k % 4];
        compare(Add, &[length], [&[1], &[1]], value, |x, y| x == y);
        let value = |k| [-i64::MAX, i64::MAX, i64::MAX, -i64::MAX][(k + 3) % 4];
        compare(Add, &[length], [&[1], &[1]], value, |x, y| x == y);
    }
}
