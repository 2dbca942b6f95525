//! Sums and other reductions, of all elements or over one axis. The reference loops read their operands once, in memory order.

use crate::implementation::Library;
use crate::memory::{Output, operand};
use crate::{Number, Problem, Real, Row, exec, limit, parallel};
use ndarray::parallel::prelude::*;
use ndarray::{Axis, Ix1, Ix2, Ix3, Zip};
use strided_kernel::{reduce, reduce_axis};

/// Returns the sum of terms, and the sum of their magnitudes.
fn total<T: Number>(terms: impl Iterator<Item = T>) -> (T, f64) {
    terms.fold((T::sample(0.0, 0.0), 0.0), |(sum, all), x| (sum + x, all + x.magnitude()))
}

pub(super) fn sum<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (x, p, r, f, u) = (a.array::<Ix1>(), a.strided(), a.rstsr(), a.faer(), a.slice());
    let tensor = a.tensor();
    Row::new(Problem::defined([], move |_| total((0..n).map(|i| a.at(&[i])))))
        .fresh(Library::Vierbein, move || tensor.sum())
        .fresh(Library::Ndarray, move || {
            if parallel() {
                x.axis_chunks_iter(Axis(0), n.div_ceil(2)).into_par_iter().map(|x| x.sum()).sum()
            } else {
                x.sum()
            }
        })
        .fresh(Library::Strided, move || strided_kernel::sum(&p, exec()).expect("a number of elements"))
        .fresh(Library::Rstsr, move || r.sum_all())
        .fresh(Library::Faer, move || f.sum())
        .fresh(Library::Limit, move || limit::sum(*u))
}

/// Returns the benchmark of a sum over axis 0 of a square matrix: one result for each column.
pub(super) fn sum_rows<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n, n]);
    let (x, p, r, u) = (a.array::<Ix2>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    Row::new(Problem::defined([n], move |j| total((0..n).map(|i| a.at(&[i, j[0]])))))
        .fresh(Library::Vierbein, move || tensor.sum_axis(0))
        .fresh(Library::Ndarray, move || x.sum_axis(Axis(0)))
        .fresh(Library::Strided, move || {
            reduce_axis(&p, 0, |x| x, |x, y| x + y, T::sample(0.0, 0.0), exec()).expect("an axis")
        })
        .fresh(Library::Rstsr, move || r.sum_axes(0))
        .over(Library::Limit, Output::slice([n]), move |out| limit::add_lines(out, *u, n))
}

/// Returns the benchmark of a sum over axis 1 of a square matrix: one result for each row.
pub(super) fn sum_columns<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n, n]);
    let (x, p, r, u) = (a.array::<Ix2>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    Row::new(Problem::defined([n], move |i| total((0..n).map(|j| a.at(&[i[0], j])))))
        .fresh(Library::Vierbein, move || tensor.sum_axis(1))
        .fresh(Library::Ndarray, move || {
            if parallel() {
                Zip::from(x.rows()).par_map_collect(|row| row.sum())
            } else {
                x.sum_axis(Axis(1))
            }
        })
        .fresh(Library::Strided, move || {
            reduce_axis(&p, 1, |x| x, |x, y| x + y, T::sample(0.0, 0.0), exec()).expect("an axis")
        })
        .fresh(Library::Rstsr, move || r.sum_axes(1))
        .over(Library::Limit, Output::slice([n]), move |out| limit::sum_lines(out, *u))
}

pub(super) fn sum_middle<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n; 3]);
    let (x, p, r, u) = (a.array::<Ix3>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    Row::new(Problem::defined([n, n], move |i| total((0..n).map(|j| a.at(&[i[0], j, i[1]])))))
        .fresh(Library::Vierbein, move || tensor.sum_axis(1))
        .fresh(Library::Ndarray, move || x.sum_axis(Axis(1)))
        .fresh(Library::Strided, move || {
            reduce_axis(&p, 1, |x| x, |x, y| x + y, T::sample(0.0, 0.0), exec()).expect("an axis")
        })
        .fresh(Library::Rstsr, move || r.sum_axes(1))
        .over(Library::Limit, Output::slice([n, n]), move |out| {
            for (out, u) in out.chunks_exact_mut(n).zip(u.chunks_exact(n * n)) {
                limit::add_lines(out, u, n);
            }
        })
}

/// Number of elements of a partial sum in the norm with ndarray. Without partial sums, an `f32` sum of 10⁷ squares has an error of
/// half a percent.
const CHUNK: usize = 4096;

/// Returns the benchmark of the Euclidean norm. vierbein and faer prevent the overflow of squares; the other implementations do
/// not.
pub(super) fn norm<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (x, p, r, f, u) = (a.array::<Ix1>(), a.strided(), a.rstsr(), a.faer(), a.slice());
    let tensor = a.tensor();
    let root = |squares: T| T::sample(squares.magnitude().sqrt(), 0.0);
    let problem = Problem::defined([], move |_| {
        let squares: f64 = (0..n).map(|i| a.at(&[i]).magnitude().powi(2)).sum();
        (T::sample(squares.sqrt(), 0.0), squares.sqrt())
    });
    Row::new(problem)
        .fresh(Library::Vierbein, move || T::norm_of(&*tensor))
        .fresh(Library::Ndarray, move || {
            let squares =
                |x: ndarray::ArrayView1<'_, T>| x.fold(T::sample(0.0, 0.0), |sum, x| sum + x.square());
            root(if parallel() {
                x.axis_chunks_iter(Axis(0), CHUNK).into_par_iter().map(squares).sum()
            } else {
                x.axis_chunks_iter(Axis(0), CHUNK).map(squares).fold(T::sample(0.0, 0.0), |sum, x| sum + x)
            })
        })
        .fresh(Library::Strided, move || {
            let squares = reduce(&p, T::square, |x, y| x + y, T::sample(0.0, 0.0), exec());
            root(squares.expect("a number of elements"))
        })
        .fresh(Library::Rstsr, move || T::rstsr_norm_of(&r))
        .fresh(Library::Faer, move || T::faer_norm_of(*f))
        .fresh(Library::Limit, move || root(limit::sum_of_squares(*u)))
}

/// Returns the benchmark of `argmax`. ndarray has no such method, so its implementation folds over an iterator. strided-kernel and
/// faer have no such function either, and are left out.
pub(super) fn argmax<T: Real>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (x, r, u) = (a.array::<Ix1>(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    let position = |i: usize| T::sample(i as f64, 0.0);
    let problem = Problem::defined([], move |_| {
        let mut best = 0;
        for i in 1..n {
            if a.at(&[i]) > a.at(&[best]) {
                best = i;
            }
        }
        (position(best), 0.0)
    });
    Row::new(problem)
        .fresh(Library::Vierbein, move || position(tensor.argmax().item() as usize))
        .fresh(Library::Ndarray, move || {
            let larger = |best: (usize, T), (i, &x): (usize, &T)| if x > best.1 { (i, x) } else { best };
            position(x.iter().enumerate().fold((0, x[0]), larger).0)
        })
        .fresh(Library::Rstsr, move || position(r.argmax_all()))
        .fresh(Library::Limit, move || position(limit::argmax(*u)))
}
