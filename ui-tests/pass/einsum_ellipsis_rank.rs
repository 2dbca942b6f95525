// An operand has an axis for each label beside its ellipsis.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<1>> = Tensor::ones([2]);
    let _ = einsum!("i...->...", &a);
}
