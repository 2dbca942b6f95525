// Operands must be tensors. Pass a scalar as a tensor of rank 0.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<1>> = Tensor::ones([2]);
    let _ = einsum!(",i->i", &Tensor::<f64, _>::scalar(2.0), &a);
}
