//! Operands that are views: every second element of each row, every second row, permuted axes.

use crate::implementation::Library;
use crate::memory::{Output, operand};
use crate::{Number, Problem, Row, exec, limit, parallel, ways};
use ndarray::{Axis, Ix2, Ix3, Zip, s as range};
use rstsr_core::prelude::rt;
use strided_kernel::{StridedArray, StridedView, copy_into, reduce_axis, zip_map2_into};
use vierbein::{Tensor, s};

/// Returns a view of every `steps[k]`-th index of axis `k`.
fn stepped<'a, T: Copy>(view: &StridedView<'a, T>, steps: [usize; 2]) -> StridedView<'a, T> {
    let dims = [view.dims()[0] / steps[0], view.dims()[1] / steps[1]];
    let strides = [view.strides()[0] * steps[0] as isize, view.strides()[1] * steps[1] as isize];
    StridedView::new(view.data(), &dims, &strides, 0).expect("within the array")
}

/// Returns rstsr's slice argument for every `step`-th index of an axis with this extent.
fn every(extent: usize, step: usize) -> rt::SliceI {
    rt::SliceI::new(None, Some(extent as isize), Some(step as isize))
}

pub(super) fn add_stepped<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n, 2 * n]), operand::<T, _>(2, [n, n]));
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix2>());
    let (p, q) = (a.strided(), b.strided());
    let (r, t) = (a.rstsr(), b.rstsr());
    let (u, v) = (a.slice(), b.slice());
    let (left, right) = (a.tensor(), b.tensor());
    Row::new(Problem::defined([n, n], move |i| (a.at(&[i[0], 2 * i[1]]) + b.at(i), 0.0)))
        .fresh(Library::Vierbein, move || &left.slice(s![.., ..;2]) + &*right)
        .fresh(Library::Ndarray, move || {
            let x = x.slice(range![.., ..;2]);
            if parallel() { Zip::from(&x).and(&*y).par_map_collect(|&x, &y| x + y) } else { &x + &*y }
        })
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n, n]);
            let p = stepped(&p, [1, 2]);
            zip_map2_into(&mut out.view_mut(), &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || &r.slice((every(n, 1), every(2 * n, 2))) + &*t)
        .over(Library::Limit, Output::slice([n, n]), move |out| limit::add_stepped(out, *u, *v))
}

pub(super) fn add_stepped_into<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n, 2 * n]), operand::<T, _>(2, [n, n]));
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix2>());
    let (p, q) = (a.strided(), b.strided());
    let (r, t) = (a.rstsr(), b.rstsr());
    let (u, v) = (a.slice(), b.slice());
    let (left, right) = (a.tensor(), b.tensor());
    Row::new(Problem::defined([n, n], move |i| (a.at(&[i[0], 2 * i[1]]) + b.at(i), 0.0)))
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n, n]), move |out| {
            ways::add_into(out, &left.slice(s![.., ..;2]), &right);
        })
        .over(Library::Ndarray, Output::array::<T, Ix2, _>([n, n]), move |out| {
            let all = Zip::from(&mut **out).and(x.slice(range![.., ..;2])).and(&*y);
            if parallel() {
                all.par_for_each(|out, &x, &y| *out = x + y);
            } else {
                all.for_each(|out, &x, &y| *out = x + y);
            }
        })
        .over(Library::Strided, Output::strided([n, n]), move |out| {
            let p = stepped(&p, [1, 2]);
            zip_map2_into(out, &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr([n, n]), move |out| {
            rt::add_with_output(r.slice((every(n, 1), every(2 * n, 2))), &*t, out.view_mut());
        })
        .over(Library::Limit, Output::slice([n, n]), move |out| limit::add_stepped(out, *u, *v))
}

/// Returns the benchmark of a copy of every second row. The reference loop copies the same rows one by one.
pub(super) fn copy_stepped_rows<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [2 * n, n]);
    let (x, p, r, u) = (a.array::<Ix2>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    Row::new(Problem::defined([n, n], move |i| (a.at(&[2 * i[0], i[1]]), 0.0)))
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n, n]), move |out| {
            out.assign(&tensor.slice(s![..;2, ..]))
        })
        .over(Library::Ndarray, Output::array::<T, Ix2, _>([n, n]), move |out| {
            let x = x.slice(range![..;2, ..]);
            if parallel() {
                Zip::from(&mut **out).and(&x).par_for_each(|out, &x| *out = x);
            } else {
                out.assign(&x);
            }
        })
        .over(Library::Strided, Output::strided([n, n]), move |out| {
            copy_into(out, &stepped(&p, [2, 1]), exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr([n, n]), move |out| {
            out.assign(r.slice((every(2 * n, 2), every(n, 1))));
        })
        .over(Library::Limit, Output::slice([n, n]), move |out| {
            limit::over_lines(out, n, |i| ([&u[2 * i * n..(2 * i + 1) * n]], |[u]| u));
        })
}

/// Returns the benchmark of the sum of `a`, permuted by `[2, 0, 1]`, and `b`. The reference loop adds both operands in memory
/// order, without the permutation.
pub(super) fn add_permuted<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n; 3]), operand::<T, _>(2, [n; 3]));
    let (x, y) = (a.array::<Ix3>(), b.array::<Ix3>());
    let (p, q) = (a.strided(), b.strided());
    let (r, t) = (a.rstsr(), b.rstsr());
    let (u, v) = (a.slice(), b.slice());
    let (left, right) = (a.tensor(), b.tensor());
    let (c, d) = (a.clone(), b.clone());
    Row::new(Problem::defined([n; 3], move |i| (a.at(&[i[1], i[2], i[0]]) + b.at(i), 0.0)))
        .fresh(Library::Vierbein, move || &left.permute([2, 0, 1]) + &*right)
        .fresh(Library::Ndarray, move || {
            let x = x.view().permuted_axes([2, 0, 1]);
            if parallel() { Zip::from(&x).and(&*y).par_map_collect(|&x, &y| x + y) } else { &x + &*y }
        })
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n; 3]);
            let p = p.permute(&[2, 0, 1]).expect("a permutation");
            zip_map2_into(&mut out.view_mut(), &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || &r.permute_dims([2, 0, 1]) + &*t)
        .over(Library::Limit, Output::slice([n; 3]), move |out| limit::over(out, [*u, *v], |[u, v]| u + v))
        .instead(move |i| (c.at(i) + d.at(i), 0.0))
}

