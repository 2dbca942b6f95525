//! Benchmarks of traces over two axes of a tensor, and of other ways to compute them: a contraction with the unit matrix, a sum over
//! every (n + 1)-th element of a reshaped tensor, and the product of the diagonals with a vector of ones.

use super::super::Entry;
use crate::implementation::Library;
use crate::memory::{Operand, Output, filled, operand};
use crate::{Number, Problem, Row, exec, limit};
use ndarray::{Array1, Ix2, Ix3, s as range};
use strided_kernel::reduce_axis;
use vierbein::{Dim, Rank, Tensor, einsum, s};

pub(in crate::rows) fn all<T: Number>() -> Vec<Entry<T>> {
    let mut rows: Vec<_> = (6..=13)
        .map(|log| {
            let n = 1usize << log;
            Entry::new(format!("ii-> {n}²"), move || matrix(n))
        })
        .collect();
    for (n, middle) in [(64, 64), (256, 64), (1024, 16), (2048, 16), (4096, 8), (32, 8192), (64, 2048)] {
        rows.push(Entry::new(format!("iki->k {n}·{middle}·{n}"), move || outer(n, middle)));
    }
    rows.push(Entry::new("iik->k 64·64·2048", || leading(64, 2048)));
    rows
}

fn unit<T: Number>(n: usize) -> Operand<T, Rank<2>> {
    filled([n, n], |position| T::sample(if position % (n + 1) == 0 { 1.0 } else { 0.0 }, 0.0))
}

fn ones<T: Number>(n: usize) -> Tensor<T, Rank<1>> {
    Tensor::full([n], T::sample(1.0, 0.0))
}

/// Returns the sum over `i` of the elements at `index(i)`, and the sum of their magnitudes.
fn traced<T: Number, D: Dim>(a: &Operand<T, D>, n: usize, index: impl Fn(usize) -> Vec<usize>) -> (T, f64) {
    let terms = (0..n).map(|i| a.at(&index(i)));
    terms.fold((T::sample(0.0, 0.0), 0.0), |(sum, all), x| (sum + x, all + x.magnitude()))
}

fn matrix<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n, n]);
    let (x, p, r, f, u) = (a.array::<Ix2>(), a.strided(), a.rstsr(), a.faer(), a.slice());
    let [t0, t1, t2, t3] = [(); 4].map(|()| a.tensor());
    let (delta, ones) = (unit::<T>(n).tensor(), ones::<T>(n));
    Row::new(Problem::defined([], move |_| traced(&a, n, |i| vec![i, i])))
        .fresh(Library::Vierbein, move || t0.trace(0, 1).item())
        .fresh(Library::Ndarray, move || x.diag().sum())
        .fresh(Library::Strided, move || {
            let diagonal = p.diagonal_view(&[(0, 1)]).expect("a square");
            strided_kernel::sum(&diagonal, exec()).expect("a number of elements")
        })
        .fresh(Library::Rstsr, move || r.diagonal(()).sum_all())
        .fresh(Library::Faer, move || f.diagonal().column_vector().sum())
        .fresh(Library::Limit, move || limit::diagonal(*u, n + 1))
        .fresh(Library::Delta, move || einsum!("ij,ij->", &*t1, &*delta).item())
        .fresh(Library::Steps, move || t2.as_shape([n * n]).slice(s![..;n as isize + 1]).sum().item())
        .fresh(Library::Dot, move || t3.diagonal(0, 1).dot(&ones).item())
}

/// Returns the benchmark of the trace over axes 0 and 2 of a tensor of shape `[n, middle, n]`.
fn outer<T: Number>(n: usize, middle: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n, middle, n]);
    let (x, p, r, u) = (a.array::<Ix3>(), a.strided(), a.rstsr(), a.slice());
    let [t0, t1, t2, t3] = [(); 4].map(|()| a.tensor());
    let (delta, ones) = (unit::<T>(n).tensor(), ones::<T>(n));
    Row::new(Problem::defined([middle], move |k| traced(&a, n, |i| vec![i, k[0], i])))
        .fresh(Library::Vierbein, move || t0.trace(0, 2))
        .fresh(Library::Ndarray, move || {
            let mut out = Array1::zeros(middle);
            for i in 0..n {
                out += &x.slice(range![i, .., i]);
            }
            out
        })
        .fresh(Library::Strided, move || {
            // Axis 0 of the view is the diagonal.
            let diagonal = p.diagonal_view(&[(0, 2)]).expect("a square");
            reduce_axis(&diagonal, 0, |x| x, |x, y| x + y, T::sample(0.0, 0.0), exec()).expect("an axis")
        })
        .fresh(Library::Rstsr, move || r.diagonal((0, 0, 2)).sum_axes(-1))
        .over(Library::Limit, Output::slice([middle]), move |out| limit::diagonal_lines(out, *u, n))
        .fresh(Library::Delta, move || einsum!("ikj,ij->k", &*t1, &*delta))
        .fresh(Library::Steps, move || {
            let flat = t2.permute([1, 0, 2]).to_owned().reshape([middle, n * n]);
            flat.slice(s![.., ..;n as isize + 1]).sum_axis(1)
        })
        .fresh(Library::Dot, move || einsum!("ki,i->k", &t3.diagonal(0, 2), &ones))
}

/// Returns the benchmark of the trace over axes 0 and 1 of a tensor of shape `[n, n, last]`.
fn leading<T: Number>(n: usize, last: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n, n, last]);
    let (x, p, r, u) = (a.array::<Ix3>(), a.strided(), a.rstsr(), a.slice());
    let [t0, t1, t2, t3] = [(); 4].map(|()| a.tensor());
    let (delta, ones) = (unit::<T>(n).tensor(), ones::<T>(n));
    Row::new(Problem::defined([last], move |k| traced(&a, n, |i| vec![i, i, k[0]])))
        .fresh(Library::Vierbein, move || t0.trace(0, 1))
        .fresh(Library::Ndarray, move || {
            let mut out = Array1::zeros(last);
            for i in 0..n {
                out += &x.slice(range![i, i, ..]);
            }
            out
        })
        .fresh(Library::Strided, move || {
            let diagonal = p.diagonal_view(&[(0, 1)]).expect("a square");
            reduce_axis(&diagonal, 0, |x| x, |x, y| x + y, T::sample(0.0, 0.0), exec()).expect("an axis")
        })
        .fresh(Library::Rstsr, move || r.diagonal((0, 0, 1)).sum_axes(-1))
        .over(Library::Limit, Output::slice([last]), move |out| limit::add_lines(out, *u, (n + 1) * last))
        .fresh(Library::Delta, move || einsum!("ijk,ij->k", &*t1, &*delta))
        .fresh(Library::Steps, move || {
            t2.as_shape([n * n, last]).slice(s![..;n as isize + 1, ..]).sum_axis(0)
        })
        .fresh(Library::Dot, move || einsum!("ki,i->k", &t3.diagonal(0, 1), &ones))
}
