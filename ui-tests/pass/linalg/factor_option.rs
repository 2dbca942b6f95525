// The options of a truncation are the methods of `Truncation`.

use vierbein::{Rank, Tensor, svd};

pub fn main() {
    let x: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let (_u, _s, _vh) = svd!("ab -> ak, kb", &x; max_rank = 1);
}
