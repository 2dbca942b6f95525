//! Compares matrix products and sums of products on the GPU with the host, for strides of all kinds, scaling factors, conjugated
//! operands and overflow.

use crate::data::{contiguous, extent, operand, output, scrambled};
use crate::gpu::there;
use vierbein::device::{Device, Gemm, MatrixOperand, ProductArgs, Scaling};
use vierbein::prelude::*;
use vierbein::{Cuda, Error, Scalar, c32, c64};

/// The layout of one operand.
#[derive(Debug, Clone)]
struct Strided {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

impl Strided {
    fn new(shape: &[usize], strides: &[isize]) -> Strided {
        // If the stride of an axis is negative, index 0 is the last element of the axis in memory.
        let back = shape.iter().zip(strides).map(|(&n, &s)| n.saturating_sub(1) * s.min(0).unsigned_abs());
        Strided { shape: shape.into(), strides: strides.into(), offset: back.sum() }
    }

    fn contiguous(shape: &[usize]) -> Strided {
        Strided::new(shape, &contiguous(shape))
    }

    /// Returns a layout in which the last two axes are swapped in memory.
    fn transposed(shape: &[usize]) -> Strided {
        let rank = shape.len();
        let mut swapped = shape.to_vec();
        swapped.swap(rank - 1, rank - 2);
        let mut strides = contiguous(&swapped);
        strides.swap(rank - 1, rank - 2);
        Strided::new(shape, &strides)
    }

    /// Returns the layout of every second element along each axis of a larger array.
    fn apart(shape: &[usize]) -> Strided {
        let longer: Vec<usize> = shape.iter().map(|n| 2 * n + 1).collect();
        Strided::new(shape, &contiguous(&longer).iter().map(|s| 2 * s).collect::<Vec<_>>())
    }

    fn backwards(shape: &[usize]) -> Strided {
        Strided::new(shape, &contiguous(shape).iter().map(|s| -s).collect::<Vec<_>>())
    }

    /// Returns the layout of a part of a larger matrix: the rows are contiguous, with gaps between them.
    fn part(shape: &[usize]) -> Strided {
        let mut larger = shape.to_vec();
        *larger.last_mut().unwrap() += 3;
        Strided::new(shape, &contiguous(&larger))
    }

    /// Returns a layout in which the batch axes have stride 0.
    fn repeated(shape: &[usize]) -> Strided {
        let mut strides = contiguous(shape);
        let batch = shape.len() - 2;
        strides[..batch].fill(0);
        Strided::new(shape, &strides)
    }

    /// Returns a layout in which the batch axes have the smallest strides.
    fn interleaved(shape: &[usize]) -> Strided {
        let order: Vec<usize> = shape.iter().rev().copied().collect();
        let mut strides = contiguous(&order);
        strides.reverse();
        Strided::new(shape, &strides)
    }

    fn len(&self) -> usize {
        let forwards: Vec<isize> = self.strides.iter().map(|s| s.abs()).collect();
        extent(&self.shape, &forwards)
    }
}

/// An element type with test values. Integers are small, so that their products do not overflow.
trait Number: Scalar {
    fn number(k: usize) -> Self;
    fn close(x: Self, y: Self, terms: usize) -> bool;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            fn number(k: usize) -> $t {
                (scrambled(k) % 3) as $t
            }
            fn close(x: $t, y: $t, _: usize) -> bool {
                x == y
            }
        }
    )*};
}
integers!(i8 i32 i64 u64);

macro_rules! floats {
    ($($t:ty, $complex:ty;)*) => {$(
        impl Number for $t {
            fn number(k: usize) -> $t {
                (scrambled(k) % 2001) as $t / 1000.0 - 1.0
            }
            fn close(x: $t, y: $t, terms: usize) -> bool {
                x == y || (x - y).abs() <= <$t>::EPSILON * 4.0 * (4 + terms) as $t
            }
        }
        impl Number for $complex {
            fn number(k: usize) -> $complex {
                Complex::new(<$t>::number(2 * k), <$t>::number(2 * k + 1))
            }
            fn close(x: $complex, y: $complex, terms: usize) -> bool {
                <$t>::close(x.re, y.re, 2 * terms) && <$t>::close(x.im, y.im, 2 * terms)
            }
        }
    )*};
}
floats! {
    f32, c32;
    f64, c64;
}

