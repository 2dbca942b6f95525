//! A matrix plus a vector that is broadcast along one axis.

use crate::implementation::Library;
use crate::memory::{Operand, Output, operand};
use crate::{Number, Problem, Row, exec, limit, parallel, ways};
use ndarray::{Ix1, Ix2, Zip};
use rstsr_core::prelude::rt;
use strided_kernel::{StridedArray, StridedView, zip_map2_into};
use vierbein::{Rank, Tensor};

type Operands<T> = (Operand<T, Rank<2>>, Operand<T, Rank<1>>);

/// Returns a matrix, a vector, and the problem of their sum. Element k of the vector is added to all elements with index k along
/// `axis`.
fn problem<T: Number>(n: usize, axis: usize) -> (Operands<T>, Problem<T>) {
    let (a, b) = (operand::<T, _>(1, [n, n]), operand::<T, _>(2, [n]));
    let operands = (a.clone(), b.clone());
    (operands, Problem::defined([n, n], move |i| (a.at(i) + b.at(&[i[axis]]), 0.0)))
}

/// Returns a vector as a square matrix with one stride of zero, because strided-kernel requires operands of equal rank.
fn repeated<'a, T>(vector: &StridedView<'a, T>, strides: [isize; 2]) -> StridedView<'a, T> {
    let n = vector.len();
    StridedView::new(vector.data(), &[n, n], &strides, 0).expect("within the vector")
}

pub(super) fn row<T: Number>(n: usize) -> Row<T> {
    let ((a, b), problem) = problem::<T>(n, 1);
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (u, v) = (a.slice(), b.slice());
    let (a, b) = (a.tensor(), b.tensor());
    Row::new(problem)
        .fresh(Library::Vierbein, move || &*a + &*b)
        .fresh(Library::Ndarray, move || {
            if parallel() {
                Zip::from(&*x).and_broadcast(&*y).par_map_collect(|&x, &y| x + y)
            } else {
                &*x + &*y
            }
        })
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n, n]);
            let q = repeated(&q, [0, 1]);
            zip_map2_into(&mut out.view_mut(), &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || &*r + &*s)
        .over(Library::Limit, Output::slice([n, n]), move |out| {
            limit::over_lines(out, n, |i| ([&u[i * n..(i + 1) * n], *v], |[u, v]| u + v));
        })
}

pub(super) fn row_into<T: Number>(n: usize) -> Row<T> {
    let ((a, b), problem) = problem::<T>(n, 1);
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (u, v) = (a.slice(), b.slice());
    let (a, b) = (a.tensor(), b.tensor());
    Row::new(problem)
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n, n]), move |out| ways::add_into(out, &a, &b))
        .over(Library::Ndarray, Output::array::<T, Ix2, _>([n, n]), move |out| {
            let all = Zip::from(&mut **out).and(&*x).and_broadcast(&*y);
            if parallel() {
                all.par_for_each(|out, &x, &y| *out = x + y);
            } else {
                all.for_each(|out, &x, &y| *out = x + y);
            }
        })
        .over(Library::Strided, Output::strided([n, n]), move |out| {
            let q = repeated(&q, [0, 1]);
            zip_map2_into(out, &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr([n, n]), move |out| {
            rt::add_with_output(&*r, &*s, out.view_mut());
        })
        .over(Library::Limit, Output::slice([n, n]), move |out| {
            limit::over_lines(out, n, |i| ([&u[i * n..(i + 1) * n], *v], |[u, v]| u + v));
        })
}

pub(super) fn column<T: Number>(n: usize) -> Row<T> {
    let ((a, b), problem) = problem::<T>(n, 0);
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (u, v) = (a.slice(), b.slice());
    let (a, b) = (a.tensor(), b.tensor());
    Row::new(problem)
        .fresh(Library::Vierbein, move || &*a + &b.insert_axis(1))
        .fresh(Library::Ndarray, move || {
            let y = y.view().insert_axis(ndarray::Axis(1));
            if parallel() {
                Zip::from(&*x).and_broadcast(&y).par_map_collect(|&x, &y| x + y)
            } else {
                &*x + &y
            }
        })
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n, n]);
            let q = repeated(&q, [1, 0]);
            zip_map2_into(&mut out.view_mut(), &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || &*r + &s.expand_dims(1))
        .over(Library::Limit, Output::slice([n, n]), move |out| {
            limit::over_lines(out, n, |i| {
                let v = v[i];
                ([&u[i * n..(i + 1) * n]], move |[u]| u + v)
            });
        })
}

pub(super) fn column_into<T: Number>(n: usize) -> Row<T> {
    let ((a, b), problem) = problem::<T>(n, 0);
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (u, v) = (a.slice(), b.slice());
    let (a, b) = (a.tensor(), b.tensor());
    Row::new(problem)
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n, n]), move |out| {
            ways::add_into(out, &a, &b.insert_axis(1));
        })
        .over(Library::Ndarray, Output::array::<T, Ix2, _>([n, n]), move |out| {
            let y = y.view().insert_axis(ndarray::Axis(1));
            let all = Zip::from(&mut **out).and(&*x).and_broadcast(&y);
            if parallel() {
                all.par_for_each(|out, &x, &y| *out = x + y);
            } else {
                all.for_each(|out, &x, &y| *out = x + y);
            }
        })
        .over(Library::Strided, Output::strided([n, n]), move |out| {
            let q = repeated(&q, [1, 0]);
            zip_map2_into(out, &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr([n, n]), move |out| {
            rt::add_with_output(&*r, s.expand_dims(1), out.view_mut());
        })
        .over(Library::Limit, Output::slice([n, n]), move |out| {
            limit::over_lines(out, n, |i| {
                let v = v[i];
                ([&u[i * n..(i + 1) * n]], move |[u]| u + v)
            });
        })
}
