//! Decompositions of matrices: erases the types, and calls cuSOLVER or, for triangular systems, cuBLAS. The host computes instead if the
//! library is not found, if matrices have no elements or at least 2³¹ of them, or if an iteration did not converge or gave NaN, or the
//! inverse of a pivot overflows. The host
//! also decomposes singular matrices into LU factors, and solves linear systems whose matrices are Hermitian and may be indefinite.

use super::codegen::operation::RawOperand;
use super::driver::context::Context;
use super::kernels::decompose::matrices::TriangleSide;
use super::kernels::decompose::{Input, cholesky, eigh, lu, qr, solve, solver, svd, triangular};
use super::{result, split_matrix, strided};
use crate::device::family::decompose::{LinalgElement, Structure, on_host};
use crate::device::{Cuda, MatrixOperand, Output};
use crate::element::Element;
use crate::error::Error;

/// Returns the operand in type-erased form, or `None` if cuSOLVER does not support the extents of its matrices or of the results. `outputs`
/// are the shapes of those results that are matrices.
fn input<'a, T: Element, const N: usize>(
    op: &'static str,
    a: &MatrixOperand<'a, T, Cuda<N>>,
    outputs: &[&[usize]],
) -> Option<Input<'a>> {
    let shape = a.operand.shape();
    let mut matrices = [shape].into_iter().chain(outputs.iter().copied());
    let supported = matrices.all(|shape| !shape.contains(&0) && solver::supports(*split_matrix(shape).1));
    supported.then(|| Input { op, shape, elements: strided(&a.operand), conjugate: a.conjugate })
}

/// Returns an output without its type, and its extent along the axis that is `from_last` axes from the end: 1 for the last axis.
fn with_extent<'a, T: Element, const N: usize>(
    out: &Output<'a, T, Cuda<N>>,
    from_last: usize,
) -> (RawOperand<'a>, usize) {
    (result(out), out.shape()[out.shape().len() - from_last])
}

pub(in crate::device) fn svd<T: LinalgElement, const N: usize>(
    context: &'static Context,
    s: Output<'_, T::Magnitude, Cuda<N>>,
    vectors: Option<[Output<'_, T, Cuda<N>>; 2]>,
    a: MatrixOperand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let shapes = vectors.as_ref().map(|vectors| vectors.each_ref().map(Output::shape));
    let shapes = shapes.as_ref().map_or(&[][..], |shapes| &shapes[..]);
    if let Some(input) = input("svd", &a, shapes).filter(|_| solver::is_available()) {
        let outputs = vectors.as_ref().map(|[u, vh]| [with_extent(u, 1), with_extent(vh, 2)]);
        // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements
        // of `s` and `vectors`. The callers pass outputs with the extents that `Decompose` documents. `solver::is_available()`
        // returned `true`, so cuSOLVER is available.
        if unsafe { svd::run(context, result(&s), outputs, &input)? } {
            return Ok(());
        }
    }
    on_host::svd(&Cuda::<N>::default(), s, vectors, a)
}

pub(in crate::device) fn eigh<T: LinalgElement, const N: usize>(
    context: &'static Context,
    w: Output<'_, T::Magnitude, Cuda<N>>,
    v: Option<Output<'_, T, Cuda<N>>>,
    a: MatrixOperand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    if let Some(input) = input("eigh", &a, &[]).filter(|_| solver::is_available()) {
        // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements
        // of `w` and `v`. The callers pass outputs with the extents that `Decompose` documents. `solver::is_available()` returned
        // `true`, so cuSOLVER is available.
        if unsafe { eigh::run(context, result(&w), v.as_ref().map(result), &input)? } {
            return Ok(());
        }
    }
    on_host::eigh(&Cuda::<N>::default(), w, v, a)
}

pub(in crate::device) fn qr<T: LinalgElement, const N: usize>(
    context: &'static Context,
    q: Option<Output<'_, T, Cuda<N>>>,
    r: Output<'_, T, Cuda<N>>,
    a: MatrixOperand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let shape = q.as_ref().map(Output::shape);
    let Some(input) = input("qr", &a, shape.as_slice()).filter(|_| solver::is_available()) else {
        return on_host::qr(&Cuda::<N>::default(), q, r, a);
    };
    let to_q = q.as_ref().map(|q| with_extent(q, 1));
    // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements of
    // `q` and `r`. The callers pass outputs with the extents that `Decompose` documents. `solver::is_available()` returned `true`,
    // so cuSOLVER is available.
    unsafe { qr::run(context, to_q, with_extent(&r, 2), &input) }
}

pub(in crate::device) fn lu<T: LinalgElement, const N: usize>(
    context: &'static Context,
    lu: Output<'_, T, Cuda<N>>,
    rows: Output<'_, i64, Cuda<N>>,
    a: MatrixOperand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    if let Some(input) = input("lu", &a, &[]).filter(|_| solver::is_available()) {
        // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements
        // of `lu` and `rows`. The callers pass outputs with the extents that `Decompose` documents. `solver::is_available()`
        // returned `true`, so cuSOLVER is available.
        if unsafe { lu::run(context, result(&lu), result(&rows), &input)? } {
            return Ok(());
        }
    }
    on_host::lu(&Cuda::<N>::default(), lu, rows, a)
}

pub(in crate::device) fn cholesky<T: LinalgElement, const N: usize>(
    context: &'static Context,
    l: Output<'_, T, Cuda<N>>,
    a: MatrixOperand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let Some(input) = input("cholesky", &a, &[]).filter(|_| solver::is_available()) else {
        return on_host::cholesky(&Cuda::<N>::default(), l, a);
    };
    // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements of
    // `l`. The callers pass outputs with the extents that `Decompose` documents. `solver::is_available()` returned `true`, so
    // cuSOLVER is available.
    unsafe { cholesky::run(context, result(&l), &input) }
}

pub(in crate::device) fn solve<T: LinalgElement, const N: usize>(
    context: &'static Context,
    structure: Structure,
    b: Output<'_, T, Cuda<N>>,
    a: MatrixOperand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let triangle = match structure {
        Structure::Lower { unit } => Some((TriangleSide::Lower, unit)),
        Structure::Upper { unit } => Some((TriangleSide::Upper, unit)),
        _ => None,
    };
    let is_available = match structure {
        // cuSOLVER has no function that solves complex systems by an indefinite Hermitian factorisation.
        Structure::Hermitian => false,
        Structure::General | Structure::PositiveDefinite => solver::is_available(),
        Structure::Lower { .. } | Structure::Upper { .. } => triangular::is_available(),
    };
    if let Some(input) = input("solve", &a, &[b.shape()]).filter(|_| is_available) {
        let (to, shape) = (result(&b), b.shape());
        let solved = match triangle {
            // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements
            // of `b`. The callers pass outputs with the extents that `Decompose` documents. `triangular::is_available()` returned
            // `true`, so cuBLAS is available.
            Some((triangle, unit)) => unsafe { triangular::run(context, triangle, unit, to, shape, &input)? },
            None => {
                let definite = structure == Structure::PositiveDefinite;
                // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the
                // elements of `b`. The callers pass outputs with the extents that `Decompose` documents. `solver::is_available()`
                // returned `true`, so cuSOLVER is available.
                unsafe { solve::run(context, definite, to, shape, &input)? }
            }
        };
        if solved {
            return Ok(());
        }
    }
    on_host::solve(&Cuda::<N>::default(), structure, b, a)
}
