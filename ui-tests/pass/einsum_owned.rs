// An operand by value is moved. Operands that are used again must be passed by reference.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _ = einsum!("ij->ji", &a);
    let _ = a.sum();
}
