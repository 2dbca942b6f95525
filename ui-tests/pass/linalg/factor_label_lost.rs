// Each label of the operand must be in one of the factors.

use vierbein::{Rank, Tensor, svd};

pub fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_u, _s, _vh) = svd!("abcd -> abk, kcd", &x);
}
