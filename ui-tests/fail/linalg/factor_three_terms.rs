// The specification of `svd!` has a term for each of the two factors, `u` and `vh`, and none for the singular values.

use vierbein::{Rank, Tensor, svd};

fn main() {
    let x: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let (_u, _s, _vh) = svd!("ab -> ak, k, kb", &x);
}
