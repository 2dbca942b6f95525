// An operand must have one axis for each of its labels.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let b: Tensor<f64, Rank<3>> = Tensor::ones([3, 4, 5]);
    let _ = einsum!("ij,jkl->ikl", &a, &b);
}
