//! Tests of the loops of reductions, on many layouts. They check which elements a reduction visits, that its results have the same
//! bits at all SIMD levels, and how accurate it is.

mod values;

use super::sweep::{MIN_INNER_ROWS, levels, plan_levels};
use super::task::{CHAIN_LEN, ReduceTask};
use super::*;
use crate::device::cpu::HostPtr;
use crate::device::cpu::loops::threads::PARALLEL_SUM_LEN;
use crate::device::op::reduction::{
    All, Any, ArgMax, ArgMin, Count, Max, Mean, Min, Norm, Prod, Std, Sum, Var,
};
use crate::element::{c32, c64};
use crate::layout::Layout;
use crate::layout::plan::Plan;
use crate::simd::tests::at_each_level;

/// Reduces all axes of an operand but the first `kept`. The element at index 0 is `data[start(shape, strides)]`.
fn reduce<T: Element, R: Reduction<T>>(
    op: R,
    data: &[T],
    shape: &[usize],
    strides: &[isize],
    kept: usize,
) -> Vec<R::Output> {
    assert!(size(shape, strides) <= data.len());
    let to = Layout::contiguous(&shape[..kept], true);
    let mut out = vec![R::Output::default(); to.shape().iter().product()];
    let a = Operand::of_slice(data, start(shape, strides), shape, strides);
    Cpu.reduce(&op, Output::of_slice(&mut out, 0, to.shape(), to.strides()), a).unwrap();
    out
}

/// Returns the offset of the element at index 0 in the smallest buffer that holds all elements. It is not 0 if a stride is negative.
fn start(shape: &[usize], strides: &[isize]) -> usize {
    shape
        .iter()
        .zip(strides)
        .filter(|(_, s)| **s < 0)
        .map(|(&n, s)| n.saturating_sub(1) * s.unsigned_abs())
        .sum()
}

/// Returns the offset of each index from that of index 0, in row-major order. Fast in builds without optimisation.
pub(in crate::device::cpu::kernels) fn offsets(shape: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut all = vec![0];
    for (&n, &stride) in shape.iter().zip(strides) {
        let mut inner = Vec::with_capacity(all.len() * n);
        for first in all {
            let (mut at, mut left) = (first, n);
            while left > 0 {
                inner.push(at);
                (at, left) = (at + stride, left - 1);
            }
        }
        all = inner;
    }
    all
}

/// Returns the elements that are reduced to the first output, in row-major order of the reduced axes, then those of the other outputs.
/// Also returns the number of elements for each output.
fn reduced<T: Element>(data: &[T], shape: &[usize], strides: &[isize], kept: usize) -> (Vec<T>, usize) {
    let first = start(shape, strides) as isize;
    let of_output = offsets(&shape[kept..], &strides[kept..]);
    let mut elements = Vec::with_capacity(shape.iter().product());
    for output in offsets(&shape[..kept], &strides[..kept]) {
        for element in &of_output {
            elements.push(data[(first + output + element) as usize]);
        }
    }
    (elements, of_output.len())
}

/// The layout of an operand. Its axes after the first `kept` are reduced.
struct Case {
    shape: Vec<usize>,
    strides: Vec<isize>,
    kept: usize,
}

