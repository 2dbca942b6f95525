// The rank of a factor is its number of labels.

use vierbein::{Rank, Tensor, svd};

pub fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_u, _s, _vh): (Tensor<f64, Rank<3>>, _, _) = svd!("abcd -> abk, kcd", &x);
}
