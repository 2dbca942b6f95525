//! Compares `sum_products` with a naive loop, for many strides and scaling factors, and for conjugated operands.

use super::unchecked::complex;
use super::*;
use crate::device::cpu::bytes;
use crate::device::cpu::kernels::reduce::tests::offsets;
use crate::device::{Gemm, Operand};
use crate::element::{DType, RealScalar, c32, c64};
use num_traits::{One, Zero};

/// Computes `out = alpha · Σ a · b + beta · out`.
fn sum_products<'a, T: Scalar>(
    alpha: T,
    a: MatrixOperand<'a, T, Cpu>,
    b: MatrixOperand<'a, T, Cpu>,
    beta: T,
    out: Output<'a, T, Cpu>,
) -> Result<(), Error> {
    Cpu.sum_products(ProductArgs { scaling: Scaling { alpha, beta }, a, b, out })
}

/// One axis of a product: its extent `n`, and its strides in `out`, `a` and `b`. A summed axis has no stride in `out`.
#[derive(Debug, Clone, Copy)]
enum Loop {
    Keep { n: usize, out: isize, a: isize, b: isize },
    Sum { n: usize, a: isize, b: isize },
}
use Loop::{Keep, Sum};

impl Loop {
    fn extent(&self) -> usize {
        let (Keep { n, .. } | Sum { n, .. }) = *self;
        n
    }

    fn stride_in_out(&self) -> Option<isize> {
        match *self {
            Keep { out, .. } => Some(out),
            Sum { .. } => None,
        }
    }

    fn strides_in_operands(&self) -> [isize; 2] {
        let (Keep { a, b, .. } | Sum { a, b, .. }) = *self;
        [a, b]
    }
}

/// Returns the smallest buffer for these extents and strides, and the offset of index 0. The buffer repeats the elements of `period`.
fn buffer<T: Scalar>(shape: &[usize], strides: &[isize], period: &[T]) -> (Vec<T>, usize) {
    let reach = |sign: isize| -> usize {
        let of_axis = |(&n, &s): (&usize, &isize)| n.saturating_sub(1) * (s * sign).max(0).unsigned_abs();
        shape.iter().zip(strides).map(of_axis).sum()
    };
    let (below, above) = (reach(-1), reach(1));
    let (len, mut buffer) = (below + above + 1, vec![]);
    while buffer.len() < len {
        buffer.extend_from_slice(&period[..period.len().min(len - buffer.len())]);
    }
    (buffer, below)
}

/// Returns a small number that depends only on `k` modulo [`PERIOD`] and on `seed`: an integer for integer types. Its real and imaginary
/// parts are between -3 and 3, or between 0 and 4 for unsigned types.
fn number<T: Scalar>(k: usize, seed: usize) -> T {
    let mixed =
        |salt: usize| ((((k + 1) * (seed + 2 * salt + 1)) as u64 * 2_654_435_761) >> 7 & 0xff) as usize;
    let part =
        |salt: usize| T::Real::from_usize(mixed(salt) % 5) - T::Real::from_usize(2 * (1 - unsigned::<T>()));
    let fraction = |salt: usize| match T::INTEGER {
        true => T::Real::zero(),
        false => T::Real::from_usize(mixed(salt + 7)) / T::Real::from_usize(256),
    };
    let re = part(0) + fraction(0);
    if T::COMPLEX { complex(re, part(1) - fraction(1)) } else { T::from_real(re) }
}

const PERIOD: usize = 1 << 15;

/// The elements of the operands and of the old output. They are computed once, as this takes long in builds without optimisation.
struct Numbers<T>([Vec<T>; 3]);

impl<T: Scalar> Numbers<T> {
    fn new() -> Self {
        Numbers([1, 5, 9].map(|seed| (0..PERIOD).map(|k| number(k, seed)).collect()))
    }
}

fn unsigned<T: Scalar>() -> usize {
    usize::from(matches!(T::DTYPE, DType::U8 | DType::U16 | DType::U32 | DType::U64))
}

/// The operands of a product, and the sums that a plain loop computes.
struct Summed<'a, T> {
    numbers: &'a Numbers<T>,
    shape: Vec<usize>,
    kept: usize,
    /// The strides of the output, and of both operands.
    strides: [Vec<isize>; 3],
    /// The operands, each with the offset of its first element.
    operands: [(Vec<T>, usize); 2],
    conjugate: [bool; 2],
    sums: Vec<T>,
}

