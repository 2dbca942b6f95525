// A function that takes a view must be passed a view: `x.view()`.

use vierbein::{Rank, TensorView, tensor};

fn total(x: TensorView<'_, f64, Rank<1>>) -> f64 {
    x.sum().item()
}

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = total(&x);
}
