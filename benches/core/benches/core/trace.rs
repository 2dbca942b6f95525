//! Benchmarks of traces, and of other ways to compute them: a contraction with the unit matrix, a sum over every (n + 1)-th element
//! of a reshaped tensor, and the product of the diagonals with a vector of ones.

use crate::suite::{Number, Suite, check, filled};
use vierbein::prelude::*;

pub(crate) fn rows<T: Number>(suite: &mut Suite<'_>) {
    for log in 6..=13 {
        matrix::<T>(suite, 1 << log);
    }
    for (n, middle) in [(64, 64), (256, 64), (1024, 16), (2048, 16), (4096, 8), (32, 8192), (64, 2048)] {
        outer::<T>(suite, n, middle);
    }
    leading::<T>(suite, 64, 2048);
    suite.row::<T, _, _>("ijj->ij 100³", || {
        let x = filled::<T, _>(1, [100; 3]);
        check(&x.diagonal(1, 2).to_owned(), |[i, j]| x[[i, j, j]]);
        move || x.diagonal(1, 2).to_owned()
    });
}

fn unit<T: Number>(n: usize) -> Tensor<T, Rank<2>> {
    Tensor::from_fn([n, n], |[i, j]| T::whole(i32::from(i == j), 0))
}

fn ones<T: Number>(n: usize) -> Tensor<T, Rank<1>> {
    Tensor::full([n], T::whole(1, 0))
}

fn matrix<T: Number>(suite: &mut Suite<'_>, n: usize) {
    let operand = || filled::<T, _>(1, [n, n]);
    let compare = |found: &Tensor<T, Rank<0>>, x: &Tensor<T, Rank<2>>| {
        check(found, |[]| (0..n).map(|i| x[[i, i]]).sum());
    };
    suite.row::<T, _, _>(format!("ii-> {n}²"), || {
        let x = operand();
        compare(&x.trace(0, 1), &x);
        move || x.trace(0, 1)
    });
    suite.row::<T, _, _>(format!("ii-> {n}² by δ"), || {
        let (x, delta) = (operand(), unit::<T>(n));
        compare(&einsum!("ij,ij->", &x, &delta), &x);
        move || einsum!("ij,ij->", &x, &delta)
    });
    suite.row::<T, _, _>(format!("ii-> {n}² by steps"), || {
        let x = operand();
        let steps = move |x: &Tensor<T, Rank<2>>| x.as_shape([n * n]).slice(s![..;n as isize + 1]).sum();
        compare(&steps(&x), &x);
        move || steps(&x)
    });
    suite.row::<T, _, _>(format!("ii-> {n}² by dot"), || {
        let (x, ones) = (operand(), ones::<T>(n));
        compare(&x.diagonal(0, 1).dot(&ones), &x);
        move || x.diagonal(0, 1).dot(&ones)
    });
}

/// Times the trace over axes 0 and 2 of a tensor of shape `[n, middle, n]`, and other ways to compute it.
fn outer<T: Number>(suite: &mut Suite<'_>, n: usize, middle: usize) {
    let name = format!("iki->k {n}·{middle}·{n}");
    let operand = || filled::<T, _>(1, [n, middle, n]);
    let compare = |found: &Tensor<T, Rank<1>>, x: &Tensor<T, Rank<3>>| {
        check(found, |[k]| (0..n).map(|i| x[[i, k, i]]).sum());
    };
    suite.row::<T, _, _>(&name, || {
        let x = operand();
        compare(&x.trace(0, 2), &x);
        move || x.trace(0, 2)
    });
    suite.row::<T, _, _>(format!("{name} by δ"), || {
        let (x, delta) = (operand(), unit::<T>(n));
        compare(&einsum!("ikj,ij->k", &x, &delta), &x);
        move || einsum!("ikj,ij->k", &x, &delta)
    });
    suite.row::<T, _, _>(format!("{name} by steps"), || {
        let x = operand();
        let steps = move |x: &Tensor<T, Rank<3>>| {
            let flat = x.permute([1, 0, 2]).to_owned().reshape([middle, n * n]);
            flat.slice(s![.., ..;n as isize + 1]).sum_axis(1)
        };
        compare(&steps(&x), &x);
        move || steps(&x)
    });
    suite.row::<T, _, _>(format!("{name} by dot"), || {
        let (x, ones) = (operand(), ones::<T>(n));
        compare(&einsum!("ki,i->k", &x.diagonal(0, 2), &ones), &x);
        move || einsum!("ki,i->k", &x.diagonal(0, 2), &ones)
    });
}

/// Times the trace over axes 0 and 1 of a tensor of shape `[n, n, last]`, and other ways to compute it.
fn leading<T: Number>(suite: &mut Suite<'_>, n: usize, last: usize) {
    let name = format!("iik->k {n}·{n}·{last}");
    let operand = || filled::<T, _>(1, [n, n, last]);
    let compare = |found: &Tensor<T, Rank<1>>, x: &Tensor<T, Rank<3>>| {
        check(found, |[k]| (0..n).map(|i| x[[i, i, k]]).sum());
    };
    suite.row::<T, _, _>(&name, || {
        let x = operand();
        compare(&x.trace(0, 1), &x);
        move || x.trace(0, 1)
    });
    suite.row::<T, _, _>(format!("{name} by δ"), || {
        let (x, delta) = (operand(), unit::<T>(n));
        compare(&einsum!("ijk,ij->k", &x, &delta), &x);
        move || einsum!("ijk,ij->k", &x, &delta)
    });
    suite.row::<T, _, _>(format!("{name} by steps"), || {
        let x = operand();
        let steps = move |x: &Tensor<T, Rank<3>>| {
            x.as_shape([n * n, last]).slice(s![..;n as isize + 1, ..]).sum_axis(0)
        };
        compare(&steps(&x), &x);
        move || steps(&x)
    });
    suite.row::<T, _, _>(format!("{name} by dot"), || {
        let (x, ones) = (operand(), ones::<T>(n));
        compare(&einsum!("ki,i->k", &x.diagonal(0, 1), &ones), &x);
        move || einsum!("ki,i->k", &x.diagonal(0, 1), &ones)
    });
}