impl<'a, T: Scalar> Summed<'a, T> {
    fn new(numbers: &'a Numbers<T>, loops: &[Loop], conjugate: [bool; 2]) -> Self {
        let (kept, summed): (Vec<Loop>, Vec<Loop>) = loops.iter().partition(|l| matches!(l, Keep { .. }));
        let all = [&kept[..], &summed[..]].concat();
        let shape: Vec<usize> = all.iter().map(Loop::extent).collect();
        let so: Vec<isize> = kept.iter().filter_map(Loop::stride_in_out).collect();
        let (sa, sb): (Vec<isize>, Vec<isize>) = all.iter().map(|l| l.strides_in_operands().into()).unzip();
        let (a, first_a) = buffer(&shape, &sa, &numbers.0[0]);
        let (b, first_b) = buffer(&shape, &sb, &numbers.0[1]);

        let conj = |x: &[T], yes: bool| {
            if yes && T::COMPLEX { x.iter().map(|x| x.conj()).collect() } else { x.to_vec() }
        };
        let (x, y) = (conj(&a, conjugate[0]), conj(&b, conjugate[1]));
        let split = |s: &[isize]| {
            (offsets(&shape[..kept.len()], &s[..kept.len()]), offsets(&shape[kept.len()..], &s[kept.len()..]))
        };
        let ((x_outputs, x_terms), (y_outputs, y_terms)) = (split(&sa), split(&sb));
        let mut sums = Vec::with_capacity(x_outputs.len());
        for (i, j) in x_outputs.into_iter().zip(y_outputs) {
            let (i, j) = (first_a.strict_add_signed(i) as isize, first_b.strict_add_signed(j) as isize);
            let (x, y, x_terms, y_terms) = (&x[..], &y[..], &x_terms[..], &y_terms[..]);
            let (mut sum, mut k) = (T::zero(), 0);
            while k < x_terms.len() {
                sum += x[(i + x_terms[k]) as usize] * y[(j + y_terms[k]) as usize];
                k += 1;
            }
            sums.push(sum);
        }
        let operands = [(a, first_a), (b, first_b)];
        Summed { numbers, shape, kept: kept.len(), strides: [so, sa, sb], operands, conjugate, sums }
    }

    /// Returns the results of `sum_products` and of the plain loop.
    fn both(&self, alpha: T, beta: T) -> [Vec<T>; 2] {
        let Summed { shape, kept, strides: [so, sa, sb], operands: [(a, first_a), (b, first_b)], .. } = self;
        let outputs = &shape[..*kept];
        // The old output must not be read if `beta` is 0, so it is NaN.
        let nan = if beta.is_zero() && !T::INTEGER { &[T::zero() / T::zero(); 64][..] } else { &[] };
        let (mut out, first_out) = buffer(outputs, so, if nan.is_empty() { &self.numbers.0[2] } else { nan });
        let mut expected = out.clone();
        for (&sum, at) in self.sums.iter().zip(offsets(outputs, so)) {
            let to = &mut expected[first_out.strict_add_signed(at)];
            *to = if beta.is_zero() { alpha * sum } else { alpha * sum + beta * *to };
        }
        let factor = |operand, conjugate| MatrixOperand { operand, conjugate };
        let a = factor(Operand::of_slice(a, *first_a, shape, sa), self.conjugate[0]);
        let b = factor(Operand::of_slice(b, *first_b, shape, sb), self.conjugate[1]);
        sum_products(alpha, a, b, beta, Output::of_slice(&mut out, first_out, outputs, so)).unwrap();
        [out, expected]
    }

    fn compare(&self, loops: &[Loop], alpha: T, beta: T, tolerance: f64) {
        let [out, expected] = self.both(alpha, beta);
        if bytes(&out) == bytes(&expected) {
            return;
        }
        for (k, (&x, &y)) in out.iter().zip(&expected).enumerate() {
            // Elements between those of the output stay NaN.
            let size = |x: T| x.re().in_f64().hypot(x.im().in_f64());
            let is_nan = |x: T| size(x).is_nan();
            let near = x == y || (is_nan(x) && is_nan(y)) || size(x - y) <= tolerance * (1.0 + size(y));
            let conjugate = self.conjugate;
            assert!(near, "{} {loops:?} {alpha} {beta} {conjugate:?}: {x} for {y} at {k}", T::DTYPE);
        }
    }
}

