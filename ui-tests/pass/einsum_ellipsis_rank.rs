// An operand must have an axis for each label outside of the ellipsis.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<1>> = Tensor::ones([2]);
    let _ = einsum!("i...->...", &a);
}
