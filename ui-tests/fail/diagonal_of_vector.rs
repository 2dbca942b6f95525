// A vector has no diagonal. The matrix that has it as its diagonal is `Tensor::from_diagonal(&x)`.

use vierbein::{Tensor, tensor};

fn main() {
    let x: Tensor<_, _> = tensor![1.0, 2.0, 3.0];
    let _ = x.diagonal(0, 1);
}