/// Compares the results with those of the plain loop, for all combinations of scaling factors and conjugates. Builds without optimisation
/// compare half of the combinations for complex numbers. They alternate with `round`.
fn compare_all<T: Scalar>(numbers: &Numbers<T>, loops: &[Loop], round: usize, tolerance: f64) {
    let two = T::one() + T::one();
    for (i, conjugate) in [[false; 2], [true, false], [false, true], [true; 2]].into_iter().enumerate() {
        if T::COMPLEX || conjugate == [false; 2] {
            let summed = Summed::new(numbers, loops, conjugate);
            let factors = [(T::one(), T::zero()), (two, T::one()), (T::zero(), two), (two, two)];
            for (j, (alpha, beta)) in factors.into_iter().enumerate() {
                if cfg!(debug_assertions) && T::COMPLEX && (i + j + round) % 2 == 1 {
                    continue;
                }
                summed.compare(loops, alpha, beta, tolerance);
            }
        }
    }
}

/// The cases of the tests: dot products, matrices and vectors in both memory orders, batches, outer products, and strides that are zero,
/// negative, or leave gaps.
fn cases() -> Vec<Vec<Loop>> {
    let mut cases = vec![vec![]];
    for n in [0, 1, 3, 4, 7, 16, 17, 100, 513, 1500] {
        cases.extend([
            vec![Sum { n, a: 1, b: 1 }],
            vec![Sum { n, a: 2, b: 1 }],
            vec![Sum { n, a: -1, b: 1 }],
            vec![Sum { n, a: -3, b: -1 }],
            vec![Sum { n, a: 0, b: 1 }],
            vec![Sum { n, a: 0, b: 0 }],
            vec![Keep { n, out: 1, a: 1, b: 1 }],
            vec![Keep { n, out: 1, a: 1, b: 0 }],
            vec![Keep { n, out: 2, a: 0, b: 3 }],
            vec![Keep { n, out: -1, a: 1, b: -2 }],
        ]);
        for m in [1, 2, 5, 9, 300].into_iter().filter(|m| m * n <= 30_000) {
            let (wide, high) = (n as isize, m as isize);
            cases.extend([
                vec![Keep { n: m, out: 1, a: wide, b: 0 }, Sum { n, a: 1, b: 1 }],
                vec![Keep { n: m, out: 1, a: 0, b: wide }, Sum { n, a: 1, b: 1 }],
                vec![Keep { n: m, out: 1, a: 1, b: 0 }, Sum { n, a: high, b: 1 }],
                vec![Keep { n: m, out: -1, a: 0, b: 1 }, Sum { n, a: 2, b: high }],
                vec![Keep { n: m, out: 1, a: wide, b: wide }, Sum { n, a: 1, b: 1 }],
                vec![Keep { n: m, out: 1, a: 1, b: 1 }, Sum { n, a: high, b: high }],
                vec![Keep { n: m, out: 2, a: -1, b: 1 }, Sum { n, a: -high, b: high }],
                vec![Keep { n: m, out: 1, a: 2, b: 3 }, Sum { n, a: 2 * high, b: 3 * high }],
                vec![Keep { n: m, out: wide, a: 1, b: 0 }, Keep { n, out: 1, a: 0, b: 1 }],
                vec![Keep { n: m, out: 1, a: wide, b: 1 }, Keep { n, out: high, a: 1, b: high }],
            ]);
        }
    }
    // Several kept and several summed axes, in all memory orders of the operands.
    for (i, j, k, l) in
        [(3, 5, 7, 2), (2, 40, 3, 30), (9, 1, 20, 20), (4, 3, 0, 2), (0, 3, 4, 2), (13, 12, 11, 10)]
    {
        let (ni, nj, nk, nl) = (i as isize, j as isize, k as isize, l as isize);
        cases.extend([
            vec![
                Keep { n: i, out: nj, a: nj * nk * nl, b: 0 },
                Keep { n: j, out: 1, a: nk * nl, b: 1 },
                Sum { n: k, a: nl, b: nj * nl },
                Sum { n: l, a: 1, b: nj },
            ],
            vec![
                Keep { n: i, out: 1, a: 1, b: nl * nk },
                Keep { n: j, out: ni, a: ni, b: 0 },
                Sum { n: k, a: ni * nj, b: 1 },
                Sum { n: l, a: ni * nj * nk, b: nk },
            ],
            vec![
                Keep { n: i, out: 1, a: 0, b: nl * nk },
                Keep { n: j, out: ni, a: -nk, b: 0 },
                Sum { n: k, a: 1, b: -1 },
                Sum { n: l, a: 0, b: nk },
            ],
            vec![
                Keep { n: i, out: nj, a: 1, b: 1 },
                Keep { n: j, out: 1, a: ni, b: ni },
                Keep { n: l, out: ni * nj, a: 0, b: ni * nj },
                Sum { n: k, a: ni * nj, b: 0 },
            ],
            vec![
                Keep { n: i, out: nj * nk, a: 1, b: 0 },
                Keep { n: j, out: nk, a: 0, b: nk },
                Keep { n: k, out: 1, a: ni, b: 1 },
            ],
            vec![Sum { n: i, a: nj * nk, b: 1 }, Sum { n: j, a: nk, b: ni }, Sum { n: k, a: 1, b: ni * nj }],
        ]);
    }
    cases
}

