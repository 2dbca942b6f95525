// Integers have no decompositions. Convert them: `.cast::<f64>()`.

use vierbein::{Rank, Tensor, svd};

fn main() {
    let x: Tensor<i32, Rank<2>> = Tensor::ones([2, 3]);
    let (_u, _s, _vh) = svd!("ab -> ak, kb", &x);
}