/// The tested operation: `gemm`, or `sum_products`. The latter sums over the trailing axes of the operands; the output has the leading
/// axes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Matrices,
    Sums,
}

#[derive(Debug, Clone)]
struct Case<'a> {
    kind: Kind,
    a: &'a Strided,
    b: &'a Strided,
    out: &'a Strided,
    conjugate: [bool; 2],
}

fn run<Dev: Device + Default + Gemm<T>, T: Number>(
    case: &Case<'_>,
    [alpha, beta]: [T; 2],
    [a, b, c]: [&[T]; 3],
) -> Result<Vec<T>, Error> {
    let device = Dev::default();
    let (x, y) = (device.adopt(a.to_vec())?, device.adopt(b.to_vec())?);
    let mut z = device.adopt(c.to_vec())?;
    let [a, b] = [(&x, case.a, 0), (&y, case.b, 1)].map(|(buffer, of, which)| MatrixOperand {
        operand: operand(buffer, of.offset, &of.shape, &of.strides),
        conjugate: case.conjugate[which],
    });
    // SAFETY: in each output layout of this file, different indices address different elements.
    let out = unsafe { output(&mut z, case.out.offset, &case.out.shape, &case.out.strides) };
    let args = ProductArgs { scaling: Scaling { alpha, beta }, a, b, out };
    let result = match case.kind {
        Kind::Matrices => device.gemm(args),
        Kind::Sums => device.sum_products(args),
    };
    result.map(|()| device.release(z).unwrap())
}