#[test]
fn agrees_with_a_plain_loop() {
    let (real, complex) = (Numbers::<f64>::new(), Numbers::<c64>::new());
    for (round, loops) in cases().into_iter().enumerate() {
        compare_all(&real, &loops, round, 1e-12);
        compare_all(&complex, &loops, round, 1e-12);
    }
}

#[test]
fn single_precision_agrees_with_a_plain_loop() {
    let (real, complex) = (Numbers::<f32>::new(), Numbers::<c32>::new());
    for (round, loops) in cases().into_iter().enumerate() {
        compare_all(&real, &loops, round, 2e-4);
        compare_all(&complex, &loops, round, 2e-4);
    }
}

#[test]
fn integers_are_exact() {
    let (long, unsigned, signed) = (Numbers::<i64>::new(), Numbers::<u32>::new(), Numbers::<i32>::new());
    for (round, loops) in cases().into_iter().enumerate() {
        compare_all(&long, &loops, round, 0.0);
        compare_all(&unsigned, &loops, round, 0.0);
        compare_all(&signed, &loops, round, 0.0);
    }
}

/// Outputs and sums that are large enough to run in parallel. Builds without optimisation have only enough elements for a few parts.
fn large() -> Vec<Vec<Loop>> {
    let (m, n, long) = if cfg!(debug_assertions) { (300, 441, 30_000) } else { (600, 700, 90_000) };
    let (high, wide) = (m as isize, n as isize);
    assert!(m * n >= 2 * PARALLEL_SUM_LEN);
    vec![
        vec![Sum { n: 300_001, a: 1, b: 1 }],
        vec![Sum { n: 150_000, a: -2, b: 1 }],
        vec![Sum { n: m, a: wide, b: high }, Sum { n, a: 1, b: high + 1 }],
        vec![Keep { n: m, out: 1, a: wide, b: 0 }, Sum { n, a: 1, b: 1 }],
        vec![Keep { n: m, out: 1, a: 1, b: 0 }, Sum { n, a: high, b: 1 }],
        vec![Keep { n: 3, out: 1, a: 140_000, b: 0 }, Sum { n: 140_000, a: 1, b: 1 }],
        vec![Keep { n: 5, out: 1, a: 1, b: 0 }, Sum { n: long, a: 5, b: 1 }],
        vec![Keep { n, out: 1, a: 1, b: 1 }, Sum { n: m, a: wide, b: wide }],
        vec![Keep { n, out: 1, a: high, b: high }, Sum { n: m, a: 1, b: 1 }],
        vec![Keep { n: m, out: wide, a: wide, b: 1 }, Keep { n, out: 1, a: 1, b: high }],
        vec![Keep { n: m, out: wide, a: 1, b: 0 }, Keep { n, out: 1, a: 0, b: 1 }],
    ]
}

#[test]
fn large_operands() {
    let (real, complex, integer) = (Numbers::<f64>::new(), Numbers::<c64>::new(), Numbers::<i64>::new());
    for loops in large() {
        Summed::new(&real, &loops, [false; 2]).compare(&loops, 2.0, 3.0, 1e-11);
        Summed::new(&complex, &loops, [true, false]).compare(&loops, c64::one(), c64::zero(), 1e-11);
        Summed::new(&integer, &loops, [false; 2]).compare(&loops, 1, 1, 0.0);
    }
}

