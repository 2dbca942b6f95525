//! Elementwise products by `einsum!`.

use crate::implementation::{Library, Row};
use crate::{Contracted, Problem, parallel};
use ndarray::{Ix3, Zip};
use vierbein::einsum;

pub(super) fn hadamard<T: Contracted>() -> Row<T> {
    let problem = Problem::new("ijk,ijk->ijk", &[('i', 100), ('j', 100), ('k', 100)]);
    let (a, b) = (problem.tensor::<3>(0), problem.tensor::<3>(1));
    let (x, y) = (problem.array::<Ix3>(0), problem.array::<Ix3>(1));
    Row::new(problem)
        .fresh(Library::Vierbein, move || einsum!("ijk,ijk->ijk", &a, &b))
        .fresh(Library::Ndarray, move || {
            if parallel() { Zip::from(&x).and(&y).par_map_collect(|&x, &y| x * y) } else { &x * &y }
        })
        .strided()
}
