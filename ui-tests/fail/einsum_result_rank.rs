// The result has one axis for each of its labels.

use vierbein::{Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    let _: Tensor<f64, Rank<2>> = einsum!("ij,ji->", &a, &a);
}
