//! Compares every GEMM implementation with a naive loop.

mod extremes;

use super::product::{Matrix, MatrixProduct, Product};
use super::{integer::Integers, unless_empty};
use crate::Cpu;
use crate::device::{Gemm, HostPtr, MatrixOperand, Operand, Output, ProductArgs};
use crate::element::{Scalar, c32, c64};

/// The memory layout of a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lie {
    Row,
    Column,
    /// Both strides are negative, with gaps between the rows.
    Backwards,
    /// Neither stride is the unit stride.
    Gaps,
    /// Column-major, with gaps between the columns.
    LongColumn,
    /// The row stride is 0.
    SameRows,
    /// The column stride is 0.
    SameColumns,
}
use Lie::*;
const INPUTS: [Lie; 7] = [Row, Column, Backwards, Gaps, LongColumn, SameRows, SameColumns];
const OUTPUTS: [Lie; 5] = [Row, Column, Backwards, Gaps, LongColumn];

/// A matrix and its buffer.
#[derive(Clone)]
struct Held<T> {
    data: Vec<T>,
    first: usize,
    down: isize,
    right: isize,
}

impl<T: Scalar> Held<T> {
    fn new(rows: usize, columns: usize, lie: Lie, mut value: impl FnMut() -> T) -> Self {
        let [r, c] = [rows.max(1) as isize, columns.max(1) as isize];
        let (down, right) = match lie {
            Row => (c, 1),
            Column => (1, r),
            Backwards => (-c - 2, -1),
            Gaps => (3 * c + 1, 3),
            LongColumn => (1, r + 5),
            SameRows => (0, 1),
            SameColumns => (1, 0),
        };
        let reach = (r - 1) * down.abs() + (c - 1) * right.abs();
        let first = if lie == Backwards { reach } else { 0 };
        // The elements outside the matrix are random too. They must not affect the result, and must not be overwritten.
        let data = (0..reach as usize + 1).map(|_| value()).collect();
        Held { data, first: first as usize, down, right }
    }
    fn matrix(&mut self) -> Matrix<T> {
        let ptr = HostPtr::new(self.data.as_mut_ptr()).offset(self.first as isize);
        Matrix::new(ptr, [self.down, self.right])
    }
    fn place(&self, i: usize, j: usize) -> usize {
        (self.first as isize + i as isize * self.down + j as isize * self.right) as usize
    }
    fn at(&self, i: usize, j: usize) -> T {
        self.data[self.place(i, j)]
    }
}

/// A generator of random integers from -7 to 8. Elements of tests are such integers or halves of them. Their sums and products
/// are exact, so all summation orders give the same result.
struct Values(u64);
impl Values {
    fn next(&mut self) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 60) as i64 - 7
    }
}

trait Made: Scalar {
    fn random(values: &mut Values) -> Self;
}
macro_rules! made {
    ($($t:ty: $v:ident => $make:expr;)*) => {$(
        impl Made for $t { fn random($v: &mut Values) -> $t { $make } }
    )*};
}
made! {
    f32: v => v.next() as f32 / 2.0;
    f64: v => v.next() as f64 / 2.0;
    c32: v => c32::new(v.next() as f32, v.next() as f32 / 2.0);
    c64: v => c64::new(v.next() as f64, v.next() as f64 / 2.0);
    i32: v => v.next() as i32;
    i64: v => v.next();
    u8: v => (v.next() & 1) as u8;
}

#[derive(Debug, Clone, Copy)]
struct Case<T> {
    size: [usize; 3],
    lies: [Lie; 3],
    alpha: T,
    beta: T,
    conjugate: [bool; 2],
}

/// Returns the elements of the product of `a` and `b`, row by row, computed by a naive loop. The loop is over contiguous copies of the
/// operands, which takes less time in builds without optimisation.
fn sums<T: Scalar>(a: &Held<T>, b: &Held<T>, [m, k, n]: [usize; 3], conjugate: [bool; 2]) -> Vec<T> {
    let conj = |x: T, yes: bool| if yes { x.conj() } else { x };
    let mut columns = Vec::with_capacity(n * k);
    for j in 0..n {
        columns.extend((0..k).map(|p| conj(b.at(p, j), conjugate[1])));
    }
    let mut sums = Vec::with_capacity(m * n);
    for i in 0..m {
        let row: Vec<T> = (0..k).map(|p| conj(a.at(i, p), conjugate[0])).collect();
        for j in 0..n {
            let (row, column) = (&row[..], &columns[j * k..(j + 1) * k]);
            let (mut sum, mut p) = (T::zero(), 0);
            while p < k {
                sum += row[p] * column[p];
                p += 1;
            }
            sums.push(sum);
        }
    }
    sums
}

