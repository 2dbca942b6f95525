// The rank of the result is N + M - 2K.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 4]);
    let _: Tensor<f64, Rank<3>> = a.tensordot(&a, [1, 2], [1, 2]);
}
