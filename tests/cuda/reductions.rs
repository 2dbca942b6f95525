//! Compares all reductions, for all element types, on the GPU with the host. Extents are around the sizes of warps and blocks, and
//! around the lengths from which reductions are split.

use crate::data::{contiguous, extent, operand, output, scrambled};
use crate::gpu::there;
use vierbein::device::{CudaSource, Device, Reduce, Reduction, Scalars};
use vierbein::op::*;
use vierbein::prelude::*;
use vierbein::{Cuda, Element, Error, c32, c64};

/// The layout of an operand, and the number of its leading axes that are kept; the other axes are reduced.
#[derive(Debug, Clone)]
struct Case {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
    kept: usize,
    /// Strides of the output.
    out: Vec<isize>,
}

impl Case {
    /// Returns the number of elements of the operand's buffer.
    fn len(&self) -> usize {
        extent(&self.shape, &self.strides) + self.offset
    }
}

fn case(shape: &[usize], strides: &[isize], offset: usize, kept: usize) -> Case {
    let out = contiguous(&shape[..kept]);
    Case { shape: shape.into(), strides: strides.into(), offset, kept, out }
}

/// Returns one or more cases for each kind of layout.
fn some() -> Vec<Case> {
    let mut cases = vec![
        // Sums along contiguous rows, sums along strided columns, and a row that is not aligned to 16 bytes.
        case(&[5, 70], &[70, 1], 0, 1),
        case(&[37, 41], &[1, 37], 0, 1),
        case(&[1003], &[1], 1, 0),
        // The kept axis is not the outermost in memory. The first case permits vector loads, the second does not.
        case(&[3, 5, 16], &[16, 48, 1], 0, 1),
        case(&[3, 5, 7], &[7, 21, 1], 0, 1),
        // A few long reductions, each of which is split into several parts.
        case(&[20_011], &[1], 0, 0),
        case(&[2, 9000], &[1, 2], 0, 1),
    ];
    // Both strides are negative.
    cases.push(case(&[4, 9], &[-9, -1], 35, 1));
    cases
}

/// Returns the cases of [`some`] and many more.
fn all() -> Vec<Case> {
    let mut cases = some();
    let lengths =
        [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513];
    for n in lengths.into_iter().chain([1000, 1023, 1024, 1025, 4095, 4097, 8193, 16_383, 16_385, 100_003]) {
        cases.push(case(&[n], &[1], 0, 0));
        cases.push(case(&[n], &[1], 3, 0));
        cases.push(case(&[n], &[-2], 2 * n.saturating_sub(1), 0));
    }
    for k in [0, 1, 3, 31, 32, 33, 257] {
        for n in [0, 1, 2, 5, 8, 31, 33, 64, 100, 257, 1030] {
            cases.push(case(&[k, n], &[n as isize, 1], 0, 1));
            cases.push(case(&[k, n], &[n as isize + 3, 1], 1, 1));
            cases.push(case(&[k, n], &[1, k as isize], 0, 1));
            cases.push(case(&[k, n], &[2, 2 * k as isize + 1], 0, 1));
        }
    }
    cases.extend([
        // Two cases whose reductions are split: over the long columns of a narrow and of a wide matrix. Then two cases with many short
        // reductions.
        case(&[3, 30_000], &[1, 3], 0, 1),
        case(&[40, 6000], &[1, 40], 0, 1),
        case(&[40_000, 3], &[3, 1], 0, 1),
        case(&[30_000, 3], &[1, 30_000], 0, 1),
        // The kept axis or the reduced axis has stride 0.
        case(&[9, 33], &[0, 1], 0, 1),
        case(&[9, 33], &[1, 0], 0, 1),
        case(&[33], &[0], 2, 0),
        // Traces: of one matrix, and of batches whose batch axis has the largest, the smallest and the middle stride.
        case(&[150], &[151], 0, 0),
        case(&[6, 40], &[1600, 41], 0, 1),
        case(&[60, 40], &[1, 2460], 0, 1),
        case(&[20, 30], &[30, 601], 0, 1),
        // Three and four axes, permuted and sliced.
        case(&[4, 6, 5], &[30, 5, 1], 0, 2),
        case(&[4, 6, 5], &[1, 4, 24], 0, 1),
        case(&[6, 4, 5], &[5, 30, 1], 0, 1),
        case(&[6, 4, 5], &[-10, 60, 2], 60, 1),
        case(&[3, 4, 5, 6], &[120, 1, 24, 4], 0, 2),
        case(&[3, 4, 5, 6], &[6, 18, 72, 1], 0, 1),
        case(&[5, 3, 4, 8], &[8, 160, 40, 1], 0, 1),
        case(&[5, 3, 4, 8], &[8, 160, 40, 1], 4, 1),
        case(&[2, 3, 0, 6], &[1, 1, 1, 1], 0, 2),
        case(&[2, 0, 3], &[1, 1, 1], 0, 2),
        case(&[3, 300, 50], &[1, 150, 3], 0, 1),
        case(&[70, 90], &[90, -1], 89, 0),
    ]);
    // Two outputs that are not contiguous in row-major order: one with gaps, one column-major.
    let mut apart = case(&[7, 6, 5], &[30, 5, 1], 0, 2);
    apart.out = vec![3, 40];
    cases.push(apart);
    let mut across = case(&[7, 6, 50], &[300, 50, 1], 0, 2);
    across.out = vec![1, 7];
    cases.push(across);
    cases
}

