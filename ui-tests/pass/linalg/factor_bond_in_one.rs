// The bond, the new label, must be in both factors.

use vierbein::{Rank, Tensor, qr};

pub fn main() {
    let x: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 4, 5]);
    let (_q, _r) = qr!("abcd -> abk, kcd", &x);
}
