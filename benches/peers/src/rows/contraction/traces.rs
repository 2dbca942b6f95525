//! Contractions with one operand: diagonals and sums.

use crate::implementation::{Library, Row};
use crate::{Contracted, Problem};
use ndarray::{Array1, Array2, Axis, Ix2, Ix3, s};
use vierbein::einsum;

pub(super) fn full<T: Contracted>(n: usize) -> Row<T> {
    let problem = Problem::new("ii->", &[('i', n)]);
    let (a, x) = (problem.tensor::<2>(0), problem.array::<Ix2>(0));
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ii->", &a).item())
        .fresh(Library::Ndarray, move || x.diag().sum())
        .strided()
}

pub(super) fn partial<T: Contracted>() -> Row<T> {
    let problem = Problem::new("iij->j", &[('i', 100), ('j', 100)]);
    let (a, x) = (problem.tensor::<3>(0), problem.array::<Ix3>(0));
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("iij->j", &a))
        .fresh(Library::Ndarray, move || {
            let mut out = Array1::zeros(100);
            for i in 0..100 {
                out += &x.slice(s![i, i, ..]);
            }
            out
        })
        .strided()
}

pub(super) fn diagonal<T: Contracted>() -> Row<T> {
    let problem = Problem::new("ijj->ij", &[('i', 100), ('j', 100)]);
    let (a, x) = (problem.tensor::<3>(0), problem.array::<Ix3>(0));
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ijj->ij", &a))
        .fresh(Library::Ndarray, move || {
            let mut out = Array2::zeros((100, 100));
            for (mut row, matrix) in out.outer_iter_mut().zip(x.outer_iter()) {
                row.assign(&matrix.diag());
            }
            out
        })
        .strided()
}

pub(super) fn sum<T: Contracted>() -> Row<T> {
    let problem = Problem::new("ijk->ik", &[('i', 100), ('j', 100), ('k', 100)]);
    let (a, x) = (problem.tensor::<3>(0), problem.array::<Ix3>(0));
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ijk->ik", &a))
        .fresh(Library::Ndarray, move || x.sum_axis(Axis(1)))
        .strided()
}
