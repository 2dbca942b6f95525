//! Compares the results of reductions with those of naive loops over the elements.

use super::{Case, at_each_level, cases, max_size, reduce, reduced, size};
use crate::device::Reduction;
use crate::device::cpu::bytes;
use crate::device::op::reduction::{
    All, Any, ArgMax, ArgMin, Count, Max, Mean, Min, Norm, Prod, Std, Sum, Var,
};
use crate::element::{Element, c64};

/// Maximum number of elements of a layout for [`check`]. Larger layouts would take minutes in builds without optimisation.
const MAX_LEN: usize = if cfg!(debug_assertions) { 10_000 } else { 50_000 };

/// Asserts, for each layout of `cases`, that the result of a reduction agrees with that of `naive` for each output. `alike`
/// compares the two. `number(k)` is element `k` of the buffer. The results at all SIMD levels must be the same.
fn check<T: Element, R: Reduction<T>>(
    op: R,
    number: impl Fn(usize) -> T,
    naive: impl Fn(&[T]) -> R::Output,
    alike: impl Fn(R::Output, R::Output) -> bool,
) {
    check_layouts(|_| true, op, number, naive, alike);
}

/// Variant of [`check`] for the layouts of `cases` whose index satisfies `is_chosen`.
fn check_layouts<T: Element, R: Reduction<T>>(
    is_chosen: impl Fn(usize) -> bool,
    op: R,
    number: impl Fn(usize) -> T,
    naive: impl Fn(&[T]) -> R::Output,
    alike: impl Fn(R::Output, R::Output) -> bool,
) {
    let mut cases = cases();
    cases.retain(|case| case.shape.iter().product::<usize>() < MAX_LEN);
    let mut index = 0..;
    cases.retain(|_| index.next().is_some_and(&is_chosen));
    let all: Vec<T> = (0..max_size(&cases)).map(number).collect();
    for Case { shape, strides, kept } in cases {
        let data = &all[..size(&shape, &strides)];
        let (elements, count) = reduced(data, &shape, &strides, kept);
        let expected = elements.chunks_exact(count).map(&naive);
        let found = at_each_level(|| reduce(op, data, &shape, &strides, kept));
        for here in &found {
            // The results are formatted only if their bytes differ, because formatting is slower than the reduction. NaNs may have
            // different bytes, but have the same text.
            let print = |all: &[R::Output]| all.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>();
            if bytes(here) != bytes(&found[0]) {
                assert_eq!(print(here), print(&found[0]), "{} {shape:?} {strides:?}", R::NAME);
            }
        }
        assert_eq!(found[0].len(), expected.len());
        for (&x, y) in found[0].iter().zip(expected) {
            assert!(alike(x, y), "{} {shape:?} {strides:?}: {x:?}, not {y:?}", R::NAME);
        }
    }
}

/// Returns which layouts to test in `round` of a test that repeats with other elements. Builds without optimisation test every other one.
fn alternate(round: usize) -> impl Fn(usize) -> bool + Copy {
    move |layout| !cfg!(debug_assertions) || (layout + round).is_multiple_of(2)
}

fn same<A: PartialEq>(a: A, b: A) -> bool {
    a == b
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + b.abs())
}

fn number(k: usize) -> f64 {
    (k as u64 * 2_654_435_761 % 1013) as f64 / 7.0 - 70.0
}

fn integer(k: usize) -> i64 {
    (k as u64 * 2_654_435_761 % 1013) as i64 - 500
}

