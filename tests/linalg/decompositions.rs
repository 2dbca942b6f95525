//! Tests of decompositions: the product of the factors must equal the operand, except for rounding errors.

use vierbein::DType;
use vierbein::linalg::{Decompose, LinalgElement, Svd};
use vierbein::prelude::*;

/// Returns elements between −1 and 1.
fn numbers<T: LinalgElement>(count: usize, mut state: u64) -> Vec<T> {
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    };
    (0..count).map(|_| T::from_f64(next())).collect()
}

fn residual<T: LinalgElement, O: Order>(a: &Tensor<T, Rank<2>, O>, b: &Tensor<T, Rank<2>, O>) -> T::Magnitude
where
    Cpu: Decompose<T>,
{
    (a - b).norm().item() / a.norm().item()
}

fn check<T: LinalgElement, O: Order>(unit: f64)
where
    T::Magnitude: Into<f64>,
{
    for [m, n] in [[1, 1], [3, 2], [2, 5], [8, 8], [30, 17], [17, 40], [130, 130]] {
        // Builds with debug assertions, which are slow, do not decompose this large matrix: other calls have a large matrix of this type or
        // in this order.
        if cfg!(debug_assertions) && m == 130 && T::DTYPE == DType::F64 && O::ROW_MAJOR {
            continue;
        }
        let a = Tensor::<T, Rank<2>, O>::from_vec([m, n], numbers(m * n, 7 + m as u64));
        let bound = 10.0 * unit * m.max(n) as f64;
        let Svd { u, s, vh } = a.svd();
        let scaled = einsum!("ik,k->ik", &u, &s.cast::<T>());
        assert!(residual(&a, &scaled.matmul(&vh)).into() < bound);
        let (q, r) = a.qr();
        assert!(residual(&a, &q.matmul(&r)).into() < 2.0 * bound);
        let h = a.matmul(&a.t().conj());
        let (w, v) = h.eigh();
        let scaled = einsum!("ik,k->ik", &v, &w.cast::<T>());
        assert!(residual(&h, &scaled.matmul(&v.t().conj())).into() < bound);
    }
}

#[test]
fn products_of_factors_are_the_operand() {
    check::<f64, RowMajor>(f64::EPSILON);
    check::<f64, ColMajor>(f64::EPSILON);
    check::<f32, RowMajor>(f32::EPSILON.into());
    check::<Complex<f32>, ColMajor>(f32::EPSILON.into());
    check::<Complex<f64>, RowMajor>(f64::EPSILON);
}

/// Each matrix of this size is computed on several threads, and the batch is split between threads too.
#[test]
fn batches_of_large_matrices_have_the_same_bits_as_single_matrices() {
    let a = Tensor::<f64, Rank<3>>::from_vec([3, 130, 130], numbers(3 * 130 * 130, 3));
    let (Svd { u, s, vh }, (w, v)) = (a.svd(), a.eigh());
    for k in 0..3 {
        let one = a.index_axis(Axis::<0>, k).to_owned();
        let of_one = one.svd();
        assert_eq!(u.index_axis(Axis::<0>, k), of_one.u);
        assert_eq!(s.index_axis(Axis::<0>, k), of_one.s);
        assert_eq!(vh.index_axis(Axis::<0>, k), of_one.vh);
        let of_one = one.eigh();
        assert_eq!(w.index_axis(Axis::<0>, k), of_one.0);
        assert_eq!(v.index_axis(Axis::<0>, k), of_one.1);
    }
}
