//! Functions that the benchmarks time: operations with broadcasting into a preallocated output, and several operations in one pass.

use vierbein::prelude::*;
use vierbein::{Broadcast, Storage, op};

/// Computes `out = a + b`, broadcasting `b` to the shape of `out`.
pub(crate) fn add_into<
    T: Scalar,
    D: Dim + Broadcast<E, Common = D>,
    E: Dim,
    A: Storage<T, Cpu>,
    B: Storage<T, Cpu>,
>(
    out: &mut Tensor<T, D>,
    a: &Tensor<T, D, RowMajor, Cpu, A>,
    b: &Tensor<T, E, RowMajor, Cpu, B>,
) {
    a.apply2_into(op::Add, b, out);
}

/// Returns `a * b + c * 2`.
pub(crate) fn fused<T: Scalar, D: Dim>(a: &Tensor<T, D>, b: &Tensor<T, D>, c: &Tensor<T, D>) -> Tensor<T, D> {
    let two = T::from_usize(2);
    a.zip_map3(b, c, |a, b, c| a * b + c * two)
}

/// Computes `out = a * b + c * 2`.
pub(crate) fn fused_into<T: Scalar, D: Dim>(
    out: &mut Tensor<T, D>,
    a: &Tensor<T, D>,
    b: &Tensor<T, D>,
    c: &Tensor<T, D>,
) {
    let two = T::from_usize(2);
    a.zip_map3_into(b, c, |a, b, c| a * b + c * two, out);
}

/// Computes `b += alpha * b`.
pub(crate) fn scale_own<T: Scalar, D: Dim>(b: &mut Tensor<T, D>, alpha: T) {
    b.mapv_inplace(|x| x + alpha * x);
}
