// The Hermitian factor of a polar decomposition is square, so it needs a new label for each label of its columns.

use vierbein::{Rank, Tensor, polar};

pub fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_u, _p) = polar!("abcd -> abxy, xycd", &x);
}