fn run<Dev: Device + Default + Reduce<T>, T: Element, R: Reduction<T>>(
    op: &R,
    case: &Case,
    data: &[T],
    fill: R::Output,
) -> Result<Vec<R::Output>, Error> {
    let device = Dev::default();
    let a = device.adopt(data.to_vec())?;
    let kept = &case.shape[..case.kept];
    let mut out = device.adopt(vec![fill; extent(kept, &case.out)])?;
    let from = operand(&a, case.offset, &case.shape, &case.strides);
    // SAFETY: each output layout in this file is contiguous in some axis order, possibly with gaps between elements. So no two
    // indices share an element.
    let to = unsafe { output(&mut out, 0, kept, &case.out) };
    device.reduce(op, to, from).map(|()| device.release(out).unwrap())
}

fn compare<T: Element, R: Reduction<T>>(
    op: R,
    cases: &[Case],
    values: impl Fn(usize) -> T,
    fill: R::Output,
    close: impl Fn(R::Output, R::Output, usize) -> bool,
) where
    Cuda: Reduce<T>,
    Cpu: Reduce<T>,
{
    for case in cases {
        let data: Vec<T> = (0..case.len()).map(&values).collect();
        let count: usize = case.shape[case.kept..].iter().product();
        match (run::<Cpu, T, R>(&op, case, &data, fill), run::<Cuda, T, R>(&op, case, &data, fill)) {
            (Ok(expected), Ok(found)) => {
                for (k, (&x, &y)) in expected.iter().zip(&found).enumerate() {
                    assert!(close(x, y, count), "{} of {}, {case:?}: {x} and {y} at {k}", R::NAME, T::DTYPE);
                }
            }
            (expected, found) => {
                assert_eq!(expected.err(), found.err(), "{} of {}, {case:?}", R::NAME, T::DTYPE);
            }
        }
    }
}

/// Returns a number near 1, so that sums and products of many numbers neither overflow nor underflow.
fn ordinary(k: usize) -> f64 {
    1.0 + (scrambled(k) % 2001) as f64 / 1e6 - 1e-3
}

fn near(x: f64, y: f64, epsilon: f64, count: usize) -> bool {
    x == y
        || (x.is_nan() && y.is_nan())
        || (x - y).abs() <= epsilon * (8.0 + count as f64) * x.abs().max(1e-3)
}

fn exact<T: PartialEq>(x: T, y: T, _: usize) -> bool {
    x == y
}

macro_rules! integers {
    ($($name:ident: $t:ty, $cases:expr, $least:expr;)*) => {$(
        #[test]
        fn $name() {
            if !there() {
                return;
            }
            let cases = $cases;
            let small = |k| (scrambled(k) % 5) as i64 as $t - $least;
            let factor = |k| [1, 1, 1, 1, 1, 2, 1, 3][scrambled(k) as usize % 8] as $t;
            let any = |k| scrambled(k) as $t;
            let double = |x: f64, y: f64, count| near(x, y, f64::EPSILON, count);
            compare::<$t, _>(Sum, &cases, small, 77, exact);
            compare::<$t, _>(Sum, &cases, any, 77, exact);
            compare::<$t, _>(Prod, &cases, factor, 77, exact);
            compare::<$t, _>(Prod, &cases, small, 77, exact);
            compare::<$t, _>(Mean, &cases, any, 77.0, |x: f64, y: f64, _| near(x, y, f64::EPSILON, 1));
            compare::<$t, _>(Var { ddof: 1 }, &cases, any, 77.0, double);
            compare::<$t, _>(Std { ddof: 0 }, &cases, small, 77.0, double);
            compare::<$t, _>(Norm::<f64>::default(), &cases, any, 77.0, double);
            compare::<$t, _>(Max, &cases, any, 77, exact);
            compare::<$t, _>(Min, &cases, any, 77, exact);
            compare::<$t, _>(PeakToPeak, &cases, small, 77, exact);
            compare::<$t, _>(ArgMax, &cases, small, 77, exact);
            compare::<$t, _>(ArgMin, &cases, small, 77, exact);
        }
    )*};
}
integers! {
    of_i8: i8, some(), 2;
    of_i32: i32, all(), 2;
    of_i64: i64, some(), 2;
    of_u8: u8, some(), 0;
    of_u64: u64, some(), 0;
}

