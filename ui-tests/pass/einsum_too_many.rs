// A contraction can have up to 16 operands.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<1>> = Tensor::ones([2]);
    let b = einsum!("a,a->a", &a, &a);
    let _ = einsum!(
        "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a->",
        &b,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a,
        &a
    );
}