#[cfg(feature = "rayon")]
#[test]
fn sum_products_is_bitwise_equal_for_any_thread_count() {
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    let (one, four) = (pool(1), pool(4));
    let (real, complex) = (Numbers::<f64>::new(), Numbers::<c32>::new());
    for loops in large() {
        let real = Summed::new(&real, &loops, [false; 2]);
        let compute = || real.both(1.0, 0.0)[0].clone();
        assert!(one.install(compute) == four.install(compute), "{loops:?}");
        let complex = Summed::new(&complex, &loops, [false, true]);
        let compute = || complex.both(c32::one(), c32::one())[0].clone();
        assert!(one.install(compute) == four.install(compute), "{loops:?}");
    }
}

#[test]
fn long_sums_stay_accurate() {
    // The exact result is about 10 486. A naive sum in `f32` differs from it by more than 10.
    let n = 1 << 20;
    let x = vec![0.1f32; n];
    let (mut out, shape) = ([0.0f32], [n]);
    let x = Operand::of_slice(&x, 0, &shape, &[1]);
    sum_products(1.0, x.into(), x.into(), 0.0, Output::of_slice(&mut out, 0, &[], &[])).unwrap();
    let exact = f64::from(0.1f32).powi(2) * n as f64;
    assert!((f64::from(out[0]) / exact - 1.0).abs() < 3e-7);
}

#[test]
fn factors_of_one_preserve_infinities() {
    let x = [c64::new(f64::INFINITY, 1.0)];
    let y = [c64::new(1.0, 0.0)];
    let mut out = [c64::new(0.0, f64::INFINITY)];
    let [x, y] = [&x, &y].map(|data| Operand::of_slice(data, 0, &[1], &[1]).into());
    sum_products(c64::one(), x, y, c64::one(), Output::of_slice(&mut out, 0, &[1], &[1])).unwrap();
    assert_eq!(out[0].re, f64::INFINITY);
}

#[test]
fn zero_factors_skip_reads() {
    for n in [1, 3, 300] {
        let (nan, two) = (vec![f64::NAN; n], vec![2.0; n]);
        let (mut out, shape) = (vec![f64::NAN; n], [n]);
        let mut multiply = |kept: usize, alpha: f64, x: &[f64], beta: f64| {
            let (shape, strides) = (&shape[..], &[1][..]);
            let x = Operand::of_slice(x, 0, shape, strides);
            let to = Output::of_slice(&mut out, 0, &shape[..kept], &strides[..kept]);
            sum_products(alpha, x.into(), x.into(), beta, to).unwrap();
            out.clone()
        };
        assert_eq!(multiply(1, 1.0, &two, 0.0), vec![4.0; n]);
        assert_eq!(multiply(1, 0.0, &nan, 3.0), vec![12.0; n]);
        assert_eq!(multiply(0, 0.0, &nan, 0.5)[0], 6.0);
        assert_eq!(multiply(1, 0.0, &nan, 0.0), vec![0.0; n]);
    }
}

#[test]
fn overflow_of_narrow_integers_is_error() {
    let dot = |x: &[i32], y: &[i32], alpha: i32, beta: i32, old: i32| {
        let mut out = [old];
        let shape = [x.len()];
        let [x, y] = [x, y].map(|data| Operand::of_slice(data, 0, &shape, &[1]).into());
        let result = sum_products(alpha, x, y, beta, Output::of_slice(&mut out, 0, &[], &[]));
        result.map(|()| out[0])
    };
    // An intermediate sum overflows, but the result does not.
    assert_eq!(dot(&[i32::MAX, i32::MAX], &[i32::MAX, -i32::MAX], 1, 0, 0), Ok(0));
    assert_eq!(dot(&[1 << 20, 1], &[1 << 20, 1], 1, 0, 0).ok(), None);
    assert_eq!(dot(&[1 << 30], &[1], 1, 1, 1 << 30).ok(), None);
    // The sum of 2^64 wraps to zero in 64 bits.
    assert_eq!(dot(&[i32::MIN; 4], &[i32::MIN; 4], 1, 0, 0).ok(), None);
    assert_eq!(dot(&[i32::MIN; 400], &[i32::MIN; 400], 1, 0, 0).ok(), None);
    assert_eq!(dot(&[1 << 30], &[1], 2, -2, 1 << 30), Ok(0));
    let error = dot(&[i32::MAX], &[2], 1, 0, 0);
    assert!(matches!(error, Err(Error::Arithmetic { .. })));
}