macro_rules! floats {
    ($($name:ident: $t:ty, $complex:ident, $cases:expr, $complex_cases:expr;)*) => {$(
        #[test]
        fn $name() {
            if !there() {
                return;
            }
            let cases = $cases;
            let value = |k| ordinary(k) as $t;
            // There are only seven different values, so extrema are not unique.
            let ties = |k| (scrambled(k) % 7) as $t - 3.0;
            let with_nan = |k| if scrambled(k) % 97 == 0 { <$t>::NAN } else { value(k) };
            let same = |x: $t, y: $t, _: usize| x == y || (x.is_nan() && y.is_nan());
            let epsilon = <$t>::EPSILON as f64;
            let close = |x: $t, y: $t, count| near(x.into(), y.into(), epsilon, count);
            compare::<$t, _>(Sum, &cases, value, 77.0, close);
            compare::<$t, _>(Prod, &cases, value, 77.0, close);
            compare::<$t, _>(Mean, &cases, value, 77.0, close);
            compare::<$t, _>(Max, &cases, ties, 77.0, same);
            compare::<$t, _>(Min, &cases, with_nan, 77.0, same);
            compare::<$t, _>(PeakToPeak, &cases, ties, 77.0, same);
            compare::<$t, _>(NanSum, &cases, with_nan, 77.0, close);
            compare::<$t, _>(NanMean, &cases, with_nan, 77.0, close);
            compare::<$t, _>(NanMax, &cases, with_nan, 77.0, same);
            compare::<$t, _>(NanMin, &cases, with_nan, 77.0, same);
            compare::<$t, _>(NanMax, &some(), |_| <$t>::NAN, 77.0, same);
            compare::<$t, _>(NanProd, &cases, with_nan, 77.0, close);
            let ties_and_nan = |k| if scrambled(k) % 97 == 0 { <$t>::NAN } else { ties(k) };
            compare::<$t, _>(NanVar { ddof: 1 }, &cases, ties_and_nan, 77.0, close);
            compare::<$t, _>(NanStd { ddof: 0 }, &cases, ties_and_nan, 77.0, close);
            compare::<$t, _>(NanArgMax, &cases, ties_and_nan, 77, exact);
            compare::<$t, _>(NanArgMin, &cases, ties_and_nan, 77, exact);
            compare::<$t, _>(ArgMax, &cases, ties, 77, exact);
            compare::<$t, _>(ArgMin, &cases, with_nan, 77, exact);
            compare::<$t, _>(ArgMax, &some(), |_| <$t>::NEG_INFINITY, 77, exact);
            compare::<$t, _>(Var { ddof: 1 }, &cases, ties, 77.0, close);
            compare::<$t, _>(Std { ddof: 2 }, &cases, ties, 77.0, close);
            let scales = [<$t>::MIN_POSITIVE, 1.0, <$t>::MAX / 1e6];
            compare::<$t, _>(Norm::<$t>::default(), &cases, value, 77.0, close);
            compare::<$t, _>(Norm::<$t>::default(), &some(), |_| 0.0, 77.0, close);
            for scale in scales {
                let value = move |k| value(k) * scale;
                let close = move |x: $t, y: $t, n| close(x / scale, y / scale, n);
                compare::<$t, _>(Norm::<$t>::default(), &some(), value, 77.0, close);
            }
            let value = |k| Complex::new(ordinary(2 * k) as $t, (scrambled(k) % 9) as $t / 1e3);
            let cases = $complex_cases;
            let modulus = |x: $complex, y: $complex, count| {
                let scale = x.norm().max(1e-3);
                near(x.re.into(), y.re.into(), epsilon * f64::from(scale / x.re.abs().max(1e-3)), count)
                    && near(x.im.into(), y.im.into(), epsilon * f64::from(scale / x.im.abs().max(1e-3)), count)
            };
            let fill = Complex::new(77.0, 0.0);
            compare::<$complex, _>(Sum, &cases, value, fill, modulus);
            compare::<$complex, _>(Prod, &some(), value, fill, modulus);
            compare::<$complex, _>(Mean, &cases, value, fill, modulus);
            let spread = |k| Complex::new(ties(2 * k), ties(2 * k + 1));
            compare::<$complex, _>(Var { ddof: 1 }, &some(), spread, 77.0, close);
            compare::<$complex, _>(Std { ddof: 1 }, &some(), spread, 77.0, close);
            compare::<$complex, _>(Norm::<$t>::default(), &some(), value, 77.0, close);
        }
    )*};
}
floats! {
    of_f32: f32, c32, some(), all();
    of_f64: f64, c64, all(), some();
}

