//! vierbein's way to what the benches and `examples/roofline.rs` measure, wherever it is more than one call: results in
//! existing memory, and several operations in one pass.

use vierbein::prelude::*;
use vierbein::{BroadcastTo, Storage};

/// `out = a + b`; `b` is repeated to the shape of `out`.
pub(crate) fn add_into<T: Scalar, D: Dim, E: BroadcastTo<D>, A: Storage<T, Cpu>, B: Storage<T, Cpu>>(
    out: &mut Tensor<T, D>,
    a: &Tensor<T, D, RowMajor, Cpu, A>,
    b: &Tensor<T, E, RowMajor, Cpu, B>,
) {
    out.assign(a);
    *out += b;
}

/// `a * b + c * 2`.
pub(crate) fn fused<T: Scalar, D: Dim>(a: &Tensor<T, D>, b: &Tensor<T, D>, c: &Tensor<T, D>) -> Tensor<T, D> {
    let mut out = a * b;
    out.add_scaled(T::from_usize(2), c);
    out
}

/// `out = a * b + c * 2`.
pub(crate) fn fused_into<T: Scalar, D: Dim>(
    out: &mut Tensor<T, D>,
    a: &Tensor<T, D>,
    b: &Tensor<T, D>,
    c: &Tensor<T, D>,
) {
    out.assign(a);
    *out *= b;
    out.add_scaled(T::from_usize(2), c);
}

/// `b += alpha * b`.
pub(crate) fn scale_own<T: Scalar, D: Dim>(b: &mut Tensor<T, D>, alpha: T) {
    b.mapv_inplace(|x| x + alpha * x);
}