/// Compares sums of products of narrow integers with sums in 128 bits, for lengths around those of blocks and lanes, and for factors at the
/// ends of the range.
#[test]
fn products_of_narrow_integers_equal_exact_sums() {
    fn check<T: Scalar + TryFrom<i128> + Into<i128>>(low: i128, high: i128) {
        let values = [low, high, 0, 1, 2, high / 2, low / 2, high - 1];
        for n in [0, 1, 3, 31, 32, 33, 512, 513, 1024, 5000] {
            for (stride, small) in [(1, false), (1, true), (2, false)] {
                let value = |k: usize, seed: usize| {
                    let x = values[(k * seed + k / 7) % values.len()];
                    T::try_from(if small { x % 3 } else { x }).ok().unwrap()
                };
                let data = |seed: usize| (0..2 * n + 1).map(|k| value(k, seed)).collect::<Vec<T>>();
                let (x, y) = (data(3), data(5));
                let (shape, strides) = ([n], [stride]);
                let mut out = [T::one()];
                let [a, b] = [&x, &y].map(|data| Operand::of_slice(data, 0, &shape, &strides).into());
                let done = sum_products(T::one(), a, b, T::zero(), Output::of_slice(&mut out, 0, &[], &[]));
                let sum: i128 = (0..n).map(|k| k * stride as usize).map(|k| x[k].into() * y[k].into()).sum();
                match T::try_from(sum) {
                    Ok(sum) => assert_eq!((done, out[0]), (Ok(()), sum), "{n} {stride}"),
                    Err(_) => assert!(done.is_err(), "{n} {stride} {sum}"),
                }
            }
        }
    }
    check::<i8>(i8::MIN.into(), i8::MAX.into());
    check::<u8>(0, u8::MAX.into());
    check::<i16>(i16::MIN.into(), i16::MAX.into());
    check::<u16>(0, u16::MAX.into());
    check::<i32>(i32::MIN.into(), i32::MAX.into());
    check::<u32>(0, u32::MAX.into());
}

/// Compares products of a vector and a matrix, whose inner loop is over outputs, with sums in 128 bits. The sums of few rows fit the element
/// type, or a wider one.
#[test]
fn swept_products_of_narrow_integers_equal_exact_sums() {
    fn check<T: Scalar + TryFrom<i128> + Into<i128>>(low: i128, high: i128) {
        let values = [low, high, 0, 1, 2, high / 2, low / 2, high - 1];
        for (terms, outputs) in [(9, 7), (32, 33), (33, 300), (100, 31), (70, 600)] {
            for small in [false, true] {
                let value = |k: usize, seed: usize| {
                    let x = values[(k * seed + k / 7) % values.len()];
                    let x = if !small {
                        x
                    } else if k % (2 * seed) == 3 {
                        x % 3
                    } else {
                        0
                    };
                    T::try_from(x).ok().unwrap()
                };
                let a: Vec<T> = (0..terms * outputs).map(|k| value(k, 11)).collect();
                for repeats in [true, false] {
                    let b: Vec<T> =
                        (0..terms * if repeats { 1 } else { outputs }).map(|k| value(k, 5)).collect();
                    let (n, shape) = (outputs as isize, [outputs, terms]);
                    let (a_strides, b_strides) = ([1, n], if repeats { [0, 1] } else { [1, n] });
                    let mut out = vec![T::one(); outputs];
                    let x = Operand::of_slice(&a, 0, &shape, &a_strides).into();
                    let y = Operand::of_slice(&b, 0, &shape, &b_strides).into();
                    let to = Output::of_slice(&mut out, 0, &shape[..1], &[1]);
                    let done = sum_products(T::one(), x, y, T::zero(), to);
                    let exact: Vec<i128> = (0..outputs)
                        .map(|j| {
                            let y = |p: usize| if repeats { b[p] } else { b[p * outputs + j] };
                            (0..terms).map(|p| a[p * outputs + j].into() * y(p).into()).sum()
                        })
                        .collect();
                    let fits = exact.iter().all(|&x| T::try_from(x).is_ok());
                    assert_eq!(done.is_ok(), fits, "{} {terms} {outputs} {repeats}", T::DTYPE);
                    assert!(fits || !small);
                    if fits {
                        assert_eq!(out.iter().map(|&x| x.into()).collect::<Vec<i128>>(), exact);
                    }
                }
            }
        }
    }
    check::<i8>(i8::MIN.into(), i8::MAX.into());
    check::<u8>(0, u8::MAX.into());
    check::<i16>(i16::MIN.into(), i16::MAX.into());
    check::<u16>(0, u16::MAX.into());
    check::<i32>(i32::MIN.into(), i32::MAX.into());
    check::<u32>(0, u32::MAX.into());
}