/// Returns layouts to test. The reduced elements are rows, columns, middle axes and
/// diagonals, with and without gaps. Some arrays are short or narrow.
fn cases() -> Vec<Case> {
    let mut cases = vec![Case { shape: vec![], strides: vec![], kept: 0 }];
    for n in [1, 3, 15, 16, 31, 100, 513, 1024, 1025, 5000] {
        cases.extend([
            Case { shape: vec![n], strides: vec![1], kept: 0 },
            Case { shape: vec![n], strides: vec![3], kept: 0 },
            Case { shape: vec![n], strides: vec![0], kept: 0 },
        ]);
        for m in [2, 7, 33, 600].into_iter().filter(|m| m * n < 50_000) {
            let (wide, high) = (n as isize, m as isize);
            cases.extend([
                Case { shape: vec![m, n], strides: vec![wide, 1], kept: 1 },
                Case { shape: vec![m, n], strides: vec![1, high], kept: 1 },
                Case { shape: vec![m, n], strides: vec![2, 2 * high + 1], kept: 1 },
                Case { shape: vec![m, n], strides: vec![wide, 1], kept: 0 },
                Case { shape: vec![m, n], strides: vec![1, high], kept: 0 },
                Case { shape: vec![m, n], strides: vec![wide + 2, 1], kept: 0 },
                Case { shape: vec![3, m, n], strides: vec![wide * high, 1, high], kept: 2 },
                Case { shape: vec![m, 3, n], strides: vec![1, wide * high, high], kept: 1 },
                Case { shape: vec![m, 3, n], strides: vec![wide, wide * high, 1], kept: 1 },
                Case { shape: vec![m, n], strides: vec![-wide, -1], kept: 1 },
                Case { shape: vec![m, n], strides: vec![-1, high], kept: 1 },
                Case { shape: vec![m, n], strides: vec![1, -high], kept: 1 },
                Case { shape: vec![m, n], strides: vec![-2, -2 * high - 1], kept: 1 },
                Case { shape: vec![m, n], strides: vec![wide, -1], kept: 0 },
                Case { shape: vec![m, n], strides: vec![0, 1], kept: 1 },
                Case { shape: vec![m, n], strides: vec![1, 0], kept: 1 },
            ]);
            // Each element has its own cache line, so larger arrays would take much memory.
            if m * n <= 10_000 {
                cases.push(Case { shape: vec![m, n], strides: vec![16, 16 * high + 1], kept: 1 });
            }
        }
    }
    // Neither the kept nor the reduced axis has unit stride.
    for (m, n) in [(9, 7), (4, 128), (13, 100), (10, 131), (3, 9)] {
        let high = 64 * m as isize + 1;
        cases.push(Case { shape: vec![m, n], strides: vec![64, high], kept: 1 });
        cases.push(Case { shape: vec![m, 2, n], strides: vec![64, high * n as isize, high], kept: 1 });
    }
    // Large enough to run in parallel. Builds without optimisation have only enough elements for four parts.
    let n = if cfg!(debug_assertions) { 550 } else { 1100 };
    let pitch = n as isize;
    assert!(n * n >= 4 * PARALLEL_SUM_LEN);
    cases.extend([
        Case { shape: vec![n * n - 7], strides: vec![1], kept: 0 },
        Case { shape: vec![n, n], strides: vec![pitch + 1, 1], kept: 0 },
        Case { shape: vec![30, n * n / 30], strides: vec![1, 30], kept: 1 },
        Case { shape: vec![n, n], strides: vec![1, pitch], kept: 1 },
        Case { shape: vec![n, n], strides: vec![pitch, 1], kept: 1 },
    ]);
    cases
}

/// Returns the size of a buffer for any of the cases.
fn max_size(cases: &[Case]) -> usize {
    cases.iter().map(|case| size(&case.shape, &case.strides)).max().unwrap()
}

fn size(shape: &[usize], strides: &[isize]) -> usize {
    1 + shape.iter().zip(strides).map(|(&n, &s)| n.saturating_sub(1) * s.unsigned_abs()).sum::<usize>()
}

/// Numbers whose sum depends on the summation order.
fn number(k: usize) -> f64 {
    (k as u64 * 2_654_435_761 % 1013) as f64 / 7.0 - 70.0
}

/// A reduction that checks that elements are visited in index order. An accumulator is the range of the indices that it has visited.
#[derive(Debug, Clone, Copy)]
struct Sequential;

impl Reduction<i32> for Sequential {
    type Acc = Option<(usize, usize)>;
    type Output = i64;
    const NAME: &'static str = "sequence";
    const USES_INDEX: bool = true;
    fn identity(&self) -> Self::Acc {
        None
    }
    fn fold(&self, acc: Self::Acc, _: i32, index: usize) -> Self::Acc {
        self.combine(acc, Some((index, index + 1)))
    }
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        match (a, b) {
            (Some((from, a)), Some((b, to))) => {
                assert_eq!(a, b);
                Some((from, to))
            }
            _ => a.or(b),
        }
    }
    fn finish(&self, acc: Self::Acc, count: usize) -> Option<i64> {
        assert_eq!(acc, Some((0, count)));
        Some(1)
    }
}

#[test]
fn reduction_visits_every_element_once_in_index_order() {
    let cases = cases();
    let all: Vec<i32> = (0..max_size(&cases)).map(|k| (k % 4001) as i32).collect();
    for Case { shape, strides, kept } in cases {
        let data = &all[..size(&shape, &strides)];
        let (elements, count) = reduced(data, &shape, &strides, kept);
        let mean = |elements: &[i32]| {
            let mut sum = 0;
            for &x in elements {
                sum += x as i64;
            }
            sum as f64 / count as f64
        };
        let exact: Vec<f64> = elements.chunks_exact(count).map(mean).collect();
        assert_eq!(reduce(Mean, data, &shape, &strides, kept), exact, "{shape:?} {strides:?}");
        let sequence = reduce(Sequential, data, &shape, &strides, kept);
        assert!(sequence.iter().all(|&x| x == 1), "{shape:?} {strides:?}");
    }
}