#[test]
fn sums_products_and_means() {
    check(Sum, integer, |row| row.iter().sum(), same);
    check(Sum, |k| integer(k) as i32, |row| row.iter().sum(), same);
    // The tolerance allows for the rounding errors of the reference, which is a naive sum.
    check(Sum, number, |row| row.iter().sum(), |a, b| (a - b).abs() < 1e-12 * 70.0 * 50_000.0);
    check(Prod, |k| if k % 3 == 0 { -1i8 } else { 1 }, |row| row.iter().product(), same);
    check(Prod, |k| if k % 3 == 0 { -1.0f32 } else { 1.0 }, |row| row.iter().product(), same);
    let mean = |sum: i128, n: usize| sum as f64 / n as f64;
    let huge = |k: usize| i64::MAX - integer(k).abs() * (1 << 50);
    check(Mean, huge, |row| mean(row.iter().map(|&x| i128::from(x)).sum(), row.len()), same);
    let low = |k: usize| i64::MIN + integer(k).abs() * (1 << 50);
    check(Mean, low, |row| mean(row.iter().map(|&x| i128::from(x)).sum(), row.len()), same);
    check(
        Mean,
        |k| u64::MAX - k as u64 % 7,
        |row| mean(row.iter().map(|&x| i128::from(x)).sum(), row.len()),
        same,
    );
    check(Mean, |_| i8::MIN, |_| -128.0, same);
    check(Mean, |k| integer(k) as u8, |row| mean(row.iter().map(|&x| i128::from(x)).sum(), row.len()), same);
    check(Mean, |k| integer(k) as u16, |row| mean(row.iter().map(|&x| i128::from(x)).sum(), row.len()), same);
    check(Mean, |k| integer(k) as i16, |row| mean(row.iter().map(|&x| i128::from(x)).sum(), row.len()), same);
}

#[test]
fn extrema_and_their_indices() {
    let largest = |row: &[f64]| row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = |row: &[f64]| row.iter().copied().fold(f64::INFINITY, f64::min);
    check(Max, number, largest, same);
    check(Min, number, smallest, same);
    let at = |row: &[f64], x: f64| row.iter().position(|&y| y == x).unwrap() as i64;
    check(ArgMax, number, |row| at(row, largest(row)), same);
    check(ArgMin, number, |row| at(row, smallest(row)), same);
    // The elements increase if strides are positive: each is a new maximum, and none after the first is a new minimum.
    check(
        ArgMax,
        |k| k as i64,
        |row| row.iter().enumerate().rev().max_by_key(|x| x.1).unwrap().0 as i64,
        same,
    );
    check(ArgMin, |k| k as i64, |row| row.iter().enumerate().min_by_key(|x| x.1).unwrap().0 as i64, same);
    check(ArgMax, |_| f64::NEG_INFINITY, |_| 0, same);
    check(Max, |k| (k % 251) as u8, |row| *row.iter().max().unwrap(), same);
    check(Min, |k| integer(k) as i16, |row| *row.iter().min().unwrap(), same);
    check(
        ArgMin,
        |k| integer(k) as i8,
        |row| row.iter().enumerate().min_by_key(|x| x.1).unwrap().0 as i64,
        same,
    );
}

#[test]
fn extrema_find_nan_at_any_index() {
    let data = |n: usize, at: usize| -> Vec<f32> {
        (0..n).map(|k| if k == at { f32::NAN } else { -(k as f32) }).collect()
    };
    for n in [1, 5, 17, 100, 129, 300, 5000] {
        for at in (0..n).filter(|at| n < 301 || at % 97 == 0) {
            let data = data(n, at);
            let found = at_each_level(|| {
                let nan = reduce(Max, &data, &[n], &[1], 0)[0].is_nan()
                    && reduce(Min, &data, &[n], &[1], 0)[0].is_nan();
                (nan, reduce(ArgMax, &data, &[n], &[1], 0)[0], reduce(ArgMin, &data, &[n], &[1], 0)[0])
            });
            assert!(found.iter().all(|&x| x == (true, at as i64, at as i64)), "{n} {at} {found:?}");
        }
    }
    // Each column is reduced to one output. Adjacent columns have their first NaN in different rows, and all have a NaN in the last row.
    for (rows, columns) in [(3, 70), (20, 130), (100, 65)] {
        let first = |j: usize| (j * 7) % rows;
        let data: Vec<f64> = (0..rows * columns)
            .map(|k| (k / columns, k % columns))
            .map(|(i, j)| if i == first(j) || i == rows - 1 { f64::NAN } else { (i * j) as f64 })
            .collect();
        let strides = [1, columns as isize];
        for here in at_each_level(|| reduce(ArgMax, &data, &[columns, rows], &strides, 1)) {
            assert!(here.iter().enumerate().all(|(j, &at)| at == first(j) as i64));
        }
        for here in at_each_level(|| reduce(Max, &data, &[columns, rows], &strides, 1)) {
            assert!(here.iter().all(|x| x.is_nan()));
        }
    }
}

