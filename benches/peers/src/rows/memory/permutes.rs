//! Copies with permuted axes. The reference loop copies the operand in memory order, without the permutation.

use crate::implementation::Library;
use crate::memory::{Operand, Output, operand};
use crate::{Number, Problem, Row, exec, limit, parallel, ways};
use faer::Mat;
use ndarray::{Dimension, IntoDimension, Ix2, Zip};
use rstsr_core::prelude::{RowMajor, rt};
use strided_kernel::{StridedArray, copy_into, zip_map2_into};
use vierbein::{Dim, IntoShape, Permutation, Rank, Tensor};

/// An array of extents that can be a shape of vierbein and of ndarray.
pub(super) trait Extents<E>:
    IntoShape<Dim: Dim<Shape = Self>>
    + Permutation<<Self as IntoShape>::Dim>
    + IntoDimension<Dim = E>
    + AsRef<[usize]>
    + AsMut<[usize]>
    + Copy
    + Send
    + Sync
    + 'static
{
}
impl<E, Sh> Extents<E> for Sh where
    Sh: IntoShape<Dim: Dim<Shape = Sh>>
        + Permutation<<Sh as IntoShape>::Dim>
        + IntoDimension<Dim = E>
        + AsRef<[usize]>
        + AsMut<[usize]>
        + Copy
        + Send
        + Sync
        + 'static
{
}

/// Returns an operand of this shape, the shape of the result, and the problem of a permuted copy: axis `k` of the result is axis
/// `axes[k]` of the operand.
fn problem<T: Number, E, Sh: Extents<E>>(
    shape: Sh,
    axes: Sh,
) -> (Operand<T, <Sh as IntoShape>::Dim>, Sh, Problem<T>) {
    let a = operand::<T, _>(1, shape);
    let mut permuted = shape;
    for (to, &axis) in permuted.as_mut().iter_mut().zip(axes.as_ref()) {
        *to = shape.as_ref()[axis];
    }
    let operand = a.clone();
    let problem = Problem::defined(permuted, move |index| {
        let mut from = shape;
        for (&i, &axis) in index.iter().zip(axes.as_ref()) {
            from.as_mut()[axis] = i;
        }
        (a.at(from.as_ref()), 0.0)
    });
    (operand, permuted, problem)
}

/// Returns the function that maps an index to the expected element of the reference loop's result, a plain copy of the memory.
fn unpermuted<T: Number, D: Dim>(a: Operand<T, D>, shape: Vec<usize>) -> impl Fn(&[usize]) -> (T, f64) {
    let slice = a.slice();
    move |index| (slice[index.iter().zip(&shape).fold(0, |flat, (i, extent)| flat * extent + i)], 0.0)
}