/// Computes a product by each implementation, and compares the whole buffer of the result with that of a naive loop.
fn check<T: Made>(ways: &[&dyn MatrixProduct<T>], case: Case<T>) {
    let Case { size: [m, k, n], lies, alpha, beta, conjugate } = case;
    let values = &mut Values((m * 1000 + k * 100 + n) as u64);
    let mut a = Held::new(m, k, lies[0], || T::random(values));
    let mut b = Held::new(k, n, lies[1], || T::random(values));
    let before = Held::new(m, n, lies[2], || T::random(values));
    let mut expected = before.clone();
    for (at, sum) in sums(&a, &b, case.size, conjugate).into_iter().enumerate() {
        let place = expected.place(at / n, at % n);
        expected.data[place] =
            if beta.is_zero() { alpha * sum } else { alpha * sum + beta * expected.data[place] };
    }
    for (way, by) in ways.iter().enumerate() {
        let mut c = before.clone();
        if m > 0 && n > 0 {
            let product =
                Product { m, k, n, a: a.matrix(), b: b.matrix(), c: c.matrix(), alpha, beta, conjugate };
            // SAFETY: the operands are alive during the call, and nothing else accesses the buffer of `c`.
            unsafe { unless_empty(&product, *by).multiply(&product) }.unwrap();
        }
        assert!(c.data == expected.data, "{} {case:?} by implementation {way}", T::DTYPE.name());
    }
}

/// Returns all GEMM implementations for real and complex floating-point numbers.
fn all_ways<T: Scalar>() -> Vec<&'static dyn MatrixProduct<T>> {
    #[cfg_attr(
        not(any(feature = "blas", target_arch = "x86_64", target_arch = "aarch64")),
        allow(unused_mut)
    )]
    let mut ways: Vec<&'static dyn MatrixProduct<T>> = vec![&super::portable::Portable];
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    ways.extend(super::simd::all::<T>());
    #[cfg(feature = "blas")]
    ways.push(&super::blas::Blas);
    ways
}

const SIDES: [usize; 15] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 25, 40];

fn sizes<T: Made>(ways: &[&dyn MatrixProduct<T>], alpha: T, beta: T) {
    for (w, by) in ways.iter().enumerate() {
        for (i, m) in SIDES.into_iter().enumerate() {
            for (j, n) in SIDES.into_iter().enumerate() {
                let k = SIDES[(7 * i + 4 * j + w) % SIDES.len()];
                let lies = [INPUTS[(i + 2 * j) % 7], INPUTS[(3 * i + j) % 7], OUTPUTS[(i + j) % 5]];
                let conjugate = [i % 2 == 1, j % 2 == 1];
                let beta = if (i + j) % 3 == 0 { beta } else { T::zero() };
                check(&[*by], Case { size: [m, k, n], lies, alpha, beta, conjugate });
            }
        }
    }
}

fn lies<T: Made>(ways: &[&dyn MatrixProduct<T>], size: [usize; 3], alpha: T, beta: T) {
    for a in INPUTS {
        for b in INPUTS {
            for c in OUTPUTS {
                check(ways, Case { size, lies: [a, b, c], alpha, beta, conjugate: [false; 2] });
            }
        }
    }
}

#[test]
fn real_numbers() {
    sizes::<f64>(&all_ways(), 1.0, 2.0);
    sizes::<f32>(&all_ways(), -2.0, 1.0);
    lies::<f64>(&all_ways(), [13, 6, 11], 2.0, 0.0);
    lies::<f32>(&all_ways(), [19, 9, 21], 1.0, -1.0);
}

