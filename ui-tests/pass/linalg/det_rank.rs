// A batch of matrices has one determinant for each matrix, so the result has two axes fewer than the batch.

use vierbein::{Rank, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<3>> = Tensor::ones([5, 2, 2]);
    let _d: Tensor<f64, Rank<1>> = a.det();
}
