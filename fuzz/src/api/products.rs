//! Steps of the random programs that compute typed products of matrices, vectors and tensors, also by `einsum!` with specifications that
//! fit the ranks.

use super::elementwise::{erased, with_output};
use super::record::attempt;
use super::source::{MAX_LEN, Source, array, is_small};
use vierbein::prelude::*;
use vierbein::{Broadcast, ContractRanks, MatmulRanks};

/// Returns whether every product of these operands takes little time and memory.
pub(super) fn feasible(shapes: &[&[usize]]) -> bool {
    let len = |shape: &&[usize]| shape.iter().fold(1, |n: usize, &extent| n.saturating_mul(extent));
    shapes.iter().all(|shape| is_small(shape) && shape.iter().all(|&extent| extent <= 1 << 16))
        && shapes.iter().map(len).fold(1, |n: usize, len| n.saturating_mul(len.max(1))) <= 16 * MAX_LEN
}

/// Computes a product of two operands of rank 1 or more.
pub(super) fn pair<T: Scalar, D, E, O: Order>(
    x: TensorView<'_, T, D, O>,
    y: TensorView<'_, T, E, O>,
    s: &mut Source<'_>,
) where
    D: MatmulRanks<E> + ContractRanks<E, 1> + ContractRanks<E, 0> + Broadcast<E>,
    E: Dim,
{
    if !feasible(&[x.shape().as_ref(), y.shape().as_ref()]) {
        return;
    }
    let conjugate = s.below(2) == 0;
    match s.below(7) {
        0 | 1 => {
            let z = if conjugate {
                attempt("try_matmul of a conjugate", || x.try_matmul(y.conj_view()))
            } else {
                let z = attempt("try_matmul", || x.try_matmul(&y));
                let dynamic = attempt("DynTensor::matmul", || erased(x).matmul(&erased(y)));
                assert_eq!(z.is_some(), dynamic.is_some());
                z
            };
            z.into_iter().for_each(|z| s.keep(z));
        }
        2 => {
            let shape = x.try_matmul(&y).map_or(vec![2; 4], |z| z.shape().as_ref().to_vec());
            with_output(s, &shape, |out| {
                attempt("try_matmul_into", || x.try_matmul_into(&y, out));
            });
        }
        3 => {
            let axes = [
                [s.axis(D::NDIM.expect("a rank known at compile time"))],
                [s.axis(E::NDIM.expect("a rank known at compile time"))],
            ];
            let z = attempt("try_tensordot", || x.try_tensordot(&y, axes[0], axes[1]));
            z.into_iter().for_each(|z| s.keep(z));
        }
        4 => {
            let z = attempt("try_outer", || x.try_outer(y.conj_view()));
            z.into_iter().for_each(|z| s.keep(z));
        }
        5 => {
            let z = attempt("try_inner", || x.try_inner(&y));
            z.into_iter().for_each(|z| s.keep(z));
        }
        _ => {
            let z = attempt("try_kron", || x.try_kron(&y));
            z.into_iter().for_each(|z| s.keep(z));
        }
    }
}

/// Computes the dot product of two operands of the same rank: the sum of the products of their elements.
pub(super) fn sums<T: Scalar, D: Dim, O: Order>(
    x: TensorView<'_, T, D, O>,
    y: TensorView<'_, T, D, O>,
    s: &mut Source<'_>,
) {
    if !is_small(x.shape().as_ref()) || !is_small(y.shape().as_ref()) {
        return;
    }
    if s.below(2) == 0 {
        attempt("try_dot", || x.try_dot(&y));
    } else {
        attempt("try_vdot", || x.try_vdot(&y));
    }
}

/// Returns a memory limit, in bytes, for the intermediate results of a contraction. Usually returns `None`, which stands for no
/// limit.
pub(super) fn limit(s: &mut Source<'_>) -> Option<usize> {
    if s.rarely(4) { Some(s.hostile()) } else { None }
}

/// Contracts matrices and a vector by a macro of the `einsum!` family.
pub(super) fn einsum<T: Scalar, O: Order>(
    [a, b, c]: [TensorView<'_, T, Rank<2>, O>; 3],
    v: TensorView<'_, T, Rank<1>, O>,
    s: &mut Source<'_>,
) {
    let shapes = [a.shape(), b.shape(), c.shape()];
    let few = feasible(&[&shapes[0], &shapes[1]]) && feasible(&[&shapes[1], &shapes[2]]);
    if !few || !feasible(&[&shapes[0], &shapes[2]]) || !feasible(&[&shapes[0], &v.shape()]) {
        return;
    }
    let (limit, alpha, beta) = (limit(s), s.value::<T>(), s.value::<T>());
    macro_rules! contract {
        ($($k:literal $spec:literal [$($x:expr),*] $rank:literal $shape:expr;)*) => {
            match s.below(14) {
                $($k => {
                    match s.below(4) {
                        0 => {
                            let shape = array::<Rank<$rank>>(&$shape);
                            with_output::<T, Rank<$rank>, O>(s, &shape, |out| {
                                let out = out.view_mut();
                                attempt(concat!("try_einsum_into! ", $spec), || {
                                    try_einsum_into!(out, alpha, beta; $spec, $($x),*)
                                });
                            });
                        }
                        1 => drop(attempt(concat!("try_einsum_path! ", $spec), || {
                            try_einsum_path!($spec, $($x),*; limit = limit.unwrap_or(usize::MAX))
                        })),
                        _ => {
                            let z: Option<Tensor<T, Rank<$rank>, O>> =
                                attempt(concat!("try_einsum! ", $spec), || {
                                    try_einsum!($spec, $($x),*; limit = limit.unwrap_or(usize::MAX))
                                });
                            z.into_iter().for_each(|z| s.keep(z));
                        }
                    }
                })*
                _ => {}
            }
        };
    }
    let [[m, n], [_, l], [_, q]] = shapes;
    contract! {
        0 "ij,jk->ik" [&a, &b] 2 [m, l];
        1 "ij,ij->ij" [&a, &b] 2 [m, n];
        2 "ij,ij->" [&a, b.conj_view()] 0 [];
        3 "ij,j->i" [&a, &v] 1 [m];
        4 "ii->i" [&a] 1 [m];
        5 "ij->ji" [a.conj_view()] 2 [n, m];
        6 "i->ii" [&v] 2 [v.len(), v.len()];
        7 "ij,jk,kl->il" [&a, &b, &c] 2 [m, q];
        8 "ij,jk,ki->" [&a, &b, &c] 0 [];
        9 "ij,ik,il->jkl" [&a, &b, &c] 3 [n, l, q];
        10 "...j,j->..." [&a, &v] 1 [m];
        11 "...,..." [&a, &v] 2 [m, n];
        12 "iji,j->i" [&a.insert_axis(1).broadcast_to([m, 1, n]), &v] 1 [m];
        13 "ij,ij,ij->ij" [&a, &b, &c] 2 [m, n];
    }
}
