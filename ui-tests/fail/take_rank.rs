// The axes of the positions replace one axis: the result has rank 3.

use vierbein::{Rank, Tensor, tensor};

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _: Tensor<f64, Rank<2>> = x.take(0, tensor![[0, 1], [1, 1]]);
}
