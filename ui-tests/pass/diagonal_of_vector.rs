// A vector has no diagonal. `Tensor::from_diagonal(&x)` makes a matrix with this diagonal.

use vierbein::{Tensor, tensor};

pub fn main() {
    let x: Tensor<_, _> = tensor![1.0, 2.0, 3.0];
    let _ = Tensor::from_diagonal(&x);
}
