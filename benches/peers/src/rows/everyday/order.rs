//! Benchmark rows of `order`: sorting and selection of random numbers. As in vierbein, the operand stays unchanged: `std` and `rayon` copy
//! it first, or sort indices.

use super::super::Entry;
use crate::implementation::Library::{Rayon, Std, Vierbein};
use crate::number::Generator;
use crate::{Problem, Row};
use rayon::slice::ParallelSliceMut;
use std::sync::Arc;
use vierbein::{Rank, Tensor};

/// The number of elements that `top_k` returns.
const K: usize = 100;

/// Generates the benchmarks of an element type. Results are compared as `f64`.
macro_rules! order {
    ($of:ident: $T:ty, $name:literal, |$numbers:ident| $number:expr, $compare:expr;) => {
        pub(crate) fn $of() -> Vec<Entry<f64>> {
            /// The operand, a copy of its numbers for the other libraries, and the sorted numbers.
            struct Case {
                x: Arc<Tensor<$T, Rank<1>>>,
                slice: Arc<Vec<$T>>,
                sorted: Vec<$T>,
            }
            fn case(n: usize) -> Case {
                let mut $numbers = Generator(1);
                let slice: Vec<$T> = (0..n).map(|_| $number).collect();
                let mut sorted = slice.clone();
                sorted.sort_by($compare);
                Case { x: Arc::new(Tensor::from_slice([n], &slice)), slice: Arc::new(slice), sorted }
            }
            /// Returns the indices that sort the numbers. Equal numbers keep their order.
            fn indices(slice: &[$T]) -> Vec<i64> {
                let mut indices: Vec<i64> = (0..slice.len() as i64).collect();
                indices.sort_by(|&i, &k| $compare(&slice[i as usize], &slice[k as usize]));
                indices
            }
            fn sort(n: usize) -> Row<f64> {
                let Case { x, slice, sorted } = case(n);
                let other = slice.clone();
                Row::new(Problem::defined([n], move |i| (sorted[i[0]] as f64, 0.0)))
                    .fresh(Vierbein, move || x.sort(0))
                    .fresh(Std, move || {
                        let mut out = Vec::clone(&slice);
                        out.sort_unstable_by($compare);
                        out
                    })
                    .fresh(Rayon, move || {
                        let mut out = Vec::clone(&other);
                        out.par_sort_unstable_by($compare);
                        out
                    })
            }
            fn argsort(n: usize) -> Row<f64> {
                let Case { x, slice, .. } = case(n);
                let expected = indices(&slice);
                let other = slice.clone();
                Row::new(Problem::defined([n], move |i| (expected[i[0]] as f64, 0.0)))
                    .fresh(Vierbein, move || x.argsort(0))
                    .fresh(Std, move || indices(&slice))
                    .fresh(Rayon, move || {
                        let mut out: Vec<i64> = (0..n as i64).collect();
                        out.par_sort_by(|&i, &k| $compare(&other[i as usize], &other[k as usize]));
                        out
                    })
            }
            fn partition(n: usize) -> Row<f64> {
                let Case { x, slice, sorted } = case(n);
                Row::new(Problem::defined([], move |_| (sorted[n / 3] as f64, 0.0)))
                    .fresh(Vierbein, move || x.partition(0, n / 3)[[n / 3]] as f64)
                    .fresh(Std, move || {
                        let mut out = Vec::clone(&slice);
                        *out.select_nth_unstable_by(n / 3, $compare).1 as f64
                    })
            }
            fn median(n: usize) -> Row<f64> {
                let Case { x, slice, sorted } = case(n);
                // The mean of the two middle elements. The tolerance is proportional to `magnitudes`, which are large enough for
                // results that are rounded to the element type.
                let (low, high) = (sorted[n / 2 - 1] as f64, sorted[n / 2] as f64);
                let magnitudes = (low.abs() + high.abs()) * 1e4;
                Row::new(Problem::defined([], move |_| (low / 2.0 + high / 2.0, magnitudes)))
                    .fresh(Vierbein, move || x.median().item() as f64)
                    .fresh(Std, move || {
                        let mut out = Vec::clone(&slice);
                        let (low, &mut high, _) = out.select_nth_unstable_by(n / 2, $compare);
                        let low = *low.iter().max_by(|a, b| $compare(a, b)).expect("a lower half");
                        low as f64 / 2.0 + high as f64 / 2.0
                    })
            }
            fn top_k(n: usize) -> Row<f64> {
                let Case { x, slice, sorted } = case(n);
                Row::new(Problem::defined([K], move |i| (sorted[n - 1 - i[0]] as f64, 0.0)))
                    .fresh(Vierbein, move || x.top_k(0, K).0)
                    .fresh(Std, move || {
                        // Finds indices, as vierbein does.
                        let mut indices: Vec<i64> = (0..n as i64).collect();
                        let falling = |&i: &i64, &k: &i64| $compare(&slice[k as usize], &slice[i as usize]);
                        let (first, ..) = indices.select_nth_unstable_by(K, falling);
                        first.sort_unstable_by(falling);
                        first.iter().map(|&k| slice[k as usize]).collect::<Vec<_>>()
                    })
            }
            fn unique(n: usize) -> Row<f64> {
                let Case { x, slice, mut sorted } = case(n);
                sorted.dedup();
                Row::new(Problem::defined([sorted.len()], move |i| (sorted[i[0]] as f64, 0.0)))
                    .fresh(Vierbein, move || x.unique())
                    .fresh(Std, move || {
                        let mut out = Vec::clone(&slice);
                        out.sort_unstable_by($compare);
                        out.dedup();
                        out
                    })
            }
            let mut rows = Vec::new();
            for (n, name) in
                [(1000, "10³"), (10_000, "10⁴"), (100_000, "10⁵"), (1_000_000, "10⁶"), (10_000_000, "10⁷")]
            {
                rows.push(Entry::new(format!("sort {name}"), move || sort(n)).of($name));
            }
            for (n, name) in [(100_000, "10⁵"), (10_000_000, "10⁷")] {
                rows.extend([
                    Entry::new(format!("argsort {name}"), move || argsort(n)).of($name),
                    Entry::new(format!("partition {name}"), move || partition(n)).of($name),
                    Entry::new(format!("median {name}"), move || median(n)).of($name),
                    Entry::new(format!("top_k {K} of {name}"), move || top_k(n)).of($name),
                    Entry::new(format!("unique {name}"), move || unique(n)).of($name),
                ]);
            }
            rows
        }
    };
}
order! { of_f64: f64, "f64", |numbers| numbers.number::<f64>(), f64::total_cmp; }
order! { of_f32: f32, "f32", |numbers| numbers.number::<f32>(), f32::total_cmp; }
order! { of_i64: i64, "i64", |numbers| numbers.below(1 << 53) as i64, i64::cmp; }
order! { of_i32: i32, "i32", |numbers| (numbers.below(1 << 32) as u32).cast_signed(), i32::cmp; }
