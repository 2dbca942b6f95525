// A label of the operand belongs to one of the factors. The axes of a batch are an ellipsis.

use vierbein::{Rank, Tensor, svd};

fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_u, _s, _vh) = svd!("abcd -> abck, kcd", &x);
}
