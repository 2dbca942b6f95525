// A function that takes a reference to an owned tensor does not take a view.

use vierbein::{Rank, Tensor, tensor};

fn total(x: &Tensor<f64, Rank<2>>) -> f64 {
    x.sum().item()
}

fn main() {
    let x: Tensor<f64, Rank<2>> = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = total(&x.t());
}
