// The output must have the memory order of the operands.

use vierbein::{Rank, RowMajor, Tensor, einsum_into};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    let mut out: Tensor<f64, Rank<2>, RowMajor> = Tensor::zeros([2, 2]);
    einsum_into!(&mut out, 1.0, 0.0; "ij,jk->ik", &a, &a);
}