fn compare<T: Number>(case: &Case<'_>, weights: [T; 2])
where
    Cuda: Gemm<T>,
    Cpu: Gemm<T>,
{
    let values = |of: &Strided, from: usize| (0..of.len()).map(|k| T::number(from + k)).collect::<Vec<T>>();
    let (a, b, c) = (values(case.a, 0), values(case.b, 1 << 20), values(case.out, 1 << 21));
    let terms = match case.kind {
        Kind::Matrices => *case.a.shape.last().unwrap(),
        Kind::Sums => case.a.shape[case.out.shape.len()..].iter().product(),
    };
    let operands = [&a[..], &b[..], &c[..]];
    let what = || format!("{}, {weights:?}, {case:?}", T::DTYPE);
    match (run::<Cpu, T>(case, weights, operands), run::<Cuda, T>(case, weights, operands)) {
        (Ok(expected), Ok(found)) => {
            for (k, (&x, &y)) in expected.iter().zip(&found).enumerate() {
                assert!(T::close(x, y, terms), "{}: {x} and {y} at {k}", what());
            }
        }
        (expected, found) => assert_eq!(expected.err(), found.err(), "{}", what()),
    }
}

const KINDS: [fn(&[usize]) -> Strided; 7] = [
    Strided::contiguous,
    Strided::transposed,
    Strided::part,
    Strided::apart,
    Strided::backwards,
    Strided::repeated,
    Strided::interleaved,
];

fn matrices<T: Number>(conjugates: &[[bool; 2]])
where
    Cuda: Gemm<T>,
    Cpu: Gemm<T>,
{
    let (zero, one) = (T::zero(), T::one());
    let two = one + one;
    let shapes: [(&[usize], [usize; 3]); 6] = [
        (&[], [5, 7, 6]),
        (&[], [33, 20, 70]),
        (&[3], [4, 5, 6]),
        (&[2, 3], [4, 3, 5]),
        (&[], [1, 9, 5]),
        (&[4], [6, 3, 1]),
    ];
    for (batch, [m, k, n]) in shapes {
        let of = |rows, columns| [batch, &[rows, columns]].concat();
        let (a, b, c) = (of(m, k), of(k, n), of(m, n));
        for (i, kind_a) in KINDS.iter().enumerate() {
            for (j, kind_b) in KINDS.iter().enumerate() {
                let (a, b) = (kind_a(&a), kind_b(&b));
                // Each layout of the output is combined with some layouts of the operands. `KINDS[5]`, `repeated`, cannot be an
                // output, because several of its indices address the same element.
                let out = KINDS[[0, 1, 2, 3, 4, 6][(i + 2 * j) % 6]](&c);
                let conjugate = conjugates[(i + j) % conjugates.len()];
                let case = Case { kind: Kind::Matrices, a: &a, b: &b, out: &out, conjugate };
                compare(&case, [[one, zero], [two, one], [one, two]][(i + j) % 3]);
            }
        }
    }
    for (m, k, n) in [(0, 3, 2), (3, 0, 2), (3, 2, 0), (70, 1, 40)] {
        let (a, b, out) =
            (Strided::contiguous(&[m, k]), Strided::contiguous(&[k, n]), Strided::transposed(&[m, n]));
        let case = Case { kind: Kind::Matrices, a: &a, b: &b, out: &out, conjugate: conjugates[0] };
        for weights in [[one, zero], [one, two], [zero, zero], [zero, two]] {
            compare(&case, weights);
        }
    }
    // Batches whose two batch axes cannot be fused. For floating-point types, a call of cuBLAS computes the products along one of them: five
    // calls for the first batch. The second would need 17 calls, which is too many, so its operands are copied first.
    for [outer, inner] in [[5, 6], [17, 18]] {
        let (shape, step) = ([outer, inner, 4, 3], 12 * outer as isize);
        let a = Strided::new(&shape, &[12, step, 3, 1]);
        let b = Strided::contiguous(&[outer, inner, 3, 2]);
        let out = Strided::contiguous(&[outer, inner, 4, 2]);
        let case = Case { kind: Kind::Matrices, a: &a, b: &b, out: &out, conjugate: conjugates[0] };
        compare(&case, [one, one]);
    }
}

fn sums<T: Number>(conjugates: &[[bool; 2]])
where
    Cuda: Gemm<T>,
    Cpu: Gemm<T>,
{
    let (zero, one) = (T::zero(), T::one());
    let two = one + one;
    let of = Strided::new;
    let cases: Vec<(usize, Strided, Strided)> = vec![
        // Dot products: short, of odd length, long, with a reversed operand, with an operand of stride 0.
        (0, of(&[5], &[1]), of(&[5], &[1])),
        (0, of(&[1001], &[1]), of(&[1001], &[1])),
        (0, of(&[30_000], &[1]), of(&[30_000], &[1])),
        (0, of(&[300], &[-1]), of(&[300], &[2])),
        (0, of(&[300], &[0]), of(&[300], &[1])),
        // Products of a matrix and a vector. The vector is the operand with stride 0 along the kept axis. The matrix is row-major
        // or column-major; in the fourth case the vector is the first operand.
        (1, of(&[37, 64], &[64, 1]), of(&[37, 64], &[0, 1])),
        (1, of(&[37, 63], &[63, 1]), of(&[37, 63], &[0, 1])),
        (1, of(&[64, 37], &[1, 64]), of(&[64, 37], &[0, 1])),
        (1, of(&[64, 37], &[0, 1]), of(&[64, 37], &[1, 64])),
        (1, of(&[40, 2000], &[1, 40]), of(&[40, 2000], &[0, 1])),
        // No summed axis; an outer product; two summed axes that cannot be fused; sums of zero terms; an empty output.
        (2, of(&[20, 30], &[30, 1]), of(&[20, 30], &[1, 20])),
        (2, of(&[20, 30], &[1, 0]), of(&[20, 30], &[0, 1])),
        (1, of(&[6, 7, 8], &[8, 48, 1]), of(&[6, 7, 8], &[1, 48, 6])),
        (2, of(&[3, 4, 0], &[1, 1, 1]), of(&[3, 4, 0], &[1, 1, 1])),
        (2, of(&[0, 4, 3], &[1, 1, 1]), of(&[0, 4, 3], &[1, 1, 1])),
        // A batch of products of a matrix and a vector.
        (2, of(&[5, 6, 16], &[96, 16, 1]), of(&[5, 6, 16], &[16, 0, 1])),
    ];
    for (rank, a, b) in &cases {
        let shape = &a.shape[..*rank];
        let mut outs = vec![Strided::contiguous(shape)];
        if *rank == 2 {
            outs.extend([Strided::transposed(shape), Strided::backwards(shape)]);
        }
        for out in &outs {
            for &conjugate in conjugates {
                for weights in [[one, zero], [two, zero], [one, one], [two, two], [zero, one]] {
                    compare(&Case { kind: Kind::Sums, a, b, out, conjugate }, weights);
                }
            }
        }
    }
}

macro_rules! of {
    ($($name:ident: $t:ty, $conjugates:expr;)*) => {$(
        #[test]
        fn $name() {
            if there() {
                matrices::<$t>($conjugates);
                sums::<$t>($conjugates);
            }
        }
    )*};
}
const PLAIN: &[[bool; 2]] = &[[false, false]];
const CONJUGATED: &[[bool; 2]] = &[[false, false], [true, false], [false, true], [true, true]];
of! {
    of_f32: f32, PLAIN;
    of_f64: f64, PLAIN;
    of_c32: c32, CONJUGATED;
    of_c64: c64, CONJUGATED;
    of_i8: i8, PLAIN;
    of_i32: i32, PLAIN;
    of_i64: i64, PLAIN;
    of_u64: u64, PLAIN;
}

/// If a scaling factor is zero, the operands that it scales must not be read. Here they are filled with NaN, which would show in
/// the result.
#[test]
fn zero_factors_skip_reads() {
    if !there() {
        return;
    }
    for (shape, kind) in [([4, 5], Kind::Matrices), ([4, 1], Kind::Matrices), ([4, 5], Kind::Sums)] {
        let [m, n] = shape;
        let out = Strided::contiguous(&shape);
        let nothing = [f64::NAN; 64];
        let (a, b, ones) = (Strided::contiguous(&[m, 3]), Strided::contiguous(&[3, n]), [1.0; 64]);
        let (x, y) = (Strided::contiguous(&[m, n, 3]), Strided::contiguous(&[m, n, 3]));
        let (a, b) = if kind == Kind::Sums { (&x, &y) } else { (&a, &b) };
        let case = Case { kind, a, b, out: &out, conjugate: [false; 2] };
        let len = m * n;
        let written = run::<Cuda, f64>(&case, [1.0, 0.0], [&ones, &ones, &nothing[..len]]).unwrap();
        assert_eq!(written, vec![3.0; len], "{case:?}");
        let kept = run::<Cuda, f64>(&case, [0.0, 2.0], [&nothing, &nothing, &ones[..len]]).unwrap();
        assert_eq!(kept, vec![2.0; len], "{case:?}");
    }
}

/// Sums of products that overflow must return the same error, or the same wrapped values, as on the host. An overflow of a partial
/// sum alone is no error.
#[test]
fn integer_overflow_equals_host() {
    if !there() {
        return;
    }
    fn check<T: Number>(a: &[T], b: &[T], [m, k, n]: [usize; 3], weights: [T; 2])
    where
        Cuda: Gemm<T>,
        Cpu: Gemm<T>,
    {
        let (x, y, out) =
            (Strided::contiguous(&[m, k]), Strided::contiguous(&[k, n]), Strided::contiguous(&[m, n]));
        let case = Case { kind: Kind::Matrices, a: &x, b: &y, out: &out, conjugate: [false; 2] };
        let old = vec![T::one(); m * n];
        let on = [a, b, &old];
        assert_eq!(
            run::<Cpu, T>(&case, weights, on),
            run::<Cuda, T>(&case, weights, on),
            "{a:?} {b:?} {weights:?}"
        );
    }
    let (most, least) = (i64::MAX, i64::MIN);
    let factors = [1, -1, 2, 3, most, least, most / 2, 1 << 32];
    for (k, &x) in factors.iter().enumerate() {
        for &y in &factors {
            let z = factors[(k + 3) % factors.len()];
            for weights in [[1, 0], [1, 1], [-1, 1], [2, 0], [most, most]] {
                // This product has one column. It uses a different kernel than the products below.
                check::<i64>(&[x, y], &[z, 1], [1, 2, 1], weights);
                check::<i64>(&[x, y, 1, 2], &[z, 1, y, 1], [2, 2, 2], weights);
                check::<i64>(&[x, x, x, y, y, y], &[z, z, z, -1, -1, 1], [2, 3, 2], weights);
                let [p, q, r] = [x, y, z].map(|v| v as u64);
                check::<u64>(&[p, q, 1, 2], &[r, 1, q, 1], [2, 2, 2], weights.map(|w| w as u64));
                let [p, q, r] = [x, y, z].map(|v| (v >> 32) as i32);
                check::<i32>(&[p, q, 1, 2], &[r, 1, q, 1], [2, 2, 2], weights.map(|w| w as i32));
            }
        }
    }
}
