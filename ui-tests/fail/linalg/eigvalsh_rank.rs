// A matrix has a vector of eigenvalues: one axis fewer.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::eye(3);
    let _w: Tensor<f64, Rank<2>> = a.eigvalsh();
}
