// The number of operands must match the specification.

use vierbein::{Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    let _ = einsum!("ij,jk->ik", &a);
}
