// An operand must have one axis for each of its labels.

use vierbein::{Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let b: Tensor<f64, Rank<3>> = Tensor::ones([3, 4, 5]);
    let _ = einsum!("ij,jk->ik", &a, &b);
}
