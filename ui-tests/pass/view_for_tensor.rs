// A function that reads a tensor takes a view. It is called with `x.view()`, `x.t()` or a slice.

use vierbein::{Rank, Tensor, TensorView, tensor};

fn total(x: TensorView<'_, f64, Rank<2>>) -> f64 {
    x.sum().item()
}

pub fn main() {
    let x: Tensor<f64, Rank<2>> = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = total(x.view()) + total(x.t());
}
