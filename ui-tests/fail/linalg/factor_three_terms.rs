// There are two factors; the singular values have no term.

use vierbein::{Rank, Tensor, svd};

fn main() {
    let x: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let (_u, _s, _vh) = svd!("ab -> ak, k, kb", &x);
}