pub(super) fn sum_stepped<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [2 * n, 2 * n]);
    let (x, p, r, u) = (a.array::<Ix2>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    let problem = Problem::defined([], move |_| {
        let (mut sum, mut magnitudes) = (T::sample(0.0, 0.0), 0.0);
        for i in 0..n * n {
            let x = a.at(&[i / n * 2, i % n * 2]);
            sum += x;
            magnitudes += x.magnitude();
        }
        (sum, magnitudes)
    });
    Row::new(problem)
        .fresh(Library::Vierbein, move || tensor.slice(s![..;2, ..;2]).sum())
        .fresh(Library::Ndarray, move || x.slice(range![..;2, ..;2]).sum())
        .fresh(Library::Strided, move || {
            strided_kernel::sum(&stepped(&p, [2, 2]), exec()).expect("a number of elements")
        })
        .fresh(Library::Rstsr, move || r.slice((every(2 * n, 2), every(2 * n, 2))).sum_all())
        .fresh(Library::Limit, move || limit::sum_every(*u, 2 * n))
}

/// Returns the benchmark of a sum over axis 0 of a permuted view. This axis has unit stride in memory. The reference loop sums the
/// contiguous elements along it.
pub(super) fn sum_permuted<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n; 3]);
    let (x, p, r, u) = (a.array::<Ix3>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    let problem = Problem::defined([n, n], move |i| {
        let terms = (0..n).map(|k| a.at(&[i[0], i[1], k]));
        terms.fold((T::sample(0.0, 0.0), 0.0), |(sum, all), x| (sum + x, all + x.magnitude()))
    });
    Row::new(problem)
        .fresh(Library::Vierbein, move || tensor.permute([2, 0, 1]).sum_axis(0))
        .fresh(Library::Ndarray, move || x.view().permuted_axes([2, 0, 1]).sum_axis(Axis(0)))
        .fresh(Library::Strided, move || {
            let (p, zero) = (p.permute(&[2, 0, 1]).expect("a permutation"), T::sample(0.0, 0.0));
            reduce_axis(&p, 0, |x| x, |x, y| x + y, zero, exec()).expect("an axis")
        })
        .fresh(Library::Rstsr, move || r.permute_dims([2, 0, 1]).sum_axes(0))
        .over(Library::Limit, Output::slice([n, n]), move |out| limit::sum_lines(out, *u))
}
