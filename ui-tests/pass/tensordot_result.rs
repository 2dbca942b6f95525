// For operands of ranks N and M, and K pairs of summed axes, the rank of the result is N + M - 2K.

use vierbein::{Rank, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 4]);
    let _: Tensor<f64, Rank<2>> = a.tensordot(&a, [1, 2], [1, 2]);
}
