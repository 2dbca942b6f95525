//! The basics in `f64`, each checked against a plain loop once before it is timed.

use core::hint::black_box;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::time::Duration;
use vierbein::IntoShape;
use vierbein::prelude::*;

/// Integers of a few digits, all different from their neighbours: sums and products of them are exact in any sequence.
fn filled<Sh: IntoShape>(shape: Sh) -> Tensor<f64, Sh::Dim> {
    let mut next = 0u32;
    Tensor::from_fn(shape, |_| {
        next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(next >> 24) - 100.0
    })
}

fn check<D: Dim>(found: Tensor<f64, D>, expected: impl Fn(D::Shape) -> f64) {
    assert_eq!(found, Tensor::from_fn(found.shape(), expected));
}

fn elementwise(c: &mut Criterion) {
    for n in [1_000, 1_000_000] {
        let (a, b) = (filled([n]), filled([n]));
        check(&a + &b, |[i]| a[[i]] + b[[i]]);
        c.bench_function(&format!("add/allocating/{n}"), |bench| bench.iter(|| &a + black_box(&b)));

        check(a.clone() + &b, |[i]| a[[i]] + b[[i]]);
        c.bench_function(&format!("add/reusing the left/{n}"), |bench| {
            bench.iter_batched(|| a.clone(), |a| a + black_box(&b), BatchSize::LargeInput);
        });

        let mut x = a.clone();
        x.add_scaled(2.0, &b);
        check(x.clone(), |[i]| a[[i]] + 2.0 * b[[i]]);
        // Up and down in turn, so that the values stay where they are.
        let mut alpha = 2.0;
        c.bench_function(&format!("add_scaled/{n}"), |bench| {
            bench.iter(|| {
                alpha = -alpha;
                x.add_scaled(alpha, black_box(&b));
            });
        });
    }

    let (a, b) = (filled([1000, 1000]), filled([1000, 1000]));
    check(&a + b.t(), |[i, j]| a[[i, j]] + b[[j, i]]);
    c.bench_function("add/a transpose/1000x1000", |bench| bench.iter(|| &a + black_box(&b).t()));
}

fn reductions(c: &mut Criterion) {
    let x = filled([1000, 1000]);
    let column = |j| (0..1000).map(|i| x[[i, j]]).sum::<f64>();
    check(x.sum(), |[]| (0..1000).map(column).sum());
    check(x.sum_axis(0), |[j]| column(j));
    check(x.sum_axis(1), |[i]| (0..1000).map(|j| x[[i, j]]).sum());
    c.bench_function("sum/1000x1000", |bench| bench.iter(|| black_box(&x).sum()));
    c.bench_function("sum/axis 0 of 1000x1000", |bench| bench.iter(|| black_box(&x).sum_axis(0)));
    c.bench_function("sum/axis 1 of 1000x1000", |bench| bench.iter(|| black_box(&x).sum_axis(1)));

    let x = filled([1024, 1024]);
    check(x.trace(0, 1), |[]| (0..1024).map(|i| x[[i, i]]).sum());
    c.bench_function("trace/1024x1024", |bench| bench.iter(|| black_box(&x).trace(0, 1)));

    let x = filled([256, 64, 256]);
    check(x.trace(0, 2), |[k]| (0..256).map(|i| x[[i, k, i]]).sum());
    c.bench_function("trace/axes 0 and 2 of 256x64x256", |bench| bench.iter(|| black_box(&x).trace(0, 2)));
}

fn copies(c: &mut Criterion) {
    let x = filled([1000, 1000]);
    check(x.t().to_owned(), |[i, j]| x[[j, i]]);
    c.bench_function("permute/transpose 1000x1000", |bench| bench.iter(|| black_box(&x).t().to_owned()));

    let x = filled([32; 4]);
    for axes in [[3, 2, 1, 0], [1, 0, 2, 3], [2, 0, 3, 1]] {
        let turned = |at: [usize; 4]| {
            let mut from = [0; 4];
            for (axis, i) in axes.into_iter().zip(at) {
                from[axis] = i;
            }
            x[from]
        };
        check(x.permute(axes).to_owned(), turned);
        c.bench_function(&format!("permute/{axes:?} of 32x32x32x32"), |bench| {
            bench.iter(|| black_box(&x).permute(axes).to_owned());
        });
    }
}

fn products(c: &mut Criterion) {
    for n in [64, 256] {
        let (a, b) = (filled([n, n]), filled([n, n]));
        check(a.matmul(&b), |[i, j]| (0..n).map(|k| a[[i, k]] * b[[k, j]]).sum());
        c.bench_function(&format!("matmul/{n}x{n}"), |bench| bench.iter(|| a.matmul(black_box(&b))));
    }
}

criterion_group! {
    name = core;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = elementwise, reductions, copies, products
}
criterion_main!(core);
