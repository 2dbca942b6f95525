//! Contractions of tensors. Libraries without contractions reshape the operands and multiply matrices.

use super::matmul::faer_product;
use crate::implementation::{Library, Row};
use crate::{Contracted, Problem, parallel};
use faer::MatRef;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array3, Ix3, Ix4, Zip};
use vierbein::einsum;

pub(super) fn three_by_two<T: Contracted>() -> Row<T> {
    let problem = Problem::new("ijk,kl->ijl", &[('i', 100), ('j', 100), ('k', 100), ('l', 100)]);
    let (a, b) = (problem.tensor::<3>(0), problem.tensor::<2>(1));
    let (x, y) = (problem.array::<Ix3>(0), problem.array::<ndarray::Ix2>(1));
    let (p, q) = (problem.inputs[0].data.clone(), problem.inputs[1].data.clone());
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ijk,kl->ijl", &a, &b))
        .fresh(Library::Ndarray, move || {
            let x = x.to_shape((10_000, 100)).unwrap();
            x.dot(&y).into_shape_with_order((100, 100, 100)).unwrap()
        })
        .strided()
        .fresh(Library::Faer, move || {
            faer_product(
                MatRef::from_row_major_slice(&p, 10_000, 100),
                MatRef::from_row_major_slice(&q, 100, 100),
            )
        })
}

pub(super) fn four_by_four<T: Contracted>() -> Row<T> {
    let extents = ['i', 'j', 'k', 'l', 'm', 'n'].map(|label| (label, 20));
    let problem = Problem::new("ijkl,klmn->ijmn", &extents);
    let (a, b) = (problem.tensor::<4>(0), problem.tensor::<4>(1));
    let (x, y) = (problem.array::<Ix4>(0), problem.array::<Ix4>(1));
    let (p, q) = (problem.inputs[0].data.clone(), problem.inputs[1].data.clone());
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ijkl,klmn->ijmn", &a, &b))
        .fresh(Library::Ndarray, move || {
            let (x, y) = (x.to_shape((400, 400)).unwrap(), y.to_shape((400, 400)).unwrap());
            x.dot(&y).into_shape_with_order((20, 20, 20, 20)).unwrap()
        })
        .strided()
        .fresh(Library::Faer, move || {
            faer_product(
                MatRef::from_row_major_slice(&p, 400, 400),
                MatRef::from_row_major_slice(&q, 400, 400),
            )
        })
}

/// Returns a benchmark in which neither operand can be reshaped to a matrix without a copy, so implementations must copy the
/// operands or gather their elements.
pub(super) fn permuted<T: Contracted>() -> Row<T> {
    let extents = [('a', 40), ('b', 32), ('c', 36), ('d', 48), ('e', 40)];
    let problem = Problem::new("cadb,ebc->ade", &extents);
    let (a, b) = (problem.tensor::<4>(0), problem.tensor::<3>(1));
    let (x, y) = (problem.array::<Ix4>(0), problem.array::<Ix3>(1));
    Row::new(problem)
        .fresh(Library::Vierbein, move || {
            einsum!("abcd,cbe->ade", &a.permute([1, 3, 0, 2]), &b.permute([2, 1, 0]))
        })
        .fresh(Library::Ndarray, move || {
            let (x, y) = (x.view().permuted_axes([1, 3, 0, 2]), y.view().permuted_axes([2, 1, 0]));
            let x = x.permuted_axes([0, 3, 2, 1]);
            let (x, y) = (x.to_shape((40 * 48, 36 * 32)).unwrap(), y.to_shape((36 * 32, 40)).unwrap());
            x.dot(&y).into_shape_with_order((40, 48, 40)).unwrap()
        })
        .strided()
}

/// Returns the benchmark that contracts two neighbouring sites of a matrix product state.
pub(super) fn two_sites<T: Contracted>() -> Row<T> {
    let extents = [('a', 128), ('i', 2), ('b', 128), ('j', 2), ('c', 128)];
    let problem = Problem::new("aib,bjc->aijc", &extents);
    let (a, b) = (problem.tensor::<3>(0), problem.tensor::<3>(1));
    let (x, y) = (problem.array::<Ix3>(0), problem.array::<Ix3>(1));
    let (p, q) = (problem.inputs[0].data.clone(), problem.inputs[1].data.clone());
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("aib,bjc->aijc", &a, &b))
        .fresh(Library::Ndarray, move || {
            let (x, y) = (x.to_shape((256, 128)).unwrap(), y.to_shape((128, 256)).unwrap());
            x.dot(&y).into_shape_with_order((128, 2, 2, 128)).unwrap()
        })
        .strided()
        .fresh(Library::Faer, move || {
            faer_product(
                MatRef::from_row_major_slice(&p, 256, 128),
                MatRef::from_row_major_slice(&q, 128, 256),
            )
        })
}

pub(super) fn batched<T: Contracted>() -> Row<T> {
    let problem = Problem::new("bij,bjk->bik", &[('b', 100), ('i', 64), ('j', 64), ('k', 64)]);
    let (a, b) = (problem.tensor::<3>(0), problem.tensor::<3>(1));
    let (x, y) = (problem.array::<Ix3>(0), problem.array::<Ix3>(1));
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("bij,bjk->bik", &a, &b))
        .fresh(Library::Ndarray, move || {
            let mut out = Array3::zeros((100, 64, 64));
            let (zero, one) = (T::sample(0.0, 0.0), T::sample(1.0, 0.0));
            let batch = Zip::from(out.outer_iter_mut()).and(x.outer_iter()).and(y.outer_iter());
            if parallel() {
                batch.par_for_each(|mut out, x, y| general_mat_mul(one, &x, &y, zero, &mut out));
            } else {
                batch.for_each(|mut out, x, y| general_mat_mul(one, &x, &y, zero, &mut out));
            }
            out
        })
        .strided()
}