/// The Euclidean norm, computed with elements scaled by the largest absolute value.
fn norm(parts: &[f64]) -> f64 {
    let (mut scale, mut sum) = (0.0f64, 0.0);
    for x in parts {
        scale = if x.abs() > scale { x.abs() } else { scale };
    }
    for x in parts {
        sum += (x / scale) * (x / scale);
    }
    if scale == 0.0 { 0.0 } else { scale * sum.sqrt() }
}

#[test]
fn norms_have_no_intermediate_overflow() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    let complex_norm = |row: &[c64]| {
        let mut parts = Vec::with_capacity(2 * row.len());
        for z in row {
            parts.push(z.re);
            parts.push(z.im);
        }
        norm(&parts)
    };
    for (round, scales) in [
        [1.0, 1.0, 1.0],
        [1e-200, 1e-300, 0.0],
        [1e200, 1e-200, 1.0],
        [1e290, 1e250, 1e200],
        [0.0, 0.0, 1e-5],
    ]
    .into_iter()
    .enumerate()
    {
        let some = alternate(round);
        let at = |k: usize| number(k) * scales[k % 3];
        check_layouts(some, Norm::default(), at, norm, near);
        check_layouts(some, Norm::default(), |k| c64::new(at(k), at(k + 1)), complex_norm, near);
    }
    let real = |row: &[i64]| row.iter().map(|&x| x as f64).collect::<Vec<_>>();
    check(Norm::default(), integer, |row| norm(&real(row)), near);
}

#[test]
fn variances_are_stable() {
    let naive = |row: &[f64]| {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / row.len() as f64
    };
    check(Var { ddof: 0 }, number, naive, close);
    check(Std { ddof: 0 }, number, |row| naive(row).sqrt(), |a, b| (a - b).abs() < 1e-7);
    // The mean is more than 10⁸ times as large as the standard deviation.
    check(Var { ddof: 0 }, |k| 1e9 + (integer(k) % 8) as f64, naive, |a, b| (a - b).abs() < 1e-5);
    check(Var { ddof: 0 }, |_| 0.1, |_| 0.0, same);
    // A sum of these elements overflows.
    check(Var { ddof: 0 }, |_| 1.7e308, |_| 0.0, same);
    check(
        Var { ddof: 0 },
        |k| integer(k) as i32,
        |row| naive(&row.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()),
        |a, b| (a - b).abs() < 1e-8 * (1.0 + b),
    );
    let parts = |row: &[c64]| {
        let part = |f: fn(&c64) -> f64| naive(&row.iter().map(f).collect::<Vec<_>>());
        part(|z| z.re) + part(|z| z.im)
    };
    check(Var { ddof: 0 }, |k| c64::new(number(k), number(k + 3)), parts, close);
}

#[test]
fn all_any_and_count() {
    for (round, every) in [1, 2, 1000, 60_000].into_iter().enumerate() {
        let some = alternate(round);
        let here = |k: usize| k % every == every - 1;
        check_layouts(some, Any, here, |row| row.iter().any(|&x| x), same);
        check_layouts(some, All, |k| !here(k), |row| row.iter().all(|&x| x), same);
        check_layouts(some, Count, here, |row| row.iter().filter(|x| **x).count() as i64, same);
    }
}

/// Accumulators of 64 bits hold the sum of 2^32 integers of 32 bits. Only broadcast operands and very large ones have more.
#[test]
fn sums_of_too_many_integers_are_errors() {
    use crate::device::op::reduction::{Sum, SumAs};
    let most = 1usize << 32;
    assert_eq!(Reduction::<i32>::finish(&Sum, 0, most), Some(0));
    assert_eq!(Reduction::<i32>::finish(&Sum, 0, most + 1), None);
    assert_eq!(Reduction::<u32>::finish(&SumAs::<u64>::default(), 0, most), Some(0));
    assert_eq!(Reduction::<u32>::finish(&SumAs::<u64>::default(), 0, most + 1), None);
    assert_eq!(Reduction::<i16>::finish(&Sum, 0, most + 1), Some(0));
    assert_eq!(Reduction::<f32>::finish(&Sum, 1.0, most + 1), Some(1.0));
    // The largest sums.
    assert_eq!(
        Reduction::<u32>::finish(&SumAs::<u64>::default(), u64::from(u32::MAX) << 32, most),
        Some(u64::from(u32::MAX) << 32)
    );
}