#[test]
fn complex_numbers() {
    sizes::<c64>(&all_ways(), c64::new(1.0, 0.0), c64::new(2.0, -1.0));
    sizes::<c32>(&all_ways(), c32::new(-2.0, 1.0), c32::new(1.0, 0.0));
    lies::<c64>(&all_ways(), [13, 6, 11], c64::new(0.0, 1.0), c64::new(0.0, 0.0));
    lies::<c32>(&all_ways(), [19, 9, 21], c32::new(2.0, 0.0), c32::new(0.0, -1.0));
    for conjugate in [[false, false], [false, true], [true, false], [true, true]] {
        for alpha in [c64::new(1.0, 0.0), c64::new(2.0, 3.0)] {
            for beta in [c64::new(0.0, 0.0), c64::new(1.0, 0.0), c64::new(-1.0, 2.0)] {
                for c in OUTPUTS {
                    let case = Case { size: [7, 5, 6], lies: [Row, Column, c], alpha, beta, conjugate };
                    check(&all_ways(), case);
                }
            }
        }
    }
}

#[test]
fn large_products() {
    // Most of these products are packed, and have partial tiles at all edges. `k` exceeds 256, so `Portable` computes each sum in two
    // blocks of terms.
    for (n, [a, b, c]) in
        [[Row, Row, Row], [Column, Row, Column], [Gaps, Backwards, Gaps], [Row, Column, LongColumn]]
            .into_iter()
            .enumerate()
    {
        let lies = [a, b, c];
        let case = Case { size: [150, 261, 107 + n], lies, alpha: 1.0, beta: 1.0, conjugate: [false; 2] };
        check::<f64>(&all_ways(), case);
        let (alpha, beta) = (c32::new(1.0, 0.0), c32::new(0.0, 0.0));
        let conjugate = [n % 2 == 0, n > 1];
        check::<c32>(&all_ways(), Case { size: [83, 259, 81 + n], lies, alpha, beta, conjugate });
    }
    // Long and thin matrices.
    let (alpha, beta) = (1.0, 0.0);
    for size in [[3000, 2, 3], [2, 3, 3000], [460, 3, 800], [4, 3000, 5], [1, 40, 3000]] {
        for lies in [[Row, Row, Row], [Column, Row, Column], [Gaps, Row, Column], [Column, Column, Gaps]] {
            check::<f64>(&all_ways(), Case { size, lies, alpha, beta, conjugate: [false; 2] });
        }
    }
}

#[test]
fn gemm_with_power_of_two_strides_agrees_with_naive_loop() {
    let everywhere =
        [Row, Column].into_iter().flat_map(|a| [[a, Row, Row], [a, Column, Row], [a, Row, Column]]);
    for lies in everywhere {
        for size in [[128, 33, 128], [128, 5, 130], [64, 17, 64], [68, 300, 64]] {
            check::<f64>(&all_ways(), Case { size, lies, alpha: 2.0, beta: 1.0, conjugate: [false; 2] });
            let (alpha, beta) = (c64::new(1.0, 0.0), c64::new(0.0, 0.0));
            check::<c64>(&all_ways(), Case { size, lies, alpha, beta, conjugate: [true, false] });
        }
    }
}

/// Without conjugation, no part of a product of zeros is -0, in register tiles of all sizes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn products_of_zeros_are_not_negative() {
    for (way, by) in super::simd::all::<c64>().into_iter().chain(super::simd::emulated()).enumerate() {
        for (m, n) in (5..14).flat_map(|m| (1..9).map(move |n| (m, n))) {
            let k = 3;
            let mut a = Held::new(m, k, Column, || c64::new(0.0, 0.0));
            let mut b = Held::new(k, n, Row, || c64::new(1.0, 2.0));
            let mut c = Held::new(m, n, Column, || c64::new(1.0, 1.0));
            let (alpha, beta, conjugate) = (c64::new(1.0, 0.0), c64::new(0.0, 0.0), [false; 2]);
            let (a, b, to) = (a.matrix(), b.matrix(), c.matrix());
            let product = Product { m, k, n, a, b, c: to, alpha, beta, conjugate };
            // SAFETY: the operands are alive during the call, and nothing else accesses the buffer of `c`.
            unsafe { by.multiply(&product) }.unwrap();
            let positive = |x: &c64| x.re.to_bits() == 0 && x.im.to_bits() == 0;
            assert!(c.data.iter().all(positive), "{m} × {n} by implementation {way}");
        }
    }
}

