// The factors must share exactly one new label.

use vierbein::{Rank, Tensor, lq};

pub fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_l, _q) = lq!("abcd -> abk, kcd", &x);
}
