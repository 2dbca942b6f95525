// The largest rank is 16. Merge axes, or use an array of tensors.

use vierbein::{Rank, Tensor};

fn first(x: &Tensor<f64, Rank<17>>) -> f64 {
    x.sum().item()
}

fn main() {
    let _ = first;
}