/// Checks the register tiles of all instruction sets, including those that this processor does not have. Also checks packed
/// products of more than 100 rows. Their results would be wrong if a panel were wider than the packing supports.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn emulated_register_tiles_agree_with_a_plain_loop() {
    use super::simd::emulated;
    sizes::<f64>(&emulated(), 1.0, 2.0);
    sizes::<f32>(&emulated(), -2.0, 1.0);
    sizes::<c64>(&emulated(), c64::new(1.0, 0.0), c64::new(2.0, -1.0));
    sizes::<c32>(&emulated(), c32::new(-2.0, 1.0), c32::new(1.0, 0.0));
    // `k` is large enough for packed operands.
    fn packed<T: Made>([k, n]: [usize; 2]) {
        for lies in [[Row; 3], [Column, Row, Gaps]] {
            let (alpha, beta) = (T::one(), T::one());
            check(&emulated(), Case { size: [110, k, n], lies, alpha, beta, conjugate: [false; 2] });
        }
    }
    packed::<f64>([190, 19]);
    packed::<f32>([380, 19]);
    packed::<c64>([280, 37]);
    packed::<c32>([190, 19]);
}

#[test]
fn integers() {
    let by: &dyn MatrixProduct<i32> = &Integers;
    sizes::<i32>(&[by], 2, -1);
    lies::<i32>(&[by], [5, 4, 3], 1, 3);
    sizes::<i64>(&[&Integers], 1, 1);
    sizes::<u8>(&[&Integers], 1, 1);
    check(&[by], Case { size: [150, 130, 140], lies: [Row; 3], alpha: 1, beta: 0, conjugate: [false; 2] });
}

#[test]
fn zero_factors_skip_reads() {
    for by in all_ways::<f64>() {
        for size in [[3, 4, 5], [40, 30, 50], [60, 100, 90]] {
            for lie in OUTPUTS {
                let [m, k, n] = size;
                let mut a = Held::new(m, k, Row, || 1.0);
                let mut nan = Held::new(m, k, Row, || f64::NAN);
                let mut b = Held::new(k, n, Row, || 2.0);
                let mut c = Held::new(m, n, lie, || f64::NAN);
                let conjugate = [false; 2];
                let mut product = Product {
                    m,
                    k,
                    n,
                    a: a.matrix(),
                    b: b.matrix(),
                    c: c.matrix(),
                    alpha: 1.0,
                    beta: 0.0,
                    conjugate,
                };
                // SAFETY: the operands are alive during the call, and nothing else accesses the buffer of `c`.
                unsafe { unless_empty(&product, by).multiply(&product) }.unwrap();
                (product.alpha, product.beta, product.a) = (0.0, 3.0, nan.matrix());
                // SAFETY: the operands, `nan` included, are alive during the call, and nothing else accesses the buffer of `c`.
                unsafe { unless_empty(&product, by).multiply(&product) }.unwrap();
                for i in 0..m {
                    for j in 0..n {
                        assert_eq!(c.at(i, j), 6.0 * k as f64);
                    }
                }
            }
        }
    }
}

