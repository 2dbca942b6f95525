// The operands of a contraction must have the same element type.

use vierbein::{Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    let b: Tensor<f32, Rank<2>> = Tensor::ones([2, 2]);
    let _ = einsum!("ij,jk->ik", &a, &b);
}