pub(super) fn fresh<T: Number, Sh: Extents<E>, E: Dimension + 'static>(shape: Sh, axes: Sh) -> Row<T> {
    let (a, permuted, problem) = problem::<T, E, Sh>(shape, axes);
    let (x, p, r, u) = (a.array::<E>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    let signed: Vec<isize> = axes.as_ref().iter().map(|&axis| axis as isize).collect();
    let mut row = Row::new(problem)
        .fresh(Library::Vierbein, move || tensor.permute(axes).to_owned())
        .fresh(Library::Ndarray, move || {
            let x = x.view().permuted_axes(axes);
            if parallel() {
                // The parallel form of `as_standard_layout` below: the copy is row-major, whatever the operand's strides.
                let mut out = ndarray::Array::uninit(x.raw_dim());
                Zip::from(&mut out).and(&x).par_for_each(|out, &x| {
                    out.write(x);
                });
                // SAFETY: `Zip` visits every element of `out`, and the closure writes it.
                unsafe { out.assume_init() }
            } else {
                x.as_standard_layout().into_owned()
            }
        })
        .fresh(Library::Strided, move || {
            let p = p.permute(axes.as_ref()).expect("a permutation");
            let mut out = StridedArray::row_major(p.dims());
            copy_into(&mut out.view_mut(), &p, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || r.permute_dims(&*signed).to_contig(RowMajor).into_owned());
    if let &[rows, columns] = shape.as_ref() {
        let f = a.faer();
        // Matrices that faer allocates are column-major, so copying a row-major matrix to one of them transposes it in memory.
        row = row.fresh(Library::Faer, move || {
            let mut out = Mat::zeros(rows, columns);
            out.copy_from(*f);
            crate::implementation::Columns(out)
        });
    }
    row.over(Library::Limit, Output::slice(permuted), move |out| limit::copy(out, *u))
        .instead(unpermuted(a, permuted.as_ref().into()))
}

pub(super) fn over<T: Number, Sh: Extents<E>, E: Dimension + 'static>(shape: Sh, axes: Sh) -> Row<T> {
    let (a, permuted, problem) = problem::<T, E, Sh>(shape, axes);
    let (x, p, r, u) = (a.array::<E>(), a.strided(), a.rstsr(), a.slice());
    let tensor = a.tensor();
    let signed: Vec<isize> = axes.as_ref().iter().map(|&axis| axis as isize).collect();
    let mut row = Row::new(problem)
        .over(Library::Vierbein, Tensor::<T, _>::zeros(permuted), move |out| {
            out.assign(&tensor.permute(axes))
        })
        .over(Library::Ndarray, Output::array::<T, E, _>(permuted), move |out| {
            let x = x.view().permuted_axes(axes);
            if parallel() {
                Zip::from(&mut **out).and(&x).par_for_each(|out, &x| *out = x);
            } else {
                out.assign(&x);
            }
        })
        .over(Library::Strided, Output::strided(permuted), move |out| {
            let p = p.permute(axes.as_ref()).expect("a permutation");
            copy_into(out, &p, exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr(permuted), move |out| out.assign(r.permute_dims(&*signed)));
    if shape.as_ref().len() == 2 {
        let f = a.faer();
        row = row.over(Library::Faer, Output::faer(permuted), move |out| out.copy_from(f.transpose()));
    }
    row.over(Library::Limit, Output::slice(permuted), move |out| limit::copy(out, *u))
        .instead(unpermuted(a, permuted.as_ref().into()))
}

type Matrices<T> = [Operand<T, Rank<2>>; 2];

/// Returns the operands and the problem of `a + bᵀ`. The loop of `Library::Limit` adds `a` and `b` in memory order instead, without the
/// transpose: only its time is compared.
fn sum<T: Number>(n: usize) -> (Matrices<T>, Problem<T>) {
    let (a, b) = (operand::<T, _>(1, [n, n]), operand::<T, _>(2, [n, n]));
    let operands = [a.clone(), b.clone()];
    (operands, Problem::defined([n, n], move |i| (a.at(i) + b.at(&[i[1], i[0]]), 0.0)))
}

pub(super) fn add_transposed<T: Number>(n: usize) -> Row<T> {
    let ([a, b], problem) = sum::<T>(n);
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix2>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (f, g) = (a.faer(), b.faer());
    let (u, v) = (a.slice(), b.slice());
    let (left, right) = (a.tensor(), b.tensor());
    Row::new(problem)
        .fresh(Library::Vierbein, move || &*left + &right.t())
        .fresh(Library::Ndarray, move || {
            if parallel() { Zip::from(&*x).and(y.t()).par_map_collect(|&x, &y| x + y) } else { &*x + &y.t() }
        })
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n, n]);
            let q = q.permute(&[1, 0]).expect("a permutation");
            zip_map2_into(&mut out.view_mut(), &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || &*r + &s.permute_dims([1, 0]))
        .fresh(Library::Faer, move || *f + g.transpose())
        .over(Library::Limit, Output::slice([n, n]), move |out| limit::over(out, [*u, *v], |[u, v]| u + v))
        .instead(move |i| (a.at(i) + b.at(i), 0.0))
}

pub(super) fn add_transposed_into<T: Number>(n: usize) -> Row<T> {
    let ([a, b], problem) = sum::<T>(n);
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix2>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (f, g) = (a.faer(), b.faer());
    let (u, v) = (a.slice(), b.slice());
    let (left, right) = (a.tensor(), b.tensor());
    Row::new(problem)
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n, n]), move |out| {
            ways::add_into(out, &left, &right.t())
        })
        .over(Library::Ndarray, Output::array::<T, Ix2, _>([n, n]), move |out| {
            let all = Zip::from(&mut **out).and(&*x).and(y.t());
            if parallel() {
                all.par_for_each(|out, &x, &y| *out = x + y);
            } else {
                all.for_each(|out, &x, &y| *out = x + y);
            }
        })
        .over(Library::Strided, Output::strided([n, n]), move |out| {
            let q = q.permute(&[1, 0]).expect("a permutation");
            zip_map2_into(out, &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr([n, n]), move |out| {
            rt::add_with_output(&*r, s.permute_dims([1, 0]), out.view_mut());
        })
        .over(Library::Faer, Output::faer([n, n]), move |out| {
            faer::zip!(out.as_mut(), *f, g.transpose()).for_each(|faer::unzip!(out, f, g)| *out = *f + *g);
        })
        .over(Library::Limit, Output::slice([n, n]), move |out| limit::over(out, [*u, *v], |[u, v]| u + v))
        .instead(move |i| (a.at(i) + b.at(i), 0.0))
}