#[test]
fn reductions_are_equal_at_all_simd_levels() {
    let mut cases = cases();
    // Small enough to stay on the current thread.
    cases.retain(|case| case.shape.iter().product::<usize>() < 2 * PARALLEL_SUM_LEN);
    let all: Vec<f64> = (0..max_size(&cases)).map(number).collect();
    let pairs: Vec<c64> = all.iter().enumerate().map(|(k, &x)| c64::new(x, number(k + 5))).collect();
    for Case { shape, strides, kept } in cases {
        let found = at_each_level(|| {
            (
                reduce(Sum, &all, &shape, &strides, kept),
                reduce(Sum, &pairs, &shape, &strides, kept),
                reduce(Var { ddof: 0 }, &all, &shape, &strides, kept),
            )
        });
        assert!(found.iter().all(|here| *here == found[0]), "{shape:?} {strides:?}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn reductions_are_bitwise_equal_for_any_thread_count() {
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    let (one, four) = (pool(1), pool(4));
    for Case { shape, strides, kept } in cases() {
        if shape.iter().product::<usize>() >= 2 * PARALLEL_SUM_LEN {
            let data: Vec<f64> = (0..size(&shape, &strides)).map(number).collect();
            let sums = || reduce(Sum, &data, &shape, &strides, kept);
            assert_eq!(one.install(sums), four.install(sums), "{shape:?} {strides:?}");
            let norms = || reduce(Norm::default(), &data, &shape, &strides, kept);
            assert_eq!(one.install(norms), four.install(norms), "{shape:?} {strides:?}");
        }
    }
}

#[test]
fn long_sums_stay_accurate() {
    // A naive sum of all these elements has a relative error of 4 %.
    let data = vec![0.1f32; 1 << 22];
    let exact = |n: usize| f64::from(0.1f32) * n as f64;
    for Case { shape, strides, kept } in [
        Case { shape: vec![1 << 22], strides: vec![1], kept: 0 },
        Case { shape: vec![1 << 21], strides: vec![2], kept: 0 },
        Case { shape: vec![1 << 21, 2], strides: vec![2, 1], kept: 0 },
        Case { shape: vec![4, 1 << 20], strides: vec![1, 4], kept: 1 },
        Case { shape: vec![4, 1 << 20], strides: vec![1 << 20, 1], kept: 1 },
        Case { shape: vec![4, 1 << 10, 1 << 10], strides: vec![1, 4 << 10, 4], kept: 1 },
    ] {
        let count = shape[kept..].iter().product();
        for sum in reduce(Sum, &data, &shape, &strides, kept) {
            assert!((f64::from(sum) / exact(count) - 1.0).abs() < 1e-6, "{sum} {shape:?} {strides:?}");
        }
    }
}

#[test]
fn enough_accumulators_for_each_level() {
    for rows in 1..3000 {
        fn cuts(rows: usize) -> usize {
            if rows <= CHAIN_LEN {
                return 0;
            }
            let low = (rows / 2).next_multiple_of(CHAIN_LEN);
            1 + cuts(low).max(cuts(rows - low))
        }
        assert!(cuts(rows) <= levels(rows, CHAIN_LEN), "{rows}");
    }
}

/// `reduce_columns` may split a plan until each part is below any number of rows.
#[test]
fn enough_accumulators_for_each_split() {
    type Sums<'a> = ReduceTask<'a, f64, Sum>;
    const LIMITS: Limits = <Sums<'_> as Reducer<1>>::LIMITS;
    const LEAF_ROWS: usize = LIMITS.leaf_rows;
    fn depth(plan: &Plan<1>, splits: &dyn Fn(&Plan<1>) -> bool) -> usize {
        match plan.halves_at(LEAF_ROWS) {
            Some((low, high)) if splits(plan) => depth(&low, splits).max(1 + depth(&high, splits)),
            _ if plan.inner_len() < MIN_INNER_ROWS => levels(plan.len(), CHAIN_LEN),
            _ => levels(plan.len(), LEAF_ROWS),
        }
    }
    let mut split = 0;
    for (outer, inner) in
        [(1, 1), (1, 7), (1, 129), (1, 1000), (1, 4000), (2, 3), (3, 5), (5, 8), (9, 130), (130, 3)]
    {
        let plan = Plan::unordered(&[outer, inner], [&[10_000, 2]]);
        for least in [1, 2, 3, 8, 100, 128, 200, 1000] {
            let splits = |plan: &Plan<1>| plan.len() >= least;
            let needed = depth(&plan, &splits);
            assert!(
                needed <= plan_levels(&LIMITS, &plan, splits(&plan)),
                "{outer} times {inner} rows, {least}"
            );
            split += usize::from(splits(&plan) && needed > 0);
        }
    }
    assert!(split > 20, "most of these plans are split");
}

/// Sums of integers fold all rows into one set of accumulators, unless rows of several elements are folded per output.
#[test]
fn integer_sums_over_outer_and_inner_axes_have_enough_accumulators() {
    for outer in [1, 8, 9, 60, 200] {
        let (shape, strides) = ([30, outer, 20], [20, 600, 1]);
        let data = vec![1i32; 600 * outer];
        assert_eq!(reduce(Sum, &data, &shape, &strides, 1), vec![20 * outer as i32; 30]);
    }
}

#[test]
fn pairwise_visits_each_step_once_in_order() {
    for n in 1..70 {
        let mut next = 0;
        let mut leaf = |count: usize| {
            assert!(count <= 8 && count > 0);
            next += count;
            (next - count..next).collect::<Vec<_>>()
        };
        let seen = pairwise(n, 8, &mut leaf, &|mut a, b| {
            a.extend(b);
            a
        });
        assert_eq!(seen, (0..n).collect::<Vec<_>>());
    }
}

/// An operand without elements may have any address, such as the null pointer of an empty array of another library.
#[test]
fn sums_of_no_elements_are_zero_and_means_nan_at_any_address() {
    for (shape, strides) in [([3, 0], [1, 1]), ([3, 0], [0, 1]), ([3, 0], [1, 7]), ([40, 0], [1, 40])] {
        let mut out = vec![1.0; shape[0]];
        // SAFETY: the operand has no elements, so none is accessed.
        let a = unsafe { Operand::from_raw(HostPtr::new(core::ptr::null_mut::<f64>()), &shape, &strides) };
        let to = Layout::contiguous(&shape[..1], true);
        Cpu.reduce(&Sum, Output::of_slice(&mut out, 0, to.shape(), to.strides()), a).unwrap();
        assert_eq!(out, vec![0.0; shape[0]]);
        // SAFETY: as above.
        let a = unsafe { Operand::from_raw(HostPtr::new(core::ptr::null_mut::<f64>()), &shape, &strides) };
        Cpu.reduce(&Mean, Output::of_slice(&mut out, 0, to.shape(), to.strides()), a).unwrap();
        assert!(out.iter().all(|mean| mean.is_nan()));
    }
}

/// Common reductions call kernels that are found by their type and that of the elements.
#[test]
fn reductions_of_all_element_types_find_their_kernels() {
    fn check<T: Element, R: Reduction<T>>(op: R, x: T) {
        let elements = [x; 100];
        for (shape, strides, kept) in
            [([1, 100], [100, 1], 1), ([50, 2], [1, 50], 1), ([1, 100], [100, 1], 0)]
        {
            reduce(op, &elements, &shape, &strides, kept);
        }
        let all = Operand::of_slice(&elements, 0, &[100], &[1]);
        Cpu.reduce(&op, Output::of_slice(&mut [R::Output::default()], 0, &[], &[]), all).unwrap();
    }
    macro_rules! check {
        ($($one:expr),*; $($Op:expr),*) => { check!(@ [$($one),*] [$($Op),*]) };
        (@ [$($one:expr),*] $ops:tt) => { $(check!(@one $one, $ops);)* };
        (@one $one:expr, [$($Op:expr),*]) => { $(check($Op, $one);)* };
    }
    check!(true; ArgMax, ArgMin, All, Any, Count);
    check!(1i8, 1u8, 1i16, 1u16, 1i32, 1u32, 1i64, 1u64, 1.0f32, 1.0f64; ArgMax, ArgMin, Max, Min, Sum, Prod, Mean, Var::default(), Std::default());
    check!(c32::ONE, c64::ONE; Sum, Prod, Mean, Var::default(), Std::default(), Norm::default());
    check!(1i64, 1.0f64; Norm::<f64>::default());
    check!(1.0f32; Norm::<f32>::default());
}
