//! Elementwise arithmetic, with broadcasting and on views.

use crate::suite::{Number, Suite, check, filled};
use crate::ways;
use vierbein::prelude::*;

pub(crate) fn rows<T: Number>(suite: &mut Suite<'_>) {
    for (n, name) in [(1000, "10³"), (100_000, "10⁵"), (10_000_000, "10⁷")] {
        sums::<T>(suite, n, name);
    }
    let n = 10_000_000;
    suite.row::<T, _, _>("b += α·a 10⁷", || {
        let (a, b) = (filled::<T, _>(1, [n]), filled::<T, _>(2, [n]));
        let two = T::whole(2, 0);
        let mut out = b.clone();
        out.add_scaled(two, &a);
        check(&out, |i| b[i] + two * a[i]);
        move || out.add_scaled(two, &a)
    });
    suite.row::<T, _, _>("b += α·b 10⁷", || {
        let b = filled::<T, _>(1, [n]);
        let alpha = T::whole(-2, 0);
        let mut out = b.clone();
        ways::scale_own(&mut out, alpha);
        check(&out, |i| b[i] + alpha * b[i]);
        move || ways::scale_own(&mut out, alpha)
    });
    let product = |[a, b, c]: [T; 3]| a * b + c * T::whole(2, 0);
    suite.row::<T, _, _>("a·b + 2c 10⁷", || {
        let [a, b, c] = [1, 2, 3].map(|seed| filled::<T, _>(seed, [n]));
        check(&ways::fused(&a, &b, &c), |i| product([a[i], b[i], c[i]]));
        move || ways::fused(&a, &b, &c)
    });
    suite.row::<T, _, _>("a·b + 2c 10⁷ into", || {
        let [a, b, c] = [1, 2, 3].map(|seed| filled::<T, _>(seed, [n]));
        let mut out = Tensor::<T, _>::zeros([n]);
        ways::fused_into(&mut out, &a, &b, &c);
        check(&out, |i| product([a[i], b[i], c[i]]));
        move || ways::fused_into(&mut out, &a, &b, &c)
    });
    broadcasts::<T>(suite, 2000);
    views::<T>(suite, 2000);
}

fn sums<T: Number>(suite: &mut Suite<'_>, n: usize, name: &str) {
    let operands = || (filled::<T, _>(1, [n]), filled::<T, _>(2, [n]));
    suite.row::<T, _, _>(format!("a + b {name}"), || {
        let (a, b) = operands();
        check(&(&a + &b), |i| a[i] + b[i]);
        move || &a + &b
    });
    suite.row::<T, _, _>(format!("a + b {name} into"), || {
        let (a, b) = operands();
        let mut out = Tensor::<T, _>::zeros([n]);
        ways::add_into(&mut out, &a, &b);
        check(&out, |i| a[i] + b[i]);
        move || ways::add_into(&mut out, &a, &b)
    });
    suite.row::<T, _, _>(format!("a += b {name}"), || {
        let (a, b) = operands();
        let mut out = a.clone();
        out += &b;
        check(&out, |i| a[i] + b[i]);
        move || out += &b
    });
    suite.row::<T, _, _>(format!("copy {name}"), || {
        let (a, _) = operands();
        check(&a.to_owned(), |i| a[i]);
        move || a.to_owned()
    });
    suite.row::<T, _, _>(format!("copy {name} into"), || {
        let (a, _) = operands();
        let mut out = Tensor::<T, _>::zeros([n]);
        out.assign(&a);
        check(&out, |i| a[i]);
        move || out.assign(&a)
    });
}

fn broadcasts<T: Number>(suite: &mut Suite<'_>, n: usize) {
    let operands = || (filled::<T, _>(1, [n, n]), filled::<T, _>(2, [n]));
    suite.row::<T, _, _>("a + row 2000²", || {
        let (a, b) = operands();
        check(&(&a + &b), |[i, j]| a[[i, j]] + b[[j]]);
        move || &a + &b
    });
    suite.row::<T, _, _>("a + row 2000² into", || {
        let (a, b) = operands();
        let mut out = Tensor::<T, _>::zeros([n, n]);
        ways::add_into(&mut out, &a, &b);
        check(&out, |[i, j]| a[[i, j]] + b[[j]]);
        move || ways::add_into(&mut out, &a, &b)
    });
    suite.row::<T, _, _>("a + column 2000²", || {
        let (a, b) = operands();
        check(&(&a + b.insert_axis(1)), |[i, j]| a[[i, j]] + b[[i]]);
        move || &a + b.insert_axis(1)
    });
    suite.row::<T, _, _>("a + column 2000² into", || {
        let (a, b) = operands();
        let mut out = Tensor::<T, _>::zeros([n, n]);
        ways::add_into(&mut out, &a, &b.insert_axis(1));
        check(&out, |[i, j]| a[[i, j]] + b[[i]]);
        move || ways::add_into(&mut out, &a, &b.insert_axis(1))
    });
}

fn views<T: Number>(suite: &mut Suite<'_>, n: usize) {
    suite.row::<T, _, _>("a + bᵀ 2000²", || {
        let (a, b) = (filled::<T, _>(1, [n, n]), filled::<T, _>(2, [n, n]));
        check(&(&a + b.t()), |[i, j]| a[[i, j]] + b[[j, i]]);
        move || &a + b.t()
    });
    suite.row::<T, _, _>("a + bᵀ 2000² into", || {
        let (a, b) = (filled::<T, _>(1, [n, n]), filled::<T, _>(2, [n, n]));
        let mut out = Tensor::<T, _>::zeros([n, n]);
        ways::add_into(&mut out, &a, &b.t());
        check(&out, |[i, j]| a[[i, j]] + b[[j, i]]);
        move || ways::add_into(&mut out, &a, &b.t())
    });
    suite.row::<T, _, _>("a[:, ::2] + b 2000²", || {
        let (a, b) = (filled::<T, _>(1, [n, 2 * n]), filled::<T, _>(2, [n, n]));
        check(&(a.slice(s![.., ..;2]) + &b), |[i, j]| a[[i, 2 * j]] + b[[i, j]]);
        move || a.slice(s![.., ..;2]) + &b
    });
    suite.row::<T, _, _>("a[:, ::2] + b 2000² into", || {
        let (a, b) = (filled::<T, _>(1, [n, 2 * n]), filled::<T, _>(2, [n, n]));
        let mut out = Tensor::<T, _>::zeros([n, n]);
        ways::add_into(&mut out, &a.slice(s![.., ..;2]), &b);
        check(&out, |[i, j]| a[[i, 2 * j]] + b[[i, j]]);
        move || ways::add_into(&mut out, &a.slice(s![.., ..;2]), &b)
    });
    suite.row::<T, _, _>("copy a[::2, :] 2000² into", || {
        let a = filled::<T, _>(1, [2 * n, n]);
        let mut out = Tensor::<T, _>::zeros([n, n]);
        out.assign(&a.slice(s![..;2, ..]));
        check(&out, |[i, j]| a[[2 * i, j]]);
        move || out.assign(&a.slice(s![..;2, ..]))
    });
    suite.row::<T, _, _>("a[kij] + b 200³", || {
        let (a, b) = (filled::<T, _>(1, [200; 3]), filled::<T, _>(2, [200; 3]));
        check(&(a.permute([2, 0, 1]) + &b), |[i, j, k]| a[[j, k, i]] + b[[i, j, k]]);
        move || a.permute([2, 0, 1]) + &b
    });
}
