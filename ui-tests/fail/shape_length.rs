// The shape has two axes, the type three. Give one extent for each axis.

use vierbein::{Rank, Tensor};

fn main() {
    let _a: Tensor<f64, Rank<3>> = Tensor::zeros([2, 3]);
}
