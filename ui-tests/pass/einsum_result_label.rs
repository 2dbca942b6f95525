// Each label of the result must occur in an operand.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    let _ = einsum!("ij,jk->ik", &a, &a);
}
