// Each operand must have the summed axes.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let b: Tensor<f64, Rank<1>> = Tensor::ones([3]);
    let _ = a.tensordot(&b, [0, 1], [0, 1]);
}
