// Each label of the operand belongs to exactly one factor. Write an ellipsis for batch axes.

use vierbein::{Rank, Tensor, svd};

pub fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_u, _s, _vh) = svd!("a...cd -> a...ck, k...d", &x);
}
