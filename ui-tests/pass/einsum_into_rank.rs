// The output must have one axis for each label of the result.

use vierbein::{Rank, Tensor, einsum_into};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    let mut out: Tensor<f64, Rank<2>> = Tensor::zeros([2, 2]);
    einsum_into!(&mut out, 1.0, 0.0; "ij,jk->ik", &a, &a);
}
