// The operand has one label for each axis.

use vierbein::{Rank, Tensor, svd};

fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_u, _s, _vh) = svd!("abc -> abk, kc", &x);
}