#[test]
fn bool_reductions() {
    if !there() {
        return;
    }
    let cases = all();
    compare::<bool, _>(Count, &cases, |k| scrambled(k).is_multiple_of(3), 77, exact);
    for rare in [2, 1000, 1_000_000] {
        compare::<bool, _>(Any, &cases, |k| scrambled(k) % rare == 1, true, exact);
        compare::<bool, _>(All, &cases, |k| scrambled(k) % rare != 1, true, exact);
        compare::<bool, _>(ArgMax, &cases, |k| scrambled(k) % rare == 1, 77, exact);
        compare::<bool, _>(ArgMin, &cases, |k| scrambled(k) % rare != 1, 77, exact);
    }
}

/// Long sums of `f32` must satisfy the error bound of pairwise summation. The error of a plain loop of this length would exceed it.
#[test]
fn long_sums_are_accurate() {
    if !there() {
        return;
    }
    let n = 1_500_000;
    let data: Vec<f32> = (0..n).map(|k| 0.1 + (scrambled(k) % 1000) as f32 * 1e-4).collect();
    let exact: f64 = data.iter().map(|&x| f64::from(x)).sum();
    for case in
        [case(&[n], &[1], 0, 0), case(&[3, n / 3], &[1, 3], 0, 1), case(&[1500, 1000], &[1, 1500], 0, 1)]
    {
        let sums = run::<Cuda, f32, Sum>(&Sum, &case, &data, 0.0).unwrap();
        let sum: f64 = sums.iter().map(|&x| f64::from(x)).sum();
        let error = (sum - exact).abs() / exact;
        assert!(error < 4.0 * f64::from(f32::EPSILON), "{case:?}: {error:e}");
    }
}

/// A sum that overflows is an error, as on the host.
#[test]
fn integer_overflow_equals_host() {
    if !there() {
        return;
    }
    let x = Tensor::<i32, _>::full([3, 50], i32::MAX).to_device::<Cuda>().unwrap();
    let on_host = Tensor::<i32, _>::full([3, 50], i32::MAX).try_sum_axis(1);
    assert!(on_host.is_err());
    assert_eq!(x.try_sum_axis(1).map(|sums| sums.to_device::<Cpu>().unwrap()), on_host);
}

/// A user-defined reduction: the index of the last element above a limit. It is undefined if no element is above the limit.
#[derive(Debug, Clone, Copy)]
struct LastAbove {
    limit: f64,
}

impl Reduction<f64> for LastAbove {
    type Acc = i64;
    type Output = i64;
    const NAME: &'static str = "last position above a limit";
    const USES_INDEX: bool = true;
    // SAFETY: the functions of the text access only their arguments and the scalar `limit`, and write only to `result`.
    const CUDA: CudaSource = unsafe {
        CudaSource::new(
            "
        typedef i64 Acc;
        DEV Acc identity() const { return -1; }
        DEV Acc fold(Acc acc, T x, u64 index) const { return x > limit ? (i64)index : acc; }
        DEV Acc combine(Acc a, Acc b) const { return a > b ? a : b; }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc; return acc >= 0; }",
        )
    };
    fn identity(&self) -> i64 {
        -1
    }
    fn fold(&self, acc: i64, x: f64, index: usize) -> i64 {
        if x > self.limit { index as i64 } else { acc }
    }
    fn combine(&self, a: i64, b: i64) -> i64 {
        a.max(b)
    }
    fn finish(&self, acc: i64, _: usize) -> Option<i64> {
        (acc >= 0).then_some(acc)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("limit", self.limit);
    }
}

#[test]
fn user_defined_reduction() {
    if !there() {
        return;
    }
    for limit in [0.0, 1.0, 1.0009, 2.0] {
        compare(LastAbove { limit }, &some(), ordinary, 77, exact);
    }
}