/// Checks a batch with two batch axes and gaps between the matrices. The first operand has stride 0 along the first batch axis.
fn batch<T: Made>([m, k, n]: [usize; 3], lies: [Lie; 3], conjugate: [bool; 2]) {
    let values = &mut Values(7);
    let size = |rows: usize, columns: usize, lie: Lie| Held::<T>::new(rows, columns, lie, T::zero).data.len();
    let sizes = [size(m, k, lies[0]), size(k, n, lies[1]), size(m, n, lies[2])];
    let mut make = |step: usize| (0..12 * (step + 1)).map(|_| T::random(values)).collect::<Vec<T>>();
    let mut data = sizes.map(&mut make);
    let before = data[2].clone();
    let forms = [
        Held::new(m, k, lies[0], T::zero),
        Held::new(k, n, lies[1], T::zero),
        Held::new(m, n, lies[2], T::zero),
    ];
    let step = |i: usize| sizes[i] as isize + 1;
    let steps = [[0, step(0)], [step(1), 3 * step(1)], [4 * step(2), step(2)]];
    let shape = |rows: usize, columns: usize| [3, 4, rows, columns];
    let strides = [0, 1, 2].map(|i| [steps[i][0], steps[i][1], forms[i].down, forms[i].right]);
    let shapes = [shape(m, k), shape(k, n), shape(m, n)];
    let [first, second, third] = &mut data;
    let [a, b] = [(first, 0), (second, 1)].map(|(data, i)| MatrixOperand {
        operand: Operand::of_slice(data, forms[i].first, &shapes[i], &strides[i]),
        conjugate: conjugate[i],
    });
    let out = Output::of_slice(third, forms[2].first, &shapes[2], &strides[2]);
    let scaling = crate::device::Scaling { alpha: T::one(), beta: T::one() };
    Cpu.gemm(ProductArgs { scaling, a, b, out }).unwrap();
    let mut expected = before;
    let conj = |x: T, yes: bool| if yes { x.conj() } else { x };
    for (x, y) in (0..3).flat_map(|x| (0..4).map(move |y| (x, y))) {
        let place = |i: usize, row: usize, column: usize| {
            (x * steps[i][0] + y * steps[i][1]) as usize + forms[i].place(row, column)
        };
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            for p in 0..k {
                let [l, r] = [data[0][place(0, i, p)], data[1][place(1, p, j)]];
                expected[place(2, i, j)] += conj(l, conjugate[0]) * conj(r, conjugate[1]);
            }
        }
    }
    assert!(data[2] == expected, "{} {:?} {lies:?}", T::DTYPE.name(), [m, k, n]);
}

#[test]
fn batches() {
    for size in [[2, 2, 2], [4, 4, 4], [2, 2, 9], [17, 3, 2], [1, 5, 3], [3, 5, 1], [30, 9, 11]] {
        for lies in [
            [Row; 3],
            [Column; 3],
            [Row, Column, Row],
            [Gaps, Row, Column],
            [Column, Row, Gaps],
            [Row, Row, Backwards],
        ] {
            batch::<f64>(size, lies, [false; 2]);
            batch::<c64>(size, lies, [false, true]);
            batch::<c32>(size, lies, [true, false]);
            batch::<i32>(size, lies, [false; 2]);
        }
    }
    // The products are small, and one operand is larger than L1.
    for (size, lie) in [([3, 100, 50], Column), ([50, 100, 3], Row)] {
        batch::<f64>(size, [lie; 3], [false; 2]);
        batch::<c64>(size, [lie; 3], [true, false]);
    }
    // This batch has enough work to be split in half.
    batch::<f32>([60, 61, 62], [Row; 3], [false; 2]);
}

/// Results are bitwise equal for any number of threads.
#[cfg(feature = "rayon")]
#[test]
fn gemm_is_bitwise_equal_for_any_thread_count() {
    // Large enough for several threads.
    let sizes = if cfg!(debug_assertions) {
        [[260, 260, 200], [3000, 2, 350], [64, 300, 900]]
    } else {
        [[500, 450, 310], [3000, 2, 700], [64, 800, 2500]]
    };
    for [m, k, n] in sizes {
        let values = &mut Values(1);
        let mut third = || values.next() as f64 / 3.0;
        let mut a = Held::new(m, k, Gaps, &mut third);
        let mut b = Held::new(k, n, Row, &mut third);
        let zeros = Held::new(m, n, Row, || 0.0);
        for by in all_ways::<f64>() {
            let [one, two, eight] = [1, 2, 8].map(|threads| {
                let mut c = zeros.clone();
                let (alpha, beta, conjugate) = (0.7, 0.0, [false; 2]);
                let product =
                    Product { m, k, n, a: a.matrix(), b: b.matrix(), c: c.matrix(), alpha, beta, conjugate };
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                // SAFETY: the operands are alive during the call, and nothing else accesses the buffer of `c`.
                pool.install(|| unsafe { by.multiply(&product) }).unwrap();
                c.data
            });
            // With a BLAS library, the bits of a product can depend on the number of threads.
            assert!(cfg!(feature = "blas") || one == two && one == eight, "{:?}", [m, k, n]);
        }
    }
}
